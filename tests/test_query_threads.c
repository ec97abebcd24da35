// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// The same answers, bit for bit, for any number of workers, any instruction set and any size of the
// pool. The same counters for any number of workers and any pool. Any number of threads may query
// one scene at once. Also built with a thread sanitizer.

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "support/everywhere.h"
#include "support/threads.h"
#include "support/world.h"
#include "query/front_size.h"

#define BODIES 6
#define STEPS 4

// the record of a sequence of queries: answers in order of arrival, and all counters
typedef struct record {
    uint64_t answers;
    uint64_t pieces;  // calls of callbacks and pieces of budgets
    uint64_t pairs;
    abut_counters counters;
} record;

static void mix(uint64_t* hash, uint64_t word) {
    *hash = (*hash ^ word) * UINT64_C(0x9e3779b97f4a7c15);
    *hash ^= *hash >> 32;
}

static void mix_shared(uint64_t* hash, const abut_intersection* shared, size_t count) {
    for (size_t i = 0; i < count && shared != NULL; ++i) {
        mix(hash, shared[i].count);
        for (uint32_t k = 0; k < shared[i].count; ++k) {
            for (int d = 0; d < 3; ++d) {
                uint64_t bits;
                memcpy(&bits, &shared[i].points[k][d], sizeof bits);
                mix(hash, bits);
            }
        }
    }
}

static bool record_piece(void* user, const abut_pair* pairs, const abut_intersection* shared,
                         size_t count) {
    record* r = user;
    mix(&r->answers, pairs_hash(pairs, count));
    mix_shared(&r->answers, shared, count);
    r->pairs += count;
    ++r->pieces;
    return true;
}

static void record_result(record* r, const abut_collide_result* result) {
    size_t count = 0;
    const abut_pair* pairs = abut_collide_result_pairs(result, &count);
    (void)record_piece(r, pairs, abut_collide_result_intersections(result, NULL), count);
}

static surface body_surface(test_random* random, int i, uint32_t size) {
    surface s = i % 3 == 0   ? surface_sheet(size, size, 8)
                : i % 3 == 1 ? surface_ball(size, size, 3)
                             : surface_soup(random, size * size, 6, 1, 0.25);
    surface_shake(&s, random, 0.5, 0.125);
    if (i % 3 == 1) {
        surface_shift(&s, 4, 4, 0);
    }
    return s;
}

static void fill_world(world* w, uint64_t seed, uint32_t size, abut_body_id body[BODIES],
                       surface surfaces[BODIES]) {
    test_random random = random_seed(seed);
    for (int i = 0; i < BODIES; ++i) {
        surfaces[i] = body_surface(&random, i, size);
        motion_def def = motion_def_default();
        def.block_triangles = i % 2 == 0 ? 48 : 8;
        body[i] = world_add(w, &surfaces[i], &def, NULL);
    }
}

static void move_world(world* w, test_random* random, const abut_body_id body[BODIES],
                       const surface surfaces[BODIES], int step) {
    for (int i = 0; i < BODIES; ++i) {
        if ((i + step) % 3 == 0) {
            surface moved = surface_copy(&surfaces[i]);
            surface_shake(&moved, random, 0.25, 0.0625);
            const abut_positions view = abut_positions_f64(moved.xyz, moved.vertex_count);
            REQUIRE_OK(abut_body_set_positions(w->scene, body[i], view, NULL));
            surface_free(&moved);
        } else if ((i + step) % 3 == 1) {
            const abut_frame frame = frame_random(random, 1);
            REQUIRE_OK(abut_body_set_frame(w->scene, body[i], &frame, NULL));
        }
    }
}

