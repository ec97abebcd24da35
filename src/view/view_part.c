// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Views of a part of a step, between the breakpoints of two bodies (cut.c). In a part both bodies
// move on straight lines. sweep.c joins the contacts of all parts.
//
// Knots. At a knot the motion defines the positions, in double: the previous state at 0, the
// current one at 1, keyframes at the times that the motion gives. In the world a vertex x at a
// keyframe at time s is at (1 - s) F0(x) + s F1(x), where F0 and F1 are the body's frames at both
// ends of the step and every operation is rounded. Answers are exact about the polylines through
// these knots.
//
// Between knots. If only one body has a knot at time s, the other is between two knots a and b, at
// the fraction p = (s - s_a) / (s_b - s_a): x = (1 - p) a + p b, or a if both are equal. Let M be
// the greatest magnitude among a and b, and u = 2^-53. The error of p is 3 u, and that of x is
// 3 u |b - a| + 3 u M <= 9 u M in each coordinate. An error e of a primitive's corners moves each
// of its points by at most e, at every time: two primitives come nearer by at most
// sqrt(3) 9 u (M + M') < 2^-49 (M + M'). The margin is grown by twice that, because the sum is
// rounded, too: by less than 2 u (M + M'), unless the margin is so large that everything is within
// it. M is that of the block.
//
// Boxes. A box between knots is interpolated between those at the knots: interpolation preserves
// order. It is computed in double and grown by 2^-19 S + 2^-46 F. S is the greatest coordinate over
// the step relative to the origin at the end, F the greatest coordinate of both origins in the
// world. Boxes at knots are off by 2^-23 S as in view_step.c, positions in the world by less than
// 2^-50 (S + F).
#include <math.h>

#include "view/step.h"

// ---- boxes

// interpolates linearly; exact for 0, 1 and equal numbers
static double mix(double a, double b, double part) {
    return a == b || part == 0 ? a : part == 1 ? b : (1 - part) * a + part * b;
}

typedef struct wide_box {
    double lo[3];
    double hi[3];
} wide_box;

static wide_box wide(const abut__box3* box) {
    wide_box out;
    for (int d = 0; d < 3; ++d) {
        out.lo[d] = (double)box->lo[d];
        out.hi[d] = (double)box->hi[d];
    }
    return out;
}

// a box relative to the origin at the start, now relative to the origin at the end
static wide_box shifted_to_end(const abut__body* body, wide_box box) {
    double from[3];
    double to[3];
    abut__body_origin(body, 0, from);
    abut__body_origin(body, 1, to);
    for (int d = 0; d < 3; ++d) {
        box.lo[d] += from[d] - to[d];
        box.hi[d] += from[d] - to[d];
    }
    return box;
}

// rotates a box; an infinite one becomes NaN, which below() and above() turn into infinity
static wide_box turned(const abut_frame* frame, const wide_box* box) {
    wide_box out;
    for (int d = 0; d < 3; ++d) {
        double centre = 0;
        double half = 0;
        for (int e = 0; e < 3; ++e) {
            centre += frame->r[d][e] * (0.5 * (box->lo[e] + box->hi[e]));
            half += fabs(frame->r[d][e]) * (0.5 * (box->hi[e] - box->lo[e]));
        }
        out.lo[d] = centre - half;
        out.hi[d] = centre + half;
    }
    return out;
}

static wide_box mixed(const wide_box* a, const wide_box* b, double part) {
    wide_box out;
    for (int d = 0; d < 3; ++d) {
        out.lo[d] = mix(a->lo[d], b->lo[d], part);
        out.hi[d] = mix(a->hi[d], b->hi[d], part);
    }
    return out;
}

// a box in the shape's axes at a keyframe, now in world axes relative to the origin at the end
static wide_box placed_at(const abut__body* body, double at, const wide_box* box) {
    const wide_box end = body->turned ? turned(&body->frame, box) : *box;
    if (abut__frames_equal(abut__body_frame(body, 0), &body->frame)) {
        return end;
    }
    const wide_box start = shifted_to_end(
        body, body->turned_before ? turned(abut__body_frame(body, 0), box) : *box);
    return mixed(&start, &end, at);
}

