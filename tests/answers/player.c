// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Makes the bodies of a scene with one motion, sets their states and runs all queries of a frame.

#include "answers/player.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/queries.h"

#define MOST_BODIES 12

static const char* const motion_names[] = {"free", "modal", "blend", "flight"};

// ---- hashes: FNV-1a, over values and never over padding

static void mix_bytes(uint64_t* hash, const void* data, size_t size) {
    const unsigned char* byte = data;
    for (size_t i = 0; i < size; ++i) {
        *hash = (*hash ^ byte[i]) * 0x100000001b3;
    }
}

#define MIX(t, value) mix_bytes(&(t)->answer, &(value), sizeof(value))
#define MIX_ALL(t, values, n)                                               \
    do {                                                                    \
        for (size_t mix_i = 0; mix_i < (n); ++mix_i) {                      \
            mix_bytes(&(t)->answer, &(values)[mix_i], sizeof((values)[0])); \
        }                                                                   \
    } while (0)

static take* find_take(player* p, const char* name) {
    for (size_t i = 0; i < p->take_count; ++i) {
        if (strcmp(p->takes[i].name, name) == 0) {
            return &p->takes[i];
        }
    }
    if (p->take_count == PLAYER_TAKES) {
        abort();
    }
    p->takes[p->take_count] = (take){name, 0xcbf29ce484222325, 0xcbf29ce484222325, 0, 0};
    return &p->takes[p->take_count++];
}

// ---- the stage

typedef struct stage {
    player* p;
    const scene* s;
    abut_motion motion;
    abut_context* context;
    abut_scene* scene;
    uint32_t body_count;
    abut_body_id body[MOST_BODIES];
    double* positions[MOST_BODIES];  // of the current frame, or of all keyframes
    tools results;
    abut_collide_result* cached;
    abut_front* front;
    abut_depth_result* depths[2];
    abut_changes* changes;
    double size;       // of the whole scene in its first frame
    size_t triangles;  // of all bodies
    abut_counters counters;
} stage;

static void must(abut_status status, const abut_error* error, const char* what) {
    if (status != ABUT_OK) {
        fprintf(stderr, "answers: %s: %s\n", what,
                error != NULL ? error->message : abut_status_text(status));
        abort();
    }
}

static void* room(size_t count, size_t size) {
    void* memory = calloc(count + 1, size);
    if (memory == NULL) {
        abort();
    }
    return memory;
}

bool player_knows(const scene* s, abut_motion motion) {
    if (motion == ABUT_MOTION_FREE || motion == ABUT_MOTION_FLIGHT) {
        return true;
    }
    for (uint32_t i = 0; i < scene_body_count(s) && i < MOST_BODIES; ++i) {
        const scene_body* body = scene_get_body(s, i);
        if (motion == ABUT_MOTION_BLEND ? body->node_count > 0
                                        : body->field_count > 0 && body->node_count == 0) {
            return true;
        }
    }
    return false;
}

// the motion of a body of the scene if the player plays `wanted`
static abut_motion motion_of(const scene_body* body, abut_motion wanted) {
    if (wanted == ABUT_MOTION_BLEND && body->node_count == 0) {
        return body->field_count > 0 ? ABUT_MOTION_MODAL : ABUT_MOTION_FREE;
    }
    if (wanted == ABUT_MOTION_MODAL && (!body->reduced || body->node_count > 0)) {
        return ABUT_MOTION_FREE;
    }
    return wanted;
}

static abut_field* body_fields(const scene_body* body) {
    abut_field* fields = room(body->field_count, sizeof *fields);
    for (uint32_t k = 0; k < body->field_count; ++k) {
        fields[k].values = abut_positions_f32(body->fields + 3 * (size_t)k * body->vertex_count,
                                              body->vertex_count);
    }
    return fields;
}

