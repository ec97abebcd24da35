// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Every query from several threads at once, on shared bodies of every motion that have no previous
// query: all threads meet where a table is made at its first use. The answers equal those of one
// thread. Run it under a thread sanitizer, too.
#define _POSIX_C_SOURCE 200809L  // barriers
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "support/queries.h"
#include "support/threads.h"

// ---- readers

#define READERS 4

typedef struct reader {
    const zoo* zoo;
    const uint64_t* wanted;
    pthread_barrier_t* gate;
    uint32_t first;  // the first query of this thread
    uint32_t wrong;  // number of wrong answers
    uint32_t worst;  // the last wrong query
} reader;

// calls no cmocka function, because cmocka supports one thread
static void* read_stage(void* argument) {
    reader* r = argument;
    tools t = {0};
    const bool made = tools_make(&t, r->zoo->world.context);
    pthread_barrier_wait(r->gate);
    for (uint32_t k = 0; k < ALL_QUERIES && made; ++k) {
        const uint32_t query = (r->first + k) % ALL_QUERIES;
        if (query_one(r->zoo, query, &t) != r->wanted[query]) {
            ++r->wrong;
            r->worst = query;
        }
    }
    r->wrong += !made;
    tools_free(&t);
    return NULL;
}

static void check_readers(const zoo* z, const uint64_t* wanted, uint64_t seed) {
    reader readers[READERS];
    pthread_t threads[READERS];
    pthread_barrier_t gate;
    assert_int_equal(pthread_barrier_init(&gate, NULL, READERS), 0);
    test_random random = random_seed(seed);
    const uint32_t first = random_below(&random, ALL_QUERIES);
    for (uint32_t i = 0; i < READERS; ++i) {
        // each two threads begin with the same query
        const uint32_t begin = (first + (i / 2) * 41) % ALL_QUERIES;
        readers[i] = (reader){z, wanted, &gate, begin, 0, 0};
        assert_int_equal(pthread_create(&threads[i], NULL, read_stage, &readers[i]), 0);
    }
    for (int i = 0; i < READERS; ++i) {
        assert_int_equal(pthread_join(threads[i], NULL), 0);
    }
    pthread_barrier_destroy(&gate);
    for (int i = 0; i < READERS; ++i) {
        where("seed %llu, reader %d, query %u", (unsigned long long)seed, i, readers[i].worst);
        REQUIRE(readers[i].wrong == 0);
    }
}

static void answer_alone(uint64_t seed, uint64_t* wanted) {
    zoo z;
    tools t = {0};
    zoo_open(&z, seed, 6, NULL, NULL);
    assert_true(tools_make(&t, z.world.context));
    for (uint32_t k = 0; k < ALL_QUERIES; ++k) {
        wanted[k] = query_one(&z, k, &t);
    }
    tools_free(&t);
    zoo_close(&z);
}

// `workers` of the context's own pool run the tasks of all readers
static void check_seed(uint64_t seed, uint32_t workers, size_t pool_bytes) {
    static uint64_t wanted[ALL_QUERIES];
    answer_alone(seed, wanted);
    test_threads* pool = threads_create(workers, seed);
    const abut_context_def def = threads_context_def(workers > 1 ? pool : NULL);
    abut_scene_def scene_def = abut_scene_def_default();
    scene_def.pool_bytes = pool_bytes;
    zoo z;
    zoo_open(&z, seed, 6, &def, &scene_def);
    check_readers(&z, wanted, seed);
    zoo_close(&z);
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

// each query finds something: contacts, distances, depths or times of impact
static void test_each_query_finds_something(void** state) {
    (void)state;
    zoo z;
    zoo_open(&z, 1, 6, NULL, NULL);
    REQUIRE_OK(abut_collide_all(z.world.scene, NULL, z.world.result, NULL));
    size_t count = 0;
    (void)abut_collide_result_pairs(z.world.result, &count);
    assert_true(count > 20);
    REQUIRE_OK(abut_sweep_all(z.world.scene, NULL, z.world.swept, NULL));
    (void)abut_sweep_result_pairs(z.world.swept, &count);
    assert_true(count > 20);
    abut_depth_result* depths = NULL;
    REQUIRE_OK(abut_depth_result_create(z.world.context, &depths, NULL));
    REQUIRE_OK(abut_depth(z.world.scene, z.body[ZOO_FREE], z.body[ZOO_MODAL], NULL, depths, NULL));
    assert_true(abut_depth_result_defined(depths));
    (void)abut_depth_result_regions(depths, &count);
    assert_true(count > 0);
    abut_depth_result_destroy(depths);
    const abut_body_id a = z.body[ZOO_FLIGHT];
    REQUIRE_OK(abut_intervals(z.world.scene, a, z.body[ZOO_OTHER_FLIGHT], 0, 2, NULL,
                              z.world.intervals, NULL));
    (void)abut_intervals_result_intervals(z.world.intervals, &count);
    assert_true(count > 0);
    zoo_close(&z);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_each_query_finds_something),
        cmocka_unit_test(test_all_queries_at_once),
        cmocka_unit_test(test_all_queries_at_once_with_a_small_pool),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
