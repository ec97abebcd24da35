// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Plans of a body's own: setting them, and the span of time that its boxes are made for.
#include "motion/plans.h"

#include <float.h>
#include <math.h>

#include "motion/flight.h"

// Steps of time that a span covers: long spans are cheap, but looser where vertices pass each
// other. So they may be longer the less a vertex moves, compared with a block.
#define SPAN_STEPS 16.0
#define SPAN_STEPS_MOST 64.0
#define SPAN_BLOCKS 0.5  // part of a block's size that a vertex may move in a longer span
#define MOST_BOUNDED 1e37
#define MARKED_MOST 6u  // one block in so many: with more marks a refit of all blocks costs less
#define VERTICES_PER_TASK 4096u

// ---- the formula

// the data of an instant that all vertices share
typedef struct instant {
    const abut__flight* flight;
    const abut__plans* plans;
    double time;
    abut__key_place keys;
    double common[3];
} instant;

static instant instant_at(const abut_shape* shape, const abut__plans* plans, double time) {
    instant at = {abut__flight_of(shape),
                  plans,
                  time,
                  abut__flight_place(abut__flight_of(shape), time),
                  {0, 0, 0}};
    const double past = time - plans->origin;
    const double half = 0.5 * (past * past);
    for (int d = 0; d < 3 && plans->accelerated; ++d) {
        at.common[d] = half * plans->acceleration[d];
    }
    return at;
}

static inline void vertex_at(const instant* at, uint32_t vertex, double out[3]) {
    const abut__plans* plans = at->plans;
    if (isnan(plans->since[vertex])) {
        abut__flight_read(at->flight, &at->keys, vertex, out);
    } else {
        const double past = at->time - plans->since[vertex];
        const double* p = plans->p[vertex];
        const double* u = plans->u[vertex];
        for (int d = 0; d < 3; ++d) {
            out[d] = p[d] + past * u[d];
        }
    }
    if (plans->accelerated) {
        for (int d = 0; d < 3; ++d) {
            out[d] = out[d] + at->common[d];
        }
    }
}

void abut__plans_vertices(const abut_shape* shape, const abut__plans* plans, double time,
                          const uint32_t* ids, uint32_t count, double* const out[3]) {
    const instant at = instant_at(shape, plans, time);
    for (uint32_t i = 0; i < count; ++i) {
        double p[3];
        vertex_at(&at, ids[i], p);
        for (int d = 0; d < 3; ++d) {
            out[d][i] = p[d];
        }
    }
}

// ---- bounds of numbers

static double greater(double a, double b) {
    return a > b ? a : b;
}

static double most_of(const double v[3]) {
    return greater(fabs(v[0]), greater(fabs(v[1]), fabs(v[2])));
}

static const abut__plan_limits no_limits = {0, 0, INFINITY, -INFINITY};

// returns a bound of |p| + |t - t0| |u|; not finite: too large
static double limits_at(const abut__plan_limits* limits, double time) {
    if (limits->first > limits->last) {
        return 0;
    }
    const double past = greater(fabs(time - limits->first), fabs(time - limits->last));
    return isfinite(past) ? limits->p + past * limits->u : INFINITY;
}

// returns a bound of |c|
static double common_at(const abut__plans* plans, double time) {
    const double past = time - plans->origin;
    const double half = 0.5 * (past * past);
    if (!plans->accelerated) {
        return 0;
    }
    return isfinite(half) ? half * most_of(plans->acceleration) : INFINITY;
}

static double most_at(const abut__plans* plans, double time) {
    return limits_at(&plans->limits, time) + common_at(plans, time);
}

bool abut__plans_reach(const abut__plans* plans, double time) {
    return isfinite(most_at(plans, time));
}

// ---- memory

static void free_end(const abut__plans* plans, abut__plan_end* end) {
    abut__free(plans->context, end->points, plans->vertex_count, 3 * sizeof *end->points);
    abut__free(plans->context, end->boxes.refit.boxes, end->boxes.node_count,
               sizeof *end->boxes.refit.boxes);
}

static size_t words_of(uint32_t bits) {
    return bits / 64 + 1;
}

