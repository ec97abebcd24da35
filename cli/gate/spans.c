// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Finds when contact begins and ends: see spans.h.
#include "cli/gate/spans.h"

#include <math.h>

// whether a body follows keyframes
static bool is_keyed(const spans* s, const world* w, uint32_t body) {
    const abut_shape* shape = abut_body_shape(w->scene, w->bodies[body]);
    return s->objects->objects[body].frames > 1 && shape != NULL &&
           abut_shape_motion(shape) == ABUT_MOTION_FLIGHT;
}

static bool is_still(const spans* s, uint32_t body) {
    return s->objects->objects[body].frames == 1;
}

static bool has_answer(const spans* s, const world* w, const measure* m) {
    const bool keyed[2] = {is_keyed(s, w, m->a), is_keyed(s, w, m->b)};
    return (keyed[0] || is_still(s, m->a)) && (keyed[1] || is_still(s, m->b)) &&
           (keyed[0] || keyed[1]);
}

static abut_status ask(spans* s, const world* w, size_t frame, const measure* m) {
    abut_intervals_def def = abut_intervals_def_default();
    const double to = (double)frame;
    def.filter = w->aside.counts;
    abut_status status = s->answer != NULL
                             ? ABUT_OK
                             : abut_intervals_result_create(w->context, &s->answer, NULL);
    if (status == ABUT_OK) {
        status = m->a == m->b ? abut_intervals_self(w->scene, w->bodies[m->a], to - 1, to, &def,
                                                    s->answer, NULL)
                              : abut_intervals(w->scene, w->bodies[m->a], w->bodies[m->b], to - 1,
                                               to, &def, s->answer, NULL);
    }
    return status;
}

// from the first begin to the last end
static void take_answer(const spans* s, size_t frame, measure* m) {
    size_t count = 0;
    const abut_contact_interval* list = abut_intervals_result_intervals(s->answer, &count);
    double start = INFINITY;
    double stop = -INFINITY;
    for (size_t i = 0; i < count; ++i) {
        start = fmin(start, list[i].start);
        stop = fmax(stop, list[i].stop);
    }
    if (count != 0) {
        m->start = start - (double)frame;
        m->stop = stop - (double)frame;
        m->continuous = true;
    }
}

bool spans_take(spans* s, world* w, const question* q, size_t frame, measure* list, size_t count) {
    for (size_t i = 0; i < count && w->stepped && frame > q->first; ++i) {
        measure* m = &list[i];
        if (q->margin > 0 || m->pairs + m->swept == 0 || !has_answer(s, w, m)) {
            continue;
        }
        const abut_status status = ask(s, w, frame, m);
        if (status != ABUT_OK) {
            world_complain(w, status, m->a, m->b);
            return false;
        }
        take_answer(s, frame, m);
    }
    return true;
}

void spans_free(spans* s) {
    abut_intervals_result_destroy(s->answer);
    *s = (spans){0};
}
