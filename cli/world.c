// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Wraps the library for the command: see world.h.
#include "cli/world.h"

#include "cli/message.h"
#include "cli/shape_cache.h"

#include <stdlib.h>
#include <string.h>

// prints the error of a failed call; returns false
static bool fail(const char* name, abut_status status, const abut_error* error) {
    const char* reason = error->message[0] != '\0' ? error->message : abut_status_text(status);
    if (name != NULL) {
        complain("%s: %s", name, reason);
    } else {
        complain("%s", reason);
    }
    return false;
}

void world_complain(const world* w, abut_status status, uint32_t a, uint32_t b) {
    const char* reason = status == ABUT_ERR_INVALID_DATA
                             ? "coordinates, or distances between them, leave the range of doubles "
                               "(1.8e308); scale the objects down"
                             : abut_status_text(status);
    if (a == b) {
        complain("%s: %s", w->names[a], reason);
    } else {
        complain("%s and %s: %s", w->names[a], w->names[b], reason);
    }
}

bool world_open(world* w, uint32_t thread_count) {
    *w = (world){0};
    abut_error error = {0};
    abut_context_def def;
    if (!processor_settings(thread_count, &def, &w->pool)) {
        return false;
    }
    abut_status status = abut_context_create(&def, &w->context, &error);
    if (status == ABUT_OK) {
        status = abut_scene_create(w->context, NULL, &w->scene, &error);
    }
    if (status == ABUT_OK) {
        status = abut_collide_result_create(w->context, &w->between, &error);
    }
    if (status == ABUT_OK) {
        status = abut_collide_result_create(w->context, &w->self, &error);
    }
    if (status == ABUT_OK) {
        status = abut_sweep_result_create(w->context, &w->swept_between, &error);
    }
    if (status == ABUT_OK) {
        status = abut_sweep_result_create(w->context, &w->swept_self, &error);
    }
    return status == ABUT_OK || fail(NULL, status, &error);
}

// A shape that takes long to prepare.
struct kept_shape {
    abut_shape* shape;
    shape_key key;
    size_t size;  // of the bytes that it was loaded from; 0: it was made
};

// keeps the shapes for later runs, if queries have prepared them, and releases them
static void end_shapes(world* w) {
    for (size_t i = 0; i < w->kept_count; ++i) {
        if (w->keeps_shapes && w->asked_self) {
            shape_cache_keep(w->kept[i].shape, w->kept[i].key, w->kept[i].size);
        }
        abut_shape_destroy(w->kept[i].shape);
    }
    free(w->kept);
}

// releases a shape that make_shape() has returned, once a body holds it
static void release_shape(const world* w, abut_shape* shape) {
    for (size_t i = 0; i < w->kept_count; ++i) {
        if (w->kept[i].shape == shape) {
            return;
        }
    }
    abut_shape_destroy(shape);
}

void world_close(world* w) {
    end_shapes(w);
    if (w->context != NULL) {
        abut_sweep_result_destroy(w->swept_self);
        abut_sweep_result_destroy(w->swept_between);
        abut_nearest_result_destroy(w->near);
        world_forget_features(w);
        world_forget_depths(w);
        world_forget_insides(w);
        world_forget_before(w);
        abut_collide_result_destroy(w->self);
        abut_collide_result_destroy(w->between);
        abut_scene_destroy(w->scene);
        abut_context_destroy(w->context);
    }
    abut_threads_destroy(w->pool);
    free(w->gaps);
    free(w->aside.entries);
    for (uint32_t i = 0; i < w->body_count; ++i) {
        free(w->names[i]);
    }
    free(w->names);
    free(w->bodies);
    free(w->number_of);
    *w = (world){0};
}

static abut_positions positions_of(const surface* s) {
    return abut_positions_f64(s->positions, s->vertex_count);
}

