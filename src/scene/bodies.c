// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Bodies: creating them, setting their states and frames. A new state is made beside the current
// one and takes its place only when it is whole, so a refused one changes nothing.
#include <math.h>

#include "abut/body.h"
#include "scene/scene.h"

abut_body_def abut_body_def_default(void) {
    return (abut_body_def){
        .frame = abut_frame_identity(), .group = 1, .mask = UINT64_MAX, .cookie = ABUT__COOKIE};
}

static abut_status check_frame(const abut_frame* frame, abut_error* error) {
    for (int d = 0; d < 3; ++d) {
        if (!isfinite(frame->t[d])) {
            return abut__fail(error, ABUT_ERR_INVALID_DATA, ABUT_ELEMENT_ENTRY, (uint64_t)d,
                              "t[%d] of the frame is not finite", d);
        }
        for (int e = 0; e < 3; ++e) {
            const double* a = frame->r[d];
            const double* b = frame->r[e];
            const double dot = a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
            if (!(fabs(dot - (d == e ? 1 : 0)) <= 1e-3)) {
                return abut__fail(error, ABUT_ERR_INVALID_DATA, ABUT_ELEMENT_ENTRY,
                                  3 * (uint64_t)d + (uint64_t)e,
                                  "the frame is no rotation: rows %d and %d have product %g", d, e,
                                  dot);
            }
        }
    }
    return ABUT_OK;
}

static bool same_rotation(const abut_frame* a, const abut_frame* b) {
    bool same = true;
    for (int d = 0; d < 3; ++d) {
        for (int e = 0; e < 3; ++e) {
            same = same && a->r[d][e] == b->r[d][e];
        }
    }
    return same;
}

// what follows from frame and state together
static void retune(abut__body* body) {
    const abut_frame identity = abut_frame_identity();
    const float extent = body->state[body->current].refit.extent;
    body->turned = !same_rotation(&body->frame, &identity);
    body->unbounded = body->turned && !(extent <= ABUT__EXTENT_LIMIT);
    body->turn.pad = ABUT__TURN_PAD * extent + ABUT__TINY;
    for (int d = 0; d < 3; ++d) {
        for (int e = 0; e < 3; ++e) {
            body->turn.r[d][e] = (float)body->frame.r[d][e];
        }
    }
}

static bool state_reserve(const abut_context* context, abut__state* state, uint32_t nodes) {
    if (state->refit_nodes >= nodes) {
        return true;
    }
    abut__boxes8* boxes = abut__alloc(context, nodes, sizeof *boxes);
    if (boxes == NULL) {
        return false;
    }
    abut__free(context, state->refit.boxes, state->refit_nodes, sizeof *boxes);
    state->refit.boxes = boxes;
    state->refit_nodes = nodes;
    return true;
}

static void state_free(const abut_context* context, abut__state* state) {
    abut__vector_free(context, &state->copy, 1);
    abut__free(context, state->refit.boxes, state->refit_nodes, sizeof *state->refit.boxes);
    abut__free(context, state->normals, state->normals_nodes, sizeof *state->normals);
    memset(state, 0, sizeof *state);
}

// Normals are made for a state if the last one was asked about itself, unless they gained nothing
// of late: then there is a pause, longer each time.
static bool wants_normals(abut__body* body) {
    abut__culling* c = &body->culling;
    const bool asked = atomic_exchange_explicit(&c->asked, 0, memory_order_relaxed) > 0;
    const bool gained = atomic_exchange_explicit(&c->apart, 0, memory_order_relaxed) > 0;
    const bool had = body->state[body->current].valid && body->state[body->current].has_normals;
    if (had && asked && !gained) {
        c->failures = c->failures < 5 ? c->failures + 1 : 5;
        c->pause = 1u << c->failures;
    } else if (gained) {
        c->failures = 0;
    }
    if (!asked || body->shape->tree.block_count < ABUT__CONTOUR_BLOCKS_LEAST) {
        return false;
    }
    if (c->pause > 0) {
        --c->pause;
        return false;
    }
    return true;
}

