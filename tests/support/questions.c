// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT

#include "support/questions.h"

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
        surface_shift(&z->rest[i], 4.5 * (i % 3), 4.5 * (i / 3), 0);  // near ones overlap
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

static uint64_t hash_of_result(abut_status status, const abut_result* result) {
    size_t count = 0;
    const abut_pair* pairs = abut_collide_result_pairs(result, &count);
    uint64_t hash = pairs_hash(pairs, count) + (uint64_t)status;
    const abut_sweep_pair* swept = abut_sweep_result_pairs(result, &count);
    for (size_t i = 0; i < count; ++i) {
        MIX(&hash, swept[i].triangle_a);
        MIX(&hash, swept[i].triangle_b);
        MIX(&hash, swept[i].vertices_a);
        MIX(&hash, swept[i].vertices_b);
        MIX(&hash, swept[i].time);
    }
    const abut_contact_interval* spells = abut_intervals_result_intervals(result, &count);
    for (size_t i = 0; i < count; ++i) {
        MIX(&hash, spells[i].triangle_a);
        MIX(&hash, spells[i].triangle_b);
        MIX(&hash, spells[i].start);
        MIX(&hash, spells[i].stop);
    }
    (void)abut_proxies_result_pairs(result, &count);
    MIX(&hash, count);
    return hash;
}

static uint64_t hash_of_gaps(abut_status status, const abut_nearest_result* gaps) {
    size_t count = 0;
    const abut_distance_pair* gap = abut_nearest_result_pairs(gaps, &count);
    uint64_t hash = (uint64_t)status;
    MIX(&hash, count);
    for (size_t i = 0; i < count; ++i) {
        MIX(&hash, gap[i].body_a);
        MIX(&hash, gap[i].body_b);
        MIX(&hash, gap[i].triangle_a);
        MIX(&hash, gap[i].triangle_b);
        MIX(&hash, gap[i].distance);
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

// ---- the questions

bool tools_make(tools* t, abut_context* context) {
    t->context = context;
    return abut_result_create(context, &t->result, NULL) == ABUT_OK &&
           abut_nearest_result_create(context, &t->gaps, NULL) == ABUT_OK;
}

void tools_free(tools* t) {
    abut_result_destroy(t->result);
    abut_nearest_result_destroy(t->gaps);
}

// without a memory of the bodies that were asked about before; without b: of one body
static uint64_t ask_depth(const abut_scene* scene, abut_body_id a, const abut_body_id* b,
                          const tools* t) {
    abut_depth_result* depths = NULL;
    if (abut_depth_result_create(t->context, &depths, NULL) != ABUT_OK) {
        return 1;
    }
    const abut_status status = b == NULL ? abut_depth_self(scene, a, NULL, depths)
                                         : abut_depth(scene, a, *b, NULL, depths);
    const uint64_t hash = hash_of_depths(status, depths);
    abut_depth_result_destroy(depths);
    return hash;
}

static uint64_t ask_pair(const abut_scene* scene, uint32_t question, abut_body_id a, abut_body_id b,
                         tools* t) {
    abut_query_def def = abut_query_def_default();
    abut_nearest_def near = abut_nearest_def_default();
    abut_side side = ABUT_SIDE_OUTSIDE;
    switch (question) {
        case 0: return hash_of_result(abut_collide(scene, a, b, NULL, t->result), t->result);
        case 1: def.culling = ABUT_CULLING_VORONOI; break;
        case 2: def.margin = 0.0625; break;
        case 3: return hash_of_result(abut_sweep(scene, a, b, NULL, t->result), t->result);
        case 4:
            return hash_of_result(abut_intervals(scene, a, b, 0, 2, NULL, t->result), t->result);
        case 5: return hash_of_result(abut_proxies(scene, a, b, NULL, t->result), t->result);
        case 6: return hash_of_gaps(abut_nearest(scene, a, b, NULL, t->gaps), t->gaps);
        case 7: near.max_distance = 0.25; break;
        case 8: return ask_depth(scene, a, &b, t);
        default:
            return (uint64_t)abut_contains_body(scene, a, b, &side, t->result, NULL) * 8 + side;
    }
    return question == 7 ? hash_of_gaps(abut_within(scene, a, b, &near, t->gaps), t->gaps)
                         : hash_of_result(abut_collide(scene, a, b, &def, t->result), t->result);
}

static uint64_t ask_body(const abut_scene* scene, uint32_t question, abut_body_id a, tools* t) {
    const double point[3] = {4.5, 0.25, 0.125};
    abut_side side = ABUT_SIDE_OUTSIDE;
    switch (question) {
        case 0: return hash_of_result(abut_collide_self(scene, a, NULL, t->result), t->result);
        case 1: return hash_of_result(abut_sweep_self(scene, a, NULL, t->result), t->result);
        case 2:
            return hash_of_result(abut_intervals_self(scene, a, 0, 2, NULL, t->result), t->result);
        case 3: return hash_of_gaps(abut_nearest_triangles(scene, a, NULL, t->gaps), t->gaps);
        case 4: return hash_of_gaps(abut_nearest_self(scene, a, NULL, t->gaps), t->gaps);
        case 5: return ask_depth(scene, a, NULL, t);
        default:
            return (uint64_t)abut_contains_point(scene, a, point, &side, NULL, NULL) * 8 + side;
    }
}

static uint64_t ask_scene(const abut_scene* scene, uint32_t question, tools* t) {
    abut_query_def def = abut_query_def_default();
    abut_nearest_def near = abut_nearest_def_default();
    near.max_distance = 0.25;
    switch (question) {
        case 0: return hash_of_result(abut_collide_all(scene, NULL, t->result), t->result);
        case 1: return hash_of_result(abut_collide_self_all(scene, NULL, t->result), t->result);
        case 2: return hash_of_result(abut_sweep_all(scene, NULL, t->result), t->result);
        case 3: return hash_of_result(abut_sweep_self_all(scene, NULL, t->result), t->result);
        case 4: return hash_of_result(abut_proxies_all(scene, NULL, t->result), t->result);
        case 5: return hash_of_gaps(abut_nearest_all(scene, NULL, t->gaps), t->gaps);
        case 6: return hash_of_gaps(abut_within_all(scene, &near, t->gaps), t->gaps);
        case 7: near.culling = ABUT_CULLING_VORONOI; break;
        case 8: def.culling = ABUT_CULLING_VORONOI; break;
        default: def.include_neighbours = true; break;
    }
    return question == 7 ? hash_of_gaps(abut_nearest_all(scene, &near, t->gaps), t->gaps)
           : question == 8
               ? hash_of_result(abut_sweep_all(scene, &def, t->result), t->result)
               : hash_of_result(abut_collide_self_all(scene, &def, t->result), t->result);
}

uint64_t ask_one(const zoo* z, uint32_t question, tools* t) {
    abut_nearest_result_clear(t->gaps);
    if (question < SCENE_QUESTIONS) {
        return ask_scene(z->world.scene, question, t);
    }
    question -= SCENE_QUESTIONS;
    if (question < BODY_QUESTIONS * ZOO_BODIES) {
        return ask_body(z->world.scene, question % BODY_QUESTIONS,
                        z->body[question / BODY_QUESTIONS], t);
    }
    question -= BODY_QUESTIONS * ZOO_BODIES;
    const uint32_t pair = question / PAIR_QUESTIONS;
    const uint32_t a = pair / (ZOO_BODIES - 1);
    const uint32_t b = pair % (ZOO_BODIES - 1);
    return ask_pair(z->world.scene, question % PAIR_QUESTIONS, z->body[a], z->body[b + (b >= a)],
                    t);
}
