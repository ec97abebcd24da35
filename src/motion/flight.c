// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// The flight motion: vertices move straight from keyframe to keyframe. Based on the flightplans
// of Weller, Zachmann, "Kinetic Bounding Volume Hierarchies for Deformable Objects", 2006.
#include "motion/flight.h"

#include <math.h>

#include "motion/plans.h"
#include "motion/rules.h"

#define KEY_SAMPLES 16u  // positions of a keyframe that the origin is found from

// ---- shapes

// Written in place: a copy of fresh values waits for their stores.
static void set_source(const abut__flight* flight, uint32_t key, abut__source* out) {
    const abut_positions* positions = &flight->keys[key].positions;
    out->data = positions->data;
    out->stride = abut__positions_stride(*positions);
    out->is_double = positions->type == ABUT_SCALAR_F64;
    for (int d = 0; d < 3; ++d) {
        out->origin[d] = flight->origin[d];
    }
}

abut__source abut__flight_source(const abut_shape* shape, uint32_t key) {
    abut__source source;
    set_source(abut__flight_of(shape), key, &source);
    return source;
}

static uint64_t flight_hash(const void* of, uint32_t vertex, uint64_t hash) {
    const abut__flight* flight = of;
    for (uint32_t k = 0; k < flight->key_count; ++k) {
        const abut__source source = abut__source_of(flight->keys[k].positions);
        double p[3];
        abut__read_position(source.data, source.stride, source.is_double, vertex, p);
        for (int d = 0; d < 3; ++d) {
            hash = abut__hash_double(hash, p[d]);
        }
    }
    return hash;
}

static bool flight_equal(const void* of, uint32_t a, uint32_t b) {
    const abut__flight* flight = of;
    bool equal = true;
    for (uint32_t k = 0; k < flight->key_count && equal; ++k) {
        const abut__source source = abut__source_of(flight->keys[k].positions);
        double p[3];
        double q[3];
        abut__read_position(source.data, source.stride, source.is_double, a, p);
        abut__read_position(source.data, source.stride, source.is_double, b, q);
        equal = p[0] == q[0] && p[1] == q[1] && p[2] == q[2];
    }
    return equal;
}

static abut_status check_key(const abut_flight_def* def, size_t k, uint32_t vertices,
                             abut_error* error) {
    const abut_keyframe* key = &def->keyframes[k];
    if (!isfinite(key->time)) {
        return abut__fail(error, ABUT_ERR_INVALID_DATA, ABUT_ELEMENT_ENTRY, k,
                          "the time of keyframe %zu is not finite (%g)", k, key->time);
    }
    if (k > 0 && !(key->time > key[-1].time)) {
        return abut__fail(
            error, ABUT_ERR_INVALID_DATA, ABUT_ELEMENT_ENTRY, k,
            "the time of keyframe %zu (%g) is not after that of the keyframe before (%g)", k,
            key->time, key[-1].time);
    }
    if (!isfinite(key->time - def->keyframes[0].time)) {
        return abut__fail(error, ABUT_ERR_INVALID_DATA, ABUT_ELEMENT_ENTRY, k,
                          "keyframe %zu is too long after the first", k);
    }
    if (key->positions.count != vertices) {
        return abut__fail(error, ABUT_ERR_INVALID_DATA, ABUT_ELEMENT_ENTRY, k,
                          "keyframe %zu has %zu positions, but the mesh has %u vertices", k,
                          key->positions.count, vertices);
    }
    return abut__positions_check(key->positions, "positions of a keyframe", error);
}

abut_status abut__flight_check_keys(const abut_flight_def* def, uint32_t vertices,
                                    abut_error* error) {
    if (def->keyframe_count > UINT32_MAX || (def->keyframes == NULL && def->keyframe_count > 0)) {
        return abut__fail(error, ABUT_ERR_INVALID_ARGUMENT, ABUT_ELEMENT_NONE, 0,
                          "%zu keyframes were given%s", def->keyframe_count,
                          def->keyframes == NULL ? ", but their pointer is NULL" : ": too many");
    }
    abut_status status = ABUT_OK;
    for (size_t k = 0; k < def->keyframe_count && status == ABUT_OK; ++k) {
        status = check_key(def, k, vertices, error);
    }
    return status;
}

static abut_status check_def(const abut_flight_def* def, uint32_t vertices, abut_error* error) {
    if ((unsigned)def->bound > ABUT_FLIGHT_BOUND_LINEAR) {
        return abut__fail(error, ABUT_ERR_INVALID_ARGUMENT, ABUT_ELEMENT_NONE, 0,
                          "unknown bound %d", (int)def->bound);
    }
    return abut__flight_check_keys(def, vertices, error);
}