static void query_all_methods(const world* w, const abut_body_id body[BODIES], abut_front* fronts[],
                              record* r) {
    for (int kind = 0; kind < QUERY_KINDS; ++kind) {
        for (int mode = 0; mode < 4; ++mode) {
            abut_collide_def def = abut_collide_def_default();
            def.head.counters = &r->counters;
            def.margin = mode == 1 ? 0.0625 : 0;
            def.intersections = mode == 1;
            def.include_neighbours = mode == 3;
            def.callback.fn = mode == 2 ? record_piece : NULL;
            def.callback.user = r;
            def.front = mode == 0 ? NULL : fronts[kind * 4 + mode];
            def.budget = mode == 3 ? 500 : 0;
            abut_status status = ABUT_INCOMPLETE;
            while (status == ABUT_INCOMPLETE) {
                status = run_query(w->scene, (query_kind)kind, body[0], body[1], &def, w->result);
                REQUIRE(status == ABUT_OK || status == ABUT_INCOMPLETE);
                record_result(r, w->result);
                mix(&r->answers, def.front != NULL ? abut__front_size(def.front) : 0);
            }
        }
    }
}

static record run_script(const abut_context_def* context_def, size_t pool_bytes, uint64_t seed,
                         uint32_t size) {
    abut_scene_def scene_def = abut_scene_def_default();
    scene_def.pool_bytes = pool_bytes;
    world w = world_make(context_def, &scene_def);
    record r = {0};
    abut_body_id body[BODIES];
    surface surfaces[BODIES];
    abut_front* fronts[QUERY_KINDS * 4];
    for (int i = 0; i < QUERY_KINDS * 4; ++i) {
        REQUIRE_OK(abut_front_create(w.context, &fronts[i], NULL));
    }
    fill_world(&w, seed, size, body, surfaces);
    test_random random = random_seed(seed + 1000);
    for (int step = 0; step < STEPS; ++step) {
        move_world(&w, &random, body, surfaces, step);
        query_all_methods(&w, body, fronts, &r);
    }
    for (int i = 0; i < QUERY_KINDS * 4; ++i) {
        abut_front_destroy(fronts[i]);
    }
    for (int i = 0; i < BODIES; ++i) {
        surface_free(&surfaces[i]);
    }
    if (pool_bytes == 0) {
        REQUIRE(scene_info(w.scene).pool_capacity == 0);
        REQUIRE(scene_info(w.scene).pool_overflows > 0);
    }
    world_free(&w);
    return r;
}

static void require_record(const record* got, const record* wanted, bool counters) {
    REQUIRE(got->pairs == wanted->pairs);
    REQUIRE(got->pieces == wanted->pieces);
    REQUIRE(got->answers == wanted->answers);
    if (counters) {
        REQUIRE(got->counters.blocks_evaluated == wanted->counters.blocks_evaluated);
        REQUIRE(memcmp(&got->counters, &wanted->counters, sizeof got->counters) == 0);
    }
}

static record run_with_workers(uint32_t workers, uint64_t shuffle, size_t pool_bytes, uint64_t seed,
                               uint32_t size) {
    test_threads* threads = threads_create(workers, shuffle);
    const abut_context_def def = threads_context_def(threads);
    const record r = run_script(&def, pool_bytes, seed, size);
    threads_destroy(threads);
    return r;
}

#define POOL_DEFAULT ((size_t)64 << 20)

static void test_any_number_of_workers(void** state) {
    (void)state;
    static const uint32_t workers[] = {8, 1, 3, 2};
    for (uint64_t seed = 1; seed <= effort(1, 2, 20); ++seed) {
        where("seed %llu, serial", (unsigned long long)seed);
        const uint32_t size = 6 + 3 * (uint32_t)(seed % 3);
        const record wanted = run_script(NULL, POOL_DEFAULT, seed, size);
        REQUIRE(wanted.pairs > 100);
        for (size_t i = 0; i < sizeof workers / sizeof workers[0]; i += effort(2, 1, 1)) {
            for (uint64_t shuffle = 0; shuffle < 2; ++shuffle) {
                where("seed %llu, %u workers, shuffle %d", (unsigned long long)seed, workers[i],
                      (int)shuffle);
                const record got = run_with_workers(workers[i], shuffle * (seed + i), POOL_DEFAULT,
                                                    seed, size);
                require_record(&got, &wanted, true);
            }
        }
    }
}

