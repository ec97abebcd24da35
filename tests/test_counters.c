// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// The counters of queries: they are the same for any number of threads, any size of the pool and
// any repetition, for every motion and every query.
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "support/queries.h"
#include "support/fields.h"
#include "support/skin.h"
#include "support/threads.h"
#include "support/world.h"

enum { BODIES = 6, STEPS = 3, FIELDS = 3, NODES = 4, KEYS = 3, QUERIES = 15 };

// overlapping bodies of all motions
typedef struct stage {
    world w;
    surface s[BODIES];
    abut_body_id body[BODIES];
    double* keys;
    tools tools;
    abut_depth_result* depths;
} stage;

static abut_body_id add_flight(stage* g, const surface* s, test_random* random) {
    const size_t numbers = 3 * (size_t)s->vertex_count;
    abut_keyframe keys[KEYS];
    g->keys = test_alloc(KEYS * numbers, sizeof(double));
    for (size_t k = 0; k < KEYS; ++k) {
        for (size_t i = 0; i < numbers; ++i) {
            g->keys[k * numbers + i] = s->xyz[i] + random_double(random, -0.1, 0.1);
        }
        keys[k] = (abut_keyframe){(double)k,
                                  abut_positions_f64(g->keys + k * numbers, s->vertex_count)};
    }
    motion_def def = motion_def_default();
    def.motion = ABUT_MOTION_FLIGHT;
    def.keyframes = keys;
    def.keyframe_count = KEYS;
    def.block_triangles = 8;
    return world_add(&g->w, s, &def, NULL);
}

static stage stage_make(const abut_context_def* def, size_t pool_bytes, uint64_t seed) {
    abut_scene_def scene_def = abut_scene_def_default();
    scene_def.pool_bytes = pool_bytes;
    stage g = {.w = world_make(def, &scene_def)};
    test_random random = random_seed(seed);
    for (int i = 0; i < BODIES; ++i) {
        g.s[i] = surface_ball(14, 16, 1);
        surface_shift(&g.s[i], 0.7 * i, 0.1 * (i % 2), 0.05 * i);
        motion_def plain = motion_def_default();
        plain.block_triangles = 8;
        if (i % 3 == 1) {
            field_set f = make_fields(&random, &g.s[i], FIELDS, 0.2, ABUT_SCALAR_F64, true);
            g.body[i] = add_modal(&g.w, &g.s[i], &f, 8);
            free_fields(&f);
        } else if (i % 3 == 2) {
            skin k = skin_make(&random, &g.s[i], NODES, 2, ABUT_SCALAR_F64);
            motion_def blend = blend_def(&k, NULL);
            blend.block_triangles = 8;
            g.body[i] = world_add(&g.w, &g.s[i], &blend, NULL);
            skin_free(&k);
        } else if (i == 3) {
            g.body[i] = add_flight(&g, &g.s[i], &random);
        } else {
            g.body[i] = world_add(&g.w, &g.s[i], &plain, NULL);
        }
    }
    REQUIRE(tools_make(&g.tools, g.w.context));
    REQUIRE_OK(abut_depth_result_create(g.w.context, &g.depths, NULL));
    return g;
}

static void stage_free(stage* g) {
    tools_free(&g->tools);
    abut_depth_result_destroy(g->depths);
    world_free(&g->w);
    for (int i = 0; i < BODIES; ++i) {
        surface_free(&g->s[i]);
    }
    free(g->keys);
}

static void stage_step(stage* g, test_random* random, int step) {
    for (int i = 0; i < BODIES; ++i) {
        if (i % 3 == 1) {
            double q[FIELDS];
            random_coordinates(random, q, FIELDS, 1);
            set_coordinates(&g->w, g->body[i], q, FIELDS);
        } else if (i % 3 == 2) {
            double t[NODES][12];
            gentle_transforms(random, t, NODES, 0.1);
            set_transforms(&g->w, g->body[i], t, NODES, NULL, 0);
        } else if (i == 3) {
            REQUIRE_OK(abut_body_set_time(g->w.scene, g->body[i], 0.3 + 0.5 * step, NULL));
        } else {
            surface moved = surface_copy(&g->s[i]);
            surface_shake(&moved, random, 0.05, 0x1p-20);
            REQUIRE_OK(abut_body_set_positions(
                g->w.scene, g->body[i], abut_positions_f64(moved.xyz, moved.vertex_count), NULL));
            surface_free(&moved);
        }
    }
}