// returns the keyframes of an edited shape: those of the edit, or the old ones
static abut_status keys_after(const abut_shape* shape, const abut__lineage* lineage,
                              abut_flight_def* def, abut_error* error) {
    const abut__flight* from = abut__flight_of(lineage->shape);
    const abut_flight_edit_def* edit = lineage->own_edit;
    const uint32_t vertices = shape->mesh->vertex_count;
    def->bound = from->bound;
    if (edit != NULL && (edit->keyframes != NULL || edit->keyframe_count > 0)) {
        def->keyframes = edit->keyframes;
        def->keyframe_count = edit->keyframe_count;
        return abut__flight_check_keys(def, vertices, error);
    }
    if (!from->at_rest && vertices != lineage->shape->mesh->vertex_count) {
        return abut__fail(
            error, ABUT_ERR_INVALID_ARGUMENT, ABUT_ELEMENT_NONE, 0,
            "%u vertices were added, but nothing says where they are in the %u keyframes: "
            "give `keyframes` to abut_shape_edit_flight()",
            vertices - lineage->shape->mesh->vertex_count, from->key_count);
    }
    def->keyframes = from->keys;
    def->keyframe_count = from->at_rest ? 0 : from->key_count;
    return ABUT_OK;
}

// Chooses the origin by some positions of all keyframes. It depends on the positions alone.
static void choose_origin(abut__flight* flight) {
    double lo[3] = {INFINITY, INFINITY, INFINITY};
    double hi[3] = {-INFINITY, -INFINITY, -INFINITY};
    bool sound = true;
    for (uint32_t k = 0; k < flight->key_count; ++k) {
        const abut__source source = abut__source_of(flight->keys[k].positions);
        const size_t count = flight->keys[k].positions.count;
        const size_t step = count / KEY_SAMPLES + 1;
        for (size_t v = 0; v < count; v += step) {
            double p[3];
            abut__read_position(source.data, source.stride, source.is_double, v, p);
            for (int d = 0; d < 3; ++d) {
                sound = sound && isfinite(p[d]);
                lo[d] = fmin(lo[d], p[d]);
                hi[d] = fmax(hi[d], p[d]);
            }
        }
    }
    const bool kinetic = flight->bound == ABUT_FLIGHT_BOUND_KINETIC ||
                         flight->bound == ABUT_FLIGHT_BOUND_BOXTREE;
    if (sound && !kinetic) {  // else it stays 0: kinetic trees read positions without an origin
        abut__origin_choose(lo, hi, flight->origin);
    }
}

abut_status abut__flight_take_keys(abut_shape* shape, const abut_flight_def* def,
                                   abut_error* error) {
    const bool at_rest = def->keyframe_count == 0;
    const uint32_t count = at_rest ? 1 : (uint32_t)def->keyframe_count;
    abut__flight* made = abut__alloc_zero(shape->context, 1, sizeof *made);
    if (made == NULL) {
        return abut__fail_memory(error);
    }
    shape->own = made;
    atomic_init(&made->places, NULL);
    made->key_count = count;
    made->at_rest = at_rest;
    made->bound = def->bound;
    made->keys = abut__alloc(shape->context, count, sizeof *made->keys);
    made->surfaces = abut__alloc_zero(shape->context, 2 * (size_t)count, sizeof *made->surfaces);
    made->surface_queries = abut__alloc_zero(shape->context, 2 * (size_t)count, 1);
    if (made->keys == NULL || made->surfaces == NULL || made->surface_queries == NULL ||
        !abut__linear_init(&made->linear, shape->context, count,
                           def->bound == ABUT_FLIGHT_BOUND_KINETIC)) {
        return abut__fail_memory(error);
    }
    if (at_rest) {
        made->keys[0] = (abut_keyframe){0, abut_mesh_rest_positions(shape->mesh)};
    } else {
        memcpy(made->keys, def->keyframes, count * sizeof *made->keys);
    }
    choose_origin(made);
    return ABUT_OK;
}

// Lets an edited shape share the positions of keyframes that it has taken over.
static void share_store(abut__flight* made, const abut__flight* from, const abut_keyframe* keys) {
    if (from->store != NULL && keys == from->keys) {
        atomic_fetch_add_explicit(&from->store->holders, 1, memory_order_relaxed);
        made->store = from->store;
    }
}

void abut__key_store_release(abut__key_store* store) {
    if (store != NULL && atomic_fetch_sub_explicit(&store->holders, 1, memory_order_acq_rel) == 1) {
        abut__free(store->context, store->positions, store->size, 1);
        abut__free(store->context, store, 1, sizeof *store);
    }
}