void abut__plans_free(abut__plans* plans) {
    if (plans == NULL) {
        return;
    }
    const abut_context* context = plans->context;
    abut__free(context, plans->p, plans->vertex_count, sizeof *plans->p);
    abut__free(context, plans->u, plans->vertex_count, sizeof *plans->u);
    abut__free(context, plans->since, plans->vertex_count, sizeof *plans->since);
    abut__free(context, plans->block_marks, words_of(plans->block_count), sizeof(uint64_t));
    abut__free(context, plans->node_marks, words_of(plans->end[0].boxes.node_count),
               sizeof(uint64_t));
    abut__free(context, plans->touched, plans->end[0].boxes.node_count, sizeof(uint64_t));
    free_end(plans, &plans->end[0]);
    free_end(plans, &plans->end[1]);
    abut__free(context, plans, 1, sizeof *plans);
}

static bool make_end(const abut_shape* shape, abut__plan_end* end) {
    const uint32_t nodes = shape->tree.node_count;
    end->time = NAN;
    end->boxes.node_count = nodes;
    end->points = abut__alloc(shape->context, shape->mesh->vertex_count, 3 * sizeof *end->points);
    end->boxes.refit.boxes = abut__alloc(shape->context, nodes, sizeof *end->boxes.refit.boxes);
    return end->points != NULL && end->boxes.refit.boxes != NULL;
}

// allocates plans for a shape, without any vertex's plan; NULL: no memory
static abut__plans* make_plans(const abut_shape* shape, double time) {
    abut__plans* made = abut__alloc_zero(shape->context, 1, sizeof *made);
    if (made == NULL) {
        return NULL;
    }
    made->context = shape->context;
    made->vertex_count = shape->mesh->vertex_count;
    made->block_count = shape->tree.block_count;
    made->limits = no_limits;
    made->time = time;
    made->from = made->to = NAN;
    made->p = abut__alloc_zero(made->context, made->vertex_count, sizeof *made->p);
    made->u = abut__alloc_zero(made->context, made->vertex_count, sizeof *made->u);
    made->since = abut__alloc(made->context, made->vertex_count, sizeof *made->since);
    made->block_marks = abut__alloc_zero(made->context, words_of(made->block_count),
                                         sizeof(uint64_t));
    made->node_marks = abut__alloc_zero(made->context, words_of(shape->tree.node_count),
                                        sizeof(uint64_t));
    made->touched = abut__alloc_zero(made->context, shape->tree.node_count, sizeof(uint64_t));
    const bool ends[2] = {make_end(shape, &made->end[0]), make_end(shape, &made->end[1])};
    if (made->p == NULL || made->u == NULL || made->since == NULL || made->block_marks == NULL ||
        made->node_marks == NULL || made->touched == NULL || !ends[0] || !ends[1]) {
        abut__plans_free(made);
        return NULL;
    }
    for (uint32_t v = 0; v < made->vertex_count; ++v) {
        made->since[v] = NAN;
    }
    return made;
}

// ---- the span

static abut__source source_of(const abut__plan_end* end) {
    return abut__source_make(end->points, 3 * sizeof *end->points, false);
}

// Converts to float. A finite value stays finite; later it counts as too large for boxes.
static void store_point(const double p[3], float* out) {
    for (int d = 0; d < 3; ++d) {
        const double size = fabs(p[d]);
        out[d] = size > (double)FLT_MAX && size <= DBL_MAX ? copysignf(FLT_MAX, p[d] > 0 ? 1 : -1)
                                                           : (float)p[d];
    }
}

typedef struct filling {
    instant at;
    float* points;
    bool alike;  // all vertices have plans, and there is no acceleration
    bool dated;  // all plans are from the same time
} filling;

