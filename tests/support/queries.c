// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT

#include "support/queries.h"

#include <string.h>
#include "support/motion_def.h"

#define FIELDS 3u
#define NODES 4u

static abut_body_id add_flight(zoo* z, int i) {
    abut_keyframe keys[ZOO_KEYS];
    for (uint32_t k = 0; k < ZOO_KEYS; ++k) {
        z->key[i][k] = surface_copy(&z->rest[i]);
        surface_shake(&z->key[i][k], &z->random, 0.25, 0x1p-10);
        surface_shift(&z->key[i][k], 0.5 * k, 0, 0);
        keys[k] = (abut_keyframe){k,
                                  abut_positions_f64(z->key[i][k].xyz, z->key[i][k].vertex_count)};
    }
    motion_def def = motion_def_default();
    def.motion = ABUT_MOTION_FLIGHT;
    def.keyframes = keys;
    def.keyframe_count = ZOO_KEYS;
    def.block_triangles = 8;
    return world_add(&z->world, &z->rest[i], &def, NULL);
}

static void add_bodies(zoo* z) {
    motion_def def = motion_def_default();
    def.block_triangles = 8;
    z->body[ZOO_FREE] = world_add(&z->world, &z->rest[ZOO_FREE], &def, NULL);
    z->fields = make_fields(&z->random, &z->rest[ZOO_MODAL], FIELDS, 0.5, ABUT_SCALAR_F64, false);
    def = modal_def(&z->fields);
    def.block_triangles = 8;
    def.proxy_level = 3;
    z->body[ZOO_MODAL] = world_add(&z->world, &z->rest[ZOO_MODAL], &def, NULL);
    z->skin = skin_make(&z->random, &z->rest[ZOO_BLEND], NODES, 2, ABUT_SCALAR_F64);
    def = blend_def(&z->skin, NULL);
    def.block_triangles = 8;
    z->body[ZOO_BLEND] = world_add(&z->world, &z->rest[ZOO_BLEND], &def, NULL);
    z->body[ZOO_FLIGHT] = add_flight(z, ZOO_FLIGHT);
    z->body[ZOO_OTHER_FLIGHT] = add_flight(z, ZOO_OTHER_FLIGHT);
}

void zoo_move(zoo* z, double time) {
    surface moved = surface_copy(&z->rest[ZOO_FREE]);
    surface_shake(&moved, &z->random, 0.25, 0x1p-10);
    const abut_positions view = abut_positions_f64(moved.xyz, moved.vertex_count);
    REQUIRE_OK(abut_body_set_positions(z->world.scene, z->body[ZOO_FREE], view, NULL));
    surface_free(&moved);
    double q[FIELDS];
    random_coordinates(&z->random, q, FIELDS, 1);
    set_coordinates(&z->world, z->body[ZOO_MODAL], q, FIELDS);
    double t[NODES][12];
    gentle_transforms(&z->random, t, NODES, 0.25);
    set_transforms(&z->world, z->body[ZOO_BLEND], t, NODES, NULL, 0);
    REQUIRE_OK(abut_body_set_time(z->world.scene, z->body[ZOO_FLIGHT], time, NULL));
    REQUIRE_OK(abut_body_set_time(z->world.scene, z->body[ZOO_OTHER_FLIGHT], time, NULL));
}

void zoo_open(zoo* z, uint64_t seed, uint32_t rings, const abut_context_def* context_def,
              const abut_scene_def* scene_def) {
    memset(z, 0, sizeof *z);
    z->random = random_seed(seed);
    z->world = world_make(context_def, scene_def);
    for (int i = 0; i < ZOO_BODIES; ++i) {
        z->rest[i] = surface_ball(rings, rings + 3, 3);
        surface_shake(&z->rest[i], &z->random, 0.25, 0x1p-10);
        surface_shift(&z->rest[i], 4.5 * (i % 3), 4.5 * (i / 3), 0);  // neighbours overlap
    }
    add_bodies(z);
    zoo_move(z, 0.25);
    zoo_move(z, 1.25);
}

void zoo_close(zoo* z) {
    world_free(&z->world);
    for (int i = 0; i < ZOO_BODIES; ++i) {
        surface_free(&z->rest[i]);
        for (uint32_t k = 0; k < ZOO_KEYS; ++k) {
            surface_free(&z->key[i][k]);
        }
    }
    free_fields(&z->fields);
    skin_free(&z->skin);
}

// ---- answers

#define MIX(hash, value) hash_bytes((hash), &(value), sizeof(value))

