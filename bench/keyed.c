// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Scenes of keyframes: see keyed.h.
#include "bench/keyed.h"

#include "bench/lerp.h"
#include "bench/nodes.h"
#include "bench/reduced.h"
#include "bench/single.h"

#include <stdlib.h>

// ---- keyframes

struct keyframes {
    const scene* from;
    uint32_t count;
    uint32_t body_count;
    float** xyz;  // [body * count + key]; NULL for bodies that do not move
};

keyframes* keyframes_create(const scene* s, uint32_t first, uint32_t count, bool alone) {
    keyframes* keys = bench_alloc(1, sizeof *keys);
    keys->from = s;
    keys->count = count;
    keys->body_count = alone ? 1 : scene_body_count(s);
    keys->xyz = bench_alloc((size_t)keys->body_count * count, sizeof *keys->xyz);
    for (uint32_t b = 0; b < keys->body_count; ++b) {
        const scene_body* body = scene_get_body(s, b);
        const size_t numbers = 3 * (size_t)body->vertex_count;
        double* exact = bench_alloc(numbers, sizeof *exact);
        for (uint32_t k = 0; k < count && body->moves; ++k) {
            float* xyz = lerp_alloc(numbers);
            scene_positions(s, b, first + k, exact);
            for (size_t i = 0; i < numbers; ++i) {
                xyz[i] = (float)exact[i];
            }
            keys->xyz[(size_t)b * count + k] = xyz;
        }
        free(exact);
    }
    return keys;
}

void keyframes_destroy(keyframes* keys) {
    for (size_t i = 0; i < (size_t)keys->body_count * keys->count; ++i) {
        free(keys->xyz[i]);
    }
    free(keys->xyz);
    free(keys);
}

uint32_t keyframes_count(const keyframes* keys) {
    return keys->count;
}

// ---- bodies

typedef struct actor {
    const scene_body* from;
    float* const* xyz;  // per key; NULL: it does not move
    abut_body_id body;
    float* fast;
    double* exact;
} actor;

struct keyed {
    keyed_way way;
    actor* actors;
    uint32_t actor_count;
    abut_context* context;
    abut_scene* scene;
    abut_collide_result* result;
    abut_front* front;  // NULL: queries start at the roots
    leaves* leaves;     // made at first use
    single* single;     // likewise
    uint32_t key_count;
    abut_counters counters;
};

static bool by_time(keyed_way way) {
    return way != KEYED_LERP && way != KEYED_EXACT;
}

static bool by_event(keyed_way way) {
    return way == KEYED_SINGLE || way == KEYED_BINARY;
}

static abut_flight_bound bound_of(keyed_way way) {
    return way == KEYED_LINEAR || by_event(way)                  ? ABUT_FLIGHT_BOUND_LINEAR
           : way == KEYED_KINETIC || way == KEYED_KINETIC_LISTED ? ABUT_FLIGHT_BOUND_KINETIC
           : way == KEYED_BOXTREE                                ? ABUT_FLIGHT_BOUND_BOXTREE
                                                                 : ABUT_FLIGHT_BOUND_AUTO;
}

static abut_shape* make_shape(const keyed* k, const actor* a, uint32_t key_count) {
    reduced_def def = reduced_def_default(ABUT_MOTION_FREE);
    if (!by_time(k->way) || a->xyz == NULL) {
        return reduced_make_shape(k->context, a->from, &def);
    }
    abut_keyframe* keys = bench_alloc(key_count, sizeof *keys);
    for (uint32_t i = 0; i < key_count; ++i) {
        keys[i] = (abut_keyframe){i, abut_positions_f32(a->xyz[i], a->from->vertex_count)};
    }
    def.motion = ABUT_MOTION_FLIGHT;
    def.flight_bound = bound_of(k->way);
    if (k->way == KEYED_BINARY) {
        def.shape.fan_out = 2;
        def.shape.block_triangles = 1;
    }
    def.keyframes = keys;
    def.keyframe_count = key_count;
    abut_shape* shape = reduced_make_shape(k->context, a->from, &def);
    free(keys);
    return shape;
}

static void add_actor(keyed* k, const keyframes* keys, uint32_t body) {
    actor* a = &k->actors[k->actor_count++];
    abut_error error;
    *a = (actor){.from = scene_get_body(keys->from, body)};
    a->xyz = a->from->moves ? keys->xyz + (size_t)body * keys->count : NULL;
    const size_t numbers = 3 * (size_t)a->from->vertex_count;
    a->fast = k->way == KEYED_LERP ? lerp_alloc(numbers) : NULL;
    a->exact = k->way == KEYED_EXACT ? bench_alloc(numbers, sizeof *a->exact) : NULL;
    abut_shape* shape = make_shape(k, a, keys->count);
    abut_body_def def = abut_body_def_default();
    def.is_static = a->xyz == NULL;
    reduced_need(abut_body_create(k->scene, shape, &def, &a->body, &error), &error);
    nodes_prepare(k->scene, a->body);
    abut_shape_destroy(shape);
}