// the boxes of a node's children at a knot
static const abut__boxes8* boxes_at(const abut__body* body, const abut__boxes8* start,
                                    uint32_t knot, uint32_t node, abut__boxes8* room) {
    if (knot == ABUT__KNOT_START && start != NULL) {
        return &start[node];
    }
    if (knot == ABUT__KNOT_START || knot == ABUT__KNOT_END) {
        return abut__body_bound(body, node, knot == ABUT__KNOT_END ? 1 : 0, room);
    }
    const abut__refit_boxes* boxes = abut__boxes_at_break(body, knot);
    if (boxes == NULL) {
        abut__boxes_infinite(room, body->shape->tree.nodes[node].count);
        return room;
    }
    return &boxes->boxes[node];
}

// the box of a child at a knot, in world axes relative to the origin at the end
static wide_box child_at(const abut__body* body, const abut__boxes8* start, uint32_t knot,
                         double at, const abut__boxes8* boxes, uint32_t child) {
    const abut__box3 box = abut__boxes_get(boxes, child);
    const wide_box there = wide(&box);
    if (knot == ABUT__KNOT_END) {
        return there;
    }
    return knot == ABUT__KNOT_START && start == NULL ? shifted_to_end(body, there)
                                                     : placed_at(body, at, &there);
}

static double pad_of(const abut__body* body, double extent) {
    const double far = fmax(abut__body_far(body, 0), abut__body_far(body, 1));
    return 0x1p-19 * extent + 0x1p-46 * far + (double)ABUT__TINY;
}

// rounds x - pad down; infinite if out of range
static float below(double x, double pad) {
    x -= pad;
    return x > -(double)ABUT__EXTENT_LIMIT && x < (double)ABUT__EXTENT_LIMIT
               ? nextafterf((float)x, -INFINITY)
               : -INFINITY;
}

static float above(double x, double pad) {
    return -below(-x, pad);
}

// grows boxes of a node's children to hold them at one end of the part
static void bound_instant(const abut__body* body, const abut__boxes8* start,
                          const abut__instant* at, uint32_t node, double pad, abut__boxes8* out) {
    const bool between = at->knot[0] != at->knot[1];
    abut__boxes8 rooms[2];
    const abut__boxes8* boxes[2] = {NULL, NULL};
    for (int k = 0; k < (between ? 2 : 1); ++k) {
        boxes[k] = boxes_at(body, start, at->knot[k], node, &rooms[k]);
    }
    for (uint32_t c = 0; c < body->shape->tree.nodes[node].count; ++c) {
        wide_box box = child_at(body, start, at->knot[0], at->at[0], boxes[0], c);
        if (between) {
            const wide_box next = child_at(body, start, at->knot[1], at->at[1], boxes[1], c);
            box = mixed(&box, &next, at->part);
        }
        for (int d = 0; d < 3; ++d) {
            out->lo[d][c] = fminf(out->lo[d][c], below(box.lo[d], pad));
            out->hi[d][c] = fmaxf(out->hi[d][c], above(box.hi[d], pad));
        }
    }
}

static const abut__boxes8* part_bound(const abut__view* view, uint32_t node, abut__boxes8* room) {
    const abut__part_side* side = view->part;
    if (!(side->extent < (double)ABUT__EXTENT_LIMIT)) {
        abut__boxes_infinite(room, view->tree->nodes[node].count);
        return room;
    }
    abut__boxes_infinite(room, 0);
    for (int end = 0; end < 2; ++end) {
        bound_instant(view->body, side->start, &side->end[end], node,
                      pad_of(view->body, side->extent), room);
    }
    return room;
}

void abut__step_grow_box(const abut__body* body, abut_box* box) {
    abut__breakpoint breakpoint;
    abut__step_grow_by_curve(body, box);
    for (uint32_t i = 0; abut__breakpoint_of(body, i, &breakpoint); ++i) {
        const abut__refit_boxes* boxes = abut__boxes_at_break(body, breakpoint.key);
        for (int end = 0; end < 2; ++end) {
            const abut_frame* frame = abut__body_frame(body, end);
            const wide_box root = wide(boxes != NULL ? &boxes->root
                                                     : &(abut__box3){{-INFINITY}, {INFINITY}});
            const wide_box there = turned(frame, &root);
            const double far = abut__body_far(body, end);
            double origin[3];
            abut__body_origin(body, end, origin);
            for (int d = 0; d < 3; ++d) {
                const double t = origin[d];
                const double size = fmax(fabs(there.lo[d]), fabs(there.hi[d]));
                const double pad = 0x1p-20 * size + 0x1p-46 * far + (double)ABUT__TINY;
                const bool bounded = size <= (double)ABUT__EXTENT_LIMIT;
                box->lo[d] = bounded ? fmin(box->lo[d], t + there.lo[d] - pad) : -INFINITY;
                box->hi[d] = bounded ? fmax(box->hi[d], t + there.hi[d] + pad) : INFINITY;
            }
        }
    }
}