static uint64_t hash_of_collide(abut_status status, const abut_collide_result* result) {
    size_t count = 0;
    const abut_pair* pairs = abut_collide_result_pairs(result, &count);
    return pairs_hash(pairs, count) + (uint64_t)status;
}

static uint64_t hash_of_sweep(abut_status status, const abut_sweep_result* result) {
    size_t count = 0;
    uint64_t hash = (uint64_t)status;
    const abut_sweep_pair* swept = abut_sweep_result_pairs(result, &count);
    MIX(&hash, count);
    for (size_t i = 0; i < count; ++i) {
        MIX(&hash, swept[i].triangle_a);
        MIX(&hash, swept[i].triangle_b);
        MIX(&hash, swept[i].vertices_a);
        MIX(&hash, swept[i].vertices_b);
        MIX(&hash, swept[i].time);
    }
    return hash;
}

static uint64_t hash_of_intervals(abut_status status, const abut_intervals_result* result) {
    size_t count = 0;
    uint64_t hash = (uint64_t)status;
    const abut_contact_interval* intervals = abut_intervals_result_intervals(result, &count);
    MIX(&hash, count);
    for (size_t i = 0; i < count; ++i) {
        MIX(&hash, intervals[i].triangle_a);
        MIX(&hash, intervals[i].triangle_b);
        MIX(&hash, intervals[i].start);
        MIX(&hash, intervals[i].stop);
    }
    return hash;
}

static uint64_t hash_of_proxies(abut_status status, const abut_proxies_result* result) {
    size_t count = 0;
    uint64_t hash = (uint64_t)status;
    (void)abut_proxies_result_pairs(result, &count);
    MIX(&hash, count);
    return hash;
}

static uint64_t hash_of_sides(abut_status status, const abut_contains_result* result) {
    const abut_side* sides = abut_contains_result_sides(result, NULL);
    return (uint64_t)status * 8 + (uint64_t)(sides != NULL ? sides[0] : ABUT_SIDE_OUTSIDE);
}

static uint64_t hash_of_distances(abut_status status, const abut_distance_pair* pairs,
                                  size_t count) {
    uint64_t hash = (uint64_t)status;
    MIX(&hash, count);
    for (size_t i = 0; i < count; ++i) {
        MIX(&hash, pairs[i].body_a);
        MIX(&hash, pairs[i].body_b);
        MIX(&hash, pairs[i].triangle_a);
        MIX(&hash, pairs[i].triangle_b);
        MIX(&hash, pairs[i].distance);
    }
    return hash;
}

static uint64_t hash_of_nearest(abut_status status, const abut_nearest_result* result) {
    size_t count = 0;
    const abut_distance_pair* pairs = abut_nearest_result_pairs(result, &count);
    return hash_of_distances(status, pairs, count);
}

static uint64_t hash_of_within(abut_status status, const abut_within_result* result) {
    size_t count = 0;
    const abut_distance_pair* pairs = abut_within_result_pairs(result, &count);
    return hash_of_distances(status, pairs, count);
}

static uint64_t hash_of_features(abut_status status, const abut_features_result* result) {
    size_t count = 0;
    uint64_t hash = (uint64_t)status;
    const abut_feature_pair* pairs = abut_features_result_pairs(result, &count);
    MIX(&hash, count);
    for (size_t i = 0; i < count; ++i) {
        MIX(&hash, pairs[i].vertices_a);
        MIX(&hash, pairs[i].vertices_b);
        MIX(&hash, pairs[i].weights_a);
        MIX(&hash, pairs[i].weights_b);
        MIX(&hash, pairs[i].normal);
        MIX(&hash, pairs[i].distance_sq);
    }
    return hash;
}

static uint64_t hash_of_depths(abut_status status, const abut_depth_result* depths) {
    size_t count = 0;
    const abut_region* region = abut_depth_result_regions(depths, &count);
    uint64_t hash = (uint64_t)status;
    MIX(&hash, count);
    for (size_t i = 0; i < count; ++i) {
        MIX(&hash, region[i].kind);
        MIX(&hash, region[i].direction);
        MIX(&hash, region[i].depth);
        MIX(&hash, region[i].lower);
        MIX(&hash, region[i].pair_count);
    }
    return hash;
}

static uint64_t hash_of_hits(abut_status status, const abut_cast_result* result) {
    size_t count = 0;
    uint64_t hash = (uint64_t)status;
    const abut_ray_hit* hits = abut_cast_result_hits(result, &count);
    MIX(&hash, count);
    for (size_t i = 0; i < count; ++i) {
        MIX(&hash, hits[i].ray);
        MIX(&hash, hits[i].body);
        MIX(&hash, hits[i].triangle);
        MIX(&hash, hits[i].t);
        MIX(&hash, hits[i].weights);
    }
    return hash;
}

