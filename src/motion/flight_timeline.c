// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// The timeline of flight bodies: segments of straight motion, the keyframes within a step, and those
// ahead.
#include "motion/flight.h"

#include <math.h>

#include "motion/plans.h"

// ---- segments

// sets the ends of a segment between keyframes, or before the first one, or after the last one
static bool segment_by_keys(const abut_shape* shape, const abut__flight_state* own,
                            const abut__refit_boxes* ends[2], abut__segment* out) {
    const abut__flight* flight = abut__flight_of(shape);
    const uint32_t last = flight->key_count - 1;
    const uint32_t key = own->keys.from;
    const bool before = own->time < flight->keys[0].time;
    const uint32_t keys[2] = {key, before || key == last ? key : key + 1};
    out->descent = shape->descent;
    for (int e = 0; e < 2; ++e) {
        const abut__key_boxes* boxes = abut__flight_key_boxes(shape, keys[e]);
        if (boxes == NULL) {
            return false;
        }
        ends[e] = &boxes->refit;
        out->descent = boxes->is_descended ? out->descent : NULL;
    }
    out->from = before ? -INFINITY : flight->keys[key].time;
    out->to = before ? flight->keys[0].time : key == last ? INFINITY : flight->keys[key + 1].time;
    out->epoch = before ? 0 : 2 * ((uint64_t)key + 1);
    out->change = 0;
    out->touched = NULL;
    out->is_curved = false;
    return true;
}

// spans may run backwards in time
static void segment_by_plans(const abut_shape* shape, const abut__plans* plans,
                             const abut__refit_boxes* ends[2], abut__segment* out) {
    const int first = plans->to < plans->from ? 1 : 0;
    const int last = plans->to != plans->from ? 1 - first : first;
    out->from = first == 0 ? plans->from : plans->to;
    out->to = first == 0 ? plans->to : plans->from;
    ends[0] = &plans->end[first].boxes.refit;
    ends[1] = &plans->end[last].boxes.refit;
    out->epoch = 2 * plans->epoch + 1;
    out->change = plans->change;
    out->touched = plans->touched;
    out->descent = plans->is_descended ? shape->descent : NULL;
    out->is_curved = plans->accelerated;
}

// adds the lines of the kinetic tree, if the shape was made with one
static void segment_lines(const abut_shape* shape, const abut__flight_state* own,
                          abut__segment* out) {
    const bool has = own->tight && !out->is_curved &&
                     abut__flight_of(shape)->bound == ABUT_FLIGHT_BOUND_KINETIC;
    const int first = own->plans != NULL && own->plans->to < own->plans->from ? 1 : 0;
    for (int e = 0; e < 2; ++e) {
        out->lines[e] = has ? abut__kinetic_end(own->kinetic, e == 0 ? first : 1 - first) : NULL;
    }
    if (has) {
        out->line_pad = own->tight_pad;
        out->serial = own->kinetic->serial;
        out->marks = own->kinetic->marks;
    }
}

static bool flight_segment(const abut_shape* shape, const abut__state* state, abut__segment* out) {
    const abut__flight_state* own = abut__flight_state_of(state);
    const abut__refit_boxes* ends[2];
    if (own->unbounded) {
        return false;
    }
    if (own->plans != NULL) {
        segment_by_plans(shape, own->plans, ends, out);
    } else if (!segment_by_keys(shape, own, ends, out)) {
        return false;
    }
    segment_lines(shape, own, out);
    out->time = own->time;
    out->extent = 0;
    for (int e = 0; e < 2; ++e) {
        if (atomic_load(&((abut__refit_boxes*)ends[e])->bad_vertex) != ABUT__NONE) {
            return false;
        }
        out->boxes[e] = ends[e]->boxes;
        out->extent = ends[e]->extent > out->extent ? ends[e]->extent : out->extent;
    }
    out->pad = 0x1p-20f * out->extent + 0x1p-140f;
    out->pad += own->plans != NULL ? (float)(0x1p-48 * own->plans->most)
                                   : abut__flight_far_pad(abut__flight_of(shape));
    return out->extent <= ABUT__FLIGHT_MOST;
}

// ---- keyframes within a step

// A step runs from t0 to t1. A keyframe at t is at (t - t0) / (t1 - t0) of it, in double. Rounding
// preserves order.
static double part_of_step(double from, double to, double time) {
    return isfinite(to - from) ? (time - from) / (to - from)
                               : (0.5 * time - 0.5 * from) / (0.5 * to - 0.5 * from);
}

static bool flight_breakpoint(const abut_shape* shape, const abut__state* before,
                              const abut__state* now, uint32_t index, abut__breakpoint* out) {
    const abut__flight* flight = abut__flight_of(shape);
    const double from = abut__flight_state_of(before)->time;
    const double to = abut__flight_state_of(now)->time;
    const abut__plans* plans = abut__flight_state_of(now)->plans;
    if (flight->key_count < 2 || from == to ||
        (plans != NULL && plans->planned == plans->vertex_count)) {
        return false;
    }
    int64_t key;
    if (to > from) {
        key = (int64_t)abut__flight_key(flight, from);
        key += (flight->keys[key].time <= from ? 1 : 0) + (int64_t)index;
    } else {
        key = (int64_t)abut__flight_key(flight, from);
        key -= (flight->keys[key].time >= from ? 1 : 0) + (int64_t)index;
    }
    if (key < 0 || key >= (int64_t)flight->key_count) {
        return false;
    }
    const double time = flight->keys[key].time;
    *out = (abut__breakpoint){part_of_step(from, to, time), (uint32_t)key};
    return to > from ? time > from && time < to : time < from && time > to;
}

