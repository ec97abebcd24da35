// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Promise 8: the pool of evaluated blocks. Each result is compared, bit for bit, with boxes that
// are evaluated again. First one thread works alone, then many threads request the same blocks of a
// tiny pool while bodies move, appear and vanish between rounds. Run it under a thread sanitizer,
// too.
#define _POSIX_C_SOURCE 200809L  // barriers
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "abut/abut.h"
#include "scene/scene.h"
#include "support/grid.h"
#include "support/memory.h"
#include "support/random.h"
#include "support/motion_def.h"

#define SIDE 13u
#define VERTICES (SIDE * SIDE)
#define TRIANGLES (2 * (SIDE - 1) * (SIDE - 1))
#define BODIES 4u
#define ONE_CHUNK sizeof(abut__pool_chunk)
#define CLAIMED (UINT64_C(1) << 63)

// compares all but the bytes behind the last member
static bool same_boxes(const abut__block_boxes* a, const abut__block_boxes* b) {
    return memcmp(a, b, offsetof(abut__block_boxes, valid) + sizeof a->valid) == 0;
}

typedef struct world {
    test_memory memory;
    abut_context* context;
    abut_shape* shape[2];  // with one triangle a block, and with up to two
    abut_scene* scene;
    abut_body_id id[BODIES];
    test_random random;
} world;

static uint32_t rounds_of(uint32_t quick, uint32_t normal, uint32_t most) {
    const char* effort = getenv("ABUT_TEST_EFFORT");
    if (effort != NULL && strcmp(effort, "quick") == 0) {
        return quick;
    }
    return effort != NULL && strcmp(effort, "long") == 0 ? most : normal;
}

static void fill_positions(test_random* random, double* xyz) {
    for (size_t i = 0; i < 3 * (size_t)VERTICES; ++i) {
        xyz[i] = random_double(random, -1, 1);
    }
}

static abut_shape* make_shape(world* w, uint32_t block_triangles) {
    uint32_t triangles[3 * TRIANGLES];
    double xyz[3 * VERTICES];
    grid_triangles(SIDE, triangles);
    fill_positions(&w->random, xyz);
    abut_mesh_def mesh_def = abut_mesh_def_default();
    mesh_def.positions = abut_positions_f64(xyz, VERTICES);
    mesh_def.triangles = triangles;
    mesh_def.triangle_count = TRIANGLES;
    abut_mesh* mesh = NULL;
    assert_int_equal(abut_mesh_create(w->context, &mesh_def, &mesh, NULL), ABUT_OK);
    motion_def def = motion_def_default();
    def.block_triangles = block_triangles;
    abut_shape* shape = NULL;
    assert_int_equal(motion_create(w->context, mesh, &def, &shape, NULL), ABUT_OK);
    assert_int_equal(abut_shape_build_tree(shape, NULL), ABUT_OK);
    abut_mesh_destroy(mesh);
    return shape;
}

// the first allocations of a round are slow, so that threads meet while they make a table or chunk
static atomic_int slow;

static void* slow_alloc(void* user, size_t size, size_t alignment) {
    const bool pause = atomic_load(&slow) > 0 && atomic_fetch_sub(&slow, 1) > 0;
    for (int i = 0; i < 8 && pause; ++i) {
        sched_yield();
    }
    const abut_allocator inner = memory_allocator(user);
    return inner.alloc(inner.user, size, alignment);
}

static void start(world* w, size_t pool_bytes, uint32_t bodies, uint64_t seed) {
    memset(w, 0, sizeof *w);
    memory_init(&w->memory);
    w->random = random_seed(seed);
    abut_context_def def = abut_context_def_default();
    def.allocator = memory_allocator(&w->memory);
    def.allocator.alloc = slow_alloc;
    assert_int_equal(abut_context_create(&def, &w->context, NULL), ABUT_OK);
    w->shape[0] = make_shape(w, 1);
    w->shape[1] = make_shape(w, 2);
    abut_scene_def scene_def = abut_scene_def_default();
    scene_def.pool_bytes = pool_bytes;
    assert_int_equal(abut_scene_create(w->context, &scene_def, &w->scene, NULL), ABUT_OK);
    for (uint32_t i = 0; i < bodies; ++i) {
        assert_int_equal(abut_body_create(w->scene, w->shape[i % 2], NULL, &w->id[i], NULL),
                         ABUT_OK);
    }
}