// ---- the queries

// rays through the middle of the zoo
static abut_rays some_rays(void) {
    static const double from[3][3] = {{-9, 0.25, 0.125}, {0.5, -9, 0.25}, {0.25, 0.5, 9}};
    static const double to[3][3] = {{9, 0.5, 0}, {0, 9, -0.5}, {0.125, 0, -9}};
    return abut_rays_segments(from[0], to[0], 3);
}

static abut_cast_def all_hits(void) {
    abut_cast_def def = abut_cast_def_default();
    def.mode = ABUT_CAST_ALL;
    return def;
}

bool tools_make(tools* t, abut_context* context) {
    t->context = context;
    return abut_collide_result_create(context, &t->result, NULL) == ABUT_OK &&
           abut_sweep_result_create(context, &t->swept, NULL) == ABUT_OK &&
           abut_intervals_result_create(context, &t->intervals, NULL) == ABUT_OK &&
           abut_proxies_result_create(context, &t->proxies, NULL) == ABUT_OK &&
           abut_contains_result_create(context, &t->sides, NULL) == ABUT_OK &&
           abut_nearest_result_create(context, &t->nearest, NULL) == ABUT_OK &&
           abut_within_result_create(context, &t->within, NULL) == ABUT_OK &&
           abut_features_result_create(context, &t->features, NULL) == ABUT_OK &&
           abut_cast_result_create(context, &t->cast, NULL) == ABUT_OK;
}

void tools_free(tools* t) {
    abut_collide_result_destroy(t->result);
    abut_sweep_result_destroy(t->swept);
    abut_intervals_result_destroy(t->intervals);
    abut_proxies_result_destroy(t->proxies);
    abut_contains_result_destroy(t->sides);
    abut_nearest_result_destroy(t->nearest);
    abut_within_result_destroy(t->within);
    abut_features_result_destroy(t->features);
    abut_cast_result_destroy(t->cast);
}

// a new result, so that the answer has no previous state; within body a if b is NULL
static uint64_t query_depth(const abut_scene* scene, abut_body_id a, const abut_body_id* b,
                            const tools* t) {
    abut_depth_result* depths = NULL;
    if (abut_depth_result_create(t->context, &depths, NULL) != ABUT_OK) {
        return 1;
    }
    const abut_status status = b == NULL ? abut_depth_self(scene, a, NULL, depths, NULL)
                                         : abut_depth(scene, a, *b, NULL, depths, NULL);
    const uint64_t hash = hash_of_depths(status, depths);
    abut_depth_result_destroy(depths);
    return hash;
}

static abut_features_def near_features(void) {
    abut_features_def def = abut_features_def_default();
    def.distance = 0.0625;
    return def;
}

static uint64_t query_pair(const abut_scene* scene, uint32_t query, abut_body_id a, abut_body_id b,
                           tools* t) {
    abut_collide_def def = abut_collide_def_default();
    abut_within_def near = abut_within_def_default();
    near.distance = 0.25;
    const abut_features_def features = near_features();
    switch (query) {
        case 1: def.culling.kind = ABUT_CULLING_VORONOI; break;
        case 2: def.margin = 0.0625; break;
        case 3: return hash_of_sweep(abut_sweep(scene, a, b, NULL, t->swept, NULL), t->swept);
        case 4:
            return hash_of_intervals(abut_intervals(scene, a, b, 0, 2, NULL, t->intervals, NULL),
                                     t->intervals);
        case 5:
            return hash_of_proxies(abut_proxies(scene, a, b, NULL, t->proxies, NULL), t->proxies);
        case 6:
            return hash_of_nearest(abut_nearest(scene, a, b, NULL, t->nearest, NULL), t->nearest);
        case 7: return hash_of_within(abut_within(scene, a, b, &near, t->within, NULL), t->within);
        case 8: return query_depth(scene, a, &b, t);
        case 9:
            return hash_of_sides(abut_contains_body(scene, a, b, NULL, t->sides, NULL), t->sides);
        case 10:
            return hash_of_features(abut_features(scene, a, b, &features, t->features, NULL),
                                    t->features);
        default: break;
    }
    return hash_of_collide(abut_collide(scene, a, b, &def, t->result, NULL), t->result);
}