static abut_keyframe* make_keys(stage* g, uint32_t i) {
    const scene_body* body = scene_get_body(g->s, i);
    const uint32_t count = scene_frame_count(g->s);
    const size_t size = 3 * (size_t)body->vertex_count;
    abut_keyframe* keys = room(count, sizeof *keys);
    g->positions[i] = room(count * size, sizeof(double));
    for (uint32_t k = 0; k < count; ++k) {
        scene_positions(g->s, i, k, g->positions[i] + k * size);
        keys[k] = (abut_keyframe){k, abut_positions_f64(g->positions[i] + k * size,
                                                        body->vertex_count)};
    }
    return keys;
}

static void add_body(stage* g, uint32_t i) {
    const scene_body* body = scene_get_body(g->s, i);
    abut_error error;
    abut_mesh_def mesh_def = abut_mesh_def_default();
    mesh_def.positions = abut_positions_f64(body->rest, body->vertex_count);
    mesh_def.triangles = body->triangles;
    mesh_def.triangle_count = body->triangle_count;
    abut_mesh* mesh = NULL;
    must(abut_mesh_create(g->context, &mesh_def, &mesh, &error), &error, "mesh");
    motion_def def = motion_def_default();
    def.motion = motion_of(body, g->motion);
    abut_field* fields = NULL;
    abut_keyframe* keys = NULL;
    if (def.motion == ABUT_MOTION_MODAL || def.motion == ABUT_MOTION_BLEND) {
        fields = body_fields(body);
        def.fields = fields;
        def.field_count = body->field_count;
    }
    if (def.motion == ABUT_MOTION_MODAL) {
        def.proxy_level = 3;
    }
    if (def.motion == ABUT_MOTION_BLEND) {
        def.weights = (abut_weights){.node_count = body->node_count,
                                     .first = body->weight_first,
                                     .nodes = body->weight_nodes,
                                     .values = body->weights,
                                     .type = ABUT_SCALAR_F32,
                                     .normalise = true};
    }
    if (def.motion == ABUT_MOTION_FLIGHT) {
        keys = make_keys(g, i);
        def.keyframes = keys;
        def.keyframe_count = scene_frame_count(g->s);
    } else {
        g->positions[i] = room(3 * (size_t)body->vertex_count, sizeof(double));
    }
    abut_shape* shape = NULL;
    must(motion_create(g->context, mesh, &def, &shape, &error), &error, "shape");
    must(abut_body_create(g->scene, shape, NULL, &g->body[i], &error), &error, "body");
    abut_shape_destroy(shape);
    abut_mesh_destroy(mesh);
    free(fields);
    free(keys);
}

static void set_frame(stage* g, uint32_t i, uint32_t frame) {
    abut_frame now;
    abut_frame before;
    scene_frame(g->s, i, frame, now.r, now.t);
    scene_frame(g->s, i, frame > 0 ? frame - 1 : 0, before.r, before.t);
    must(abut_body_set_frame_step(g->scene, g->body[i], &before, &now, NULL), NULL, "frame");
}

static void set_state(stage* g, uint32_t i, uint32_t frame) {
    const scene_body* body = scene_get_body(g->s, i);
    abut_error error = {0};
    double q[64 + 1];
    double* transforms;
    switch (motion_of(body, g->motion)) {
        case ABUT_MOTION_FREE:
            scene_positions(g->s, i, frame, g->positions[i]);
            must(abut_body_set_positions(g->scene, g->body[i],
                                         abut_positions_f64(g->positions[i], body->vertex_count),
                                         &error),
                 &error, "positions");
            return;
        case ABUT_MOTION_MODAL:
            scene_coordinates(g->s, i, frame, q);
            set_frame(g, i, frame);
            must(abut_body_set_coordinates(g->scene, g->body[i], q, body->field_count, &error),
                 &error, "coordinates");
            return;
        case ABUT_MOTION_BLEND:
            scene_coordinates(g->s, i, frame, q);
            transforms = room(12 * (size_t)body->node_count, sizeof(double));
            scene_transforms(g->s, i, frame, transforms);
            set_frame(g, i, frame);
            must(abut_body_set_transforms(g->scene, g->body[i],
                                          abut_transforms_f64(transforms, body->node_count), q,
                                          body->field_count, &error),
                 &error, "transforms");
            free(transforms);
            return;
        case ABUT_MOTION_FLIGHT:
            must(abut_body_set_time(g->scene, g->body[i], 0.7 * frame + 0.1, &error), &error,
                 "time");
            return;
    }
}