static abut_status flight_prepare(abut_shape* shape, const void* def, const abut__lineage* lineage,
                                  abut_error* error) {
    abut_flight_def keys = {.bound = ABUT_FLIGHT_BOUND_AUTO};
    abut_status status = lineage != NULL ? keys_after(shape, lineage, &keys, error)
                                         : check_def(def, shape->mesh->vertex_count, error);
    if (status == ABUT_OK) {
        status = abut__flight_take_keys(shape, lineage != NULL ? &keys : def, error);
    }
    if (status == ABUT_OK && lineage != NULL) {
        memcpy(abut__flight_of(shape)->origin, abut__flight_of(lineage->shape)->origin,
               sizeof(float[3]));
        share_store(abut__flight_of(shape), abut__flight_of(lineage->shape), keys.keyframes);
    }
    if (status != ABUT_OK) {
        return status;
    }
    const abut__likeness like = {flight_hash, flight_equal, abut__flight_of(shape)};
    const abut_mesh* parted;
    status = abut__mesh_part_classes(shape->mesh, &like, &parted, error);
    if (status == ABUT_OK) {
        abut_mesh_destroy((abut_mesh*)shape->mesh);
        shape->mesh = parted;
    }
    if (status == ABUT_OK && abut__flight_of(shape)->at_rest) {  // the mesh may have changed
        abut__flight_of(shape)->keys[0].positions = abut_mesh_rest_positions(shape->mesh);
    }
    return status;
}

static void discard_surfaces(const abut_context* context, abut__flight* flight) {
    const size_t count = 2 * (size_t)flight->key_count;
    for (size_t i = 0; i < count && flight->surfaces != NULL; ++i) {
        abut__surface_segment_free(abut__once_peek(&flight->surfaces[i]));
    }
    abut__free(context, flight->surfaces, count, sizeof *flight->surfaces);
    abut__free(context, flight->surface_queries, count, 1);
}

static void flight_discard(abut_shape* shape) {
    if (abut__flight_of(shape) != NULL) {
        discard_surfaces(shape->context, abut__flight_of(shape));
        abut__places_free(abut__once_peek(&abut__flight_of(shape)->places));
        abut__linear_free(&abut__flight_of(shape)->linear);
        abut__free(shape->context, abut__flight_of(shape)->keys, abut__flight_of(shape)->key_count,
                   sizeof *abut__flight_of(shape)->keys);
        abut__key_store_release(abut__flight_of(shape)->store);
        abut__free(shape->context, abut__flight_of(shape), 1, sizeof(abut__flight));
    }
}

static void* make_places(const void* of) {
    const abut_shape* shape = of;
    return abut__places_make(&shape->tree, shape->mesh);
}

static void undo_places(const void* of, void* made) {
    (void)of;
    abut__places_free(made);
}

const abut__places* abut__flight_places(const abut_shape* shape) {
    return abut__once_get(&abut__flight_of(shape)->places, make_places, undo_places, shape);
}

// ---- states

static bool flight_reserve(const abut_shape* shape, abut__state* state) {
    if (abut__flight_state_of(state) == NULL) {
        state->own = abut__alloc_zero(shape->context, 1, sizeof(abut__flight_state));
    }
    return abut__flight_state_of(state) != NULL;
}

static void flight_release(const abut_context* context, abut__state* state) {
    if (abut__flight_state_of(state) != NULL) {
        abut__rules_release(context, abut__flight_state_of(state));
        abut__plans_free(abut__flight_state_of(state)->plans);
    }
    abut__free(context, abut__flight_state_of(state), 1, sizeof(abut__flight_state));
}

static void flight_rest(const abut_shape* shape, abut__state* state) {
    abut__flight_state_of(state)->time = abut__flight_of(shape)->keys[0].time;
}

static bool same_positions(abut_positions a, abut_positions b, uint32_t count) {
    const abut__source x = abut__source_of(a);
    const abut__source y = abut__source_of(b);
    const size_t size = 3 * abut__scalar_size(a.type);
    if (a.type != b.type) {
        return false;
    }
    if (x.data == y.data && x.stride == y.stride) {
        return true;
    }
    if (x.stride == size && y.stride == size) {
        return memcmp(x.data, y.data, count * size) == 0;
    }
    for (uint32_t v = 0; v < count; ++v) {
        if (memcmp(x.data + v * x.stride, y.data + v * y.stride, size) != 0) {
            return false;
        }
    }
    return true;
}