// ---- blocks

typedef double block_points[ABUT__BLOCK_VERTICES][3];

// computes at most ABUT__BLOCK_VERTICES vertices at a knot
static void points_at_knot(const abut__body* body, bool placed, uint32_t knot, double at,
                           const uint32_t* ids, uint32_t count, double (*out)[3]) {
    const abut_shape* shape = body->shape;
    const bool key = knot != ABUT__KNOT_START && knot != ABUT__KNOT_END;
    const abut__state* state = abut__body_state(body, knot == ABUT__KNOT_START ? 0 : 1);
    double xyz[3][ABUT__BLOCK_VERTICES];
    double* const places[3] = {xyz[0], xyz[1], xyz[2]};
    if (key) {
        shape->motion->timeline->break_vertices(shape, state, knot, ids, count, places);
    } else {
        shape->motion->vertices(shape, state, ids, count, places);
    }
    for (uint32_t v = 0; v < count; ++v) {
        double end[3] = {xyz[0][v], xyz[1][v], xyz[2][v]};
        double start[3] = {end[0], end[1], end[2]};
        if (placed) {
            abut__frame_apply(abut__body_frame(body, 0), start);
            abut__frame_apply(&body->frame, end);
        }
        for (int d = 0; d < 3; ++d) {
            out[v][d] = mix(start[d], end[d], key ? at : knot == ABUT__KNOT_END ? 1 : 0);
        }
    }
}

static void part_vertices(const abut__view* view, int end, const uint32_t* ids, uint32_t count,
                          double (*out)[3]) {
    const abut__instant* at = &view->part->end[end];
    for (uint32_t i = 0; i < count; i += ABUT__BLOCK_VERTICES) {
        const uint32_t left = count - i;
        points_at_knot(view->body, view->part->placed != 0, at->knot[0], at->at[0], ids + i,
                       left < ABUT__BLOCK_VERTICES ? left : ABUT__BLOCK_VERTICES, out + i);
    }
}

static double reach_of(block_points points, uint32_t count) {
    double reach = 0;
    for (uint32_t v = 0; v < count; ++v) {
        for (int d = 0; d < 3; ++d) {
            reach = fmax(reach, fabs(points[v][d]));
        }
    }
    return reach;
}

// computes a block's vertices at an instant; returns the greatest magnitude at its knots
static double points_at(const abut__body* body, bool placed, const abut__instant* at,
                        const abut__block* fixed, block_points out) {
    const uint32_t count = fixed->vertex_count;
    points_at_knot(body, placed, at->knot[0], at->at[0], fixed->vertex, count, out);
    double reach = reach_of(out, count);
    if (at->knot[0] != at->knot[1]) {
        block_points next;
        points_at_knot(body, placed, at->knot[1], at->at[1], fixed->vertex, count, next);
        reach = fmax(reach, reach_of(next, count));
        for (uint32_t v = 0; v < count; ++v) {
            for (int d = 0; d < 3; ++d) {
                out[v][d] = mix(out[v][d], next[v][d], at->part);
            }
        }
    }
    return reach;
}

// converts a vertex to world axes, relative to the origin at the end
static void to_boxes(const abut__body* body, bool placed, const double x[3], double out[3]) {
    const float* origin = abut__body_own_origin(body, 1);
    double from[3] = {(double)origin[0], (double)origin[1], (double)origin[2]};
    if (placed) {
        abut__frame_apply(&body->frame, from);
    }
    const double y[3] = {x[0] - from[0], x[1] - from[1], x[2] - from[2]};
    for (int d = 0; d < 3; ++d) {
        const double* r = body->frame.r[d];
        out[d] = !placed && body->turned ? (r[0] * y[0] + r[1] * y[1]) + r[2] * y[2] : y[d];
    }
}