static void raise(stage* g, const abut_context_def* def) {
    abut_error error;
    must(abut_context_create(def, &g->context, &error), &error, "context");
    must(abut_scene_create(g->context, NULL, &g->scene, &error), &error, "scene");
    if (!tools_make(&g->results, g->context)) {
        must(ABUT_ERR_NO_MEMORY, NULL, "results");
    }
    must(abut_collide_result_create(g->context, &g->cached, &error), &error, "result");
    must(abut_front_create(g->context, &g->front, &error), &error, "front");
    must(abut_depth_result_create(g->context, &g->depths[0], &error), &error, "depths");
    must(abut_depth_result_create(g->context, &g->depths[1], &error), &error, "depths");
    must(abut_changes_create(g->context, &g->changes, &error), &error, "changes");
    g->body_count = scene_body_count(g->s) < MOST_BODIES ? scene_body_count(g->s) : MOST_BODIES;
    for (uint32_t i = 0; i < g->body_count; ++i) {
        add_body(g, i);
    }
    abut_box all = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
    for (uint32_t i = 0; i < g->body_count; ++i) {
        const scene_body* body = scene_get_body(g->s, i);
        g->triangles += body->triangle_count;
        for (size_t k = 0; k < 3 * (size_t)body->vertex_count; ++k) {
            all.lo[k % 3] = fmin(all.lo[k % 3], body->rest[k]);
            all.hi[k % 3] = fmax(all.hi[k % 3], body->rest[k]);
        }
    }
    for (int d = 0; d < 3; ++d) {
        g->size = fmax(g->size, all.hi[d] - all.lo[d]);
    }
}

static void strike(stage* g) {
    abut_changes_destroy(g->changes);
    abut_depth_result_destroy(g->depths[0]);
    abut_depth_result_destroy(g->depths[1]);
    tools_free(&g->results);
    abut_front_destroy(g->front);
    abut_collide_result_destroy(g->cached);
    abut_scene_destroy(g->scene);
    abut_context_destroy(g->context);
    for (uint32_t i = 0; i < g->body_count; ++i) {
        free(g->positions[i]);
    }
}

// ---- queries

// Opens the take of a query: hashes its status and its counters. NULL if there is no answer.
static take* took(stage* g, const char* name, abut_status status) {
    take* t = find_take(g->p, name);
    MIX(t, status);
    mix_bytes(&t->counters, &g->counters, sizeof g->counters);
    memset(&g->counters, 0, sizeof g->counters);
    if (status > ABUT_INCOMPLETE) {
        ++t->refused;
        return NULL;
    }
    return t;
}

static void mix_pairs(take* t, const abut_pair* pairs, size_t count) {
    t->count += count;
    MIX_ALL(t, pairs, count);
}

static void mix_result(take* t, const abut_collide_result* result) {
    if (t == NULL) {
        return;
    }
    size_t count;
    const abut_pair* pairs = abut_collide_result_pairs(result, &count);
    mix_pairs(t, pairs, count);
    const abut_intersection* shared = abut_collide_result_intersections(result, NULL);
    for (size_t i = 0; shared != NULL && i < count; ++i) {
        MIX(t, shared[i].count);
        MIX_ALL(t, &shared[i].points[0][0], 3 * (size_t)shared[i].count);
    }
}

static void mix_sweeps(take* t, const abut_sweep_result* result) {
    if (t == NULL) {
        return;
    }
    size_t count;
    const abut_sweep_pair* s = abut_sweep_result_pairs(result, &count);
    t->count += count;
    for (size_t i = 0; i < count; ++i) {
        MIX(t, s[i].body_a);
        MIX(t, s[i].body_b);
        MIX(t, s[i].kind);
        MIX(t, s[i].undecided);
        MIX(t, s[i].triangle_a);
        MIX(t, s[i].triangle_b);
        MIX(t, s[i].vertices_a);
        MIX(t, s[i].vertices_b);
        MIX(t, s[i].time);
        MIX(t, s[i].weights_a);
        MIX(t, s[i].weights_b);
        MIX(t, s[i].normal);
    }
}