// returns NULL if the plans are so old that rounding errors show: then only states have boxes
static const abut__refit_boxes* boxes_by_plans(const abut_shape* shape,
                                               const abut__flight_state* own, uint32_t key) {
    const abut__plans* plans = own->plans;
    const double time = abut__flight_of(shape)->keys[key].time;
    for (int e = 0; e < 2 && !own->unbounded; ++e) {
        const abut__refit_boxes* refit = &plans->end[e].boxes.refit;
        if (plans->end[e].time == time &&
            0x1p-48 * plans->most <= 0x1p-22 * (double)refit->extent) {
            return refit;
        }
    }
    return NULL;
}

static abut_status flight_break_boxes(const abut_shape* shape, const abut__state* now, uint32_t key,
                                      const abut__refit_boxes** boxes) {
    const abut__flight_state* own = abut__flight_state_of(now);
    if (own->plans != NULL) {
        *boxes = boxes_by_plans(shape, own, key);
        return *boxes != NULL ? ABUT_OK : ABUT_ERR_STATE;
    }
    const abut__key_boxes* of_key = abut__flight_key_boxes(shape, key);
    *boxes = of_key != NULL ? &of_key->refit : NULL;
    return *boxes != NULL ? ABUT_OK : ABUT_ERR_NO_MEMORY;
}

static void flight_break_vertices(const abut_shape* shape, const abut__state* now, uint32_t key,
                                  const uint32_t* ids, uint32_t count, double* const out[3]) {
    if (abut__flight_state_of(now)->plans != NULL) {
        abut__plans_vertices(shape, abut__flight_state_of(now)->plans,
                             abut__flight_of(shape)->keys[key].time, ids, count, out);
    } else {
        abut__read_positions(abut__flight_source(shape, key), ids, count, out);
    }
}

static bool flight_curve_offset(const abut__state* before, const abut__state* now, double by[3]) {
    const abut__plans* plans = abut__flight_state_of(now)->plans;
    const double step = abut__flight_state_of(now)->time - abut__flight_state_of(before)->time;
    if (plans == NULL || !plans->accelerated || step == 0) {
        return false;
    }
    for (int d = 0; d < 3; ++d) {
        by[d] = (step * step) * plans->acceleration[d];
    }
    return true;
}

// ---- the keyframes ahead

static abut__schedule flight_schedule(const abut_shape* shape, const abut__state* state) {
    return abut__flight_state_of(state)->plans != NULL ? ABUT__SCHEDULE_PLANS
           : abut__flight_of(shape)->key_count > 1     ? ABUT__SCHEDULE_KEYS
                                                       : ABUT__SCHEDULE_NONE;
}

static abut_status flight_segment_at(const abut_shape* shape, double time, abut__segment* out) {
    const abut__flight* flight = abut__flight_of(shape);
    const uint32_t last = flight->key_count - 1;
    abut__flight_state then = {.time = time, .keys = abut__flight_place(flight, time)};
    const uint32_t key = then.keys.from;
    if (abut__flight_key_boxes(shape, key) == NULL ||
        abut__flight_key_boxes(shape, key < last ? key + 1 : last) == NULL) {
        return ABUT_ERR_NO_MEMORY;
    }
    const abut__state state = {.valid = true, .own = &then};
    return flight_segment(shape, &state, out) ? ABUT_OK : ABUT_ERR_INVALID_DATA;
}

static double flight_next_break(const abut_shape* shape, double time) {
    const abut__flight* flight = abut__flight_of(shape);
    const uint32_t key = abut__flight_key(flight, time);
    const uint32_t next = flight->keys[key].time > time ? key : key + 1;
    return next < flight->key_count ? flight->keys[next].time : INFINITY;
}

static void flight_vertices_at(const abut_shape* shape, double time, const uint32_t* ids,
                               uint32_t count, double* const out[3]) {
    const abut__key_place place = abut__flight_place(abut__flight_of(shape), time);
    for (uint32_t i = 0; i < count; ++i) {
        double p[3];
        abut__flight_read(abut__flight_of(shape), &place, ids[i], p);
        for (int d = 0; d < 3; ++d) {
            out[d][i] = p[d];
        }
    }
}

const abut__timeline abut__flight_timeline = {
    .schedule = flight_schedule,
    .segment_at = flight_segment_at,
    .segment = flight_segment,
    .next_break = flight_next_break,
    .vertices_at = flight_vertices_at,
    .breakpoint = flight_breakpoint,
    .break_boxes = flight_break_boxes,
    .break_vertices = flight_break_vertices,
    .curve_offset = flight_curve_offset,
};
