// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Every query, from several threads at once, on shared bodies of every motion that nobody has asked
// about before: all threads meet where a table is made at its first use. The answers are those of
// one thread. Run it under a thread sanitizer, too.
#define _POSIX_C_SOURCE 200809L  // barriers
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "support/skin.h"
#include "support/threads.h"
#include "support/world.h"

enum { FREE, MODAL, BLEND, FLIGHT, OTHER_FLIGHT, BODIES };
#define FIELDS 3u
#define NODES 4u
#define KEYS 3u

// closed bodies of all motions that overlap, and what their shapes borrow
typedef struct stage {
    world world;
    abut_body_id body[BODIES];
    surface rest[BODIES];
    surface key[BODIES][KEYS];  // of those in flight
    field_set fields;
    skin skin;
    test_random random;
} stage;

// ---- the stage

static abut_body_id add_flight(stage* s, int i) {
    abut_key keys[KEYS];
    for (uint32_t k = 0; k < KEYS; ++k) {
        s->key[i][k] = surface_copy(&s->rest[i]);
        surface_shake(&s->key[i][k], &s->random, 0.25, 0x1p-10);
        surface_shift(&s->key[i][k], 0.5 * k, 0, 0);
        keys[k] = (abut_key){k, abut_positions_f64(s->key[i][k].xyz, s->key[i][k].vertex_count)};
    }
    abut_shape_def def = abut_shape_def_default();
    def.motion = ABUT_MOTION_FLIGHT;
    def.keys = keys;
    def.key_count = KEYS;
    def.block_triangles = 8;
    return world_add(&s->world, &s->rest[i], &def, NULL);
}

static void add_bodies(stage* s) {
    abut_shape_def def = abut_shape_def_default();
    def.block_triangles = 8;
    s->body[FREE] = world_add(&s->world, &s->rest[FREE], &def, NULL);
    s->fields = make_fields(&s->random, &s->rest[MODAL], FIELDS, 0.5, ABUT_FLOAT64, false);
    def = modal_def(&s->fields);
    def.block_triangles = 8;
    def.proxy_level = 3;
    s->body[MODAL] = world_add(&s->world, &s->rest[MODAL], &def, NULL);
    s->skin = skin_make(&s->random, &s->rest[BLEND], NODES, 2, ABUT_FLOAT64);
    def = blend_def(&s->skin, NULL);
    def.block_triangles = 8;
    s->body[BLEND] = world_add(&s->world, &s->rest[BLEND], &def, NULL);
    s->body[FLIGHT] = add_flight(s, FLIGHT);
    s->body[OTHER_FLIGHT] = add_flight(s, OTHER_FLIGHT);
}

static void move_bodies(stage* s, double time) {
    surface moved = surface_copy(&s->rest[FREE]);
    surface_shake(&moved, &s->random, 0.25, 0x1p-10);
    const abut_positions view = abut_positions_f64(moved.xyz, moved.vertex_count);
    REQUIRE_OK(abut_body_set_positions(s->world.scene, s->body[FREE], view, NULL));
    surface_free(&moved);
    double q[FIELDS];
    random_coordinates(&s->random, q, FIELDS, 1);
    set_coordinates(&s->world, s->body[MODAL], q, FIELDS);
    double t[NODES][12];
    gentle_transforms(&s->random, t, NODES, 0.25);
    set_transforms(&s->world, s->body[BLEND], t, NODES, NULL, 0);
    REQUIRE_OK(abut_body_set_time(s->world.scene, s->body[FLIGHT], time, NULL));
    REQUIRE_OK(abut_body_set_time(s->world.scene, s->body[OTHER_FLIGHT], time, NULL));
}