// the fewest bytes that give the pool at least `slots` slots
static size_t pool_bytes_for(uint32_t slots) {
    size_t bytes = 1024;
    uint32_t capacity = 0;
    while (capacity < slots) {
        bytes += 1024;
        abut_scene_def def = abut_scene_def_default();
        def.pool_bytes = bytes;
        world w = world_make(NULL, &def);
        capacity = scene_info(w.scene).pool_capacity;
        world_free(&w);
    }
    return bytes;
}

static void test_any_size_of_the_pool(void** state) {
    (void)state;
    const size_t sizes[] = {0, 4096, pool_bytes_for(1), pool_bytes_for(257)};
    for (uint64_t seed = 1; seed <= effort(1, 1, 10); ++seed) {
        // more small blocks than the smaller pools can hold
        const uint32_t size = effort(15, 20, 20);
        where("seed %llu, serial", (unsigned long long)seed);
        const record wanted = run_script(NULL, POOL_DEFAULT, seed, size);
        for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; ++i) {
            // one worker takes blocks like the serial run: once is enough in a quick test
            for (uint32_t workers = i == 2 ? 1 : effort(4, 1, 1); workers <= 4; workers += 3) {
                where("seed %llu, %zu bytes, %u workers", (unsigned long long)seed, sizes[i],
                      workers);
                const record got = run_with_workers(workers, seed, sizes[i], seed, size);
                require_record(&got, &wanted, true);
            }
        }
    }
}

static void test_any_instruction_set(void** state) {
    (void)state;
    for (uint64_t seed = 1; seed <= effort(1, 3, 20); ++seed) {
        record first = {0};
        everywhere at = everywhere_cross((const uint32_t[]){1, 0}, 0);
        while (everywhere_next(&at)) {
            where("seed %llu, %s", (unsigned long long)seed, at.text);
            const record got = run_script(&at.def, POOL_DEFAULT, seed, 10);
            first = at.first ? got : first;
            require_record(&got, &first, false);
            REQUIRE(got.counters.boxes_tested == first.counters.boxes_tested);
            REQUIRE(got.counters.exact_tests == first.counters.exact_tests);
        }
    }
}

// ---- many readers

typedef struct reader {
    const world* world;
    const abut_body_id* body;
    uint64_t wanted[QUERY_KINDS];
    uint64_t seed;
    size_t wrong;
} reader;

static uint64_t hash_of(const abut_collide_result* result) {
    size_t count = 0;
    const abut_pair* pairs = abut_collide_result_pairs(result, &count);
    return pairs_hash(pairs, count);
}

// no cmocka in here: it supports one thread only
static void* read_scene(void* argument) {
    reader* r = argument;
    abut_collide_result* result = NULL;
    abut_front* front = NULL;
    if (abut_collide_result_create(r->world->context, &result, NULL) != ABUT_OK ||
        abut_front_create(r->world->context, &front, NULL) != ABUT_OK) {
        ++r->wrong;
        return NULL;
    }
    test_random random = random_seed(r->seed);
    for (int round = 0; round < 12; ++round) {
        const int kind = (int)random_below(&random, QUERY_KINDS);
        abut_collide_def def = abut_collide_def_default();
        def.front = random_chance(&random, 0.5) ? front : NULL;
        const abut_status status = run_query(r->world->scene, (query_kind)kind, r->body[0],
                                             r->body[1], &def, result);
        r->wrong += status != ABUT_OK || hash_of(result) != r->wanted[kind];
        double p[3];
        abut_box box;
        r->wrong += abut_body_world_vertex(r->world->scene, r->body[2], 0, p, NULL) != ABUT_OK ||
                    abut_body_box(r->world->scene, r->body[2], &box, NULL) != ABUT_OK ||
                    !(p[0] >= box.lo[0] && p[0] <= box.hi[0]);
    }
    abut_collide_result_destroy(result);
    abut_front_destroy(front);
    return NULL;
}

#define READERS 8