static bool reserve_normals(const abut_context* context, abut__state* state, uint32_t nodes) {
    if (state->normals_nodes < nodes) {
        abut__free(context, state->normals, state->normals_nodes, sizeof *state->normals);
        state->normals = abut__alloc(context, nodes, sizeof *state->normals);
        state->normals_nodes = state->normals != NULL ? nodes : 0;
    }
    return state->normals != NULL;
}

// works out what bounds need of a filled state (source and count set)
static void begin(abut_scene* scene, abut__body* body, abut__state* state) {
    // without memory for normals there are none: that costs time later, nothing else
    state->wants_normals = wants_normals(body) &&
                           reserve_normals(scene->context, state, body->shape->tree.node_count);
    body->shape->ops->begin(body->shape, state);
}

// lets a state that was begun become the current one
static void accept(abut_scene* scene, abut__body* body, abut__state* state) {
    state->valid = true;
    body->current = (uint32_t)(state - body->state);
    body->stamp = body->change = ++scene->clock;
    retune(body);
}

static void install(abut_scene* scene, abut__body* body, abut__state* state) {
    begin(scene, body, state);
    accept(scene, body, state);
}

static void source_from(abut__state* state, abut_positions positions, bool borrowed) {
    state->source = abut__source_of(positions);
    state->count = (uint32_t)positions.count;
    state->borrowed = borrowed;
}

static void release_body(abut_scene* scene, abut__body* body) {
    const abut_context* context = scene->context;
    abut__pool_forget(context, body);
    state_free(context, &body->state[0]);
    state_free(context, &body->state[1]);
    abut_shape_destroy((abut_shape*)body->shape);
    abut__free(context, body, 1, sizeof *body);
}

// a place for one more body: room in all vectors, so that nothing can fail afterwards
static bool reserve_place(abut_scene* scene) {
    const size_t count = scene->bodies.count + 1;
    return abut__vector_reserve(scene->context, &scene->vacant, count, sizeof(uint32_t)) &&
           abut__vector_reserve(scene->context, &scene->bodies, count, sizeof(abut__body*)) &&
           abut__vector_reserve(scene->context, &scene->generations, count, sizeof(uint32_t));
}

static abut_body_id take_place(abut_scene* scene, abut__body* body) {
    uint32_t index = (uint32_t)scene->bodies.count;
    if (scene->vacant.count > 0) {
        index = ((uint32_t*)scene->vacant.data)[--scene->vacant.count];
    } else {
        ++scene->bodies.count;
        ++scene->generations.count;
        ((uint32_t*)scene->generations.data)[index] = 0;
    }
    ((abut__body**)scene->bodies.data)[index] = body;
    body->index = index;
    body->generation = ++((uint32_t*)scene->generations.data)[index];
    ++scene->body_count;
    return (abut_body_id){index, body->generation};
}

static abut__body* make_body(abut_scene* scene, const abut_shape* shape, const abut_body_def* def) {
    abut__body* body = abut__alloc_zero(scene->context, 1, sizeof *body);
    if (body == NULL) {
        return NULL;
    }
    abut__shape_hold(shape);
    body->shape = shape;
    body->frame = def->frame;
    body->is_static = def->is_static;
    body->group = def->group;
    body->mask = def->mask;
    body->user = def->user;
    atomic_init(&body->touches, NULL);
    if (!reserve_place(scene) ||
        !state_reserve(scene->context, &body->state[0], shape->tree.node_count)) {
        release_body(scene, body);
        return NULL;
    }
    return body;
}

abut_status abut_body_create(abut_scene* scene, const abut_shape* shape, const abut_body_def* def,
                             abut_body_id* body, abut_error* error) {
    const abut_body_def defaults = abut_body_def_default();
    def = def != NULL ? def : &defaults;
    if (scene == NULL || shape == NULL || body == NULL) {
        return abut__fail(error, ABUT_ERR_INVALID_ARGUMENT, ABUT_ELEMENT_NONE, 0,
                          "scene, shape and the place for the body must not be NULL");
    }
    if (shape->context != scene->context) {
        return abut__fail(error, ABUT_ERR_INVALID_ARGUMENT, ABUT_ELEMENT_NONE, 0,
                          "the shape is of another context");
    }
    abut_status status = abut__check_cookie(def->cookie, "body", error);
    if (status == ABUT_OK) {
        status = check_frame(&def->frame, error);
    }
    if (status != ABUT_OK) {
        return status;
    }
    abut__body* made = make_body(scene, shape, def);
    if (made == NULL) {
        return abut__fail_memory(error);
    }
    *body = take_place(scene, made);
    source_from(&made->state[0], abut_mesh_rest_positions(shape->mesh), false);
    install(scene, made, &made->state[0]);
    return ABUT_OK;
}