static void finish(world* w) {
    abut_scene_destroy(w->scene);
    abut_shape_destroy(w->shape[0]);
    abut_shape_destroy(w->shape[1]);
    abut_context_destroy(w->context);
    assert_true(memory_clean(&w->memory));
    memory_destroy(&w->memory);
}

static abut__body* body_of(const world* w, uint32_t i) {
    return abut__scene_body(w->scene, w->id[i]);
}

static uint32_t blocks_of(const world* w, uint32_t i) {
    return body_of(w, i)->shape->tree.block_count;
}

static void move(world* w, uint32_t i) {
    double xyz[3 * VERTICES];
    fill_positions(&w->random, xyz);
    assert_int_equal(abut_body_set_positions(w->scene, w->id[i], abut_positions_f64(xyz, VERTICES),
                                             NULL),
                     ABUT_OK);
}

static void turn(world* w, uint32_t i) {
    static const double turns[3][3][3] = {{{0.8, -0.6, 0}, {0.6, 0.8, 0}, {0, 0, 1}},
                                          {{0, 0, 1}, {1, 0, 0}, {0, 1, 0}},
                                          {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
    abut_frame frame = abut_frame_identity();
    memcpy(frame.r, turns[random_below(&w->random, 3)], sizeof frame.r);
    frame.t[0] = random_unit(&w->random);
    assert_int_equal(abut_body_set_frame(w->scene, w->id[i], &frame, NULL), ABUT_OK);
}

static void replace(world* w, uint32_t i) {
    assert_int_equal(abut_body_destroy(w->scene, w->id[i], NULL), ABUT_OK);
    assert_int_equal(abut_body_create(w->scene, w->shape[random_below(&w->random, 2)], NULL,
                                      &w->id[i], NULL),
                     ABUT_OK);
}

static void reshape(world* w, uint32_t i) {
    assert_int_equal(abut_body_set_shape(w->scene, w->id[i], w->shape[random_below(&w->random, 2)],
                                         (abut_positions){0}, NULL),
                     ABUT_OK);
}

// changes some body in some way
static void change(world* w, uint32_t bodies) {
    const uint32_t i = random_below(&w->random, bodies);
    switch (random_below(&w->random, 6)) {
        case 0: turn(w, i); break;
        case 1: replace(w, i); break;
        case 2: reshape(w, i); break;
        default: move(w, i); break;
    }
}

// gets a block and compares it; returns its address
static const abut__block_boxes* get(const world* w, uint32_t i, uint32_t block,
                                    abut__block_boxes* room, abut_counters* counters) {
    abut__block_boxes fresh;
    abut__body_block_boxes(body_of(w, i), block, 1, &fresh);
    memset(room, 0x77, sizeof *room);
    const abut__block_boxes* boxes = abut__pool_get(w->scene, body_of(w, i), block, room, counters);
    if (!same_boxes(boxes, &fresh)) {
        fail_msg("body %u block %u: stale or wrong boxes%s", i, block,
                 boxes == room ? " in the room" : "");
    }
    return boxes;
}

// at rest: no slot is claimed, none is beyond the capacity, and current slots are right
static void check_pool(const world* w, const char* when, uint64_t seed) {
    abut__pool* pool = w->scene->pool;
    assert_true(atomic_load(&pool->next) <= pool->capacity);
    for (uint32_t slot = 0; slot < pool->capacity; ++slot) {
        abut__pool_chunk* chunk = atomic_load(&pool->chunks[slot / ABUT__POOL_CHUNK]);
        if (chunk == NULL) {
            continue;
        }
        const uint32_t s = slot % ABUT__POOL_CHUNK;
        const uint64_t stamp = atomic_load(&chunk->slot[s].stamp);
        if ((stamp & CLAIMED) != 0) {
            fail_msg("%s, seed %llu: slot %u was claimed and never published", when,
                     (unsigned long long)seed, slot);
        }
        const abut__body* owner = abut__scene_at(w->scene, atomic_load(&chunk->slot[s].body));
        if (stamp == 0 || owner == NULL || owner->stamp != stamp) {
            continue;
        }
        abut__block_boxes fresh;
        abut__body_block_boxes(owner, atomic_load(&chunk->slot[s].block), 1, &fresh);
        if (!same_boxes(&fresh, &chunk->boxes[s])) {
            fail_msg("%s, seed %llu: slot %u holds other boxes than it says", when,
                     (unsigned long long)seed, slot);
        }
    }
}

static void test_slots_are_reused(void** state) {
    (void)state;
    world w;
    start(&w, ONE_CHUNK + 100, 2, 1);
    assert_int_equal(w.scene->pool->capacity, ABUT__POOL_CHUNK);
    abut__block_boxes room;
    const abut__block_boxes* first[TRIANGLES];
    const uint32_t blocks = blocks_of(&w, 1);
    assert_in_range(blocks, 10, ABUT__POOL_CHUNK);
    for (int round = 0; round < 5; ++round) {
        abut_counters counters = {0};
        for (uint32_t b = 0; b < blocks; ++b) {
            const abut__block_boxes* boxes = get(&w, 1, b, &room, &counters);
            assert_ptr_not_equal(boxes, &room);
            assert_ptr_equal(boxes, get(&w, 1, b, &room, &counters));
            if (round > 0) {
                assert_ptr_equal(boxes, first[b]);
            }
            first[b] = boxes;
        }
        assert_int_equal(counters.blocks_evaluated, blocks);  // once each, though requested twice
        const abut_scene_info info = scene_info(w.scene);
        assert_int_equal(info.pool_used, blocks);
        assert_int_equal(info.pool_capacity, ABUT__POOL_CHUNK);
        assert_int_equal(info.pool_overflows, 0);
        check_pool(&w, "seen", 1);
        round % 2 == 0 ? move(&w, 1) : turn(&w, 1);
    }
    finish(&w);
}

static void test_translation_changes_no_slot(void** state) {
    (void)state;
    world w;
    start(&w, ONE_CHUNK, 2, 2);
    abut__block_boxes room;
    abut_counters counters = {0};
    for (uint32_t b = 0; b < 50; ++b) {
        (void)get(&w, 1, b, &room, &counters);
    }
    abut_frame frame = abut_frame_identity();
    frame.t[1] = 3;
    assert_int_equal(abut_body_set_frame(w.scene, w.id[1], &frame, NULL), ABUT_OK);
    for (uint32_t b = 0; b < 50; ++b) {
        (void)get(&w, 1, b, &room, &counters);
    }
    assert_int_equal(counters.blocks_evaluated, 50);
    finish(&w);
}

static void test_full_pool(void** state) {
    (void)state;
    world w;
    start(&w, ONE_CHUNK, 3, 3);
    abut__block_boxes room;
    abut_counters counters = {0};
    const uint32_t blocks = blocks_of(&w, 0);
    assert_true(blocks > ABUT__POOL_CHUNK);
    for (uint32_t b = 0; b < blocks; ++b) {
        const bool pooled = get(&w, 0, b, &room, &counters) != &room;
        assert_int_equal(pooled, b < ABUT__POOL_CHUNK);
    }
    for (uint32_t b = 0; b < blocks; ++b) {  // no slot is evicted for another
        const bool pooled = get(&w, 0, b, &room, &counters) != &room;
        assert_int_equal(pooled, b < ABUT__POOL_CHUNK);
    }
    assert_int_equal(counters.blocks_evaluated, blocks);
    assert_int_equal(scene_info(w.scene).pool_overflows, 2 * (blocks - ABUT__POOL_CHUNK));
    for (uint32_t b = 0; b < 20; ++b) {
        assert_ptr_equal(get(&w, 1, b, &room, &counters), &room);
    }
    // the slots of an outdated state become free
    move(&w, 0);
    for (uint32_t b = 0; b < blocks_of(&w, 1); ++b) {
        assert_ptr_not_equal(get(&w, 1, b, &room, &counters), &room);
    }
    // so do the slots of a destroyed body
    assert_int_equal(abut_body_destroy(w.scene, w.id[1], NULL), ABUT_OK);
    uint32_t pooled = 0;
    for (uint32_t b = 0; b < blocks; ++b) {
        pooled += get(&w, 2, b, &room, &counters) != &room;
    }
    assert_int_equal(pooled, ABUT__POOL_CHUNK);
    check_pool(&w, "full", 3);
    finish(&w);
}

static void test_no_pool(void** state) {
    (void)state;
    static const size_t sizes[] = {0, 1, ONE_CHUNK - 1};
    for (int i = 0; i < 3; ++i) {
        world w;
        start(&w, sizes[i], 2, 4);
        abut__block_boxes room;
        abut_counters counters = {0};
        for (uint32_t b = 0; b < 30; ++b) {
            assert_ptr_equal(get(&w, 0, b, &room, &counters), &room);
            assert_ptr_equal(get(&w, 0, b, &room, &counters), &room);
        }
        assert_int_equal(counters.blocks_evaluated, 30);
        assert_int_equal(scene_info(w.scene).pool_capacity, 0);
        finish(&w);
    }
}

// without memory each block is evaluated separately; with memory again the pool is in use
static void test_failed_allocations_only_bypass_the_pool(void** state) {
    (void)state;
    for (size_t fail = 1; fail <= 4; ++fail) {
        for (int onwards = 0; onwards < 2; ++onwards) {
            world w;
            start(&w, 2 * ONE_CHUNK, 2, 5);
            abut__block_boxes room;
            abut_counters counters = {0};
            memory_fail(&w.memory, fail, onwards != 0);
            for (uint32_t b = 0; b < blocks_of(&w, 0); ++b) {
                (void)get(&w, 0, b, &room, &counters);
            }
            memory_fail(&w.memory, 0, false);
            move(&w, 0);
            uint32_t pooled = 0;
            for (uint32_t b = 0; b < blocks_of(&w, 0); ++b) {
                pooled += get(&w, 0, b, &room, &counters) != &room;
            }
            assert_int_equal(pooled, blocks_of(&w, 0));
            check_pool(&w, "no memory", 5);
            finish(&w);
        }
    }
}

static void test_random_changes(void** state) {
    (void)state;
    const uint32_t seeds = rounds_of(3, 10, 100);
    for (uint64_t seed = 1; seed <= seeds; ++seed) {
        world w;
        start(&w, (1 + seed % 3) * ONE_CHUNK, BODIES, seed);
        abut__block_boxes room;
        abut_counters counters = {0};
        for (uint32_t round = 0; round < 100; ++round) {
            change(&w, BODIES);
            for (uint32_t k = 0; k < 60; ++k) {
                const uint32_t i = random_below(&w.random, BODIES);
                (void)get(&w, i, random_below(&w.random, blocks_of(&w, i)), &room, &counters);
            }
            check_pool(&w, "random changes", seed);
        }
        finish(&w);
    }
}

// ---- many threads

#define THREADS 8
#define SEEN 32

typedef struct crowd crowd;

typedef struct member {
    crowd* all;
    pthread_t thread;
    test_random random;
    abut_counters counters;
    const abut__block_boxes* seen[SEEN];  // pointers into the pool, compared again later
    uint32_t seen_body[SEEN];
    uint32_t seen_block[SEEN];
    uint32_t wrong;
} member;

struct crowd {
    world w;
    pthread_barrier_t begin;
    pthread_barrier_t end;
    bool quit;
    uint32_t gets;  // of each member in a round
    abut__block_boxes* expected[BODIES];
    atomic_uchar* requested[BODIES];
    member members[THREADS];
};

static void one_get(crowd* all, member* m, uint32_t k) {
    const world* w = &all->w;
    const uint32_t i = random_below(&m->random, BODIES);
    // all threads near the same blocks, so that they meet
    const uint32_t block = (k / 4 + random_below(&m->random, 8)) % blocks_of(w, i);
    abut__block_boxes room;
    const abut__block_boxes* boxes = abut__pool_get(w->scene, body_of(w, i), block, &room,
                                                    &m->counters);
    atomic_store_explicit(&all->requested[i][block], 1, memory_order_relaxed);
    m->wrong += !same_boxes(boxes, &all->expected[i][block]);
    const uint32_t place = random_below(&m->random, SEEN);
    if (m->seen[place] != NULL) {
        const abut__block_boxes* then = &all->expected[m->seen_body[place]][m->seen_block[place]];
        m->wrong += !same_boxes(m->seen[place], then);
    }
    m->seen[place] = boxes != &room ? boxes : NULL;
    m->seen_body[place] = i;
    m->seen_block[place] = block;
}

static void* member_main(void* argument) {
    member* m = argument;
    crowd* all = m->all;
    for (;;) {
        pthread_barrier_wait(&all->begin);
        if (all->quit) {
            return NULL;
        }
        memset(m->seen, 0, sizeof m->seen);
        for (uint32_t k = 0; k < all->gets; ++k) {
            one_get(all, m, k);
        }
        pthread_barrier_wait(&all->end);
    }
}

static void crowd_start(crowd* all, uint64_t seed, size_t pool_bytes) {
    memset(all, 0, sizeof *all);
    start(&all->w, pool_bytes, BODIES, seed);
    assert_int_equal(pthread_barrier_init(&all->begin, NULL, THREADS + 1), 0);
    assert_int_equal(pthread_barrier_init(&all->end, NULL, THREADS + 1), 0);
    for (uint32_t i = 0; i < BODIES; ++i) {
        all->expected[i] = malloc(TRIANGLES * sizeof *all->expected[i]);
        all->requested[i] = malloc(TRIANGLES * sizeof *all->requested[i]);
        assert_true(all->expected[i] != NULL && all->requested[i] != NULL);
    }
    for (uint32_t t = 0; t < THREADS; ++t) {
        all->members[t].all = all;
        all->members[t].random = random_seed(seed * 1000 + t);
        assert_int_equal(
            pthread_create(&all->members[t].thread, NULL, member_main, &all->members[t]), 0);
    }
}

static void crowd_end(crowd* all) {
    all->quit = true;
    pthread_barrier_wait(&all->begin);
    for (uint32_t t = 0; t < THREADS; ++t) {
        pthread_join(all->members[t].thread, NULL);
    }
    for (uint32_t i = 0; i < BODIES; ++i) {
        free(all->expected[i]);
        free(all->requested[i]);
    }
    pthread_barrier_destroy(&all->begin);
    pthread_barrier_destroy(&all->end);
    finish(&all->w);
}

static void prepare_round(crowd* all) {
    for (uint32_t i = 0; i < BODIES; ++i) {
        const abut__body* body = body_of(&all->w, i);
        for (uint32_t b = 0; b < body->shape->tree.block_count; ++b) {
            abut__body_block_boxes(body, b, 1, &all->expected[i][b]);
        }
        for (uint32_t b = 0; b < TRIANGLES; ++b) {
            atomic_init(&all->requested[i][b], 0);
        }
    }
    for (uint32_t t = 0; t < THREADS; ++t) {
        memset(&all->members[t].counters, 0, sizeof all->members[t].counters);
    }
}

// all bodies change, so that requests are counted from zero
static void change_all(crowd* all) {
    for (uint32_t i = 0; i < BODIES; ++i) {
        random_chance(&all->w.random, 0.2)   ? replace(&all->w, i)
        : random_chance(&all->w.random, 0.2) ? reshape(&all->w, i)
                                             : move(&all->w, i);
    }
}

static void check_round(crowd* all, uint64_t seed, uint32_t round, bool check_counts) {
    uint64_t requested = 0;
    uint64_t counted = 0;
    for (uint32_t i = 0; i < BODIES; ++i) {
        for (uint32_t b = 0; b < TRIANGLES; ++b) {
            requested += atomic_load(&all->requested[i][b]);
        }
    }
    for (uint32_t t = 0; t < THREADS; ++t) {
        counted += all->members[t].counters.blocks_evaluated;
        if (all->members[t].wrong > 0) {
            fail_msg("seed %llu round %u: thread %u saw %u wrong boxes", (unsigned long long)seed,
                     round, t, all->members[t].wrong);
        }
    }
    if (check_counts && requested != counted) {
        fail_msg("seed %llu round %u: %llu blocks requested for, %llu counted",
                 (unsigned long long)seed, round, (unsigned long long)requested,
                 (unsigned long long)counted);
    }
    check_pool(&all->w, "after a round", seed);
}

static void stress(uint64_t seed, size_t pool_bytes, uint32_t rounds, bool short_of_memory) {
    crowd* all = malloc(sizeof *all);
    assert_non_null(all);
    crowd_start(all, seed, pool_bytes);
    all->gets = 2000;
    for (uint32_t round = 0; round < rounds; ++round) {
        change_all(all);
        prepare_round(all);
        if (short_of_memory) {
            memory_fail(&all->w.memory, 1 + random_below(&all->w.random, 6),
                        random_chance(&all->w.random, 0.5));
        }
        atomic_store(&slow, 32);
        pthread_barrier_wait(&all->begin);
        pthread_barrier_wait(&all->end);
        atomic_store(&slow, 0);
        memory_fail(&all->w.memory, 0, false);
        check_round(all, seed, round, !short_of_memory);
    }
    crowd_end(all);
    free(all);
}

static void test_many_threads(void** state) {
    (void)state;
    const uint32_t rounds = rounds_of(10, 60, 1000);
    stress(1, ONE_CHUNK, rounds, false);
    stress(2, 2 * ONE_CHUNK, rounds, false);
    stress(3, 8 * ONE_CHUNK, rounds, false);
    stress(4, 0, rounds / 5, false);
}

// each round in a new scene: threads race to make tables and chunks
static void test_many_threads_first_touch(void** state) {
    (void)state;
    const uint32_t rounds = rounds_of(10, 40, 500);
    for (uint32_t seed = 0; seed < rounds; ++seed) {
        stress(100 + seed, (1 + seed % 4) * ONE_CHUNK, 1, false);
    }
}

static void test_many_threads_short_of_memory(void** state) {
    (void)state;
    const uint32_t rounds = rounds_of(10, 40, 500);
    for (uint32_t seed = 0; seed < rounds; ++seed) {
        stress(1000 + seed, (1 + seed % 4) * ONE_CHUNK, 3, true);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_slots_are_reused),
        cmocka_unit_test(test_translation_changes_no_slot),
        cmocka_unit_test(test_full_pool),
        cmocka_unit_test(test_no_pool),
        cmocka_unit_test(test_failed_allocations_only_bypass_the_pool),
        cmocka_unit_test(test_random_changes),
        cmocka_unit_test(test_many_threads),
        cmocka_unit_test(test_many_threads_first_touch),
        cmocka_unit_test(test_many_threads_short_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