static void check_readers(world* w, const abut_body_id body[BODIES], const uint64_t* wanted) {
    reader readers[READERS];
    pthread_t threads[READERS];
    for (int i = 0; i < READERS; ++i) {
        readers[i] = (reader){w, body, {0}, (uint64_t)i + 1, 0};
        memcpy(readers[i].wanted, wanted, sizeof readers[i].wanted);
        assert_int_equal(pthread_create(&threads[i], NULL, read_scene, &readers[i]), 0);
    }
    for (int i = 0; i < READERS; ++i) {
        assert_int_equal(pthread_join(threads[i], NULL), 0);
        REQUIRE(readers[i].wrong == 0);
    }
}

// Several scenes of the same bodies in the same states. One is read by many threads first and by
// one thread afterwards, so that the threads find the pool empty or outdated.
static void check_many_readers(uint64_t seed, uint32_t workers, size_t pool_bytes) {
    test_threads* pool = threads_create(workers, seed);
    const abut_context_def def = threads_context_def(workers > 1 ? pool : NULL);
    abut_scene_def scene_def = abut_scene_def_default();
    scene_def.pool_bytes = pool_bytes;
    world w = world_make(&def, &scene_def);
    world serial = world_make(NULL, NULL);
    abut_body_id body[BODIES];
    abut_body_id same[BODIES];
    surface surfaces[BODIES];
    surface copies[BODIES];
    fill_world(&w, seed, 12, body, surfaces);
    fill_world(&serial, seed, 12, same, copies);
    test_random random = random_seed(seed + 50);
    test_random again = random_seed(seed + 50);
    for (int step = 0; step < 5; ++step) {
        where("seed %llu, %u workers, pool %zu, step %d", (unsigned long long)seed, workers,
              pool_bytes, step);
        move_world(&w, &random, body, surfaces, step);
        move_world(&serial, &again, same, copies, step);
        uint64_t wanted[QUERY_KINDS];
        for (int kind = 0; kind < QUERY_KINDS; ++kind) {
            REQUIRE_OK(
                run_query(serial.scene, (query_kind)kind, same[0], same[1], NULL, serial.result));
            wanted[kind] = hash_of(serial.result);
        }
        check_readers(&w, body, wanted);
    }
    for (int i = 0; i < BODIES; ++i) {
        surface_free(&surfaces[i]);
        surface_free(&copies[i]);
    }
    world_free(&w);
    world_free(&serial);
    threads_destroy(pool);
}

static void test_many_readers(void** state) {
    (void)state;
    for (uint64_t seed = 1; seed <= effort(1, 2, 20); ++seed) {
        check_many_readers(seed, 1, POOL_DEFAULT);
        check_many_readers(seed, 3, POOL_DEFAULT);
        check_many_readers(seed, 1, pool_bytes_for(1));
        check_many_readers(seed, 2, 0);
    }
}

// `any` and a callback that stops: threads may find different pairs first, but never another answer
static void test_early_stops(void** state) {
    (void)state;
    test_threads* threads = threads_create(4, 9);
    const abut_context_def def = threads_context_def(threads);
    world w = world_make(&def, NULL);
    abut_body_id body[BODIES];
    surface surfaces[BODIES];
    fill_world(&w, 3, 12, body, surfaces);
    for (int round = 0; round < 4; ++round) {
        for (int kind = 0; kind < QUERY_KINDS; ++kind) {
            where("round %d, kind %d", round, kind);
            pair_list wanted = oracle_query(w.scene, (query_kind)kind, body[0], body[1], NULL);
            abut_collide_def query = abut_collide_def_default();
            query.any = true;
            REQUIRE_OK(run_query(w.scene, (query_kind)kind, body[0], body[1], &query, w.result));
            REQUIRE(abut_collide_result_found(w.result) == (wanted.count > 0));
            pairs_free(&wanted);
        }
    }
    for (int i = 0; i < BODIES; ++i) {
        surface_free(&surfaces[i]);
    }
    world_free(&w);
    threads_destroy(threads);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_any_number_of_workers), cmocka_unit_test(test_any_size_of_the_pool),
        cmocka_unit_test(test_any_instruction_set),   cmocka_unit_test(test_many_readers),
        cmocka_unit_test(test_early_stops),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