abut_status abut_body_destroy(abut_scene* scene, abut_body_id body, abut_error* error) {
    abut__body* found = abut__scene_body(scene, body);
    if (found == NULL) {
        return abut__no_body(error, body);
    }
    ((abut__body**)scene->bodies.data)[body.index] = NULL;
    ((uint32_t*)scene->vacant.data)[scene->vacant.count++] = body.index;
    --scene->body_count;
    release_body(scene, found);
    return ABUT_OK;
}

static abut_status check_state(const abut__body* body, abut_positions positions,
                               abut_error* error) {
    const uint32_t wanted = body->shape->mesh->vertex_count;
    if (positions.count != wanted) {
        return abut__fail(error, ABUT_ERR_INVALID_ARGUMENT, ABUT_ELEMENT_NONE, 0,
                          "%zu positions were given, but the shape has %u vertices",
                          positions.count, wanted);
    }
    return abut__positions_check(positions, "positions", error);
}

// a packed copy in the state's own memory, checked
static abut_status copy_state(const abut_context* context, abut__state* state,
                              abut_positions positions, abut_error* error) {
    const size_t bytes = positions.count * 3 * abut__scalar_size(positions.type);
    state->valid = false;
    state->copy.count = 0;
    if (!abut__vector_reserve(context, &state->copy, bytes, 1)) {
        return abut__fail_memory(error);
    }
    const abut_status status = abut__positions_copy(context, positions, state->copy.data, 0,
                                                    "positions", error);
    if (status == ABUT_OK) {
        positions.data = state->copy.data;
        positions.stride = 0;
        source_from(state, positions, false);
    }
    return status;
}

// The boxes are made from the caller's array while the copy is made beside them: that saves a wait,
// and no thread reads what another has just written. The state counts only if all is finite.
static abut_status begin_copied(abut_scene* scene, abut__body* body, abut__state* state,
                                abut_positions positions, abut_error* error) {
    const size_t bytes = positions.count * 3 * abut__scalar_size(positions.type);
    state->valid = false;
    state->copy.count = 0;
    if (!abut__vector_reserve(scene->context, &state->copy, bytes, 1)) {
        return abut__fail_memory(error);
    }
    abut__copying copying = abut__copying_make(scene->context, positions, state->copy.data);
    source_from(state, positions, false);
    state->beside = (abut__beside){abut__copying_run, &copying, copying.task_count};
    begin(scene, body, state);
    state->beside = (abut__beside){0};
    const abut_status status = abut__copying_end(&copying, 0, "positions", error);
    if (status == ABUT_OK) {
        positions.data = state->copy.data;
        positions.stride = 0;
        source_from(state, positions, false);
        accept(scene, body, state);
    }
    return status;
}

abut_status abut_body_set_positions(abut_scene* scene, abut_body_id body, abut_positions positions,
                                    abut_error* error) {
    abut__body* found = abut__scene_body(scene, body);
    if (found == NULL) {
        return abut__no_body(error, body);
    }
    abut_status status = check_state(found, positions, error);
    if (status != ABUT_OK) {
        return status;
    }
    abut__state* next = &found->state[1 - found->current];
    if (!state_reserve(scene->context, next, found->shape->tree.node_count)) {
        return abut__fail_memory(error);
    }
    return begin_copied(scene, found, next, positions, error);
}

abut_status abut_body_borrow_positions(abut_scene* scene, abut_body_id body,
                                       abut_positions positions, abut_error* error) {
    abut__body* found = abut__scene_body(scene, body);
    if (found == NULL) {
        return abut__no_body(error, body);
    }
    const abut_status status = check_state(found, positions, error);
    if (status != ABUT_OK) {
        return status;
    }
    abut__state* next = &found->state[1 - found->current];
    if (!state_reserve(scene->context, next, found->shape->tree.node_count)) {
        return abut__fail_memory(error);
    }
    source_from(next, positions, true);
    install(scene, found, next);
    return ABUT_OK;
}