static abut_status make_blend(const world* w, const surface* s, const abut_mesh* mesh,
                              const abut_field* fields, abut_shape** shape, abut_error* error) {
    abut_blend_def def = abut_blend_def_default();
    def.weights = s->weights;
    def.fields = fields;
    def.field_count = s->field_count;
    return abut_shape_create_blend(w->context, mesh, &def, shape, error);
}

static abut_status make_modal(const world* w, const surface* s, const abut_mesh* mesh,
                              const abut_field* fields, abut_shape** shape, abut_error* error) {
    abut_modal_def def = abut_modal_def_default();
    def.fields = fields;
    def.field_count = s->field_count;
    return abut_shape_create_modal(w->context, mesh, &def, shape, error);
}

static abut_status make_flight(const world* w, const surface* s, const abut_mesh* mesh,
                               abut_shape** shape, abut_error* error) {
    abut_flight_def def = abut_flight_def_default();
    def.keyframes = s->keys;
    def.keyframe_count = s->key_count;
    return abut_shape_create_flight(w->context, mesh, &def, shape, error);
}

static abut_status make_shape_of(const world* w, const surface* s, const abut_mesh* mesh,
                                 abut_shape** shape, abut_error* error) {
    if (s->motion == ABUT_MOTION_FREE) {
        return abut_shape_create(w->context, mesh, NULL, shape, error);
    }
    if (s->motion == ABUT_MOTION_FLIGHT) {
        return make_flight(w, s, mesh, shape, error);
    }
    abut_field* fields = allocate(s->field_count, sizeof *fields);
    for (uint32_t j = 0; j < s->field_count; ++j) {
        const float* values = s->fields + 3 * s->vertex_count * j;
        fields[j] = (abut_field){.values = abut_positions_f32(values, s->vertex_count)};
    }
    const abut_status status = (s->motion == ABUT_MOTION_BLEND ? make_blend : make_modal)(
        w, s, mesh, fields, shape, error);
    free(fields);
    return status;
}

static abut_status leave_out(const surface* s, abut_shape** shape, abut_error* error) {
    abut_shape* rest = NULL;
    abut_shape_edit_def edit = abut_shape_edit_def_default();
    edit.removed_triangles = s->left_out;
    edit.removed_triangle_count = s->left_out_count;
    edit.rebuild = true;
    const abut_status status = abut_shape_edit(*shape, &edit, &rest, NULL, error);
    abut_shape_destroy(*shape);
    *shape = rest;
    return status;
}

static abut_shape* make_new_shape(const world* w, const surface* s) {
    abut_error error = {0};
    abut_mesh* mesh = NULL;
    abut_shape* shape = NULL;
    abut_mesh_def def = abut_mesh_def_default();
    def.positions = positions_of(s);
    def.triangles = s->triangles;
    def.triangle_count = s->triangle_count;
    def.class_rule = s->classes != NULL ? ABUT_CLASS_RULE_GIVEN : ABUT_CLASS_RULE_COMPUTED;
    def.classes = s->classes;
    abut_status status = abut_mesh_create(w->context, &def, &mesh, &error);
    if (status == ABUT_OK) {
        status = make_shape_of(w, s, mesh, &shape, &error);
        abut_mesh_destroy(mesh);  // the shape holds a reference
    }
    if (status == ABUT_OK && s->left_out_count > 0) {
        status = leave_out(s, &shape, &error);
    }
    if (status == ABUT_OK) {  // now, so that the first query takes no longer than the others
        status = abut_shape_build_tree(shape, &error);
    }
    if (status == ABUT_OK && w->certifies) {
        status = abut_shape_build_certificates(shape, &error);
    }
    if (status != ABUT_OK) {
        fail(s->name, status, &error);
        abut_shape_destroy(shape);
        return NULL;
    }
    return shape;
}

#define KEPT_FROM 5000u  // triangles: preparing fewer takes no longer than reading them

// Modal and blend shapes get certificates, which take seconds to make where there are many triangles.
static bool is_costly(const surface* s) {
    return (s->motion == ABUT_MOTION_MODAL || s->motion == ABUT_MOTION_BLEND) &&
           s->triangle_count >= KEPT_FROM;
}