bool abut__flight_same_key(const abut_shape* shape, const abut_shape* before, uint32_t key) {
    const abut__flight* now = abut__flight_of(shape);
    const abut__flight* old = abut__flight_of(before);
    if (key >= now->key_count || key >= old->key_count || now->at_rest != old->at_rest) {
        return false;
    }
    // edits leave rest positions unchanged
    return now->at_rest || same_positions(now->keys[key].positions, old->keys[key].positions,
                                          before->mesh->vertex_count);
}

// makes the boxes of a keyframe from those of the shape before
static void descend_key(const abut_shape* shape, const abut_shape* before, uint32_t key) {
    const abut__key_boxes* boxes = key < abut__flight_of(before)->key_count
                                       ? abut__linear_find(&abut__flight_of(before)->linear, key)
                                       : NULL;
    if (boxes != NULL && key < abut__flight_of(shape)->key_count &&
        abut__linear_find(&abut__flight_of(shape)->linear, key) == NULL &&
        abut__flight_same_key(shape, before, key)) {
        abut__linear_descend(&abut__flight_of(shape)->linear, &shape->tree, shape->descent,
                             abut__flight_source(shape, key), key, boxes);
    }
}

// takes over from the state of the shape before: boxes of the state's keyframes, and its bounds
static void descend(const abut_shape* shape, abut__flight_state* own, const abut_shape* before,
                    const abut__flight_state* from) {
    const uint32_t key = abut__flight_key(abut__flight_of(before), from->time);
    if (from->plans == NULL) {
        descend_key(shape, before, key);
        descend_key(shape, before, key + 1);
    }
    for (int e = 0; e < 2; ++e) {
        if (from->kinetic != NULL) {
            descend_key(shape, before, from->kinetic->points.key[e]);
        }
        if (from->boxtree != NULL) {
            descend_key(shape, before, from->boxtree->key[e]);
        }
    }
    abut__rules_descend(shape, own, from);
}

static abut_status flight_carry(const abut_shape* shape, abut__state* state,
                                const abut_shape* before, const abut__state* from,
                                abut_error* error) {
    const abut__plans* plans = abut__flight_state_of(from)->plans;
    abut__flight_state_of(state)->time = abut__flight_state_of(from)->time;
    const abut_status status = plans != NULL
                                   ? abut__plans_carry(shape, before, plans,
                                                       &abut__flight_state_of(state)->plans, error)
                                   : ABUT_OK;
    if (status == ABUT_OK && !state->bare && shape->descent != NULL &&
        shape->descent->from == before->serial) {
        descend(shape, abut__flight_state_of(state), before, abut__flight_state_of(from));
    }
    return status;
}

// ---- the five operations

uint32_t abut__flight_key(const abut__flight* flight, double time) {
    uint32_t lo = 0;
    uint32_t hi = flight->key_count;  // the keyframe after the time is above lo, at most hi
    while (hi - lo > 1) {
        const uint32_t middle = lo + (hi - lo) / 2;
        const bool after = flight->keys[middle].time <= time;  // without an unpredictable branch
        lo = after ? middle : lo;
        hi = after ? hi : middle;
    }
    return lo;
}

// whether a keyframe is the last one that is not after a time
static bool is_last_before(const abut__flight* flight, uint32_t key, double time) {
    return flight->keys[key].time <= time &&
           (key + 1 == flight->key_count || time < flight->keys[key + 1].time);
}

// before the first keyframe and after the last one vertices rest
static abut__key_place place_from(const abut__flight* flight, uint32_t from, double time) {
    const double begin = flight->keys[from].time;
    if (!(time > begin) || from + 1 == flight->key_count) {
        return (abut__key_place){from, from, 0};
    }
    return (abut__key_place){from, from + 1,
                             (time - begin) / (flight->keys[from + 1].time - begin)};
}

abut__key_place abut__flight_place(const abut__flight* flight, double time) {
    return place_from(flight, abut__flight_key(flight, time), time);
}

const abut__key_boxes* abut__flight_key_boxes(const abut_shape* shape, uint32_t key) {
    abut__linear* linear = &abut__flight_of(shape)->linear;
    const abut__key_boxes* there = abut__linear_find(linear, key);
    return there != NULL ? there
                         : abut__linear_key(linear, &shape->tree, abut__shape_stretches(shape),
                                            abut__flight_source(shape, key), key);
}

static void begin_by_keys(const abut_shape* shape, abut__flight_state* own) {
    const uint32_t keys[2] = {own->keys.from, own->keys.to};
    own->part = (float)own->keys.part;
    own->between = keys[0] != keys[1];
    for (int e = 0; e < 2; ++e) {
        set_source(abut__flight_of(shape), keys[e], &own->source[e]);
        own->ends[e] = abut__flight_key_boxes(shape, keys[e]);
    }
    own->unbounded = own->ends[0] == NULL || own->ends[1] == NULL;
}