static void fill_boxes(const abut__body* body, bool placed, double pad, const abut__block* fixed,
                       abut__moving_block* out) {
    abut__block_boxes* boxes = &out->boxes;
    double at[2][ABUT__BLOCK_VERTICES][3];
    float corners[2][ABUT__BLOCK_VERTICES][3];
    for (uint32_t v = 0; v < fixed->vertex_count; ++v) {
        for (int end = 0; end < 2; ++end) {
            to_boxes(body, placed, out->vertices[end][v], at[end][v]);
            for (int d = 0; d < 3; ++d) {
                corners[end][v][d] = (float)at[end][v][d];
            }
        }
    }
    abut__step_fill_triangles(body->shape, fixed, corners, out);
    boxes->valid = fixed->valid;
    for (int d = 0; d < 3; ++d) {
        boxes->all.lo[d] = INFINITY;
        boxes->all.hi[d] = -INFINITY;
        for (uint32_t t = 0; t < ABUT__BLOCK_TRIANGLES; ++t) {
            double lo = INFINITY;
            double hi = -INFINITY;
            for (int i = 0; i < 6 && t < fixed->triangle_count; ++i) {
                const double x = at[i % 2][fixed->corner[i / 2][t]][d];
                lo = x < lo ? x : lo;
                hi = x > hi ? x : hi;
            }
            const bool there = t < fixed->triangle_count;
            boxes->lo[d][t] = there ? below(lo, pad) : INFINITY;
            boxes->hi[d][t] = there ? above(hi, pad) : -INFINITY;
            boxes->all.lo[d] = fminf(boxes->all.lo[d], boxes->lo[d][t]);
            boxes->all.hi[d] = fmaxf(boxes->all.hi[d], boxes->hi[d][t]);
        }
    }
}

static void fill_block(const abut__view* view, uint32_t block, abut__moving_block* out) {
    const abut__block* fixed = view->tree->blocks[block];
    const abut__part_side* side = view->part;
    out->reach = 0;
    out->bad_vertex = ABUT__NONE;
    for (int end = 0; end < 2; ++end) {
        const double reach = points_at(view->body, side->placed != 0, &side->end[end], fixed,
                                       out->vertices[end]);
        out->reach = fmax(out->reach, reach);
        for (uint32_t v = 0; v < fixed->vertex_count; ++v) {
            const double* x = out->vertices[end][v];
            const bool finite = isfinite(x[0]) && isfinite(x[1]) && isfinite(x[2]);
            out->bad_vertex = !finite && fixed->vertex[v] < out->bad_vertex ? fixed->vertex[v]
                                                                            : out->bad_vertex;
        }
    }
    const bool bounded = side->extent < (double)ABUT__EXTENT_LIMIT && out->bad_vertex == ABUT__NONE;
    fill_boxes(view->body, side->placed != 0, bounded ? pad_of(view->body, side->extent) : INFINITY,
               fixed, out);
}

// returns the block, filled in, from the cache or in the reader; NULL: no memory
static abut__moving_block* find_block(const abut__view* view, uint32_t block, int side,
                                      abut__reader* reader) {
    abut__claim claim = ABUT__READY;
    abut__moving_block* found = abut__step_take(view, block, side, reader, &claim);
    if (found != NULL && claim != ABUT__READY) {
        fill_block(view, block, found);
    }
    if (claim == ABUT__MINE) {
        abut__claim_done(&found->vertices_of, view->stamp);
        ++reader->counters.blocks_evaluated;
        reader->counters.vertices_evaluated += view->tree->blocks[block]->vertex_count;
    }
    return found;
}

static const abut__block_boxes* part_block_boxes(const abut__view* view, uint32_t block, int side,
                                                 abut__reader* reader) {
    const abut__moving_block* found = find_block(view, block, side, reader);
    if (found == NULL) {
        fill_block(view, block, &reader->moving[side]);
        found = &reader->moving[side];
    }
    if (found == &reader->moving[side]) {
        reader->boxes[side] = found->boxes;
        return &reader->boxes[side];
    }
    return &found->boxes;
}

static const abut__moving_block* part_block_ends(const abut__view* view, uint32_t block, int side,
                                                 abut__reader* reader) {
    return abut__step_finite(view, find_block(view, block, side, reader), reader);
}

static const abut__view_kind part = {
    .moves = true,
    .bound = part_bound,
    .block_boxes = part_block_boxes,
    .block_ends = part_block_ends,
    .vertices = part_vertices,
    .apart = abut__step_apart,
};

// `placing` stays NULL: points_at_knot() applies the frames.
abut__view abut__view_part(abut__body* body, const abut__part_side* side) {
    abut__view view;
    abut__view_make(&part, body, &view);
    view.state[0] = abut__body_state(body, 0);
    view.part = side;
    view.extent = side->extent;
    view.frame_moves = !abut__frames_equal(abut__body_frame(body, 0), &body->frame);
    return view;
}