static void add_weights(shape_key* key, const surface* s) {
    const abut_weights* w = &s->weights;
    const size_t count = w->first != NULL ? w->first[s->vertex_count]
                                          : w->per_vertex * s->vertex_count;
    const uint64_t numbers[4] = {w->node_count, w->per_vertex, (uint64_t)w->type, w->normalise};
    shape_key_add(key, numbers, 4, sizeof *numbers);
    shape_key_add(key, w->first, s->vertex_count + 1, sizeof *w->first);
    shape_key_add(key, w->nodes, count, sizeof *w->nodes);
    shape_key_add(key, w->values, count,
                  w->type == ABUT_SCALAR_F64 ? sizeof(double) : sizeof(float));
}

static shape_key key_of(const surface* s) {
    shape_key key = shape_key_begin();
    const uint64_t numbers[2] = {(uint64_t)s->motion, s->field_count};
    shape_key_add(&key, numbers, 2, sizeof *numbers);
    shape_key_add(&key, s->positions, 3 * s->vertex_count, sizeof *s->positions);
    shape_key_add(&key, s->triangles, 3 * s->triangle_count, sizeof *s->triangles);
    shape_key_add(&key, s->left_out, s->left_out_count, sizeof *s->left_out);
    shape_key_add(&key, s->classes, s->vertex_count, sizeof *s->classes);
    shape_key_add(&key, s->fields, 3 * s->vertex_count * s->field_count, sizeof *s->fields);
    if (s->motion == ABUT_MOTION_BLEND) {
        add_weights(&key, s);
    }
    return key;
}

// takes a shape from an earlier run, or makes it; release it with release_shape()
static abut_shape* make_shape(world* w, const surface* s) {
    if (!w->uses_shapes || !is_costly(s)) {
        return make_new_shape(w, s);
    }
    kept_shape kept = {.key = key_of(s)};
    kept.shape = shape_cache_find(w->context, kept.key, &kept.size);
    if (kept.shape == NULL) {
        kept.shape = make_new_shape(w, s);
    }
    if (kept.shape != NULL) {
        w->kept = reallocate(w->kept, w->kept_count + 1, sizeof *w->kept);
        w->kept[w->kept_count++] = kept;
    }
    return kept.shape;
}

// maps the body index in results to the body's number
static void remember(world* w, uint32_t number, abut_body_id body) {
    const uint32_t limit = abut_scene_body_limit(w->scene);
    w->number_of = reallocate(w->number_of, limit, sizeof *w->number_of);
    world_forget_notes(w, number);
    w->bodies[number] = body;
    w->number_of[body.index] = number;
}

static bool make_body(world* w, uint32_t number, const abut_shape* shape, const char* name,
                      bool is_static) {
    abut_error error = {0};
    abut_body_id body;
    abut_body_def def = abut_body_def_default();
    def.is_static = is_static;
    const abut_status status = abut_body_create(w->scene, shape, &def, &body, &error);
    if (status != ABUT_OK) {
        return fail(name, status, &error);
    }
    remember(w, number, body);
    return true;
}

static bool add_body(world* w, const abut_shape* shape, const char* name, bool is_static) {
    w->bodies = reallocate(w->bodies, w->body_count + 1, sizeof *w->bodies);
    w->names = reallocate(w->names, w->body_count + 1, sizeof *w->names);
    if (!make_body(w, w->body_count, shape, name, is_static)) {
        return false;
    }
    const size_t size = name != NULL ? strlen(name) + 1 : 1;
    w->names[w->body_count++] = memcpy(allocate(size, 1), name != NULL ? name : "", size);
    return true;
}

bool world_add(world* w, const surface* s, bool is_static) {
    abut_shape* shape = make_shape(w, s);
    const bool added = shape != NULL && add_body(w, shape, s->name, is_static);
    release_shape(w, shape);  // the body holds a reference
    return added;
}

bool world_add_like(world* w, uint32_t body, const char* name, bool is_static) {
    return add_body(w, abut_body_shape(w->scene, w->bodies[body]), name, is_static);
}

