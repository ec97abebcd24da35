// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Bodies: creates them, moves their frames, switches their shapes, and reads them. Their states are
// set in body_set.c and set_*.c.
#include <float.h>
#include <math.h>

#include "abut/body.h"
#include "abut/proxies.h"
#include "body/body_proxies.h"
#include "motion/free.h"
#include "body/kinetic_stats.h"
#include "body/world.h"
#include "shape/shape.h"

abut_body_def abut_body_def_default(void) {
    return (abut_body_def){
        .frame = abut_frame_identity(), .groups = 1, .mask = UINT64_MAX, .cookie = ABUT__COOKIE};
}

static abut_status check_origin(const abut_frame* frame, abut_error* error) {
    for (int d = 0; d < 3; ++d) {
        if (!isfinite(frame->t[d])) {
            return abut__fail(error, ABUT_ERR_INVALID_DATA, ABUT_ELEMENT_ENTRY, (uint64_t)d,
                              "t[%d] of the frame is not finite", d);
        }
    }
    return ABUT_OK;
}

// one test for all, because most frames are valid
static bool is_frame(const abut_frame* f) {
    bool right = true;
    for (int d = 0; d < 3; ++d) {
        const double* a = f->r[d];
        const double* b = f->r[(d + 1) % 3];
        const double length = a[0] * a[0] + a[1] * a[1] + a[2] * a[2];
        const double angle = a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
        right = right & (fabs(length - 1) <= 1e-3) & (fabs(angle) <= 1e-3) &
                (fabs(f->t[d]) <= DBL_MAX);
    }
    return right;
}