static void stage_open(stage* s, uint64_t seed, const abut_context_def* context_def,
                       const abut_scene_def* scene_def) {
    memset(s, 0, sizeof *s);
    s->random = random_seed(seed);
    s->world = world_make(context_def, scene_def);
    for (int i = 0; i < BODIES; ++i) {
        s->rest[i] = surface_ball(6, 9, 3);
        surface_shake(&s->rest[i], &s->random, 0.25, 0x1p-10);
        surface_shift(&s->rest[i], 4.5 * (i % 3), 4.5 * (i / 3), 0);  // near ones overlap
    }
    add_bodies(s);
    move_bodies(s, 0.25);
    move_bodies(s, 1.25);
}

static void stage_close(stage* s) {
    world_free(&s->world);
    for (int i = 0; i < BODIES; ++i) {
        surface_free(&s->rest[i]);
        for (uint32_t k = 0; k < KEYS; ++k) {
            surface_free(&s->key[i][k]);
        }
    }
    free_fields(&s->fields);
    skin_free(&s->skin);
}

// ---- answers

static void mix(uint64_t* hash, const void* data, size_t size) {
    for (size_t i = 0; i < size; ++i) {
        *hash = (*hash ^ ((const uint8_t*)data)[i]) * UINT64_C(0x100000001b3);
    }
}

#define MIX(hash, value) mix((hash), &(value), sizeof(value))

static uint64_t hash_of_result(abut_status status, const abut_result* result) {
    size_t count = 0;
    const abut_pair* pairs = abut_result_pairs(result, &count);
    uint64_t hash = pairs_hash(pairs, count) + (uint64_t)status;
    const abut_swept_pair* swept = abut_result_sweeps(result, &count);
    for (size_t i = 0; i < count; ++i) {
        MIX(&hash, swept[i].triangle_a);
        MIX(&hash, swept[i].triangle_b);
        MIX(&hash, swept[i].vertex_a);
        MIX(&hash, swept[i].vertex_b);
        MIX(&hash, swept[i].time);
    }
    const abut_spell* spells = abut_result_spells(result, &count);
    for (size_t i = 0; i < count; ++i) {
        MIX(&hash, spells[i].triangle_a);
        MIX(&hash, spells[i].triangle_b);
        MIX(&hash, spells[i].start);
        MIX(&hash, spells[i].stop);
    }
    (void)abut_result_proxies(result, &count);
    MIX(&hash, count);
    return hash;
}

