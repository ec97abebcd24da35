// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// The free motion: each state gives the positions of all vertices.
#include "motion/free.h"

#include "bound/surface.h"
#include "motion/demand.h"

// ---- states

static void free_release(const abut_context* context, abut__state* state) {
    abut__free_state* own = abut__free_state_of(state);
    if (own != NULL) {
        abut__drop(context, &own->copy);
        abut__free(context, own->refit.boxes, own->refit_nodes, sizeof *own->refit.boxes);
        abut__free(context, own->normals, own->normals_nodes, sizeof *own->normals);
        abut__free(context, own, 1, sizeof *own);
    }
}

static bool free_reserve(const abut_shape* shape, abut__state* state) {
    const uint32_t nodes = state->bare ? 0 : shape->tree.node_count;
    if (abut__free_state_of(state) == NULL) {
        state->own = abut__alloc_zero(shape->context, 1, sizeof(abut__free_state));
    }
    abut__free_state* own = abut__free_state_of(state);
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

// ---- setting a state

static void source_from(abut__state* state, abut_positions positions, bool borrowed) {
    abut__free_state* own = abut__free_state_of(state);
    own->stored.positions = abut__source_centred(positions);
    own->count = (uint32_t)positions.count;
    own->borrowed = borrowed;
}

static void free_rest(const abut_shape* shape, abut__state* state) {
    source_from(state, abut_mesh_rest_positions(shape->mesh), false);
}

// The boxes are made from the caller's array while the copy is made in parallel. That saves a wait,
// and no thread reads what another has just written. The state is valid only if all is finite.
abut_status abut__free_copy_start(const abut_context* context, abut__state* state,
                                  abut_positions positions, abut__copying* copying,
                                  abut_error* error) {
    abut__free_state* own = abut__free_state_of(state);
    const size_t bytes = positions.count * 3 * abut__scalar_size(positions.type);
    own->copy.count = 0;
    if (!abut__reserve(context, &own->copy, bytes)) {
        return abut__fail_memory(error);
    }
    *copying = abut__copying_make(context, positions, own->copy.data);
    source_from(state, positions, false);
    own->beside = (abut__beside){abut__copying_run, copying, copying->task_count};
    return ABUT_OK;
}

abut_status abut__free_copy_finish(abut__state* state, abut__copying* copying, abut_error* error) {
    abut__free_state* own = abut__free_state_of(state);
    own->beside = (abut__beside){0};
    abut_positions packed = copying->positions;
    packed.stride = 0;
    own->stored.positions.data = own->copy.data;  // the same positions, about the same origin
    own->stored.positions.stride = abut__positions_stride(packed);
    return abut__copying_end(copying, 0, "positions", error);
}

// copies the current positions as double, and rest positions for new vertices
static abut_status free_carry(const abut_shape* shape, abut__state* state, const abut_shape* before,
                              const abut__state* from, abut_error* error) {
    (void)before;
    const abut__free_state* now = abut__free_state_of(from);
    const abut_mesh* mesh = shape->mesh;
    const uint32_t count = mesh->vertex_count;
    if (now->borrowed && now->count == count) {
        abut__free_state_of(state)->stored.positions = now->stored.positions;
        abut__free_state_of(state)->count = count;
        abut__free_state_of(state)->borrowed = true;
        return ABUT_OK;
    }
    if (now->borrowed) {
        return abut__fail(error, ABUT_ERR_STATE, ABUT_ELEMENT_NONE, 0,
                          "the body borrows %u positions, but the new shape has %u vertices: give "
                          "its positions, too",
                          now->count, count);
    }
    if (!abut__reserve(shape->context, &abut__free_state_of(state)->copy,
                       (size_t)count * 3 * sizeof(double))) {
        return abut__fail_memory(error);
    }
    double(*out)[3] = (void*)abut__free_state_of(state)->copy.data;
    for (uint32_t v = 0; v < count; ++v) {
        if (v < now->count) {
            abut__read_position(now->stored.positions.data, now->stored.positions.stride,
                                now->stored.positions.is_double, v, out[v]);
        } else {
            abut__mesh_rest(mesh, v, out[v]);
        }
    }
    source_from(state, (abut_positions){out, count, 0, ABUT_SCALAR_F64}, false);
    return ABUT_OK;
}

abut_status abut__free_fits(const abut_shape* shape, abut_positions positions, const char* what,
                            abut_error* error) {
    const uint32_t wanted = shape->mesh->vertex_count;
    if (shape->motion != &abut__free_motion) {
        return abut__fail(error, ABUT_ERR_INVALID_ARGUMENT, ABUT_ELEMENT_NONE, 0,
                          "the motion is %s, which takes no positions", shape->motion->name);
    }
    if (positions.count != wanted) {
        return abut__fail(error, ABUT_ERR_INVALID_ARGUMENT, ABUT_ELEMENT_NONE, 0,
                          "%zu positions were given, but %s has %u vertices", positions.count, what,
                          wanted);
    }
    return abut__positions_check(positions, "positions", error);
}

static abut_status check_positions(const abut_shape* shape, const abut__state* now, void* input,
                                   abut_error* error) {
    (void)now;
    const abut__free_input* given = input;
    const abut_status status = given->next != NULL
                                   ? abut__free_fits(shape, *given->next, "the shape", error)
                                   : ABUT_OK;
    return status == ABUT_OK ? abut__free_fits(shape, given->positions, "the shape", error)
                             : status;
}

static abut_status copy_positions(const abut_shape* shape, abut__state* next, abut__state* now,
                                  void* input, abut_error* error) {
    (void)now;
    abut__free_input* given = input;
    return abut__free_copy_start(shape->context, next, given->positions, &given->copying, error);
}

static abut_status finish_copy(const abut_shape* shape, abut__state* next, void* input,
                               abut_error* error) {
    (void)shape;
    abut__free_input* given = input;
    return abut__free_copy_finish(next, &given->copying, error);
}

static abut_status borrow_positions(const abut_shape* shape, abut__state* next, abut__state* now,
                                    void* input, abut_error* error) {
    (void)shape;
    (void)now;
    (void)error;
    const abut__free_input* given = input;
    source_from(next, given->positions, true);
    return ABUT_OK;
}

// borrowed positions of the last state may no longer exist
static void release_borrowed(const abut_shape* shape, abut__state* last, const abut__state* now) {
    (void)shape;
    (void)now;
    last->valid = last->valid && !abut__free_state_of(last)->borrowed;
}

const abut__input abut__free_positions = {
    .motion = &abut__free_motion,
    .what = "positions",
    .check = check_positions,
    .fill = copy_positions,
    .finish = finish_copy,
    .settle = release_borrowed,
};

const abut__input abut__free_borrowed = {
    .motion = &abut__free_motion,
    .what = "positions",
    .check = check_positions,
    .fill = borrow_positions,
    .settle = release_borrowed,
};

const abut__input abut__free_borrowed_step = {
    .motion = &abut__free_motion,
    .what = "positions",
    .check = check_positions,
    .fill = borrow_positions,
};

// ---- the five operations

// Normals are computed for a state if the last one had self queries.
static bool wants_normals(const abut_shape* shape, const abut__state* state,
                          const abut__state* last, abut__usage* usage) {
    const bool had = last != NULL && last->valid && abut__free_state_of(last)->has_normals;
    return abut__demand_take(shape, state, usage, had).proofs;
}

static void free_begin(const abut_shape* shape, abut__state* state, const abut__state* last,
                       abut__usage* usage) {
    abut__free_state* own = abut__free_state_of(state);
    if (state->bare) {
        abut__run_tasks(shape->context, own->beside.count, own->beside.task, own->beside.argument);
        return;
    }
    abut__refit(shape->context, &shape->tree, abut__shape_stretches(shape),
                abut__free_state_of(state)->stored.positions, own->beside, &own->refit);
    own->stored.boxes = own->refit.boxes;
    state->extent = own->refit.extent;
    state->bad_vertex = atomic_load(&own->refit.bad_vertex);
    // without memory there are no normals, which only costs time later
    own->has_normals = wants_normals(shape, state, last, usage) &&
                       abut__shape_contours(shape) != NULL &&
                       reserve_normals(shape->context, own, shape->tree.node_count);
    if (own->has_normals) {
        abut__surface_normals(shape->context, &shape->tree,
                              abut__free_state_of(state)->stored.positions, own->normals);
    }
}

static const abut__boxes8* free_bound(const abut_shape* shape, const abut__state* state,
                                      const abut__turn* turn, uint32_t node, abut__boxes8* room) {
    const abut__boxes8* boxes = &abut__free_state_of(state)->stored.boxes[node];
    if (turn == NULL) {
        return boxes;
    }
    shape->context->kernels->turn_boxes(boxes, shape->tree.nodes[node].count, turn, room);
    return room;
}

static bool free_evaluate(const abut_shape* shape, const abut__state* state, uint32_t block,
                          abut__block_points* points, float* radius) {
    *radius = 0;  // rounding to float preserves order: see simd/kernels.h
    return shape->context->kernels->gather_points(
        shape->tree.blocks[block], abut__free_state_of(state)->stored.positions, points);
}

static const float* free_origin(const abut_shape* shape, const abut__state* state) {
    (void)shape;
    return abut__free_state_of(state)->stored.positions.origin;
}

static void free_vertices(const abut_shape* shape, const abut__state* state, const uint32_t* ids,
                          uint32_t count, double* const out[3]) {
    (void)shape;
    abut__read_positions(abut__free_state_of(state)->stored.positions, ids, count, out);
}

static bool free_apart(const abut_shape* shape, const abut__state* state, abut__ref ref) {
    const abut__free_state* own = abut__free_state_of(state);
    return own->has_normals && !abut__is_block(ref) &&
           abut__surface_apart(shape->context, &shape->tree, abut__shape_contours(shape),
                               own->normals, abut__free_state_of(state)->stored.positions, ref);
}

static void free_draft_state(const abut_shape* shape, abut__state* draft,
                             const abut__state* state) {
    (void)shape;
    abut__free_state_of(draft)->stored.positions = abut__free_state_of(state)->stored.positions;
}

static void free_adopt_state(abut__state* state, abut__state* draft) {
    abut__free_state* own = abut__free_state_of(state);
    abut__free_state* made = abut__free_state_of(draft);
    abut__boxes8* boxes = own->refit.boxes;
    const uint32_t nodes = own->refit_nodes;
    own->refit.boxes = made->refit.boxes;
    own->refit.root = made->refit.root;
    own->refit.extent = made->refit.extent;
    atomic_store(&own->refit.bad_vertex, atomic_load(&made->refit.bad_vertex));
    own->refit_nodes = made->refit_nodes;
    own->stored.boxes = own->refit.boxes;
    own->has_normals = false;
    made->refit.boxes = boxes;  // to be freed with the draft
    made->refit_nodes = nodes;
    state->extent = draft->extent;
    state->bad_vertex = draft->bad_vertex;
}

static const abut__late late = {
    .draft_state = free_draft_state,
    .adopt_state = free_adopt_state,
};

static const abut__state_keeping states = {
    .reserve = free_reserve,
    .release = free_release,
    .rest = free_rest,
    .carry = free_carry,
};

const abut__motion abut__free_motion = {
    .id = ABUT_MOTION_FREE,
    .name = "free",
    .stores = true,
    .wears = true,
    .begin = free_begin,
    .bound = free_bound,
    .evaluate = free_evaluate,
    .vertices = free_vertices,
    .apart = free_apart,
    .origin = free_origin,
    .late = &late,
    .states = &states,
};