// sets the state's ends and fraction for a time within the span
static void take_span(const abut__plans* plans, abut__flight_state* own) {
    own->between = plans->to != plans->from;
    own->part = own->between ? (float)((own->time - plans->from) / (plans->to - plans->from)) : 0;
    double offset[3];
    abut__plans_curve_offset(plans, own->time, offset);
    for (int e = 0; e < 2; ++e) {
        const abut__plan_end* end = &plans->end[own->between ? e : 0];
        own->source[e] = abut__source_make(end->points, 3 * sizeof(float), false);
        own->ends[e] = &end->boxes;
    }
    for (int d = 0; d < 3; ++d) {
        own->shift[d] = -(float)offset[d];
    }
}

static void begin_by_plans(const abut_shape* shape, abut__flight_state* own) {
    own->unbounded = !abut__plans_seek(shape, own->plans, own->time);
    take_span(own->plans, own);
}

// returns the lowest vertex that is not finite, for states without boxes that record it
static uint32_t find_bad_vertex(const abut_shape* shape, const abut__flight_state* own) {
    for (uint32_t v = 0; v < shape->mesh->vertex_count; ++v) {
        double p[3];
        double* const places[3] = {&p[0], &p[1], &p[2]};
        abut__plans_vertices(shape, abut__flight_plans_of(own), own->time, &v, 1, places);
        if (!isfinite(p[0]) || !isfinite(p[1]) || !isfinite(p[2])) {
            return v;
        }
    }
    return ABUT__NONE;
}

static bool is_packed(abut__source source) {
    return !source.is_double && source.stride == 3 * sizeof(float);
}

// Interpolates packed floats by the formula of abut__flight_read().
static void move_packed(const abut__flight_state* own, uint32_t first, uint32_t end,
                        double (*out)[3]) {
    const float* a = (const float*)(const void*)own->source[0].data;
    const float* b = (const float*)(const void*)own->source[1].data;
    const double part = own->keys.part;
    const double rest = 1 - part;
    double* to = &out[0][0];
    for (size_t i = 3 * (size_t)first; i < 3 * (size_t)end; ++i) {
        to[i] = rest * (double)a[i] + part * (double)b[i];
    }
}

// evaluates the formula for a range of vertices
static void move_range(const abut_shape* shape, const abut__state* state, uint32_t first,
                       uint32_t end, double (*out)[3]) {
    const abut__flight_state* own = abut__flight_state_of(state);
    if (abut__flight_plans_of(own) == NULL && own->between && is_packed(own->source[0]) &&
        is_packed(own->source[1])) {
        move_packed(own, first, end, out);
        return;
    }
    for (uint32_t v = first; v < end; ++v) {
        if (abut__flight_plans_of(own) != NULL) {
            double* const places[3] = {&out[v][0], &out[v][1], &out[v][2]};
            abut__plans_vertices(shape, abut__flight_plans_of(own), own->time, &v, 1, places);
        } else {
            abut__flight_read(abut__flight_of(shape), &own->keys, v, out[v]);
        }
    }
}

// whether vertices are at a keyframe in float, so that the numbers of its boxes are their own
static bool is_at_floats(const abut__flight_state* own) {
    const abut__source* source = &own->source[0];
    return !own->between && abut__flight_plans_of(own) == NULL && !source->is_double &&
           source->origin[0] == 0 && source->origin[1] == 0 && source->origin[2] == 0;
}

// returns the greatest magnitude at both ends, and notes the lowest vertex there that is not finite
static float measure_ends(const abut_shape* shape, abut__state* state) {
    const abut__flight_state* own = abut__flight_state_of(state);
    state->bad_vertex = own->unbounded && abut__flight_plans_of(own) != NULL
                            ? find_bad_vertex(shape, own)
                            : ABUT__NONE;
    float extent = 0;
    for (int e = 0; e < 2 && !own->unbounded; ++e) {
        const abut__refit_boxes* refit = &own->ends[e]->refit;
        const uint32_t bad = atomic_load(&((abut__refit_boxes*)refit)->bad_vertex);
        extent = refit->extent > extent ? refit->extent : extent;
        state->bad_vertex = bad < state->bad_vertex ? bad : state->bad_vertex;
    }
    for (int d = 0; d < 3; ++d) {
        extent += fabsf(own->shift[d]);
    }
    return extent;
}