bool world_has(const world* w, uint32_t body) {
    return abut_body_is_valid(w->scene, w->bodies[body]);
}

bool world_remove(world* w, uint32_t body) {
    abut_error error = {0};
    const abut_status status = abut_body_destroy(w->scene, w->bodies[body], &error);
    return status == ABUT_OK || fail(NULL, status, &error);
}

bool world_put_back(world* w, uint32_t body, const surface* s, bool is_static) {
    abut_shape* shape = make_shape(w, s);
    const bool made = shape != NULL && make_body(w, body, shape, s->name, is_static);
    release_shape(w, shape);  // the body holds a reference
    return made;
}

bool world_move(world* w, uint32_t body, const surface* s) {
    abut_error error = {0};
    const abut_status status = abut_body_set_positions(w->scene, w->bodies[body], positions_of(s),
                                                       &error);
    return status == ABUT_OK || fail(s->name, status, &error);
}

bool world_deform(world* w, uint32_t body, const surface* s, const state* now) {
    abut_error error = {0};
    const abut_body_id id = w->bodies[body];
    const abut_frame before = abut_body_frame(w->scene, id);
    abut_status status = abut_body_set_frame_step(w->scene, id, &before, &now->frame, &error);
    if (status == ABUT_OK && s->motion == ABUT_MOTION_BLEND) {
        const abut_transforms view = abut_transforms_f64(now->transforms, s->weights.node_count);
        status = abut_body_set_transforms(w->scene, id, view, now->coordinates, s->field_count,
                                          &error);
    } else if (status == ABUT_OK && s->field_count > 0) {  // else a rigid body
        status = abut_body_set_coordinates(w->scene, id, now->coordinates, s->field_count, &error);
    }
    return status == ABUT_OK || fail(s->name, status, &error);
}

bool world_rekey(world* w, uint32_t body, const surface* s) {
    abut_error error = {0};
    abut_shape* shape = NULL;
    abut_flight_edit_def edit = abut_flight_edit_def_default();
    edit.keyframes = s->keys;
    edit.keyframe_count = s->key_count;
    abut_status status = abut_shape_edit_flight(abut_body_shape(w->scene, w->bodies[body]), &edit,
                                                &shape, NULL, &error);
    if (status == ABUT_OK) {
        world_forget_notes(w, body);
        status = abut_body_set_shape(w->scene, w->bodies[body], shape, (abut_positions){0}, &error);
        abut_shape_destroy(shape);
    }
    return status == ABUT_OK || fail(s->name, status, &error);
}

bool world_set_time(world* w, uint32_t body, const char* name, double time) {
    abut_error error = {0};
    const abut_status status = abut_body_set_time(w->scene, w->bodies[body], time, &error);
    return status == ABUT_OK || fail(name, status, &error);
}

bool world_replace(world* w, uint32_t body, const surface* rest, const surface* s) {
    abut_error error = {0};
    abut_shape* shape = make_shape(w, rest);
    if (shape == NULL) {
        return false;
    }
    world_forget_notes(w, body);
    const abut_status status = abut_body_set_shape(w->scene, w->bodies[body], shape,
                                                   positions_of(s), &error);
    release_shape(w, shape);
    return status == ABUT_OK || fail(s->name, status, &error);
}

bool world_inspect(const world* w, uint32_t body, const char* name, abut_mesh_info* health,
                   abut_tree_info* tree) {
    abut_error error = {0};
    const abut_shape* shape = abut_body_shape(w->scene, w->bodies[body]);
    abut_status status = abut_mesh_inspect(abut_shape_mesh(shape), health, &error);
    if (status == ABUT_OK && tree != NULL) {
        status = abut_shape_inspect(shape, tree, &error);
    }
    return status == ABUT_OK || fail(name, status, &error);
}

void world_end_step(world* w) {
    for (uint32_t i = 0; i < w->body_count; ++i) {
        (void)abut_body_end_step(w->scene, w->bodies[i], NULL);
    }
}