static void mix_distances(take* t, const abut_distance_pair* list, size_t count) {
    if (t == NULL) {
        return;
    }
    t->count += count;
    for (size_t i = 0; i < count; ++i) {
        MIX_ALL(t, &list[i].body_a, 4);
        MIX(t, list[i].distance);
        MIX(t, list[i].a.point);
        MIX(t, list[i].a.weights);
        MIX(t, list[i].b.point);
        MIX(t, list[i].b.weights);
    }
}

static void mix_nearest(take* t, const abut_nearest_result* result) {
    size_t count;
    const abut_distance_pair* list = abut_nearest_result_pairs(result, &count);
    mix_distances(t, list, count);
}

static void mix_within(take* t, const abut_within_result* result) {
    size_t count;
    const abut_distance_pair* list = abut_within_result_pairs(result, &count);
    mix_distances(t, list, count);
}

static void mix_depths(take* t, const abut_depth_result* depths) {
    if (t == NULL) {
        return;
    }
    size_t count;
    const abut_region* r = abut_depth_result_regions(depths, &count);
    const bool defined = abut_depth_result_defined(depths);
    MIX(t, defined);
    t->count += count;
    for (size_t i = 0; i < count; ++i) {
        MIX(t, r[i].id);
        MIX(t, r[i].kind);
        MIX(t, r[i].direction);
        MIX(t, r[i].depth);
        MIX(t, r[i].upper);
        MIX(t, r[i].lower);
        MIX(t, r[i].point_a);
        MIX(t, r[i].point_b);
        MIX(t, r[i].interlocked);
        MIX(t, r[i].is_new);
        MIX(t, r[i].turn_angle);
        MIX(t, r[i].jump);
        MIX(t, r[i].pair_count);
        MIX(t, r[i].inside_a_count);
        MIX(t, r[i].inside_b_count);
    }
    const abut_pair* pairs = abut_depth_result_pairs(depths, &count);
    MIX_ALL(t, pairs, count);
    const uint32_t* inside = abut_depth_result_inside(depths, &count);
    MIX_ALL(t, inside, count);
}

static abut_collide_def query_def(stage* g) {
    abut_collide_def def = abut_collide_def_default();
    def.head.counters = &g->counters;
    return def;
}

static void query_contact(stage* g) {
    abut_collide_def def = query_def(g);
    mix_result(took(g, "collide", abut_collide_all(g->scene, &def, g->results.result, NULL)),
               g->results.result);
    must(abut_changes_update(g->changes, g->results.result, NULL), NULL, "changes");
    for (int c = 0; c < 3; ++c) {
        size_t count;
        take* t = took(g, "changes", ABUT_OK);
        const abut_pair* pairs = abut_changes_pairs(g->changes, (abut_change)c, &count);
        mix_pairs(t, pairs, count);
        pairs = abut_changes_body_pairs(g->changes, (abut_change)c, &count);
        mix_pairs(t, pairs, count);
    }
    mix_result(took(g, "self", abut_collide_self_all(g->scene, &def, g->results.result, NULL)),
               g->results.result);
    def.include_neighbours = true;
    def.intersections = true;
    mix_result(took(g, "neighbours",
                    abut_collide_self_all(g->scene, &def, g->results.result, NULL)),
               g->results.result);
    def = query_def(g);
    def.margin = g->size / 200;
    def.intersections = true;
    mix_result(took(g, "margin", abut_collide_all(g->scene, &def, g->results.result, NULL)),
               g->results.result);
    mix_result(took(g, "self_margin",
                    abut_collide_self_all(g->scene, &def, g->results.result, NULL)),
               g->results.result);
    def = query_def(g);
    def.front = g->front;
    mix_result(took(g, "front", abut_collide_all(g->scene, &def, g->cached, NULL)), g->cached);
    def.front = NULL;
    def.culling.kind = ABUT_CULLING_VORONOI;
    mix_result(took(g, "voronoi", abut_collide_all(g->scene, &def, g->results.result, NULL)),
               g->results.result);
}