// sets extent and pads
static void measure(const abut_shape* shape, abut__state* state) {
    abut__flight_state* own = abut__flight_state_of(state);
    const abut__plans* plans = abut__flight_plans_of(own);
    const float extent = measure_ends(shape, state);
    own->unbounded = own->unbounded || !(extent <= ABUT__FLIGHT_MOST);
    // the error of old plans (motion/plans.h)
    own->age_pad = plans != NULL && !own->unbounded ? (float)(0x1p-48 * plans->most) : 0;
    const float far_pad = plans == NULL ? abut__flight_far_pad(abut__flight_of(shape)) : 0;
    const float pad = 0x1p-20f * extent + own->age_pad + far_pad + 0x1p-140f;
    own->pad = own->unbounded ? INFINITY : is_at_floats(own) ? 0 : pad;
    state->extent = own->unbounded ? INFINITY : extent + own->pad;
}

// Looks for the place of a time where the last state was, because time passes in small steps.
static abut__key_place place_after(const abut__flight* flight, double time,
                                   const abut__state* last) {
    const uint32_t there = last != NULL ? abut__flight_state_of(last)->keys.from : 0;
    return is_last_before(flight, there, time) ? place_from(flight, there, time)
                                               : abut__flight_place(flight, time);
}

static void flight_begin(const abut_shape* shape, abut__state* state, const abut__state* last,
                         abut__usage* usage) {
    abut__flight_state* own = abut__flight_state_of(state);
    own->keys = place_after(abut__flight_of(shape), own->time, last);
    own->lent = NULL;
    if (state->bare) {
        return;  // there are no plans: a body with plans has bounds
    }
    memset(own->shift, 0, sizeof own->shift);
    (own->plans != NULL ? begin_by_plans : begin_by_keys)(shape, own);
    measure(shape, state);
    // keyframes have proofs of their own, which are made once; plans need normals of all vertices
    const bool had = last != NULL && abut__whole_proves(abut__flight_state_of(last)->whole);
    abut__demand demand = abut__demand_take(shape, state, usage, had);
    own->proves = shape->tree.block_count >= ABUT__CONTOUR_BLOCKS_LEAST;
    demand.proofs = demand.proofs && own->plans != NULL;
    abut__rules_begin(shape, state, last, usage, demand, move_range);
    state->costly = (own->plans != NULL || own->between) && !abut__whole_is_here(own->whole);
    if (own->plans != NULL) {
        abut__plans_settle(own->plans);
    }
}

// Lets the previous state read the plans of the current one. If its time is outside the span, it
// has no ends to interpolate between, and no boxes: view/cut.c makes them where needed.
static void lend_plans(const abut_shape* shape, abut__state* state, const abut__state* now) {
    abut__flight_state* own = abut__flight_state_of(state);
    const abut__plans* plans = abut__flight_state_of(now)->plans;
    if (plans == NULL) {
        return;
    }
    const bool within = !abut__flight_state_of(now)->unbounded &&
                        own->time >= fmin(plans->from, plans->to) &&
                        own->time <= fmax(plans->from, plans->to);
    own->lent = plans;
    own->tight = own->parted = false;
    if (own->unbounded || abut__whole_is_here(own->whole)) {
        return;
    }
    if (within) {
        take_span(plans, own);
        measure(shape, state);
    } else {
        own->unbounded = true;
        state->extent = INFINITY;
    }
}

static abut_status check_time(const abut_shape* shape, const abut__state* now, void* input,
                              abut_error* error) {
    (void)shape;
    const double time = *(const double*)input;
    if (!isfinite(time)) {
        return abut__fail(error, ABUT_ERR_INVALID_DATA, ABUT_ELEMENT_NONE, 0,
                          "the time is not finite (%g)", time);
    }
    const abut__plans* plans = abut__flight_state_of(now)->plans;
    if (plans != NULL && !abut__plans_reach(plans, time)) {
        return abut__fail(error, ABUT_ERR_INVALID_DATA, ABUT_ELEMENT_NONE, 0,
                          "at time %g vertices with plans would not be finite", time);
    }
    return ABUT_OK;
}

// Plans are no part of a state: they move to the current one, and the previous one may read them.
static abut_status take_time(const abut_shape* shape, abut__state* next, abut__state* now,
                             void* input, abut_error* error) {
    (void)shape;
    (void)error;
    abut__flight_state* own = abut__flight_state_of(next);
    own->time = *(const double*)input;
    own->plans = abut__flight_state_of(now)->plans;
    abut__flight_state_of(now)->plans = NULL;
    return ABUT_OK;
}