static abut_status check_frame(const abut_frame* frame, abut_error* error) {
    if (is_frame(frame)) {
        return ABUT_OK;
    }
    const abut_status status = check_origin(frame, error);
    for (int d = 0; d < 3 && status == ABUT_OK; ++d) {
        for (int e = d; e < 3; ++e) {
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
    return status;
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

static bool is_turned(const abut_frame* frame) {
    static const abut_frame identity = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, {0, 0, 0}};
    return !same_rotation(frame, &identity);
}

void abut__body_retune(abut__body* body) {
    const float extent = body->state[body->current].extent;
    body->unbounded = body->turned && !(extent <= ABUT__EXTENT_LIMIT);
}

static void release_body(abut_scene* scene, abut__body* body) {
    const abut_context* context = scene->context;
    abut__body_forget(context, body);
    abut__state_release(body->shape, &body->state[0]);
    abut__state_release(body->shape, &body->state[1]);
    abut__body_forget_wear(context, body);
    abut_shape_destroy((abut_shape*)body->shape);
    abut__free(context, body->frame_before, 1, sizeof *body->frame_before);
    abut__free(context, body, 1, sizeof *body);
}

// reserves memory in all vectors for one more body, so that nothing can fail afterwards
static bool reserve_place(abut_scene* scene) {
    const size_t count = scene->bodies.count + 1;
    return abut__reserve(scene->context, &scene->vacant, count) &&
           abut__reserve(scene->context, &scene->bodies, count) &&
           abut__reserve(scene->context, &scene->generations, count);
}

static abut_body_id take_place(abut_scene* scene, abut__body* body) {
    uint32_t index = (uint32_t)scene->bodies.count;
    if (scene->vacant.count > 0) {
        index = scene->vacant.data[--scene->vacant.count];
    } else {
        ++scene->bodies.count;
        ++scene->generations.count;
        scene->generations.data[index] = 0;
    }
    scene->bodies.data[index] = body;
    body->index = index;
    body->generation = ++scene->generations.data[index];
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
    body->turned = body->turned_before = is_turned(&def->frame);
    body->is_static = def->is_static;
    body->keeps_tree = def->keeps_tree;
    body->group = def->groups;
    body->mask = def->mask;
    body->user = def->user;
    atomic_init(&body->touches, NULL);
    atomic_init(&body->cached, NULL);
    atomic_init(&body->more, NULL);
    const bool late = shape->motion->late != NULL && !abut__shape_has_tree(shape);
    atomic_init(&body->has_bounds, 0);
    body->state[0].bare = late;
    if (!late) {
        abut__commit_end(&body->has_bounds);
    }
    if (!reserve_place(scene) || !abut__state_reserve(shape, &body->state[0])) {
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
    abut__state_rest(shape, &made->state[0]);
    abut__body_begin(made, &made->state[0]);
    abut__body_accept(scene, made, &made->state[0]);
    return ABUT_OK;
}

// the next body with this index has its own order
static void forget_order(abut_scene* scene, uint32_t index) {
    if (index < scene->orders.count) {
        scene->orders.data[index] = index;
    }
}

abut_status abut_body_destroy(abut_scene* scene, abut_body_id body, abut_error* error) {
    abut__body* found = abut__scene_body(scene, body);
    if (found == NULL) {
        return abut__no_body(scene, body, error);
    }
    scene->bodies.data[body.index] = NULL;
    scene->vacant.data[scene->vacant.count++] = body.index;
    abut__thickness_end(scene, body.index);
    forget_order(scene, body.index);
    --scene->body_count;
    release_body(scene, found);
    return ABUT_OK;
}

// a body without memory for it has had one frame throughout each step
static void keep_frame_before(abut__body* body, const abut_frame* frame) {
    if (body->frame_before != NULL) {
        *body->frame_before = *frame;
    }
}

abut_status abut_body_set_frame_step(abut_scene* scene, abut_body_id body, const abut_frame* from,
                                     const abut_frame* to, abut_error* error) {
    abut__body* found = abut__scene_body(scene, body);
    if (found == NULL) {
        return abut__no_body(scene, body, error);
    }
    if (from == NULL || to == NULL) {
        return abut__fail(error, ABUT_ERR_INVALID_ARGUMENT, ABUT_ELEMENT_NONE, 0,
                          "the frame is NULL");
    }
    // the body's present rotation was checked before; boxes are relative to the origin, so that a
    // translation leaves them unchanged
    const bool turned_otherwise = !same_rotation(to, &found->frame);
    abut_status status = turned_otherwise ? check_frame(to, error) : check_origin(to, error);
    if (status == ABUT_OK && from != to) {
        status = check_frame(from, error);
    }
    if (status == ABUT_OK && from != to && found->frame_before == NULL) {
        found->frame_before = abut__alloc(scene->context, 1, sizeof *from);
        status = found->frame_before != NULL ? ABUT_OK : abut__fail_memory(error);
    }
    if (status != ABUT_OK) {
        return abut__blame_body(error, body, status);
    }
    keep_frame_before(found, from);
    found->frame = *to;
    found->change = ++scene->clock;
    if (turned_otherwise) {
        found->stamp = found->change;
        found->turned = is_turned(to);
        abut__body_retune(found);
    }
    found->turned_before = from == to ? found->turned : is_turned(from);
    return ABUT_OK;
}

abut_status abut_body_set_frame(abut_scene* scene, abut_body_id body, const abut_frame* frame,
                                abut_error* error) {
    return abut_body_set_frame_step(scene, body, frame, frame, error);
}

abut_status abut_body_end_step(abut_scene* scene, abut_body_id body, abut_error* error) {
    abut__body* found = abut__scene_body(scene, body);
    if (found == NULL) {
        return abut__no_body(scene, body, error);
    }
    found->state[1 - found->current].valid = false;
    found->changed = false;
    keep_frame_before(found, &found->frame);
    found->turned_before = found->turned;
    return ABUT_OK;
}

abut_status abut_body_set_groups(abut_scene* scene, abut_body_id body, uint64_t groups,
                                 uint64_t mask, abut_error* error) {
    abut__body* found = abut__scene_body(scene, body);
    if (found == NULL) {
        return abut__no_body(scene, body, error);
    }
    found->group = groups;
    found->mask = mask;
    return ABUT_OK;
}

abut_status abut_body_set_order(abut_scene* scene, abut_body_id body, uint32_t order,
                                abut_error* error) {
    const abut__body* found = abut__scene_body(scene, body);
    if (found == NULL) {
        return abut__no_body(scene, body, error);
    }
    const size_t count = scene->orders.count;
    if (found->index >= count &&
        abut__push(scene->context, &scene->orders, found->index + (size_t)1 - count) == NULL) {
        return abut__fail_memory(error);
    }
    for (size_t i = count; i < scene->orders.count; ++i) {
        scene->orders.data[i] = (uint32_t)i;
    }
    scene->orders.data[found->index] = order;
    return ABUT_OK;
}

static uint32_t order_of(const abut_scene* scene, const abut__body* body) {
    return body->index < scene->orders.count ? scene->orders.data[body->index] : body->index;
}

bool abut__body_is_before(const abut_scene* scene, const abut__body* a, const abut__body* b) {
    const uint32_t x = order_of(scene, a);
    const uint32_t y = order_of(scene, b);
    return x != y ? x < y : a->index < b->index;
}

abut_status abut_body_set_steady(abut_scene* scene, abut_body_id body, bool steady,
                                 abut_error* error) {
    abut__body* found = abut__scene_body(scene, body);
    if (found == NULL) {
        return abut__no_body(scene, body, error);
    }
    found->steady = steady;
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
    return positions.count == 0 ? ABUT_OK
                                : abut__free_fits(shape, positions, "the new shape", error);
}

// fills a state of the new shape: with the positions given, or with those of the body
static abut_status state_for_shape(const abut__body* body, const abut_shape* shape,
                                   abut_positions positions, abut__state* state,
                                   abut_error* error) {
    state->bare = !abut__body_has_bounds(body);
    if ((!state->bare && !abut__shape_ready(shape)) || !abut__state_reserve(shape, state)) {
        return abut__fail_memory(error);
    }
    if (positions.count > 0) {
        abut__copying copying;
        abut_status status = abut__free_copy_start(shape->context, state, positions, &copying,
                                                   error);
        if (status == ABUT_OK) {
            abut__run_tasks(shape->context, copying.task_count, abut__copying_run, &copying);
            status = abut__free_copy_finish(state, &copying, error);
        }
        return status;
    }
    return abut__state_carry(shape, state, body->shape, abut__body_state(body, 1), error);
}

abut_status abut_body_set_shape(abut_scene* scene, abut_body_id body, const abut_shape* shape,
                                abut_positions positions, abut_error* error) {
    abut__body* found = abut__scene_body(scene, body);
    if (found == NULL) {
        return abut__no_body(scene, body, error);
    }
    abut_status status = check_shape(found, shape, positions, error);
    if (status != ABUT_OK) {
        return abut__blame_body(error, body, status);
    }
    abut__state fresh;
    memset(&fresh, 0, sizeof fresh);
    status = state_for_shape(found, shape, positions, &fresh, error);
    if (status != ABUT_OK) {
        abut__state_release(shape, &fresh);
        return abut__blame_body(error, body, status);
    }
    abut__body_forget(scene->context, found);
    abut__state_release(found->shape, &found->state[0]);
    abut__state_release(found->shape, &found->state[1]);
    abut__body_forget_wear(scene->context, found);
    abut__shape_hold(shape);
    abut_shape_destroy((abut_shape*)found->shape);
    found->shape = shape;
    found->changed = true;  // its new triangles have no previous state
    found->state[0] = fresh;
    abut__body_begin(found, &found->state[0]);
    abut__body_accept(scene, found, &found->state[0]);
    return ABUT_OK;
}

bool abut_body_is_valid(const abut_scene* scene, abut_body_id body) {
    return abut__scene_body(scene, body) != NULL;
}

const abut_shape* abut_body_shape(const abut_scene* scene, abut_body_id body) {
    const abut__body* found = abut__scene_body(scene, body);
    return found != NULL ? abut__body_given(found) : NULL;
}

void* abut_body_user(const abut_scene* scene, abut_body_id body) {
    const abut__body* found = abut__scene_body(scene, body);
    return found != NULL ? found->user : NULL;
}

abut_frame abut_body_frame(const abut_scene* scene, abut_body_id body) {
    const abut__body* found = abut__scene_body(scene, body);
    return found != NULL ? found->frame : abut_frame_identity();
}

static abut_status fail_place(abut_error* error) {
    return abut__fail(error, ABUT_ERR_INVALID_ARGUMENT, ABUT_ELEMENT_NONE, 0,
                      "the place for the answer must not be NULL");
}

abut_status abut_body_vertex(const abut_scene* scene, abut_body_id body, uint32_t vertex,
                             double position[3], abut_error* error) {
    const abut__body* found = abut__scene_body(scene, body);
    if (found == NULL) {
        return abut__no_body(scene, body, error);
    }
    if (position == NULL) {
        return fail_place(error);
    }
    if (vertex >= found->shape->mesh->vertex_count) {
        return abut__blame_body(error, body,
                                abut__fail(error, ABUT_ERR_INVALID_ARGUMENT, ABUT_ELEMENT_VERTEX,
                                           vertex, "the body has %u vertices, but no vertex %u",
                                           found->shape->mesh->vertex_count, vertex));
    }
    abut__body_vertex(found, vertex, 1, position);
    return ABUT_OK;
}

abut_status abut_body_world_vertex(const abut_scene* scene, abut_body_id body, uint32_t vertex,
                                   double position[3], abut_error* error) {
    const abut_status status = abut_body_vertex(scene, body, vertex, position, error);
    if (status == ABUT_OK) {
        const abut__body* found = abut__scene_body(scene, body);
        if (!abut__frame_is_identity(&found->frame)) {
            abut__frame_apply(&found->frame, position);
        }
    }
    return status;
}

// Computes the positions of vertices in portions that fit on the stack.
static void compute_vertices(const abut__body* body, uint32_t first, uint32_t count,
                             double* positions) {
    enum { PORTION = 64 };
    uint32_t ids[PORTION];
    double x[PORTION], y[PORTION], z[PORTION];
    double* const places[3] = {x, y, z};
    for (uint32_t done = 0; done < count;) {
        const uint32_t n = count - done < PORTION ? count - done : PORTION;
        for (uint32_t i = 0; i < n; ++i) {
            ids[i] = first + done + i;
        }
        body->shape->motion->vertices(body->shape, abut__body_state(body, 1), ids, n, places);
        for (uint32_t i = 0; i < n; ++i) {
            double* out = positions + 3 * (size_t)(done + i);
            out[0] = x[i];
            out[1] = y[i];
            out[2] = z[i];
        }
        done += n;
    }
}

abut_status abut_body_vertices(const abut_scene* scene, abut_body_id body, uint32_t first,
                               uint32_t count, double* positions, abut_error* error) {
    const abut__body* found = abut__scene_body(scene, body);
    if (found == NULL) {
        return abut__no_body(scene, body, error);
    }
    const uint32_t all = found->shape->mesh->vertex_count;
    if (first > all || count > all - first) {
        return abut__blame_body(error, body,
                                abut__fail(error, ABUT_ERR_INVALID_ARGUMENT, ABUT_ELEMENT_VERTEX,
                                           all,
                                           "the body has %u vertices, but not %u from vertex %u on",
                                           all, count, first));
    }
    if (positions == NULL && count != 0) {
        return fail_place(error);
    }
    compute_vertices(found, first, count, positions);
    return ABUT_OK;
}

abut_status abut_body_world_vertices(const abut_scene* scene, abut_body_id body, uint32_t first,
                                     uint32_t count, double* positions, abut_error* error) {
    const abut_status status = abut_body_vertices(scene, body, first, count, positions, error);
    const abut__body* found = abut__scene_body(scene, body);
    if (status == ABUT_OK && !abut__frame_is_identity(&found->frame)) {
        for (uint32_t i = 0; i < count; ++i) {
            abut__frame_apply(&found->frame, positions + 3 * (size_t)i);
        }
    }
    return status;
}

abut_status abut_body_box(const abut_scene* scene, abut_body_id body, abut_box* box,
                          abut_error* error) {
    const abut__body* found = abut__scene_body(scene, body);
    if (found == NULL) {
        return abut__no_body(scene, body, error);
    }
    if (box == NULL) {
        return fail_place(error);
    }
    if (!abut__body_ready(found)) {
        return abut__blame_body(error, body, abut__fail_memory(error));
    }
    abut__body_enclose(found, 1, &found->frame, box);
    return ABUT_OK;
}

abut_status abut_body_level_boxes(const abut_scene* scene, abut_body_id body, uint32_t level,
                                  abut_box* boxes, size_t capacity, size_t* count,
                                  abut_error* error) {
    const abut__body* found = abut__scene_body(scene, body);
    if (found == NULL) {
        return abut__no_body(scene, body, error);
    }
    if (count == NULL || (boxes == NULL && capacity > 0)) {
        return fail_place(error);
    }
    if (!abut__shape_ready(found->shape)) {
        return abut__blame_body(error, body, abut__fail_memory(error));
    }
    *count = abut__body_level_boxes(found, level, boxes, capacity);
    return ABUT_OK;
}

abut_status abut_body_sphere(const abut_scene* scene, abut_body_id body, double centre[3],
                             double* radius, abut_error* error) {
    const abut__body* found = abut__scene_body(scene, body);
    if (found == NULL) {
        return abut__no_body(scene, body, error);
    }
    if (centre == NULL || radius == NULL) {
        return fail_place(error);
    }
    if (!abut__body_ready(found)) {
        return abut__blame_body(error, body, abut__fail_memory(error));
    }
    const abut__ball ball = abut__body_sphere(found, &found->frame);
    memcpy(centre, ball.c, sizeof ball.c);
    *radius = ball.r;
    return ABUT_OK;
}

abut_status abut_body_proxy(const abut_scene* scene, abut_body_id body, uint32_t proxy,
                            double centre[3], double* radius, abut_error* error) {
    const abut__body* found = abut__scene_body(scene, body);
    if (found == NULL) {
        return abut__no_body(scene, body, error);
    }
    if (centre == NULL || radius == NULL) {
        return fail_place(error);
    }
    if (proxy >= abut_shape_proxy_count(found->shape)) {
        return abut__blame_body(error, body,
                                abut__fail(error, ABUT_ERR_INVALID_ARGUMENT, ABUT_ELEMENT_ENTRY,
                                           proxy,
                                           "the body has %u contact proxies, but no proxy %u",
                                           abut_shape_proxy_count(found->shape), proxy));
    }
    abut__proxy_view view;
    abut__world_balls balls;
    uint32_t first;
    (void)abut__proxy_view_make(found, &view);
    (void)abut__proxy_spheres(&view, view.proxies->node_count + proxy, &first, &balls);
    for (int d = 0; d < 3; ++d) {
        centre[d] = balls.c[d][0];
    }
    *radius = balls.r[0];
    return ABUT_OK;
}

abut_status abut_body_proxy_box(const abut_scene* scene, abut_body_id body, abut_box* box,
                                abut_error* error) {
    const abut__body* found = abut__scene_body(scene, body);
    if (found == NULL) {
        return abut__no_body(scene, body, error);
    }
    if (box == NULL) {
        return fail_place(error);
    }
    if (!abut__proxy_box(found, box)) {
        return abut__blame_body(error, body,
                                abut__fail(error, ABUT_ERR_INVALID_ARGUMENT, ABUT_ELEMENT_NONE, 0,
                                           "the body has no contact proxies"));
    }
    return ABUT_OK;
}

abut_status abut_body_validate(const abut_scene* scene, abut_body_id body, abut_error* error) {
    const abut__body* found = abut__scene_body(scene, body);
    if (found == NULL) {
        return abut__no_body(scene, body, error);
    }
    return abut__blame_body(error, body,
                            abut__body_ready(found) ? abut__body_validate(found, error)
                                                    : abut__fail_memory(error));
}

abut_status abut__body_kinetic_stats(const abut_scene* scene, abut_body_id body,
                                     abut__kinetic_stats* stats, abut_error* error) {
    const abut__body* found = abut__scene_body(scene, body);
    if (found == NULL) {
        return abut__no_body(scene, body, error);
    }
    if (stats == NULL || found->shape->motion != &abut__flight_motion) {
        return abut__fail(error, ABUT_ERR_INVALID_ARGUMENT, ABUT_ELEMENT_NONE, 0,
                          stats == NULL ? "the place for the statistics must not be NULL"
                                        : "the motion is %s, which has no kinetic trees",
                          found->shape->motion->name);
    }
    if (!abut__body_ready(found)) {
        return abut__fail_memory(error);
    }
    return abut__rules_measure(found->shape, abut__flight_state_of(abut__body_state(found, 1)),
                               stats)
               ? ABUT_OK
               : abut__fail_memory(error);
}

abut_status abut_body_inspect(const abut_scene* scene, abut_body_id body, abut_tree_info* info,
                              abut_error* error) {
    const abut__body* found = abut__scene_body(scene, body);
    if (found == NULL) {
        return abut__no_body(scene, body, error);
    }
    if (info == NULL) {
        return fail_place(error);
    }
    if (!abut__shape_ready(found->shape)) {
        return abut__blame_body(error, body, abut__fail_memory(error));
    }
    return abut__blame_body(error, body, abut__body_measure(found, info, error));
}