// the same with a budget, over several calls
static void query_budget(stage* g) {
    abut_front* front = NULL;
    must(abut_front_create(g->context, &front, NULL), NULL, "front");
    abut_collide_def def = query_def(g);
    def.front = front;
    def.budget = 200;
    abut_status status = ABUT_INCOMPLETE;
    while (status == ABUT_INCOMPLETE) {
        status = abut_collide_self(g->scene, g->body[0], &def, g->results.result, NULL);
        mix_result(took(g, "budget", status), g->results.result);
    }
    abut_front_destroy(front);
}

static void query_sweeps(stage* g) {
    abut_sweep_def def = abut_sweep_def_default();
    def.head.counters = &g->counters;
    mix_sweeps(took(g, "sweep", abut_sweep_all(g->scene, &def, g->results.swept, NULL)),
               g->results.swept);
    mix_sweeps(took(g, "sweep_self", abut_sweep_self_all(g->scene, &def, g->results.swept, NULL)),
               g->results.swept);
    def.earliest_only = true;
    mix_sweeps(took(g, "sweep_first", abut_sweep_all(g->scene, &def, g->results.swept, NULL)),
               g->results.swept);
    def.earliest_only = false;
    def.margin = g->size / 500;
    mix_sweeps(took(g, "sweep_margin", abut_sweep_all(g->scene, &def, g->results.swept, NULL)),
               g->results.swept);
    def.margin = 0;
    def.culling.kind = ABUT_CULLING_VORONOI;
    mix_sweeps(took(g, "sweep_voronoi", abut_sweep_all(g->scene, &def, g->results.swept, NULL)),
               g->results.swept);
}

static void query_distance(stage* g) {
    abut_nearest_def def = abut_nearest_def_default();
    def.head.counters = &g->counters;
    mix_nearest(took(g, "nearest", abut_nearest_all(g->scene, &def, g->results.nearest, NULL)),
                g->results.nearest);
    def.max_distance = g->size / 20;
    mix_nearest(took(g, "nearest_triangles",
                     abut_nearest_triangles(g->scene, g->body[0], &def, g->results.nearest, NULL)),
                g->results.nearest);
    mix_nearest(took(g, "nearest_self",
                     abut_nearest_self(g->scene, g->body[0], &def, g->results.nearest, NULL)),
                g->results.nearest);
    abut_within_def within = abut_within_def_default();
    within.head.counters = &g->counters;
    within.distance = g->size / 200;
    mix_within(took(g, "within", abut_within_all(g->scene, &within, g->results.within, NULL)),
               g->results.within);
    mix_within(took(g, "within_self",
                    abut_within_self(g->scene, g->body[0], &within, g->results.within, NULL)),
               g->results.within);
    def.culling.kind = within.culling.kind = ABUT_CULLING_VORONOI;
    mix_within(took(g, "within_voronoi",
                    abut_within_all(g->scene, &within, g->results.within, NULL)),
               g->results.within);
    def.max_distance = INFINITY;
    mix_nearest(took(g, "nearest_voronoi",
                     abut_nearest_all(g->scene, &def, g->results.nearest, NULL)),
                g->results.nearest);
}

static void query_depth(stage* g) {
    if (g->triangles > 3000) {
        return;  // this would take minutes
    }
    abut_depth_def def =
        abut_depth_def_default();  // no counters: they depend on when its trials stop
    mix_depths(took(g, "depth_self",
                    abut_depth_self(g->scene, g->body[0], &def, g->depths[1], NULL)),
               g->depths[1]);
    if (g->body_count < 2) {
        return;
    }
    mix_depths(took(g, "depth",
                    abut_depth(g->scene, g->body[0], g->body[1], &def, g->depths[0], NULL)),
               g->depths[0]);
    const abut_status status = abut_contains_body(g->scene, g->body[0], g->body[1], NULL,
                                                  g->results.sides, NULL);
    take* t = took(g, "contains", status);
    if (t != NULL) {
        const abut_side side = abut_contains_result_sides(g->results.sides, NULL)[0];
        MIX(t, side);
        t->count += side == ABUT_SIDE_INSIDE;
    }
}

