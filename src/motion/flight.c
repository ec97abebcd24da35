// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// The flight motion: vertices go on straight lines from keyframe to keyframe. Based on the flightplans
// of Weller, Zachmann, "Kinetic Bounding Volume Hierarchies for Deformable Objects", 2006.
#include "motion/flight.h"

#include <math.h>

// ---- what a shape keeps

static abut__source source_of(const abut_shape* shape, uint32_t key) {
    return abut__source_of(shape->flight->keys[key].positions);
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

static abut_status check_key(const abut_shape_def* def, size_t k, uint32_t vertices,
                             abut_error* error) {
    const abut_key* key = &def->keys[k];
    if (!isfinite(key->time)) {
        return abut__fail(error, ABUT_ERR_INVALID_DATA, ABUT_ELEMENT_ENTRY, k,
                          "the time of key %zu is not finite (%g)", k, key->time);
    }
    if (k > 0 && !(key->time > key[-1].time)) {
        return abut__fail(error, ABUT_ERR_INVALID_DATA, ABUT_ELEMENT_ENTRY, k,
                          "the time of key %zu (%g) is not after that of the key before (%g)", k,
                          key->time, key[-1].time);
    }
    if (!isfinite(key->time - def->keys[0].time)) {
        return abut__fail(error, ABUT_ERR_INVALID_DATA, ABUT_ELEMENT_ENTRY, k,
                          "key %zu is too long after the first", k);
    }
    if (key->positions.count != vertices) {
        return abut__fail(error, ABUT_ERR_INVALID_DATA, ABUT_ELEMENT_ENTRY, k,
                          "key %zu has %zu positions, but the mesh has %u vertices", k,
                          key->positions.count, vertices);
    }
    return abut__positions_check(key->positions, "positions of a key", error);
}

static abut_status check_def(const abut_shape_def* def, uint32_t vertices, abut_error* error) {
    if (def->keys == NULL || def->key_count == 0 || def->key_count > UINT32_MAX) {
        return abut__fail(error, ABUT_ERR_INVALID_ARGUMENT, ABUT_ELEMENT_NONE, 0,
                          "a flight shape needs keys: %zu were given%s", def->key_count,
                          def->keys == NULL ? ", and their pointer is NULL" : "");
    }
    if (def->bound != ABUT_BOUND_AUTO && def->bound != ABUT_BOUND_KINETIC) {
        return abut__fail(error, ABUT_ERR_INVALID_ARGUMENT, ABUT_ELEMENT_NONE, 0,
                          "bound %d is not one of a flight shape", (int)def->bound);
    }
    if (def->field_count > 0 || def->proxy_level > 0 || !abut__axes_are_own(def->axes)) {
        return abut__fail(error, ABUT_ERR_INVALID_ARGUMENT, ABUT_ELEMENT_NONE, 0,
                          "fields, axes or proxies were given, but the motion is flight, which has "
                          "none");
    }
    abut_status status = ABUT_OK;
    for (size_t k = 0; k < def->key_count && status == ABUT_OK; ++k) {
        status = check_key(def, k, vertices, error);
    }
    return status;
}

static abut_status flight_prepare(abut_shape* shape, const abut_shape_def* def,
                                  const abut__lineage* lineage, abut_error* error) {
    const abut__flight* from = lineage != NULL ? lineage->shape->flight : NULL;
    abut_status status = ABUT_OK;
    if (from != NULL && shape->mesh->vertex_count != lineage->shape->mesh->vertex_count) {
        status = abut__fail(error, ABUT_ERR_INVALID_ARGUMENT, ABUT_ELEMENT_NONE, 0,
                            "a flight shape cannot gain vertices: nothing says how they move");
    } else if (from == NULL) {
        status = check_def(def, shape->mesh->vertex_count, error);
    }
    if (status != ABUT_OK) {
        return status;
    }
    const uint32_t count = from != NULL ? from->key_count : (uint32_t)def->key_count;
    shape->flight = abut__alloc_zero(shape->context, 1, sizeof *shape->flight);
    if (shape->flight == NULL) {
        return abut__fail_memory(error);
    }
    shape->flight->key_count = count;
    shape->flight->kinetic = from != NULL ? from->kinetic : def->bound == ABUT_BOUND_KINETIC;
    shape->flight->keys = abut__alloc(shape->context, count, sizeof *shape->flight->keys);
    if (shape->flight->keys == NULL ||
        !abut__linear_init(&shape->flight->linear, shape->context, count)) {
        return abut__fail_memory(error);
    }
    memcpy(shape->flight->keys, from != NULL ? from->keys : def->keys, count * sizeof(abut_key));
    const abut__likeness like = {flight_hash, flight_equal, shape->flight};
    const abut_mesh* parted;
    status = abut__mesh_part_classes(shape->mesh, &like, &parted, error);
    if (status == ABUT_OK) {
        abut_mesh_destroy((abut_mesh*)shape->mesh);
        shape->mesh = parted;
    }
    return status;
}

static abut_status flight_complete(abut_shape* shape, const abut__lineage* lineage,
                                   abut_error* error) {
    (void)shape;
    (void)lineage;
    (void)error;
    return ABUT_OK;
}

static void flight_discard(abut_shape* shape) {
    if (shape->flight != NULL) {
        abut__linear_free(&shape->flight->linear);
        abut__free(shape->context, shape->flight->keys, shape->flight->key_count,
                   sizeof *shape->flight->keys);
        abut__free(shape->context, shape->flight, 1, sizeof *shape->flight);
    }
}

// ---- what a state keeps

static bool flight_reserve(const abut_shape* shape, abut__state* state) {
    if (state->flight == NULL) {
        state->flight = abut__alloc_zero(shape->context, 1, sizeof *state->flight);
    }
    return state->flight != NULL;
}

static void flight_release(const abut_context* context, abut__state* state) {
    if (state->flight != NULL) {
        abut__kinetic_free(state->flight->kinetic);
    }
    abut__free(context, state->flight, 1, sizeof *state->flight);
    memset(state, 0, sizeof *state);
}

static void flight_rest(const abut_shape* shape, abut__state* state) {
    state->flight->time = shape->flight->keys[0].time;
}

static abut_status flight_carry(const abut_shape* shape, abut__state* state,
                                const abut__state* from, abut_error* error) {
    (void)shape;
    (void)error;
    state->flight->time = from->flight->time;
    return ABUT_OK;
}

// ---- the five operations

// where a time lies: before the first key and after the last one vertices stand still
static void find_segment(const abut__flight* flight, abut__flight_state* own) {
    uint32_t lo = 0;
    uint32_t hi = flight->key_count;  // the key after the time is above lo, at most hi
    while (hi - lo > 1) {
        const uint32_t middle = lo + (hi - lo) / 2;
        if (flight->keys[middle].time <= own->time) {
            lo = middle;
        } else {
            hi = middle;
        }
    }
    const double begin = flight->keys[lo].time;
    own->from = lo;
    own->to = own->time > begin && hi < flight->key_count ? hi : lo;
    own->part = own->to > lo ? (own->time - begin) / (flight->keys[hi].time - begin) : 0;
}

// The one kinetic tree of a body goes from its last state, which keeps the looser boxes, to the new
// one. Where there is no memory for it, the looser boxes do.
static void go_kinetic(const abut_shape* shape, const abut__state* state, const abut__state* last) {
    abut__flight_state* own = state->flight;
    if (own->kinetic == NULL && last != NULL) {
        own->kinetic = last->flight->kinetic;
        last->flight->kinetic = NULL;
        last->flight->tight = false;
    }
    if (own->kinetic == NULL) {
        own->kinetic = abut__kinetic_make(shape->context, &shape->tree);
    }
    own->tight = own->kinetic != NULL && own->to != own->from && !own->unbounded &&
                 state->bad_vertex == ABUT__NONE;
    if (own->tight) {
        const abut__kinetic_segment segment = {
            .source = {source_of(shape, own->from), source_of(shape, own->to)},
            .boxes = {own->ends[0]->refit.boxes, own->ends[1]->refit.boxes},
            .key = {own->from, own->to},
            .extent = state->extent,
        };
        abut__kinetic_go(own->kinetic, &shape->tree, &segment, (float)own->part);
    }
}

static void flight_begin(const abut_shape* shape, abut__state* state, const abut__state* last,
                         abut__habits* habits) {
    (void)habits;
    abut__flight* flight = shape->flight;
    abut__flight_state* own = state->flight;
    find_segment(flight, own);
    const abut__stretches* stretches = abut__shape_stretches(shape);
    own->ends[0] = abut__linear_key(&flight->linear, &shape->tree, stretches,
                                    source_of(shape, own->from), own->from);
    own->ends[1] = own->to == own->from ? own->ends[0]
                                        : abut__linear_key(&flight->linear, &shape->tree, stretches,
                                                           source_of(shape, own->to), own->to);
    own->unbounded = own->ends[0] == NULL || own->ends[1] == NULL;
    state->bad_vertex = ABUT__NONE;
    float extent = 0;
    for (int e = 0; e < 2 && !own->unbounded; ++e) {
        const abut__refit_boxes* refit = &own->ends[e]->refit;
        const uint32_t bad = atomic_load(&((abut__refit_boxes*)refit)->bad_vertex);
        extent = refit->extent > extent ? refit->extent : extent;
        state->bad_vertex = bad < state->bad_vertex ? bad : state->bad_vertex;
    }
    own->unbounded = own->unbounded || !(extent <= 1e37f);
    own->pad = own->unbounded ? INFINITY : 0x1p-20f * extent + 0x1p-140f;
    own->tight_pad = own->unbounded ? INFINITY : ABUT__KINETIC_PAD * extent + 0x1p-140f;
    state->extent = own->unbounded ? INFINITY : extent + own->tight_pad;  // the wider one
    state->path = 0;
    state->costly = own->to != own->from;
    if (flight->kinetic) {
        go_kinetic(shape, state, last);
    }
}

static const abut__boxes8* flight_bound(const abut_shape* shape, const abut__state* state,
                                        const abut__turn* turn, uint32_t node, abut__boxes8* room) {
    const abut__flight_state* own = state->flight;
    const abut__kernels* kernels = shape->context->kernels;
    const uint32_t count = shape->tree.nodes[node].count;
    if (own->unbounded) {
        abut__boxes_infinite(room, count);
        return room;
    }
    abut__boxes8 straight;
    abut__boxes8* out = turn != NULL ? &straight : room;
    const abut__boxes8* before = own->tight ? abut__kinetic_end(own->kinetic, 0)
                                            : own->ends[0]->refit.boxes;
    const abut__boxes8* after = own->tight ? abut__kinetic_end(own->kinetic, 1)
                                           : own->ends[1]->refit.boxes;
    kernels->flight_boxes(&before[node], &after[node], (float)own->part,
                          own->tight ? own->tight_pad : own->pad, out);
    if (turn != NULL) {
        kernels->turn_boxes(&straight, count, turn, room);
    }
    return room;
}

static bool flight_evaluate(const abut_shape* shape, const abut__state* state, uint32_t block,
                            abut__block_points* points, float* radius) {
    const abut__flight_state* own = state->flight;
    const abut__kernels* kernels = shape->context->kernels;
    const abut__block* fixed = shape->tree.blocks[block];
    abut__block_points after;
    if (own->unbounded || !kernels->gather_points(fixed, source_of(shape, own->from), points)) {
        return false;
    }
    *radius = own->pad;
    if (own->to == own->from) {
        return true;
    }
    if (!kernels->gather_points(fixed, source_of(shape, own->to), &after)) {
        return false;
    }
    kernels->flight_points(&after, (float)own->part, points);
    return true;
}

static void flight_vertices(const abut_shape* shape, const abut__state* state, const uint32_t* ids,
                            uint32_t count, double* const out[3]) {
    const abut__flight_state* own = state->flight;
    abut__read_positions(source_of(shape, own->from), ids, count, out);
    if (own->to == own->from) {
        return;
    }
    const abut__source after = source_of(shape, own->to);
    const double rest = 1 - own->part;
    for (uint32_t i = 0; i < count; ++i) {
        double p[3];
        abut__read_position(after.data, after.stride, after.is_double, ids[i], p);
        for (int d = 0; d < 3; ++d) {
            out[d][i] = rest * out[d][i] + own->part * p[d];
        }
    }
}

static uint64_t flight_block_vertices(const abut_shape* shape, const abut__state* state,
                                      uint32_t block, uint64_t wanted, abut__block_exact* out) {
    const abut__block* fixed = shape->tree.blocks[block];
    (void)wanted;
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

static bool flight_apart(const abut_shape* shape, const abut__state* state, abut__ref ref) {
    (void)shape;
    (void)state;
    (void)ref;
    return false;
}

static bool flight_blocks_apart(const abut_shape* shape, const abut__state* state, uint32_t block_a,
                                uint32_t block_b) {
    (void)shape;
    (void)state;
    (void)block_a;
    (void)block_b;
    return false;
}

static void flight_expect(const abut_shape* shape) {
    (void)shape;
}

const abut__motion_ops abut__flight_ops = {
    .name = "flight",
    .lazy = true,
    .begin = flight_begin,
    .bound = flight_bound,
    .evaluate = flight_evaluate,
    .vertices = flight_vertices,
    .block_vertices = flight_block_vertices,
    .apart = flight_apart,
    .blocks_apart = flight_blocks_apart,
    .expect = flight_expect,
    .prepare = flight_prepare,
    .complete = flight_complete,
    .discard = flight_discard,
    .reserve = flight_reserve,
    .release = flight_release,
    .rest = flight_rest,
    .carry = flight_carry,
};
