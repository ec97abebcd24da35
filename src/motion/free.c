// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// The free motion: every state gives all positions anew, so a vertex is what the caller said.
#include "motion/free.h"

#include "bound/surface.h"

// ---- what a state keeps

static void free_release(const abut_context* context, abut__state* state) {
    abut__free_state* own = state->free;
    if (own != NULL) {
        abut__drop(context, &own->copy);
        abut__free(context, own->refit.boxes, own->refit_nodes, sizeof *own->refit.boxes);
        abut__free(context, own->normals, own->normals_nodes, sizeof *own->normals);
        abut__free(context, own, 1, sizeof *own);
    }
    memset(state, 0, sizeof *state);
}

static bool free_reserve(const abut_shape* shape, abut__state* state) {
    const uint32_t nodes = shape->tree.node_count;
    if (state->free == NULL) {
        state->free = abut__alloc_zero(shape->context, 1, sizeof *state->free);
    }
    abut__free_state* own = state->free;
    if (own == NULL || own->refit_nodes >= nodes) {
        return own != NULL;
    }
    abut__boxes8* boxes = abut__alloc(shape->context, nodes, sizeof *boxes);
    if (boxes == NULL) {
        return false;
    }
    abut__free(shape->context, own->refit.boxes, own->refit_nodes, sizeof *boxes);
    own->refit.boxes = boxes;
    own->refit_nodes = nodes;
    return true;
}

static bool reserve_normals(const abut_context* context, abut__free_state* own, uint32_t nodes) {
    if (own->normals_nodes < nodes) {
        abut__free(context, own->normals, own->normals_nodes, sizeof *own->normals);
        own->normals = abut__alloc(context, nodes, sizeof *own->normals);
        own->normals_nodes = own->normals != NULL ? nodes : 0;
    }
    return own->normals != NULL;
}

// ---- how it is filled

static void source_from(abut__free_state* own, abut_positions positions, bool borrowed) {
    own->source = abut__source_of(positions);
    own->count = (uint32_t)positions.count;
    own->borrowed = borrowed;
}

void abut__free_borrow(abut__free_state* state, abut_positions positions) {
    source_from(state, positions, true);
}

static void free_rest(const abut_shape* shape, abut__state* state) {
    source_from(state->free, abut_mesh_rest_positions(shape->mesh), false);
}

// The boxes are made from the caller's array while the copy is made beside them: that saves a wait,
// and no thread reads what another has just written. The state counts only if all is finite.
abut_status abut__free_copy_start(const abut_context* context, abut__free_state* state,
                                  abut_positions positions, abut__copying* copying,
                                  abut_error* error) {
    const size_t bytes = positions.count * 3 * abut__scalar_size(positions.type);
    state->copy.count = 0;
    if (!abut__reserve(context, &state->copy, bytes)) {
        return abut__fail_memory(error);
    }
    *copying = abut__copying_make(context, positions, state->copy.data);
    source_from(state, positions, false);
    state->beside = (abut__beside){abut__copying_run, copying, copying->task_count};
    return ABUT_OK;
}

abut_status abut__free_copy_finish(abut__free_state* state, abut__copying* copying,
                                   abut_error* error) {
    state->beside = (abut__beside){0};
    abut_positions packed = copying->positions;
    packed.data = state->copy.data;
    packed.stride = 0;
    source_from(state, packed, false);
    return abut__copying_end(copying, 0, "positions", error);
}

// the present positions as double, rest positions for vertices that are new
static abut_status free_carry(const abut_shape* shape, abut__state* state, const abut_shape* before,
                              const abut__state* from, abut_error* error) {
    (void)before;
    const abut__free_state* now = from->free;
    const abut_mesh* mesh = shape->mesh;
    const uint32_t count = mesh->vertex_count;
    if (now->borrowed && now->count == count) {
        state->free->source = now->source;
        state->free->count = count;
        state->free->borrowed = true;
        return ABUT_OK;
    }
    if (now->borrowed) {
        return abut__fail(error, ABUT_ERR_STATE, ABUT_ELEMENT_NONE, 0,
                          "the body borrows %u positions, but the new shape has %u vertices: give "
                          "its positions, too",
                          now->count, count);
    }
    if (!abut__reserve(shape->context, &state->free->copy, (size_t)count * 3 * sizeof(double))) {
        return abut__fail_memory(error);
    }
    double(*out)[3] = (void*)state->free->copy.data;
    for (uint32_t v = 0; v < count; ++v) {
        if (v < now->count) {
            abut__read_position(now->source.data, now->source.stride, now->source.is_double, v,
                                out[v]);
        } else {
            abut__mesh_rest(mesh, v, out[v]);
        }
    }
    source_from(state->free, (abut_positions){out, count, 0, ABUT_FLOAT64}, false);
    return ABUT_OK;
}

// ---- the five operations