static void fill_points(void* argument, uint32_t index, uint32_t worker) {
    (void)worker;
    const filling* f = argument;
    const uint32_t first = index * VERTICES_PER_TASK;
    const uint32_t left = f->at.plans->vertex_count - first;
    const uint32_t end = first + (left < VERTICES_PER_TASK ? left : VERTICES_PER_TASK);
    const abut__plans* plans = f->at.plans;
    float* points = f->points + 3 * (size_t)first;
    if (f->alike && f->dated) {
        plans->context->kernels->flight_fly(plans->p[first], plans->u[first],
                                            f->at.time - plans->since[0], 3 * (size_t)(end - first),
                                            points);
        return;
    }
    if (f->alike) {
        plans->context->kernels->flight_fly_each(plans->p[first], plans->u[first],
                                                 plans->since + first, f->at.time, end - first,
                                                 points);
        return;
    }
    for (uint32_t v = first; v < end; ++v) {
        double p[3];
        vertex_at(&f->at, v, p);
        store_point(p, points + 3 * (size_t)(v - first));
    }
}

static void refit_end(const abut_shape* shape, abut__plan_end* end) {
    abut__refit(shape->context, &shape->tree, abut__shape_stretches(shape), source_of(end),
                (abut__beside){0}, &end->boxes.refit);
    end->boxes.looks = shape->tree.node_count + shape->tree.block_count;
}

static uint64_t next_serial(const abut__plans* plans) {
    return atomic_fetch_add(&((abut_context*)plans->context)->serial, 1) + 1;
}

// computes the whole body at an end unless it is valid; returns whether it did
static bool make_ready(const abut_shape* shape, abut__plans* plans, abut__plan_end* end,
                       double time) {
    if (end->time == time) {
        return false;
    }
    filling f = {instant_at(shape, plans, time), end->points,
                 plans->planned == plans->vertex_count && !plans->accelerated,
                 plans->limits.first == plans->limits.last};
    abut__run_tasks(shape->context,
                    (plans->vertex_count + VERTICES_PER_TASK - 1) / VERTICES_PER_TASK, fill_points,
                    &f);
    refit_end(shape, end);
    end->time = time;
    end->serial = ++plans->serials;
    return true;
}

static bool lies_between(double time, double from, double to) {
    return (from <= time && time <= to) || (to <= time && time <= from);
}

static bool is_bounded(const abut__plans* plans, double from, double to) {
    return most_at(plans, from) <= MOST_BOUNDED && most_at(plans, to) <= MOST_BOUNDED &&
           isfinite(to - from);
}

// estimates the size of a block by the last span, as of a surface cut into equal parts
static double block_size(const abut_shape* shape, const abut__plans* plans) {
    const abut__plan_end* end = &plans->end[0];
    if (isnan(end->time)) {
        return 0;
    }
    const abut__box3 box = abut__boxes_around(&end->boxes.refit.boxes[0],
                                              shape->tree.nodes[0].count);
    double side = 0;
    for (int d = 0; d < 3; ++d) {
        side = greater(side, (double)box.hi[d] - (double)box.lo[d]);
    }
    return side / sqrt((double)plans->block_count);
}

static double span_steps(const abut_shape* shape, const abut__plans* plans, double step) {
    const double steps = SPAN_BLOCKS * block_size(shape, plans) / (plans->limits.u * fabs(step));
    if (!(steps > SPAN_STEPS) || plans->accelerated) {
        return SPAN_STEPS;
    }
    return steps < SPAN_STEPS_MOST ? steps : SPAN_STEPS_MOST;
}

// chooses a span ahead of the time, within limits, continuing the last one if that is near
static void choose_ahead(const abut_shape* shape, abut__plans* plans, double time, double least,
                         double most) {
    const double step = time - plans->time;
    const double begin = lies_between(plans->to, time, time - 0.5 * SPAN_STEPS * step) &&
                                 least <= plans->to && plans->to <= most
                             ? plans->to
                             : time;
    double end = begin + span_steps(shape, plans, step) * step;
    end = end < least ? least : end > most ? most : end;
    const bool good = lies_between(time, begin, end) && is_bounded(plans, begin, end);
    plans->from = good ? begin : time;
    plans->to = good ? end : time;
}

static void choose_span(const abut_shape* shape, abut__plans* plans, double time) {
    const abut__flight* flight = abut__flight_of(shape);
    const uint32_t last = flight->key_count - 1;
    const uint32_t key = abut__flight_key(flight, time);
    const bool before = time < flight->keys[0].time;
    if (last > 0 && !before && key < last) {
        plans->from = flight->keys[key].time;
        plans->to = flight->keys[key + 1].time;
        return;
    }
    const double least = last > 0 && !before ? flight->keys[last].time : -INFINITY;
    const double most = last > 0 && before ? flight->keys[0].time : INFINITY;
    const bool stays = lies_between(time, plans->from, plans->to) &&
                       is_bounded(plans, plans->from, plans->to);
    if (!stays) {
        choose_ahead(shape, plans, time, least, most);
    }
}