static void query_points(stage* g) {
    abut_box box;
    must(abut_body_box(g->scene, g->body[0], &box, NULL), NULL, "box");
    for (int i = 0; i < 8; ++i) {
        double p[3];
        for (int d = 0; d < 3; ++d) {
            p[d] = box.lo[d] + (box.hi[d] - box.lo[d]) * (0.31 + 0.4 * (i >> d & 1));
        }
        abut_contains_def def = abut_contains_def_default();
        def.head.counters = &g->counters;
        take* t = took(g, "point",
                       abut_contains_points(g->scene, g->body[0], abut_positions_f64(p, 1), &def,
                                            g->results.sides, NULL));
        if (t != NULL) {
            const abut_side side = abut_contains_result_sides(g->results.sides, NULL)[0];
            const int32_t winding = abut_contains_result_windings(g->results.sides, NULL)[0];
            MIX(t, side);
            MIX(t, winding);
            t->count += side == ABUT_SIDE_INSIDE;
        }
    }
}

static void query_bounds(stage* g) {
    for (uint32_t i = 0; i < g->body_count; ++i) {
        take* t = took(g, "bounds", ABUT_OK);
        abut_box box[64];
        for (uint32_t level = 0; level < 4; ++level) {
            size_t count = 0;
            must(abut_body_level_boxes(g->scene, g->body[i], level, box, 64, &count, NULL), NULL,
                 "level");
            t->count += count;
            MIX(t, count);
            MIX_ALL(t, &box[0].lo[0], 6 * (count < 64 ? count : 64));
        }
        double degradation;
        must(abut_body_tree_degradation(g->scene, g->body[i], &degradation, NULL), NULL,
             "degradation");
        MIX(t, degradation);
    }
}

static void query_proxies(stage* g) {
    abut_proxies_def def = abut_proxies_def_default();
    def.head.counters = &g->counters;
    def.margin = g->size / 50;
    take* t = took(g, "proxies", abut_proxies_all(g->scene, &def, g->results.proxies, NULL));
    if (t == NULL) {
        return;
    }
    size_t count;
    const abut_proxy_pair* c = abut_proxies_result_pairs(g->results.proxies, &count);
    t->count += count;
    for (size_t i = 0; i < count; ++i) {
        MIX_ALL(t, &c[i].body_a, 4);
        MIX(t, c[i].centre_a);
        MIX(t, c[i].centre_b);
        MIX(t, c[i].distance);
    }
}

// contact intervals of the whole animation
static void query_intervals(stage* g) {
    abut_intervals_def def = abut_intervals_def_default();
    def.head.counters = &g->counters;
    const bool slides = strcmp(g->p->scene_name, "degenerate") ==
                        0;  // sliding in one plane is slow
    const double end = slides ? 0.3 : fmin(2.3, scene_frame_count(g->s) - 1.3);
    for (uint32_t k = 0; k < 2 && k < g->body_count; ++k) {
        take* t = took(g, k == 0 ? "intervals_self" : "intervals",
                       k == 0 ? abut_intervals_self(g->scene, g->body[0], 0.2, end, &def,
                                                    g->results.intervals, NULL)
                              : abut_intervals(g->scene, g->body[0], g->body[1], 0.2, end, &def,
                                               g->results.intervals, NULL));
        if (t == NULL) {
            continue;
        }
        size_t count;
        const abut_contact_interval* found = abut_intervals_result_intervals(g->results.intervals,
                                                                             &count);
        t->count += count;
        MIX_ALL(t, found, count);
    }
}