static abut_status run_numbered(const abut_scene* scene, const abut_body_id* body, int query,
                                tools* t, abut_depth_result* depths, abut_counters* counters) {
    abut_collide_def def = abut_collide_def_default();
    abut_sweep_def sweep = abut_sweep_def_default();
    abut_nearest_def near = abut_nearest_def_default();
    abut_within_def within = abut_within_def_default();
    abut_features_def features = abut_features_def_default();
    abut_depth_def deep = abut_depth_def_default();
    def.head.counters = sweep.head.counters = near.head.counters = counters;
    within.head.counters = features.head.counters = deep.head.counters = counters;
    within.distance = features.distance = 0.05;
    switch (query) {
        case 0: return abut_collide(scene, body[0], body[1], &def, t->result, NULL);
        case 1: return abut_collide(scene, body[2], body[1], &def, t->result, NULL);
        case 2: return abut_collide_all(scene, &def, t->result, NULL);
        case 3: return abut_collide_self(scene, body[1], &def, t->result, NULL);
        case 4: return abut_collide_self_all(scene, &def, t->result, NULL);
        case 5: return abut_sweep_all(scene, &sweep, t->swept, NULL);
        case 6: return abut_sweep_self_all(scene, &sweep, t->swept, NULL);
        case 7: return abut_nearest(scene, body[0], body[4], &near, t->nearest, NULL);
        case 8: return abut_nearest_all(scene, &near, t->nearest, NULL);
        case 9: return abut_nearest_self(scene, body[5], &near, t->nearest, NULL);
        case 10: return abut_within(scene, body[2], body[3], &within, t->within, NULL);
        case 11: return abut_within_all(scene, &within, t->within, NULL);
        case 12: return abut_features_all(scene, &features, t->features, NULL);
        case 13: return abut_features_self_all(scene, &features, t->features, NULL);
        default: return abut_depth(scene, body[0], body[2], &deep, depths, NULL);
    }
}

typedef struct record {
    abut_counters counters[STEPS][2][QUERIES];
} record;

// runs every query twice in every state
static void run_script(const abut_context_def* def, size_t pool_bytes, uint64_t seed, record* r) {
    stage g = stage_make(def, pool_bytes, seed);
    test_random random = random_seed(seed + 100);
    memset(r, 0, sizeof *r);
    stage_step(&g, &random, 0);
    for (int step = 0; step < STEPS; ++step) {
        stage_step(&g, &random, step);
        for (int again = 0; again < 2; ++again) {
            for (int query = 0; query < QUERIES; ++query) {
                REQUIRE_OK(run_numbered(g.w.scene, g.body, query, &g.tools, g.depths,
                                        &r->counters[step][again][query]));
            }
        }
    }
    stage_free(&g);
}

// The cached data of the last query in the pool has no effect. (Nearest and depth store their last
// answers.)
static void require_repeated(const record* r) {
    for (int query = 0; query < 7; ++query) {
        uint64_t evaluated = 0;  // in some steps bodies are near each other
        for (int step = 0; step < STEPS; ++step) {
            REQUIRE(memcmp(&r->counters[step][0][query], &r->counters[step][1][query],
                           sizeof(abut_counters)) == 0);
            evaluated += r->counters[step][0][query].blocks_evaluated;
        }
        REQUIRE(evaluated > 0);
    }
}

