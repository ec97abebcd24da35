// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Views of segments of animations.
//
// Boxes of nodes hold the interpolated boxes of the keyframes at both ends of the window, grown by
// the segment's pad, and so everything in between: interpolation is monotonic. Boxes of triangles
// hold their corners at both ends. All triangles own all their vertices and edges, because the
// question is when two triangles touch, and not which features do first.
#include "view/segment.h"

#include <math.h>

abut__schedule abut__body_schedule(const abut__body* body) {
    const abut__timeline* timeline = body->shape->motion->timeline;
    return timeline != NULL ? timeline->schedule(body->shape, abut__body_state(body, 1))
                            : ABUT__SCHEDULE_NONE;
}

double abut__body_next_break(const abut__body* body, double time) {
    return abut__body_schedule(body) == ABUT__SCHEDULE_KEYS
               ? body->shape->motion->timeline->next_break(body->shape, time)
               : INFINITY;
}

bool abut__body_segment(const abut__body* body, abut__segment* out) {
    const abut__timeline* timeline = body->shape->motion->timeline;
    return timeline != NULL && timeline->segment(body->shape, abut__body_state(body, 1), out);
}

// ---- nodes

static float mix(float a, float b, float part) {
    return part <= 0 ? a : part >= 1 ? b : (1 - part) * a + part * b;
}

static const abut__boxes8* segment_bound(const abut__view* view, uint32_t node,
                                         abut__boxes8* room) {
    const abut__segment_window* window = view->segment;
    if (!window->moves) {
        return abut__body_bound(view->body, node, 1, room);
    }
    const abut__segment* segment = &window->segment;
    const abut__boxes8* from = &segment->boxes[0][node];
    const abut__boxes8* to = &segment->boxes[1][node];
    const float* part = window->part;
    abut__boxes8 straight;
    abut__boxes8* out = view->body->turned ? &straight : room;
    for (int d = 0; d < 3; ++d) {
        for (int k = 0; k < ABUT__FAN; ++k) {
            const float lo[2] = {mix(from->lo[d][k], to->lo[d][k], part[0]),
                                 mix(from->lo[d][k], to->lo[d][k], part[1])};
            const float hi[2] = {mix(from->hi[d][k], to->hi[d][k], part[0]),
                                 mix(from->hi[d][k], to->hi[d][k], part[1])};
            out->lo[d][k] = (lo[0] < lo[1] ? lo[0] : lo[1]) - segment->pad;
            out->hi[d][k] = (hi[0] > hi[1] ? hi[0] : hi[1]) + segment->pad;
        }
    }
    if (view->body->turned) {
        abut__turn turn;
        (void)abut__body_turn(view->body, 1, &turn);
        turn.pad = ABUT__TURN_PAD * segment->extent + ABUT__TINY;
        view->shape->context->kernels->turn_boxes(&straight, view->tree->nodes[node].count, &turn,
                                                  room);
    }
    return room;
}

// ---- blocks

static void evaluate(const abut__view* view, int end, const uint32_t* ids, uint32_t count,
                     double* const out[3]) {
    const abut_shape* shape = view->shape;
    if (view->segment->moves) {
        shape->motion->timeline->vertices_at(shape, view->segment->time[end], ids, count, out);
    } else {
        shape->motion->vertices(shape, view->state[end], ids, count, out);
    }
}

static void segment_vertices(const abut__view* view, int end, const uint32_t* ids, uint32_t count,
                             double (*out)[3]) {
    abut__view_evaluate_by(evaluate, view, end, ids, count, out);
}

static void fill_block(const abut__view* view, uint32_t block, abut__moving_block* out) {
    const abut__block* fixed = view->tree->blocks[block];
    out->bad_vertex = ABUT__NONE;
    out->reach = 0;
    for (int end = 0; end < 2; ++end) {
        segment_vertices(view, end, fixed->vertex, fixed->vertex_count, out->vertices[end]);
        for (uint32_t v = 0; v < fixed->vertex_count; ++v) {
            const double* x = out->vertices[end][v];
            const bool finite = isfinite(x[0]) && isfinite(x[1]) && isfinite(x[2]);
            out->bad_vertex = !finite && fixed->vertex[v] < out->bad_vertex ? fixed->vertex[v]
                                                                            : out->bad_vertex;
            for (int d = 0; d < 3; ++d) {
                out->reach = fabs(x[d]) > out->reach ? fabs(x[d]) : out->reach;
            }
        }
    }
    const bool bounded = view->extent < (double)ABUT__EXTENT_LIMIT && out->bad_vertex == ABUT__NONE;
    const double pad = 0x1p-19 * view->extent + 0x1p-46 * view->far + (double)ABUT__TINY;
    abut__part_fill_boxes(view, view->placing[1] != NULL, bounded ? pad : INFINITY, NULL, fixed,
                          out);
}

static abut__moving_block* find_block(const abut__view* view, uint32_t block, int side,
                                      abut__reader* reader) {
    return abut__step_fill(fill_block, view, block, side, reader);
}

static const abut__block_boxes* segment_block_boxes(const abut__view* view, uint32_t block,
                                                    int side, abut__reader* reader) {
    return abut__step_filled_boxes(fill_block, view, block, side, reader);
}

static const abut__moving_block* segment_block_ends(const abut__view* view, uint32_t block,
                                                    int side, abut__reader* reader) {
    return abut__step_finite(view, find_block(view, block, side, reader), reader);
}

static const abut__view_kind kind = {
    .moves = true,
    .bound = segment_bound,
    .block_boxes = segment_block_boxes,
    .block_ends = segment_block_ends,
    .vertices = segment_vertices,
    .apart = abut__step_apart,
};

// ---- the view

// Returns the fraction of the segment at a time; both ends are the same boxes where it is endless.
static float part_of(const abut__segment* segment, double time) {
    const double length = segment->to - segment->from;
    return isfinite(length) ? (float)((time - segment->from) / length) : 0;
}

abut_status abut__view_segment(abut__body* body, double from, double to,
                               abut__segment_window* window, abut__view* view) {
    const abut_shape* shape = body->shape;
    *window = (abut__segment_window){.time = {from, to}};
    window->moves = abut__body_schedule(body) == ABUT__SCHEDULE_KEYS;
    abut__view_make(&kind, body, view);
    view->segment = window;
    view->usage = NULL;
    if (!window->moves) {
        const abut__state* state = view->state[1];
        return isfinite(state->extent) && state->bad_vertex == ABUT__NONE ? ABUT_OK
                                                                          : ABUT_ERR_INVALID_DATA;
    }
    const abut_status status = shape->motion->timeline->segment_at(shape, from, &window->segment);
    view->extent = status == ABUT_OK ? (double)window->segment.extent : INFINITY;
    for (int end = 0; end < 2 && status == ABUT_OK; ++end) {
        window->part[end] = part_of(&window->segment, window->time[end]);
    }
    return status;
}