bool abut__plans_seek(const abut_shape* shape, abut__plans* plans, double time) {
    const double span[2] = {plans->from, plans->to};
    choose_span(shape, plans, time);
    plans->time = time;
    plans->most = greater(most_at(plans, plans->from), most_at(plans, plans->to));
    if (!is_bounded(plans, plans->from, plans->to)) {
        return false;
    }
    if (plans->end[0].time != plans->from &&
        (plans->end[1].time == plans->from || plans->end[0].time == plans->to)) {
        const abut__plan_end other = plans->end[0];
        plans->end[0] = plans->end[1];
        plans->end[1] = other;
    }
    bool changed = span[0] != plans->from || span[1] != plans->to;
    changed = make_ready(shape, plans, &plans->end[0], plans->from) || changed;
    if (plans->to != plans->from) {
        changed = make_ready(shape, plans, &plans->end[1], plans->to) || changed;
    }
    if (changed || plans->epoch == 0) {
        plans->epoch = plans->change = next_serial(plans);
    }
    return true;
}

void abut__plans_curve_offset(const abut__plans* plans, double time, double offset[3]) {
    const double half = plans->accelerated && plans->to != plans->from
                            ? 0.5 * ((time - plans->from) * (plans->to - time))
                            : 0;
    for (int d = 0; d < 3; ++d) {
        offset[d] = half * plans->acceleration[d];
    }
}

// ---- other shapes

// whether the keyframes around an instant are the same as in the shape before
static bool same_instant(const abut_shape* shape, const abut_shape* before, double time) {
    const abut__key_place place = abut__flight_place(abut__flight_of(shape), time);
    return abut__flight_same_key(shape, before, place.from) &&
           abut__flight_same_key(shape, before, place.to);
}

// whether the ends of the span in an edited shape are the same as in the one before
static bool can_descend(const abut_shape* shape, const abut_shape* before,
                        const abut__plans* from) {
    const abut__flight* now = abut__flight_of(shape);
    const abut__flight* old = abut__flight_of(before);
    bool same = now->key_count == old->key_count && now->at_rest == old->at_rest;
    ABUT_ASSERT(!from->repaired);  // every state settles its plans
    for (uint32_t k = 0; k < now->key_count && same; ++k) {
        same = now->keys[k].time == old->keys[k].time;
    }
    for (int e = 0; e < 2 && same; ++e) {
        const abut__plan_end* end = &from->end[e];
        same = !isnan(end->time) &&
               atomic_load(&((abut__plan_end*)end)->boxes.refit.bad_vertex) == ABUT__NONE &&
               (from->planned == from->vertex_count || same_instant(shape, before, end->time));
    }
    return same;
}

// copies an end from that of the shape before; only new vertices are computed
static void descend_end(const abut_shape* shape, const abut__plans* plans,
                        const abut__plan_end* from, uint32_t count, abut__plan_end* end) {
    const instant at = instant_at(shape, plans, from->time);
    memcpy(end->points, from->points, 3 * (size_t)count * sizeof *end->points);
    for (uint32_t v = count; v < plans->vertex_count; ++v) {
        double p[3];
        vertex_at(&at, v, p);
        store_point(p, end->points + 3 * (size_t)v);
    }
    end->boxes.looks = abut__refit_descend(shape->context, &shape->tree, shape->descent,
                                           source_of(end), &from->boxes.refit, &end->boxes.refit);
    end->time = from->time;
    end->serial = from->serial;
}