// removes triangles from body 0, repeats the queries, then rebuilds its tree
static void query_edited(stage* g) {
    const abut_shape* shape = abut_body_shape(g->scene, g->body[0]);
    const scene_body* body = scene_get_body(g->s, 0);
    uint32_t gone[16];
    motion_edit_def edit = motion_edit_def_default();
    edit.removed_triangles = gone;
    for (uint32_t i = 0; i < 16 && 3 * i < body->triangle_count; ++i) {
        gone[i] = 3 * i;
        edit.removed_triangle_count = i + 1;
    }
    abut_shape* edited = NULL;
    abut_edit_work work = {0};
    abut_error error;
    must(motion_edit(shape, &edit, &edited, &work, &error), &error, "edit");
    must(abut_body_set_shape(g->scene, g->body[0], edited, (abut_positions){0}, &error), &error,
         "set shape");
    abut_shape_destroy(edited);
    abut_collide_def def = query_def(g);
    take* t = took(g, "edited", abut_collide_all(g->scene, &def, g->results.result, NULL));
    mix_result(t, g->results.result);
    MIX(t, work);
    mix_result(took(g, "edited_self",
                    abut_collide_self_all(g->scene, &def, g->results.result, NULL)),
               g->results.result);
    const abut_status status = abut_body_rebuild_tree(g->scene, g->body[0], 1, &work, &error);
    t = took(g, "rebuilt", status);
    if (t != NULL) {
        MIX(t, work);
        mix_result(took(g, "rebuilt",
                        abut_collide_self_all(g->scene, &def, g->results.result, NULL)),
                   g->results.result);
    }
    abut_sweep_def sweep = abut_sweep_def_default();
    sweep.head.counters = &g->counters;
    mix_sweeps(took(g, "edited_sweep", abut_sweep_all(g->scene, &sweep, g->results.swept, NULL)),
               g->results.swept);
}

// sets plans of a flight body in the middle of its motion
static void query_planned(stage* g, double time) {
    const scene_body* body = scene_get_body(g->s, 0);
    double* velocity = room(3 * (size_t)body->vertex_count, sizeof(double));
    for (size_t i = 0; i < 3 * (size_t)body->vertex_count; ++i) {
        velocity[i] = g->size * (i % 3 == 0 ? 0.03 : 0.01 * (double)(i % 7));
    }
    const abut_plans_def plans = {.time = time,
                                  .velocities = abut_positions_f64(velocity, body->vertex_count)};
    abut_error error;
    must(plans_set(g->scene, g->body[0], &plans, &error), &error, "plans");
    for (int step = 1; step <= 3; ++step) {
        for (uint32_t i = 0; i < g->body_count; ++i) {
            must(abut_body_set_time(g->scene, g->body[i], time + 0.3 * step, &error), &error,
                 "time");
        }
        abut_sweep_def sweep = abut_sweep_def_default();
        sweep.head.counters = &g->counters;
        mix_sweeps(took(g, "planned_sweep",
                        abut_sweep_all(g->scene, &sweep, g->results.swept, NULL)),
                   g->results.swept);
        abut_collide_def def = query_def(g);
        def.front = g->front;
        mix_result(took(g, "planned", abut_collide_all(g->scene, &def, g->results.result, NULL)),
                   g->results.result);
    }
    free(velocity);
}

void play(player* p, const scene* s, const char* scene_name, abut_motion motion,
          const abut_context_def* def) {
    memset(p, 0, sizeof *p);
    p->scene_name = scene_name;
    p->motion_name = motion_names[motion];
    stage g = {.p = p, .s = s, .motion = motion};
    raise(&g, def);
    for (uint32_t frame = 0; frame < scene_frame_count(s); ++frame) {
        for (uint32_t i = 0; i < g.body_count; ++i) {
            set_state(&g, i, frame);
        }
        query_contact(&g);
        query_sweeps(&g);
        query_distance(&g);
        query_depth(&g);
        query_points(&g);
        query_bounds(&g);
        if (motion == ABUT_MOTION_MODAL) {
            query_proxies(&g);
        }
        if (frame % 2 == 1) {
            query_budget(&g);
        }
    }
    if (motion == ABUT_MOTION_FLIGHT) {
        query_intervals(&g);
        query_planned(&g, 0.7 * (scene_frame_count(s) - 1) + 0.1);
    }
    query_edited(&g);
    strike(&g);
}