// The counters of depth are not compared: its trials of translations stop early, at different
// points.
static void require_same(const record* got, const record* wanted) {
    for (int i = 0; i < STEPS * 2 * QUERIES; ++i) {
        const int step = i / (2 * QUERIES);
        const int again = i / QUERIES % 2;
        const int query = i % QUERIES;
        const abut_counters* x = &got->counters[step][again][query];
        const abut_counters* y = &wanted->counters[step][again][query];
        const uint64_t* a = (const uint64_t*)x;
        const uint64_t* b = (const uint64_t*)y;
        for (size_t k = 0; k < sizeof *x / sizeof *a; ++k) {
            if (a[k] != b[k] && query < QUERIES - 1) {
                print_message("%s: step %d, time %d, query %d, counter %zu: %llu, not %llu\n",
                              where_text(), step, again, query, k, (unsigned long long)a[k],
                              (unsigned long long)b[k]);
            }
        }
        REQUIRE(query == QUERIES - 1 || memcmp(x, y, sizeof *x) == 0);
    }
}

static void test_any_number_of_threads(void** state) {
    (void)state;
    static const uint32_t workers[] = {1, 2, 3, 8};
    static const size_t pools[] = {(size_t)64 << 20, 0, (size_t)1 << 20};
    static record wanted;
    static record got;
    for (uint64_t seed = 1; seed <= effort(1, 2, 20); ++seed) {
        where("seed %llu, serial", (unsigned long long)seed);
        run_script(NULL, pools[0], seed, &wanted);
        require_repeated(&wanted);
        for (size_t i = 0; i < 4; ++i) {
            // a quick test has one order of tasks for each number of workers
            const uint64_t one = i % 2;
            for (uint64_t shuffle = effort((uint32_t)one, 0, 0);
                 shuffle < effort((uint32_t)one + 1, 3, 6); ++shuffle) {
                test_threads* threads = threads_create(workers[i], shuffle);
                const abut_context_def def = threads_context_def(threads);
                where("seed %llu, %u workers, shuffle %llu", (unsigned long long)seed, workers[i],
                      (unsigned long long)shuffle);
                run_script(&def, pools[(i + shuffle) % 3], seed, &got);
                threads_destroy(threads);
                require_same(&got, &wanted);
            }
        }
    }
}

// ---- several queries at once

typedef struct reader {
    const stage* stage;
    int first;
    abut_counters counters[QUERIES - 1];
    bool failed;
} reader;

static void* read_scene(void* argument) {
    reader* r = argument;
    const stage* g = r->stage;
    tools t = {0};
    r->failed = !tools_make(&t, g->w.context);
    for (int k = 0; k < QUERIES - 1 && !r->failed; ++k) {
        const int query = (r->first + k) % (QUERIES - 1);
        abut_nearest_result_clear(t.nearest);
        r->failed = run_numbered(g->w.scene, g->body, query, &t, NULL, &r->counters[query]) !=
                    ABUT_OK;
    }
    tools_free(&t);
    return NULL;
}

static void test_queries_at_the_same_time(void** state) {
    (void)state;
    enum { READERS = 4 };
    for (uint64_t seed = 1; seed <= effort(1, 3, 20); ++seed) {
        stage alone = stage_make(NULL, (size_t)64 << 20, seed);
        stage many = stage_make(NULL, (size_t)64 << 20, seed);
        test_random random[2] = {random_seed(seed), random_seed(seed)};
        for (int step = 0; step < 2; ++step) {
            stage_step(&alone, &random[0], step);
            stage_step(&many, &random[1], step);
        }
        reader wanted = {.stage = &alone};
        (void)read_scene(&wanted);
        REQUIRE(!wanted.failed);
        static reader readers[READERS];
        pthread_t threads[READERS];
        for (int i = 0; i < READERS; ++i) {
            readers[i] = (reader){.stage = &many, .first = 3 * i};
            assert_int_equal(pthread_create(&threads[i], NULL, read_scene, &readers[i]), 0);
        }
        for (int i = 0; i < READERS; ++i) {
            assert_int_equal(pthread_join(threads[i], NULL), 0);
            where("seed %llu, reader %d", (unsigned long long)seed, i);
            REQUIRE(!readers[i].failed);
            REQUIRE(memcmp(readers[i].counters, wanted.counters, sizeof wanted.counters) == 0);
        }
        stage_free(&alone);
        stage_free(&many);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_any_number_of_threads),
        cmocka_unit_test(test_queries_at_the_same_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