static void descend_ends(const abut_shape* shape, const abut__plans* from, abut__plans* made) {
    const abut__descent* descent = shape->descent;
    for (int e = 0; e < 2; ++e) {
        descend_end(shape, made, &from->end[e], from->vertex_count, &made->end[e]);
    }
    made->from = from->from;
    made->to = from->to;
    made->serials = from->serials;
    made->is_descended = true;
    made->epoch = from->epoch;
    made->change = next_serial(made);
    for (uint32_t n = 0; n < descent->node_count; ++n) {
        made->touched[n] = abut__descent_has(descent->touched, n) ? made->change
                                                                  : from->touched[descent->node[n]];
    }
}

abut_status abut__plans_carry(const abut_shape* shape, const abut_shape* before,
                              const abut__plans* from, abut__plans** plans, abut_error* error) {
    abut__plans* made = make_plans(shape, from->time);
    if (made == NULL) {
        return abut__fail_memory(error);
    }
    const uint32_t count = from->vertex_count < made->vertex_count ? from->vertex_count
                                                                   : made->vertex_count;
    memcpy(made->p, from->p, count * sizeof *made->p);
    memcpy(made->u, from->u, count * sizeof *made->u);
    memcpy(made->since, from->since, count * sizeof *made->since);
    for (uint32_t v = 0; v < count; ++v) {
        made->planned += isnan(made->since[v]) ? 0 : 1;
    }
    memcpy(made->acceleration, from->acceleration, sizeof made->acceleration);
    made->origin = from->origin;
    made->accelerated = from->accelerated;
    made->limits = from->limits;
    if (shape->descent != NULL && shape->descent->from == before->serial &&
        can_descend(shape, before, from)) {
        descend_ends(shape, from, made);
    }
    *plans = made;
    return ABUT_OK;
}

// ---- setting plans

// An update in progress: the vertices concerned, and the state at the plans' time before it.
typedef struct update {
    const abut_plans_def* given;
    uint32_t count;
    instant before;
    abut__source positions;
    abut__source velocities;
    bool has_common;
    double common[3];  // position and velocity of the common part at that time
    double common_speed[3];
} update;

static abut_status check_list(const abut_plans_def* given, uint32_t vertices, abut_error* error) {
    if (given->vertices == NULL && given->vertex_count > 0 && given->vertex_count != vertices) {
        return abut__fail(
            error, ABUT_ERR_INVALID_ARGUMENT, ABUT_ELEMENT_NONE, 0,
            "plans of %zu vertices, but the list that says which is NULL and the mesh "
            "has %u",
            given->vertex_count, vertices);
    }
    if (given->vertex_count > vertices) {  // so many cannot be ascending
        return abut__fail(error, ABUT_ERR_INVALID_ARGUMENT, ABUT_ELEMENT_NONE, 0,
                          "plans of %zu vertices were given, but the mesh has %u",
                          given->vertex_count, vertices);
    }
    for (size_t i = 0; given->vertices != NULL && i < given->vertex_count; ++i) {
        const uint32_t vertex = given->vertices[i];
        if (vertex >= vertices) {
            return abut__fail(error, ABUT_ERR_INVALID_DATA, ABUT_ELEMENT_ENTRY, i,
                              "a plan is for vertex %u, but the mesh has %u", vertex, vertices);
        }
        if (i > 0 && vertex <= given->vertices[i - 1]) {
            return abut__fail(error, ABUT_ERR_INVALID_DATA, ABUT_ELEMENT_ENTRY, i,
                              "vertices of plans must ascend, but %u comes after %u", vertex,
                              given->vertices[i - 1]);
        }
    }
    return ABUT_OK;
}

static abut_status check_view(abut_positions view, uint32_t count, const char* what,
                              abut_error* error) {
    if (view.count == 0) {
        return ABUT_OK;
    }
    if (view.count != count) {
        return abut__fail(error, ABUT_ERR_INVALID_ARGUMENT, ABUT_ELEMENT_NONE, 0,
                          "%zu %s were given for the plans of %u vertices", view.count, what,
                          count);
    }
    return abut__positions_check(view, what, error);
}