static uint64_t hash_of_gaps(abut_status status, const abut_gaps* gaps) {
    size_t count = 0;
    const abut_gap* gap = abut_gaps_list(gaps, &count);
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

static uint64_t hash_of_depths(abut_status status, const abut_depths* depths) {
    size_t count = 0;
    const abut_region* region = abut_depths_regions(depths, &count);
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

typedef struct tools {
    abut_context* context;
    abut_result* result;
    abut_gaps* gaps;
} tools;

static bool tools_make(tools* t, abut_context* context) {
    t->context = context;
    return abut_result_create(context, &t->result, NULL) == ABUT_OK &&
           abut_gaps_create(context, &t->gaps, NULL) == ABUT_OK;
}

static void tools_free(tools* t) {
    abut_result_destroy(t->result);
    abut_gaps_destroy(t->gaps);
}

// without a memory of the bodies that were asked about before; without b: of one body
static uint64_t ask_depth(const abut_scene* scene, abut_body_id a, const abut_body_id* b,
                          const tools* t) {
    abut_depths* depths = NULL;
    if (abut_depths_create(t->context, &depths, NULL) != ABUT_OK) {
        return 1;
    }
    const abut_status status = b == NULL ? abut_depth_self(scene, a, NULL, depths)
                                         : abut_depth(scene, a, *b, NULL, depths);
    const uint64_t hash = hash_of_depths(status, depths);
    abut_depths_destroy(depths);
    return hash;
}

enum { PAIR_QUESTIONS = 10, BODY_QUESTIONS = 7, SCENE_QUESTIONS = 10 };
enum {
    BODY_PAIRS = BODIES * (BODIES - 1),
    QUESTIONS = PAIR_QUESTIONS * BODY_PAIRS + BODY_QUESTIONS * BODIES + SCENE_QUESTIONS
};

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
        case 4: return hash_of_result(abut_spells(scene, a, b, 0, 2, NULL, t->result), t->result);
        case 5:
            return hash_of_result(abut_collide_proxies(scene, a, b, NULL, t->result), t->result);
        case 6: return hash_of_gaps(abut_nearest(scene, a, b, NULL, t->gaps), t->gaps);
        case 7: near.within = 0.25; break;
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
        case 0: return hash_of_result(abut_self(scene, a, NULL, t->result), t->result);
        case 1: return hash_of_result(abut_sweep_self(scene, a, NULL, t->result), t->result);
        case 2: return hash_of_result(abut_spells_self(scene, a, 0, 2, NULL, t->result), t->result);
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
    near.within = 0.25;
    switch (question) {
        case 0: return hash_of_result(abut_collide_all(scene, NULL, t->result), t->result);
        case 1: return hash_of_result(abut_self_all(scene, NULL, t->result), t->result);
        case 2: return hash_of_result(abut_sweep_all(scene, NULL, t->result), t->result);
        case 3: return hash_of_result(abut_sweep_self_all(scene, NULL, t->result), t->result);
        case 4: return hash_of_result(abut_collide_proxies_all(scene, NULL, t->result), t->result);
        case 5: return hash_of_gaps(abut_nearest_all(scene, NULL, t->gaps), t->gaps);
        case 6: return hash_of_gaps(abut_within_all(scene, &near, t->gaps), t->gaps);
        case 7: near.culling = ABUT_CULLING_VORONOI; break;
        case 8: def.culling = ABUT_CULLING_VORONOI; break;
        default: def.neighbours = true; break;
    }
    return question == 7   ? hash_of_gaps(abut_nearest_all(scene, &near, t->gaps), t->gaps)
           : question == 8 ? hash_of_result(abut_sweep_all(scene, &def, t->result), t->result)
                           : hash_of_result(abut_self_all(scene, &def, t->result), t->result);
}

// a number for the answer to one of all questions
static uint64_t ask_one(const stage* s, uint32_t question, tools* t) {
    abut_gaps_clear(t->gaps);
    if (question < SCENE_QUESTIONS) {
        return ask_scene(s->world.scene, question, t);
    }
    question -= SCENE_QUESTIONS;
    if (question < BODY_QUESTIONS * BODIES) {
        return ask_body(s->world.scene, question % BODY_QUESTIONS,
                        s->body[question / BODY_QUESTIONS], t);
    }
    question -= BODY_QUESTIONS * BODIES;
    const uint32_t pair = question / PAIR_QUESTIONS;
    const uint32_t a = pair / (BODIES - 1);
    const uint32_t b = pair % (BODIES - 1);
    return ask_pair(s->world.scene, question % PAIR_QUESTIONS, s->body[a], s->body[b + (b >= a)],
                    t);
}

// ---- readers

#define READERS 4

typedef struct reader {
    const stage* stage;
    const uint64_t* wanted;
    pthread_barrier_t* gate;
    uint32_t first;  // the question to begin with
    uint32_t wrong;  // how many answers differ
    uint32_t worst;  // one of them
} reader;

// no cmocka in here: it is for one thread
static void* read_stage(void* argument) {
    reader* r = argument;
    tools t = {0};
    const bool made = tools_make(&t, r->stage->world.context);
    pthread_barrier_wait(r->gate);
    for (uint32_t k = 0; k < QUESTIONS && made; ++k) {
        const uint32_t question = (r->first + k) % QUESTIONS;
        if (ask_one(r->stage, question, &t) != r->wanted[question]) {
            ++r->wrong;
            r->worst = question;
        }
    }
    r->wrong += !made;
    tools_free(&t);
    return NULL;
}

static void check_readers(const stage* s, const uint64_t* wanted, uint64_t seed) {
    reader readers[READERS];
    pthread_t threads[READERS];
    pthread_barrier_t gate;
    assert_int_equal(pthread_barrier_init(&gate, NULL, READERS), 0);
    test_random random = random_seed(seed);
    const uint32_t first = random_below(&random, QUESTIONS);
    for (uint32_t i = 0; i < READERS; ++i) {
        // two and two begin with the same question
        const uint32_t begin = (first + (i / 2) * 41) % QUESTIONS;
        readers[i] = (reader){s, wanted, &gate, begin, 0, 0};
        assert_int_equal(pthread_create(&threads[i], NULL, read_stage, &readers[i]), 0);
    }
    for (int i = 0; i < READERS; ++i) {
        assert_int_equal(pthread_join(threads[i], NULL), 0);
    }
    pthread_barrier_destroy(&gate);
    for (int i = 0; i < READERS; ++i) {
        where("seed %llu, reader %d, question %u", (unsigned long long)seed, i, readers[i].worst);
        REQUIRE(readers[i].wrong == 0);
    }
}

static void answer_alone(uint64_t seed, uint64_t* wanted) {
    stage s;
    tools t = {0};
    stage_open(&s, seed, NULL, NULL);
    assert_true(tools_make(&t, s.world.context));
    for (uint32_t k = 0; k < QUESTIONS; ++k) {
        wanted[k] = ask_one(&s, k, &t);
    }
    tools_free(&t);
    stage_close(&s);
}

// `workers` of the context's own pool run the tasks of all readers
static void check_seed(uint64_t seed, uint32_t workers, size_t pool_bytes) {
    static uint64_t wanted[QUESTIONS];
    answer_alone(seed, wanted);
    test_threads* pool = threads_create(workers, seed);
    abut_context_def def = abut_context_def_default();
    if (workers > 1) {
        def.tasks = threads_tasks(pool);
    }
    abut_scene_def scene_def = abut_scene_def_default();
    scene_def.pool_bytes = pool_bytes;
    stage s;
    stage_open(&s, seed, &def, &scene_def);
    check_readers(&s, wanted, seed);
    stage_close(&s);
    threads_destroy(pool);
}

static void test_all_queries_at_once(void** state) {
    (void)state;
    for (uint64_t seed = 1; seed <= effort(2, 8, 100); ++seed) {
        check_seed(seed, 1, (size_t)64 << 20);
    }
}

static void test_all_queries_at_once_with_a_small_pool(void** state) {
    (void)state;
    for (uint64_t seed = 101; seed <= 100 + effort(2, 8, 100); ++seed) {
        check_seed(seed, 3, 4096);
    }
}

// the questions have answers: things touch, cut, come near and meet
static void test_there_is_something_to_find(void** state) {
    (void)state;
    stage s;
    stage_open(&s, 1, NULL, NULL);
    REQUIRE_OK(abut_collide_all(s.world.scene, NULL, s.world.result));
    size_t count = 0;
    (void)abut_result_pairs(s.world.result, &count);
    assert_true(count > 20);
    REQUIRE_OK(abut_sweep_all(s.world.scene, NULL, s.world.result));
    (void)abut_result_sweeps(s.world.result, &count);
    assert_true(count > 20);
    abut_depths* depths = NULL;
    REQUIRE_OK(abut_depths_create(s.world.context, &depths, NULL));
    REQUIRE_OK(abut_depth(s.world.scene, s.body[FREE], s.body[MODAL], NULL, depths));
    assert_true(abut_depths_defined(depths));
    (void)abut_depths_regions(depths, &count);
    assert_true(count > 0);
    abut_depths_destroy(depths);
    const abut_body_id a = s.body[FLIGHT];
    REQUIRE_OK(abut_spells(s.world.scene, a, s.body[OTHER_FLIGHT], 0, 2, NULL, s.world.result));
    (void)abut_result_spells(s.world.result, &count);
    assert_true(count > 0);
    stage_close(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_there_is_something_to_find),
        cmocka_unit_test(test_all_queries_at_once),
        cmocka_unit_test(test_all_queries_at_once_with_a_small_pool),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