static uint64_t query_body(const abut_scene* scene, uint32_t query, abut_body_id a, tools* t) {
    const double point[3] = {4.5, 0.25, 0.125};
    const abut_positions one = abut_positions_f64(point, 1);
    const abut_cast_def all = all_hits();
    const abut_features_def features = near_features();
    switch (query) {
        case 0:
            return hash_of_collide(abut_collide_self(scene, a, NULL, t->result, NULL), t->result);
        case 1: return hash_of_sweep(abut_sweep_self(scene, a, NULL, t->swept, NULL), t->swept);
        case 2:
            return hash_of_intervals(abut_intervals_self(scene, a, 0, 2, NULL, t->intervals, NULL),
                                     t->intervals);
        case 3:
            return hash_of_nearest(abut_nearest_triangles(scene, a, NULL, t->nearest, NULL),
                                   t->nearest);
        case 4:
            return hash_of_nearest(abut_nearest_self(scene, a, NULL, t->nearest, NULL), t->nearest);
        case 5: return query_depth(scene, a, NULL, t);
        case 6: return hash_of_hits(abut_cast(scene, a, some_rays(), &all, t->cast, NULL), t->cast);
        case 7:
            return hash_of_features(abut_features_self(scene, a, &features, t->features, NULL),
                                    t->features);
        default:
            return hash_of_sides(abut_contains_points(scene, a, one, NULL, t->sides, NULL),
                                 t->sides);
    }
}

// the queries about a scene with settings other than the defaults
static uint64_t query_scene_otherwise(const abut_scene* scene, uint32_t query, tools* t) {
    abut_collide_def def = abut_collide_def_default();
    abut_nearest_def near = abut_nearest_def_default();
    abut_sweep_def sweep = abut_sweep_def_default();
    near.max_distance = 0.25;
    near.culling.kind = sweep.culling.kind = ABUT_CULLING_VORONOI;
    def.include_neighbours = true;
    const abut_features_def features = near_features();
    switch (query) {
        case 7:
            return hash_of_nearest(abut_nearest_all(scene, &near, t->nearest, NULL), t->nearest);
        case 8: return hash_of_sweep(abut_sweep_all(scene, &sweep, t->swept, NULL), t->swept);
        case 9:
            return hash_of_hits(abut_cast_all(scene, some_rays(), NULL, t->cast, NULL), t->cast);
        case 10:
            return hash_of_features(abut_features_all(scene, &features, t->features, NULL),
                                    t->features);
        case 11:
            return hash_of_features(abut_features_self_all(scene, &features, t->features, NULL),
                                    t->features);
        default:
            return hash_of_collide(abut_collide_self_all(scene, &def, t->result, NULL), t->result);
    }
}

static uint64_t query_scene(const abut_scene* scene, uint32_t query, tools* t) {
    abut_within_def near = abut_within_def_default();
    near.distance = 0.25;
    switch (query) {
        case 0: return hash_of_collide(abut_collide_all(scene, NULL, t->result, NULL), t->result);
        case 1:
            return hash_of_collide(abut_collide_self_all(scene, NULL, t->result, NULL), t->result);
        case 2: return hash_of_sweep(abut_sweep_all(scene, NULL, t->swept, NULL), t->swept);
        case 3: return hash_of_sweep(abut_sweep_self_all(scene, NULL, t->swept, NULL), t->swept);
        case 4: return hash_of_proxies(abut_proxies_all(scene, NULL, t->proxies, NULL), t->proxies);
        case 5: return hash_of_nearest(abut_nearest_all(scene, NULL, t->nearest, NULL), t->nearest);
        case 6: return hash_of_within(abut_within_all(scene, &near, t->within, NULL), t->within);
        default: return query_scene_otherwise(scene, query, t);
    }
}

uint64_t query_one(const zoo* z, uint32_t query, tools* t) {
    abut_nearest_result_clear(t->nearest);
    if (query < SCENE_QUERIES) {
        return query_scene(z->world.scene, query, t);
    }
    query -= SCENE_QUERIES;
    if (query < BODY_QUERIES * ZOO_BODIES) {
        return query_body(z->world.scene, query % BODY_QUERIES, z->body[query / BODY_QUERIES], t);
    }
    query -= BODY_QUERIES * ZOO_BODIES;
    const uint32_t pair = query / PAIR_QUERIES;
    const uint32_t a = pair / (ZOO_BODIES - 1);
    const uint32_t b = pair % (ZOO_BODIES - 1);
    return query_pair(z->world.scene, query % PAIR_QUERIES, z->body[a], z->body[b + (b >= a)], t);
}