static abut_status check_given(const abut_plans_def* given, uint32_t vertices, abut_error* error) {
    const double* a = given->acceleration;
    if (!isfinite(given->time)) {
        return abut__fail(error, ABUT_ERR_INVALID_DATA, ABUT_ELEMENT_NONE, 0,
                          "the time of the plans is not finite (%g)", given->time);
    }
    for (int d = 0; d < 3; ++d) {
        if (!isfinite(a[d]) || (given->vertices != NULL && a[d] != 0)) {
            return abut__fail(error, ABUT_ERR_INVALID_DATA, ABUT_ELEMENT_ENTRY, (uint64_t)d,
                              "acceleration[%d] is %g: %s", d, a[d],
                              isfinite(a[d])
                                  ? "it is that of the whole body, and only plans for all "
                                    "vertices can change it"
                                  : "not finite");
        }
    }
    abut_status status = check_list(given, vertices, error);
    const uint32_t count = given->vertices != NULL ? (uint32_t)given->vertex_count : vertices;
    if (status == ABUT_OK) {
        status = check_view(given->positions, count, "positions", error);
    }
    if (status == ABUT_OK) {
        status = check_view(given->velocities, count, "velocities", error);
    }
    return status;
}

static update update_of(const abut_shape* shape, const abut__plans* plans,
                        const abut_plans_def* given) {
    update up = {.given = given,
                 .count = given->vertices != NULL ? (uint32_t)given->vertex_count
                                                  : plans->vertex_count,
                 .before = instant_at(shape, plans, given->time),
                 .positions = abut__source_of(given->positions),
                 .velocities = abut__source_of(given->velocities)};
    up.has_common = plans->accelerated && given->vertices != NULL;  // plans for all restart it at 0
    for (int d = 0; d < 3 && up.has_common; ++d) {
        up.common[d] = up.before.common[d];
        up.common_speed[d] = (given->time - plans->origin) * plans->acceleration[d];
    }
    return up;
}

static uint32_t vertex_of(const update* up, uint32_t i) {
    return up->given->vertices != NULL ? up->given->vertices[i] : i;
}

static bool is_finite3(const double v[3]) {
    return isfinite(v[0]) && isfinite(v[1]) && isfinite(v[2]);
}

static abut_status name_bad(const update* up, uint32_t i, const char* what, const double v[3],
                            abut_error* error) {
    return abut__fail(error, ABUT_ERR_INVALID_DATA, ABUT_ELEMENT_VERTEX, vertex_of(up, i),
                      "the %s of vertex %u is not finite (%g, %g, %g)", what, vertex_of(up, i),
                      v[0], v[1], v[2]);
}

// whether the numbers given are finite, and the greatest magnitude among them
static abut_status check_values(const update* up, abut_positions view, const char* what,
                                double* most, abut_error* error) {
    const abut__source source = abut__source_of(view);
    const abut_context* context = up->before.plans->context;
    *most = 0;
    if (view.count > 0 && source.stride == 3 * abut__scalar_size(view.type)) {
        *most = context->kernels->flight_most(view.data, 3 * view.count, source.is_double);
        if (isfinite(*most)) {
            return ABUT_OK;
        }
    }
    for (uint32_t i = 0; i < view.count; ++i) {
        double v[3];
        abut__read_position(source.data, source.stride, source.is_double, i, v);
        if (!is_finite3(v)) {
            return name_bad(up, i, what, v, error);
        }
        *most = greater(*most, most_of(v));
    }
    return ABUT_OK;
}

// the same for the positions of vertices at the plans' time by their previous plans
static abut_status check_places(const update* up, double* most, abut_error* error) {
    const abut__plans* plans = up->before.plans;
    *most = most_at(plans, up->given->time);
    const bool known = isfinite(*most) && plans->planned == plans->vertex_count;
    for (uint32_t i = 0; i < up->count && !known; ++i) {
        double v[3];
        if (isfinite(*most) && !isnan(plans->since[vertex_of(up, i)])) {
            continue;  // *most bounds it already
        }
        vertex_at(&up->before, vertex_of(up, i), v);
        if (!is_finite3(v)) {
            return name_bad(up, i, "position", v, error);
        }
        *most = greater(*most, most_of(v));
    }
    return ABUT_OK;
}