keyed* keyed_create(const keyframes* keys, keyed_way way) {
    keyed* k = bench_alloc(1, sizeof *k);
    abut_error error;
    k->way = way;
    k->key_count = keys->count;
    k->actors = bench_alloc(keys->body_count, sizeof *k->actors);
    reduced_need(abut_context_create(bench_context_def(), &k->context, &error), &error);
    reduced_need(abut_scene_create(k->context, NULL, &k->scene, &error), &error);
    reduced_need(abut_collide_result_create(k->context, &k->result, &error), &error);
    if (way == KEYED_LISTED || way == KEYED_KINETIC_LISTED) {
        reduced_need(abut_front_create(k->context, &k->front, &error), &error);
    }
    for (uint32_t b = 0; b < keys->body_count; ++b) {
        add_actor(k, keys, b);
    }
    return k;
}

void keyed_destroy(keyed* k) {
    if (k->leaves != NULL) {
        leaves_destroy(k->leaves);
    }
    single_destroy(k->single);
    abut_front_destroy(k->front);
    abut_collide_result_destroy(k->result);
    abut_scene_destroy(k->scene);
    abut_context_destroy(k->context);
    for (uint32_t i = 0; i < k->actor_count; ++i) {
        free(k->actors[i].fast);
        free(k->actors[i].exact);
    }
    free(k->actors);
    free(k);
}

// ---- states

// The formula of include/abut/body.h, for keys at integer times.
static void interpolate_exactly(actor* a, uint32_t key, double time) {
    const double part = time - key;
    const double rest = 1 - part;
    for (size_t i = 0; i < 3 * (size_t)a->from->vertex_count; ++i) {
        const double before = (double)a->xyz[key][i];
        a->exact[i] = part > 0 ? rest * before + part * (double)a->xyz[key + 1][i] : before;
    }
}

// At a keyframe there is nothing to interpolate.
static abut_positions interpolate_fast(actor* a, uint32_t key, float part) {
    const uint32_t vertices = a->from->vertex_count;
    if (part <= 0) {
        return abut_positions_f32(a->xyz[key], vertices);
    }
    lerp_run(a->xyz[key], a->xyz[key + 1], part, a->fast, 3 * (size_t)vertices);
    return abut_positions_f32(a->fast, vertices);
}

static void update_actor(keyed* k, actor* a, uint32_t key, double time) {
    abut_error error;
    abut_positions positions;
    if (by_event(k->way)) {
        if (k->single == NULL) {
            k->single = single_create(k->scene, a->body, a->xyz, k->key_count);
        }
        single_go(k->single, time);
        return;
    }
    if (by_time(k->way)) {
        reduced_need(abut_body_set_time(k->scene, a->body, time, &error), &error);
        return;
    }
    if (k->way == KEYED_LERP) {
        positions = interpolate_fast(a, key, (float)(time - key));
    } else {
        interpolate_exactly(a, key, time);
        positions = abut_positions_f64(a->exact, a->from->vertex_count);
    }
    reduced_need(abut_body_borrow_positions(k->scene, a->body, positions, &error), &error);
}

void keyed_update(keyed* k, uint32_t key, uint32_t step, uint32_t steps) {
    const double time = key + (double)step / steps;
    const uint32_t count = by_event(k->way) ? 1 : k->actor_count;
    for (uint32_t i = 0; i < count; ++i) {
        if (k->actors[i].xyz != NULL) {
            update_actor(k, &k->actors[i], key, time);
        }
    }
}

// ---- queries

void keyed_bound(const keyed* k) {
    if (by_time(k->way)) {
        nodes_bound(k->scene, k->actors[0].body);
    }
}

void keyed_collide(keyed* k) {
    abut_collide_def query = abut_collide_def_default();
    query.head.counters = &k->counters;
    query.front = k->front;
    reduced_need(abut_collide_all(k->scene, &query, k->result, NULL), NULL);
}

static bool reject(void* user, uint32_t body_a, uint32_t triangle_a, uint32_t body_b,
                   uint32_t triangle_b) {
    (void)user;
    (void)body_a;
    (void)triangle_a;
    (void)body_b;
    (void)triangle_b;
    return false;
}

void keyed_approach(keyed* k) {
    abut_collide_def query = abut_collide_def_default();
    query.head.counters = &k->counters;
    query.front = k->front;
    query.filter.fn = reject;
    reduced_need(abut_collide_all(k->scene, &query, k->result, NULL), NULL);
}

void keyed_leaves(keyed* k, bool listed) {
    if (k->leaves == NULL) {
        k->leaves = leaves_create(k->scene, listed && by_time(k->way));
    }
    leaves_update(k->leaves);
}

bool keyed_leaves_agree(const keyed* ours, const keyed* exact) {
    return leaves_agree(ours->leaves, exact->leaves);
}

leaves_counts keyed_leaves_counted(const keyed* k) {
    return leaves_counted(k->leaves);
}

const abut_pair* keyed_pairs(const keyed* k, size_t* count) {
    return abut_collide_result_pairs(k->result, count);
}

bool keyed_is_sound(const keyed* k) {
    bool sound = k->single == NULL || single_is_sound(k->single);
    for (uint32_t i = 0; i < k->actor_count; ++i) {
        sound = sound && abut_body_validate(k->scene, k->actors[i].body, NULL) == ABUT_OK;
    }
    return sound;
}

void keyed_stats(const keyed* k, abut__kinetic_stats* stats) {
    abut_error error;
    if (k->single != NULL) {
        single_stats(k->single, stats);
        return;
    }
    reduced_need(abut__body_kinetic_stats(k->scene, k->actors[0].body, stats, &error), &error);
}

abut_counters* keyed_counters(keyed* k) {
    return &k->counters;
}