static abut_status take_plans(const abut_shape* shape, abut__state* state, abut__state* before,
                              void* input, abut_error* error) {
    abut__flight_state* own = abut__flight_state_of(state);
    if (input != NULL) {
        const abut_status status = abut__plans_set(shape, &own->plans, own->time, input, error);
        if (status != ABUT_OK) {
            return status;
        }
    } else {
        abut__plans_free(own->plans);
        own->plans = NULL;
    }
    if (before->own != NULL) {  // it had other plans
        abut__flight_state_of(before)->lent = NULL;
    }
    return ABUT_OK;
}

const abut__input abut__flight_time = {
    .motion = &abut__flight_motion,
    .what = "time",
    .check = check_time,
    .fill = take_time,
    .settle = lend_plans,
};

const abut__input abut__flight_plans = {
    .motion = &abut__flight_motion,
    .what = "plans",
    .in_place = true,
    .fill = take_plans,
};

static bool is_shifted(const abut__flight_state* own) {
    return own->shift[0] != 0 || own->shift[1] != 0 || own->shift[2] != 0;
}

// empty boxes stay empty
static void shift_boxes(const float shift[3], abut__boxes8* boxes) {
    for (int d = 0; d < 3; ++d) {
        for (int k = 0; k < ABUT__FAN; ++k) {
            boxes->lo[d][k] += shift[d];
            boxes->hi[d][k] += shift[d];
        }
    }
}

static const abut__boxes8* flight_bound(const abut_shape* shape, const abut__state* state,
                                        const abut__turn* turn, uint32_t node, abut__boxes8* room) {
    const abut__flight_state* own = abut__flight_state_of(state);
    const uint32_t count = shape->tree.nodes[node].count;
    if (own->unbounded) {
        abut__boxes_infinite(room, count);
        return room;
    }
    if (abut__whole_is_here(own->whole)) {
        return abut__whole_bound(shape, own->whole, turn, node, room);
    }
    abut__boxes8 straight;
    abut__boxes8* out = turn != NULL ? &straight : room;
    abut__rules_bound(shape, own, node, out);
    if (is_shifted(own)) {
        shift_boxes(own->shift, out);
    }
    if (turn != NULL) {
        shape->context->kernels->turn_boxes(&straight, count, turn, room);
    }
    return room;
}

static bool flight_evaluate(const abut_shape* shape, const abut__state* state, uint32_t block,
                            abut__block_points* points, float* radius) {
    const abut__flight_state* own = abut__flight_state_of(state);
    const abut__kernels* kernels = shape->context->kernels;
    const abut__block* fixed = shape->tree.blocks[block];
    if (!own->unbounded && abut__whole_is_here(own->whole)) {
        *radius = 0;  // as in the free motion: rounding to float preserves order
        return kernels->gather_points(fixed, abut__whole_source(own->whole), points);
    }
    *radius = own->pad;
    if (own->unbounded || !own->between) {
        return !own->unbounded && kernels->gather_points(fixed, own->source[0], points);
    }
    if (!kernels->gather_between(fixed, own->source, own->part, points)) {
        return false;
    }
    for (int d = 0; d < 3 && is_shifted(own); ++d) {
        for (int v = 0; v < ABUT__BLOCK_VERTICES; ++v) {
            points->xyz[d][v] += own->shift[d];
        }
    }
    return true;
}

void abut__flight_read(const abut__flight* flight, const abut__key_place* place, uint32_t vertex,
                       double out[3]) {
    const abut__source source = abut__source_of(flight->keys[place->from].positions);
    abut__read_position(source.data, source.stride, source.is_double, vertex, out);
    if (place->to == place->from) {
        return;
    }
    const abut__source after = abut__source_of(flight->keys[place->to].positions);
    const double rest = 1 - place->part;
    double p[3];
    abut__read_position(after.data, after.stride, after.is_double, vertex, p);
    for (int d = 0; d < 3; ++d) {
        out[d] = rest * out[d] + place->part * p[d];
    }
}

static void flight_vertices(const abut_shape* shape, const abut__state* state, const uint32_t* ids,
                            uint32_t count, double* const out[3]) {
    const abut__flight_state* own = abut__flight_state_of(state);
    if (abut__whole_is_here(own->whole)) {
        abut__read_positions(abut__whole_source(own->whole), ids, count, out);
        return;
    }
    if (abut__flight_plans_of(own) != NULL) {
        abut__plans_vertices(shape, abut__flight_plans_of(own), own->time, ids, count, out);
        return;
    }
    if (own->keys.to == own->keys.from) {
        abut__read_positions(abut__flight_source(shape, own->keys.from), ids, count, out);
        return;
    }
    for (uint32_t i = 0; i < count; ++i) {
        double p[3];
        abut__flight_read(abut__flight_of(shape), &own->keys, ids[i], p);
        for (int d = 0; d < 3; ++d) {
            out[d][i] = p[d];
        }
    }
}

