// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Views of segments of animations.
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

static const abut__view_kind kind = {
    .moves = true,
    .vertices = segment_vertices,
};

abut_status abut__view_segment(abut__body* body, double from, double to,
                               abut__segment_window* window, abut__view* view) {
    const abut_shape* shape = body->shape;
    *window = (abut__segment_window){.time = {from, to}};
    window->moves = abut__body_schedule(body) == ABUT__SCHEDULE_KEYS;
    abut__view_make(&kind, body, view);
    view->segment = window;
    if (!window->moves) {
        const abut__state* state = view->state[1];
        return isfinite(state->extent) && state->bad_vertex == ABUT__NONE ? ABUT_OK
                                                                          : ABUT_ERR_INVALID_DATA;
    }
    const abut_status status = shape->motion->timeline->segment_at(shape, from, &window->segment);
    view->extent = status == ABUT_OK ? (double)window->segment.extent : INFINITY;
    return status;
}