// whether all is finite, at the plans' time and at the body's; updates the limits
static abut_status check_plans(const update* up, double time, abut__plan_limits* limits,
                               abut_error* error) {
    const abut_plans_def* given = up->given;
    const abut__plans* plans = up->before.plans;
    double most[2] = {0, 0};
    abut_status status = given->positions.count > 0
                             ? check_values(up, given->positions, "position", &most[0], error)
                             : check_places(up, &most[0], error);
    if (status == ABUT_OK) {
        status = check_values(up, given->velocities, "velocity", &most[1], error);
    }
    if (status != ABUT_OK || up->count == 0) {
        return status;
    }
    limits->p = greater(limits->p, most[0] + most_of(up->common));
    limits->u = greater(limits->u, most[1] + most_of(up->common_speed));
    limits->first = given->time < limits->first ? given->time : limits->first;
    limits->last = greater(limits->last, given->time);
    const abut__plans after = {.accelerated = true,
                               .origin = given->time,
                               .acceleration = {given->acceleration[0], given->acceleration[1],
                                                given->acceleration[2]}};
    const double common = common_at(given->vertices != NULL ? plans : &after, time);
    return isfinite(limits_at(limits, time) + common)
               ? ABUT_OK
               : abut__fail(error, ABUT_ERR_INVALID_DATA, ABUT_ELEMENT_NONE, 0,
                            "the body is at time %g, where vertices with these plans might not be "
                            "finite",
                            time);
}

// marks the blocks that use the vertices; false: too many to be worth it
static bool mark_blocks(abut__plans* plans, const abut__places* places, const update* up) {
    const uint32_t most = plans->block_count / MARKED_MOST;
    uint32_t count = 0;
    for (uint32_t i = 0; i < up->count && count <= most; ++i) {
        const uint32_t vertex = vertex_of(up, i);
        for (uint32_t k = places->first[vertex]; k < places->first[vertex + 1]; ++k) {
            uint64_t* word = &plans->block_marks[places->block[k] / 64];
            const uint64_t bit = UINT64_C(1) << places->block[k] % 64;
            count += (*word & bit) == 0 ? 1 : 0;
            *word |= bit;
        }
    }
    return count <= most;
}

// Updates an end for the vertices that have new plans. False: all of its boxes were computed again.
static bool repair_end(const abut_shape* shape, abut__plans* plans, const update* up, bool few,
                       abut__plan_end* end) {
    const instant at = instant_at(shape, plans, end->time);
    for (uint32_t i = 0; i < up->count; ++i) {
        const uint32_t vertex = vertex_of(up, i);
        double p[3];
        vertex_at(&at, vertex, p);
        store_point(p, end->points + 3 * (size_t)vertex);
    }
    if (few && atomic_load(&end->boxes.refit.bad_vertex) == ABUT__NONE) {
        abut__refit_marked(shape->context, &shape->tree, source_of(end), plans->block_marks,
                           plans->node_marks, &end->boxes.refit);
        return true;
    }
    refit_end(shape, end);
    end->serial = ++plans->serials;
    return false;
}

// notes the nodes whose children's boxes were updated
static void touch_nodes(const abut_shape* shape, abut__plans* plans) {
    plans->change = next_serial(plans);
    for (uint32_t w = 0; w < words_of(plans->block_count); ++w) {
        for (uint64_t left = plans->block_marks[w]; left != 0; left &= left - 1) {
            const uint32_t block = 64 * w + (uint32_t)__builtin_ctzll(left);
            uint32_t node = shape->tree.block_parent[block];
            while (node != ABUT__NONE && plans->touched[node] != plans->change) {
                plans->touched[node] = plans->change;
                node = shape->tree.nodes[node].parent;
            }
        }
    }
}

// updates both ends at the cost of what changed, and invalidates an end that is no longer used
static void repair_ends(const abut_shape* shape, abut__plans* plans, const update* up) {
    const abut__places* places = abut__flight_places(shape);
    const bool few = places != NULL && mark_blocks(plans, places, up);
    const double wanted[2] = {plans->from, plans->to};
    bool local = few;  // no end was computed again
    plans->repaired = true;
    for (int e = 0; e < 2; ++e) {
        if (plans->end[e].time == wanted[e] && is_bounded(plans, plans->from, plans->to)) {
            local = repair_end(shape, plans, up, few, &plans->end[e]) && local;
        } else {
            plans->end[e].time = NAN;
            plans->repaired = false;
        }
    }
    plans->repaired = plans->repaired && local;
    if (local) {
        touch_nodes(shape, plans);
    } else {
        plans->epoch = 0;
    }
    if (!plans->repaired) {
        abut__plans_settle(plans);
    }
}