abut_status abut_body_set_frame(abut_scene* scene, abut_body_id body, const abut_frame* frame,
                                abut_error* error) {
    abut__body* found = abut__scene_body(scene, body);
    if (found == NULL) {
        return abut__no_body(error, body);
    }
    if (frame == NULL) {
        return abut__fail(error, ABUT_ERR_INVALID_ARGUMENT, ABUT_ELEMENT_NONE, 0,
                          "the frame is NULL");
    }
    const abut_status status = check_frame(frame, error);
    if (status != ABUT_OK) {
        return status;
    }
    // boxes are relative to the origin: a mere shift leaves them as they are
    const bool turned_otherwise = !same_rotation(frame, &found->frame);
    found->frame = *frame;
    found->change = ++scene->clock;
    if (turned_otherwise) {
        found->stamp = found->change;
        retune(found);
    }
    return ABUT_OK;
}

abut_status abut_body_set_groups(abut_scene* scene, abut_body_id body, uint64_t group,
                                 uint64_t mask, abut_error* error) {
    abut__body* found = abut__scene_body(scene, body);
    if (found == NULL) {
        return abut__no_body(error, body);
    }
    found->group = group;
    found->mask = mask;
    return ABUT_OK;
}

// the body's present positions as double, rest positions for vertices it does not have yet
static abut_status kept_positions(const abut_context* context, const abut__body* body,
                                  const abut_shape* shape, abut__state* state, abut_error* error) {
    const abut__state* now = &body->state[body->current];
    const uint32_t count = shape->mesh->vertex_count;
    if (!abut__vector_reserve(context, &state->copy, (size_t)count * 3 * sizeof(double), 1)) {
        return abut__fail_memory(error);
    }
    double(*out)[3] = state->copy.data;
    const abut_mesh* mesh = shape->mesh;
    for (uint32_t v = 0; v < count; ++v) {
        if (v < now->count) {
            abut__read_position(now->source.data, now->source.stride, now->source.is_double, v,
                                out[v]);
        } else {
            abut__read_position(mesh->positions, 3 * abut__scalar_size(mesh->scalar),
                                mesh->scalar == ABUT_FLOAT64, v, out[v]);
        }
    }
    source_from(state, (abut_positions){out, count, 0, ABUT_FLOAT64}, false);
    return ABUT_OK;
}

// fills a fresh state for the new shape
static abut_status state_for_shape(const abut_context* context, const abut__body* body,
                                   const abut_shape* shape, abut_positions positions,
                                   abut__state* state, abut_error* error) {
    const abut__state* now = &body->state[body->current];
    if (!state_reserve(context, state, shape->tree.node_count)) {
        return abut__fail_memory(error);
    }
    if (positions.count > 0) {
        return copy_state(context, state, positions, error);
    }
    if (!now->borrowed) {
        return kept_positions(context, body, shape, state, error);
    }
    if (now->count != shape->mesh->vertex_count) {
        return abut__fail(error, ABUT_ERR_STATE, ABUT_ELEMENT_NONE, 0,
                          "the body borrows %u positions, but the new shape has %u vertices: give "
                          "its positions, too",
                          now->count, shape->mesh->vertex_count);
    }
    state->source = now->source;
    state->count = now->count;
    state->borrowed = true;
    return ABUT_OK;
}

static abut_status check_shape(const abut__body* body, const abut_shape* shape,
                               abut_positions positions, abut_error* error) {
    if (shape == NULL) {
        return abut__fail(error, ABUT_ERR_INVALID_ARGUMENT, ABUT_ELEMENT_NONE, 0,
                          "the shape is NULL");
    }
    if (shape->context != body->shape->context) {
        return abut__fail(error, ABUT_ERR_INVALID_ARGUMENT, ABUT_ELEMENT_NONE, 0,
                          "the shape is of another context");
    }
    if (shape->motion != body->shape->motion) {
        return abut__fail(error, ABUT_ERR_INVALID_ARGUMENT, ABUT_ELEMENT_NONE, 0,
                          "the new shape moves in another way than the old one");
    }
    if (positions.count == 0) {
        return ABUT_OK;
    }
    if (positions.count != shape->mesh->vertex_count) {
        return abut__fail(error, ABUT_ERR_INVALID_ARGUMENT, ABUT_ELEMENT_NONE, 0,
                          "%zu positions were given, but the new shape has %u vertices",
                          positions.count, shape->mesh->vertex_count);
    }
    return abut__positions_check(positions, "positions", error);
}