// Normals are made for a state if the last one was asked about itself, unless they gained nothing
// of late: then there is a pause, longer each time.
static bool wants_normals(const abut_shape* shape, const abut__state* last, abut__habits* habits) {
    const bool asked = atomic_exchange_explicit(&habits->asked, 0, memory_order_relaxed) > 0;
    const bool gained = atomic_exchange_explicit(&habits->apart, 0, memory_order_relaxed) > 0;
    const bool had = last != NULL && last->valid && last->free->has_normals;
    if (had && asked && !gained) {
        habits->failures = (uint16_t)(habits->failures < 5 ? habits->failures + 1 : 5);
        habits->pause = (uint16_t)(1u << habits->failures);
    } else if (gained) {
        habits->failures = 0;
    }
    if (!asked || shape->tree.block_count < ABUT__CONTOUR_BLOCKS_LEAST) {
        return false;
    }
    if (habits->pause > 0) {
        --habits->pause;
        return false;
    }
    return true;
}

static void free_begin(const abut_shape* shape, abut__state* state, const abut__state* last,
                       abut__habits* habits) {
    abut__free_state* own = state->free;
    abut__refit(shape->context, &shape->tree, abut__shape_stretches(shape), own->source,
                own->beside, &own->refit);
    state->extent = own->refit.extent;
    state->bad_vertex = atomic_load(&own->refit.bad_vertex);
    // without memory for normals there are none: that costs time later, nothing else
    own->has_normals = wants_normals(shape, last, habits) && abut__shape_contours(shape) != NULL &&
                       reserve_normals(shape->context, own, shape->tree.node_count);
    if (own->has_normals) {
        abut__surface_normals(shape->context, &shape->tree, own->source, own->normals);
    }
}

static const abut__boxes8* free_bound(const abut_shape* shape, const abut__state* state,
                                      const abut__turn* turn, uint32_t node, abut__boxes8* room) {
    const abut__boxes8* boxes = &state->free->refit.boxes[node];
    if (turn == NULL) {
        return boxes;
    }
    shape->context->kernels->turn_boxes(boxes, shape->tree.nodes[node].count, turn, room);
    return room;
}

static bool free_evaluate(const abut_shape* shape, const abut__state* state, uint32_t block,
                          abut__block_points* points, float* radius) {
    *radius = 0;  // rounding to float keeps order: see simd/kernels.h
    return shape->context->kernels->gather_points(shape->tree.blocks[block], state->free->source,
                                                  points);
}

static void free_vertices(const abut_shape* shape, const abut__state* state, const uint32_t* ids,
                          uint32_t count, double* const out[3]) {
    (void)shape;
    abut__read_positions(state->free->source, ids, count, out);
}

static bool free_apart(const abut_shape* shape, const abut__state* state, abut__ref ref) {
    const abut__free_state* own = state->free;
    return own->has_normals && !abut__is_block(ref) &&
           abut__surface_apart(shape->context, &shape->tree, abut__shape_contours(shape),
                               own->normals, own->source, ref);
}

static bool free_blocks_apart(const abut_shape* shape, const abut__state* state, uint32_t block_a,
                              uint32_t block_b) {
    (void)shape;
    (void)state;
    (void)block_a;
    (void)block_b;
    return false;
}

static abut__source free_positions(const abut__state* state) {
    return state->free->source;
}

static void free_expect(const abut_shape* shape) {
    (void)shape;
}

// a free shape keeps nothing but its mesh and tree
static abut_status free_prepare(abut_shape* shape, const abut_shape_def* def,
                                const abut__lineage* lineage, abut_error* error) {
    (void)shape;
    (void)lineage;
    if (def != NULL && def->field_count > 0) {
        return abut__fail(error, ABUT_ERR_INVALID_ARGUMENT, ABUT_ELEMENT_NONE, 0,
                          "%zu fields were given, but the motion is free: fields belong to "
                          "ABUT_MOTION_MODAL",
                          def->field_count);
    }
    if (def != NULL && (def->bound != ABUT_BOUND_AUTO || !abut__axes_are_own(def->axes))) {
        return abut__fail(error, ABUT_ERR_INVALID_ARGUMENT, ABUT_ELEMENT_NONE, 0,
                          "a bound or axes were chosen, but the motion is free, which has its own");
    }
    if (def != NULL && def->proxy_level > 0) {
        return abut__fail(error, ABUT_ERR_INVALID_ARGUMENT, ABUT_ELEMENT_NONE, 0,
                          "contact proxies need a modal shape, but the motion is free");
    }
    return ABUT_OK;
}

static abut_status free_complete(abut_shape* shape, const abut__lineage* lineage,
                                 abut_error* error) {
    (void)shape;
    (void)lineage;
    (void)error;
    return ABUT_OK;
}

static void free_discard(abut_shape* shape) {
    (void)shape;
}

const abut__motion_ops abut__free_ops = {
    .name = "free",
    .begin = free_begin,
    .bound = free_bound,
    .evaluate = free_evaluate,
    .vertices = free_vertices,
    .apart = free_apart,
    .blocks_apart = free_blocks_apart,
    .positions = free_positions,
    .expect = free_expect,
    .prepare = free_prepare,
    .complete = free_complete,
    .discard = free_discard,
    .reserve = free_reserve,
    .release = free_release,
    .rest = free_rest,
    .carry = free_carry,
};