void abut__plans_settle(abut__plans* plans) {
    plans->repaired = false;
    memset(plans->block_marks, 0, words_of(plans->block_count) * sizeof *plans->block_marks);
}

static void apply_positions(const update* up, abut__plans* plans) {
    const abut__source source = up->positions;
    for (uint32_t i = 0; i < up->count; ++i) {
        const uint32_t vertex = vertex_of(up, i);
        double* p = plans->p[vertex];
        if (up->given->positions.count > 0) {
            abut__read_position(source.data, source.stride, source.is_double, i, p);
        } else {
            vertex_at(&up->before, vertex, p);
        }
        for (int d = 0; d < 3 && up->has_common; ++d) {
            p[d] = p[d] - up->common[d];
        }
    }
}

static void apply_velocities(const update* up, abut__plans* plans) {
    const abut__source source = up->velocities;
    for (uint32_t i = 0; i < up->count; ++i) {
        const uint32_t vertex = vertex_of(up, i);
        double* u = plans->u[vertex];
        if (up->given->velocities.count > 0) {
            abut__read_position(source.data, source.stride, source.is_double, i, u);
        } else {
            u[0] = u[1] = u[2] = 0;
        }
        for (int d = 0; d < 3 && up->has_common; ++d) {
            u[d] = u[d] - up->common_speed[d];
        }
    }
}

static void apply_time(const update* up, abut__plans* plans) {
    for (uint32_t i = 0; i < up->count; ++i) {
        const uint32_t vertex = vertex_of(up, i);
        plans->planned += isnan(plans->since[vertex]) ? 1 : 0;
        plans->since[vertex] = up->given->time;
    }
}

// the greatest magnitude among the positions of new plans
static double most_new(const update* up, const abut__plans* plans) {
    if (up->given->vertices == NULL) {
        return plans->context->kernels->flight_most(plans->p, 3 * (size_t)up->count, true);
    }
    double most = 0;
    for (uint32_t i = 0; i < up->count; ++i) {
        most = greater(most, most_of(plans->p[vertex_of(up, i)]));
    }
    return most;
}

static void apply(const abut_shape* shape, abut__plans* plans, const update* up,
                  const abut__plan_limits* limits) {
    const double before = up->given->vertices != NULL ? plans->limits.p : 0;
    // positions by previous plans need the old velocities and times
    apply_positions(up, plans);
    apply_velocities(up, plans);
    apply_time(up, plans);
    plans->limits = *limits;
    if (up->given->positions.count == 0) {  // the previous bound would grow with each update
        plans->limits.p = greater(before, most_new(up, plans));
    }
    if (up->given->vertices != NULL) {
        repair_ends(shape, plans, up);
        return;
    }
    const double* a = up->given->acceleration;
    memcpy(plans->acceleration, a, sizeof plans->acceleration);
    plans->accelerated = a[0] != 0 || a[1] != 0 || a[2] != 0;
    plans->origin = up->given->time;
    plans->end[0].time = plans->end[1].time = NAN;
    plans->from = plans->to = plans->time;  // the next state chooses the span ahead
}

abut_status abut__plans_set(const abut_shape* shape, abut__plans** plans, double time,
                            const abut_plans_def* given, abut_error* error) {
    abut_status status = check_given(given, shape->mesh->vertex_count, error);
    if (status != ABUT_OK) {
        return status;
    }
    abut__plans* now = *plans != NULL ? *plans : make_plans(shape, time);
    if (now == NULL) {
        return abut__fail_memory(error);
    }
    const update up = update_of(shape, now, given);
    abut__plan_limits limits = given->vertices != NULL ? now->limits : no_limits;
    status = check_plans(&up, time, &limits, error);
    if (status != ABUT_OK) {
        if (*plans == NULL) {
            abut__plans_free(now);
        }
        return status;
    }
    apply(shape, now, &up, &limits);
    *plans = now;
    return ABUT_OK;
}