// Evaluates all vertices of the block: the data gathered for one corner serve the next.
static uint64_t flight_block_vertices(const abut_shape* shape, const abut__state* state,
                                      uint32_t block, uint64_t wanted, abut__block_exact* out) {
    const abut__flight_state* own = abut__flight_state_of(state);
    const abut__block* fixed = shape->tree.blocks[block];
    (void)wanted;
    if (abut__flight_plans_of(own) == NULL && own->between && !own->source[0].is_double &&
        !own->source[1].is_double) {
        shape->context->kernels->flight_exact(fixed, own->source, own->keys.part, out->xyz);
        return UINT64_MAX;
    }
    double xyz[3][ABUT__BLOCK_VERTICES];
    double* const places[3] = {xyz[0], xyz[1], xyz[2]};
    flight_vertices(shape, state, fixed->vertex, fixed->vertex_count, places);
    for (uint32_t v = 0; v < fixed->vertex_count; ++v) {
        for (int d = 0; d < 3; ++d) {
            out->xyz[v][d] = xyz[d][v];
        }
    }
    return UINT64_MAX;
}

static const float* flight_origin(const abut_shape* shape, const abut__state* state) {
    static const float zero[3] = {0, 0, 0};
    return abut__flight_plans_of(abut__flight_state_of(state)) == NULL
               ? abut__flight_of(shape)->origin
               : zero;
}

static const abut__boxes8* flight_boxes(const abut__state* state) {
    const abut__flight_state* own = abut__flight_state_of(state);
    if (own->unbounded) {
        return NULL;
    }
    return is_at_floats(own) && !abut__whole_is_here(own->whole) ? own->ends[0]->refit.boxes
                                                                 : abut__whole_boxes(own->whole);
}

static const abut__lazy lazy = {
    .boxes = flight_boxes,
    .block_vertices = flight_block_vertices,
    .all_at_once = true,
};

static void flight_draft_state(const abut_shape* shape, abut__state* draft,
                               const abut__state* state) {
    (void)shape;
    abut__flight_state_of(draft)->time = abut__flight_state_of(state)->time;
}

// Vertices read the time, the place among the keyframes, plans (there are none) and `whole`, which
// therefore stay as they are. The other members are moved.
static void flight_adopt_state(abut__state* state, abut__state* draft) {
    abut__flight_state* own = abut__flight_state_of(state);
    abut__flight_state* made = abut__flight_state_of(draft);
    own->part = made->part;
    own->between = made->between;
    own->unbounded = made->unbounded;
    for (int e = 0; e < 2; ++e) {
        own->ends[e] = made->ends[e];
        own->source[e] = made->source[e];
        own->segment[e] = made->segment[e];
    }
    memcpy(own->shift, made->shift, sizeof own->shift);
    own->age_pad = made->age_pad;
    own->pad = made->pad;
    own->tight_pad = made->tight_pad;
    own->tight = made->tight;
    own->parted = made->parted;
    own->root = made->root;
    own->kinetic = made->kinetic;
    own->boxtree = made->boxtree;
    own->choice = made->choice;
    made->kinetic = NULL;
    made->boxtree = NULL;
    state->costly = made->between;
    state->extent = draft->extent;
    state->bad_vertex = draft->bad_vertex;
}

static const abut__late late = {
    .draft_state = flight_draft_state,
    .adopt_state = flight_adopt_state,
};

static const abut__shape_keeping shapes = {
    .prepare = flight_prepare,
    .discard = flight_discard,
};

static const abut__state_keeping states = {
    .reserve = flight_reserve,
    .release = flight_release,
    .rest = flight_rest,
    .carry = flight_carry,
};

const abut__motion abut__flight_motion = {
    .id = ABUT_MOTION_FLIGHT,
    .name = "flight",
    .parts_classes = true,
    .keeps_nodes = true,
    .begin = flight_begin,
    .bound = flight_bound,
    .evaluate = flight_evaluate,
    .vertices = flight_vertices,
    .apart = abut__flight_apart,
    .origin = flight_origin,
    .lazy = &lazy,
    .proofs = &abut__flight_proofs,
    .pair_proofs = &abut__flight_pair_proofs,
    .timeline = &abut__flight_timeline,
    .late = &late,
    .shapes = &shapes,
    .packing = &abut__flight_packing,
    .states = &states,
};