bool world_ask_step(world* w, const question* q, abut_counters* work) {
    abut_error error = {0};
    abut_sweep_def def = abut_sweep_def_default();
    def.margin = q->margin;
    def.filter = w->aside.counts;
    def.head.counters = work;
    abut_status status = ABUT_OK;
    if (q->between) {
        status = abut_sweep_all(w->scene, &def, w->swept_between, &error);
    }
    if (q->self && status == ABUT_OK) {
        status = abut_sweep_self_all(w->scene, &def, w->swept_self, &error);
    }
    w->stepped = status == ABUT_OK;
    return status == ABUT_OK || status == ABUT_ERR_STATE || fail(NULL, status, &error);
}

bool world_ask(world* w, const question* q, abut_counters* work) {
    abut_error error = {0};
    w->asked_self |= q->self;
    abut_collide_def def = abut_collide_def_default();
    def.margin = q->margin;
    def.intersections = q->shared;
    def.filter = w->aside.counts;
    def.head.counters = work;
    abut_status status = ABUT_OK;
    if (q->between) {
        status = abut_collide_all(w->scene, &def, w->between, &error);
    }
    if (q->self && status == ABUT_OK) {
        def.include_neighbours = q->neighbours;
        status = abut_collide_self_all(w->scene, &def, w->self, &error);
    }
    w->stepped = false;
    if (status != ABUT_OK) {
        return fail(NULL, status, &error);
    }
    return (!q->nearest || world_ask_nearest(w, q, work)) &&
           (!(q->features || q->features_self) || world_ask_features(w, q, work)) &&
           (!q->depth || world_ask_depth(w, q, work)) &&
           (!q->inside || world_ask_inside(w, q, work));
}

const abut_sweep_pair* world_swept(const world* w, const abut_sweep_result* answer, uint32_t a,
                                   uint32_t b, size_t* count) {
    size_t all = 0;
    const abut_sweep_pair* pairs = abut_sweep_result_pairs(answer, &all);
    size_t first = 0;
    const bool any = a == UINT32_MAX;
    while (first < all && !any &&
           !(w->number_of[pairs[first].body_a] == a && w->number_of[pairs[first].body_b] == b)) {
        ++first;
    }
    size_t end = first;
    while (end < all && (any || (w->number_of[pairs[end].body_a] == a &&
                                 w->number_of[pairs[end].body_b] == b))) {
        ++end;
    }
    *count = end - first;
    return *count > 0 ? pairs + first : NULL;
}

size_t world_pair_count(const abut_collide_result* answer) {
    size_t count = 0;
    abut_collide_result_pairs(answer, &count);
    return count;
}

void world_each_contact(const world* w, const abut_collide_result* answer, contact_fn fn,
                        void* user) {
    size_t count = 0;
    const abut_pair* pairs = abut_collide_result_pairs(answer, &count);
    for (size_t first = 0, end = 0; first < count; first = end) {
        const abut_pair* p = &pairs[first];
        for (end = first;
             end < count && pairs[end].body_a == p->body_a && pairs[end].body_b == p->body_b;
             ++end) {
        }
        const contact c = {w->number_of[p->body_a], w->number_of[p->body_b], end - first, p};
        fn(user, &c);
    }
}

void world_each_answer(const world* w, const question* q, answer_fn fn, void* user) {
    if (q->between) {
        fn(user, w->between);
    }
    if (q->self) {
        fn(user, w->self);
    }
    for (size_t i = 0; i < w->depth_count && q->depth; ++i) {
        if (w->depths[i].pairs != NULL) {
            fn(user, w->depths[i].pairs);
        }
    }
}

const char* motion_name(abut_motion motion) {
    switch (motion) {
        case ABUT_MOTION_FREE: return "free";
        case ABUT_MOTION_MODAL: return "modal";
        case ABUT_MOTION_BLEND: return "blend";
        case ABUT_MOTION_FLIGHT: return "flight";
    }
    return "unknown";
}