abut_status abut_body_set_shape(abut_scene* scene, abut_body_id body, const abut_shape* shape,
                                abut_positions positions, abut_error* error) {
    abut__body* found = abut__scene_body(scene, body);
    if (found == NULL) {
        return abut__no_body(error, body);
    }
    abut_status status = check_shape(found, shape, positions, error);
    if (status != ABUT_OK) {
        return status;
    }
    abut__state fresh;
    memset(&fresh, 0, sizeof fresh);
    status = state_for_shape(scene->context, found, shape, positions, &fresh, error);
    if (status != ABUT_OK) {
        state_free(scene->context, &fresh);
        return status;
    }
    abut__pool_forget(scene->context, found);
    state_free(scene->context, &found->state[0]);
    state_free(scene->context, &found->state[1]);
    abut__shape_hold(shape);
    abut_shape_destroy((abut_shape*)found->shape);
    found->shape = shape;
    found->state[0] = fresh;
    install(scene, found, &found->state[0]);
    return ABUT_OK;
}

bool abut_body_is_valid(const abut_scene* scene, abut_body_id body) {
    return abut__scene_body(scene, body) != NULL;
}

const abut_shape* abut_body_shape(const abut_scene* scene, abut_body_id body) {
    const abut__body* found = abut__scene_body(scene, body);
    return found != NULL ? found->shape : NULL;
}

void* abut_body_user(const abut_scene* scene, abut_body_id body) {
    const abut__body* found = abut__scene_body(scene, body);
    return found != NULL ? found->user : NULL;
}

abut_frame abut_body_frame(const abut_scene* scene, abut_body_id body) {
    const abut__body* found = abut__scene_body(scene, body);
    return found != NULL ? found->frame : abut_frame_identity();
}

abut_status abut_body_vertex(const abut_scene* scene, abut_body_id body, uint32_t vertex,
                             double position[3]) {
    const abut__body* found = abut__scene_body(scene, body);
    if (found == NULL || position == NULL || vertex >= found->shape->mesh->vertex_count) {
        return ABUT_ERR_INVALID_ARGUMENT;
    }
    abut__body_vertex(found, vertex, 1, position);
    return ABUT_OK;
}

abut_status abut_body_world_vertex(const abut_scene* scene, abut_body_id body, uint32_t vertex,
                                   double position[3]) {
    const abut_status status = abut_body_vertex(scene, body, vertex, position);
    if (status == ABUT_OK) {
        const abut__body* found = abut__scene_body(scene, body);
        if (!abut__frame_is_identity(&found->frame)) {
            abut__frame_apply(&found->frame, position);
        }
    }
    return status;
}

abut_status abut_body_box(const abut_scene* scene, abut_body_id body, abut_box* box) {
    const abut__body* found = abut__scene_body(scene, body);
    if (found == NULL || box == NULL) {
        return ABUT_ERR_INVALID_ARGUMENT;
    }
    *box = abut__body_world_box(found);
    return ABUT_OK;
}

abut_status abut_body_validate(const abut_scene* scene, abut_body_id body, abut_error* error) {
    const abut__body* found = abut__scene_body(scene, body);
    return found != NULL ? abut__body_validate(found, error) : abut__no_body(error, body);
}

abut_status abut_body_stats(const abut_scene* scene, abut_body_id body, abut_tree_stats* stats,
                            abut_error* error) {
    const abut__body* found = abut__scene_body(scene, body);
    if (found == NULL) {
        return abut__no_body(error, body);
    }
    if (stats == NULL) {
        return abut__fail(error, ABUT_ERR_INVALID_ARGUMENT, ABUT_ELEMENT_NONE, 0,
                          "no place to store the statistics");
    }
    return abut__shape_measure(found->shape, abut__body_state(found, 1)->source, stats, error);
}
