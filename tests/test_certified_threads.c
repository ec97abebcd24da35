// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Certificates of a shape that bodies of several scenes share, each scene on a thread of its own:
// threads set states, and so make slices, while others ask, and one requests all certificates.
// Answers are those of a shape without certificates. And first queries of one body at the same time.
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "motion/certified.h"
#include "support/claims.h"
#include "support/skin.h"

enum { THREADS = 3, FIELDS = 3, NODES = 8, STATES_MOST = 4000 };

typedef struct stage {
    bool modal;
    const abut_context* context;
    const abut_shape* shape;
    uint32_t states;   // to be set; 0: until there are certificates, and some more
    bool requests;     // all certificates, in the middle
    uint64_t* hashes;  // per state
    uint32_t count;    // states that were set
    bool failed;
} stage;

static abut_status set_state(const stage* s, abut_scene* scene, abut_body_id body,
                             test_random* random) {
    if (s->modal) {
        double q[FIELDS];
        for (int j = 0; j < FIELDS; ++j) {
            q[j] = random_double(random, -1e-3, 1e-3);
        }
        return abut_body_set_coordinates(scene, body, q, FIELDS, NULL);
    }
    double t[NODES][12];
    gentle_transforms(random, t, NODES, 1e-3);
    return abut_body_set_transforms(scene, body, abut_transforms_f64(&t[0][0], NODES), NULL, 0,
                                    NULL);
}

static bool goes_on(const stage* s, uint32_t* after) {
    if (s->states > 0) {
        return s->count < s->states;
    }
    *after += abut__certified_made(s->shape) != NULL;
    return *after < 5 && s->count < STATES_MOST;
}

// All threads set the same states.
static void* run(void* argument) {
    stage* s = argument;
    abut_context* context = (abut_context*)s->context;
    test_random random = random_seed(31);
    abut_scene* scene = NULL;
    abut_collide_result* result = NULL;
    abut_body_id body;
    bool good = abut_scene_create(context, NULL, &scene, NULL) == ABUT_OK &&
                abut_collide_result_create(context, &result, NULL) == ABUT_OK &&
                abut_body_create(scene, s->shape, NULL, &body, NULL) == ABUT_OK;
    for (uint32_t after = 0; good && goes_on(s, &after); ++s->count) {
        if (s->requests && s->count == 40) {
            good = abut_shape_build_certificates(s->shape, NULL) == ABUT_OK;
        }
        good = good && set_state(s, scene, body, &random) == ABUT_OK &&
               abut_collide_self(scene, body, NULL, result, NULL) == ABUT_OK;
        s->hashes[s->count] = good ? result_hash(result) : 0;
    }
    s->failed = !good;
    abut_collide_result_destroy(result);
    abut_scene_destroy(scene);
    return NULL;
}

static void check_threads(bool modal, bool requests) {
    test_random random = random_seed(30);
    surface s = surface_sheet(effort(14, 24, 34), 14, 1);
    skin k = skin_make(&random, &s, NODES, 4, ABUT_SCALAR_F32);
    field_set f = make_fields(&random, &s, FIELDS, 0.1, ABUT_SCALAR_F32, false);
    motion_def def = modal ? modal_def(&f) : blend_def(&k, NULL);
    def.block_triangles = 6;
    world w = world_make(NULL, NULL);
    abut_shape* shape = world_shape(&w, &s, &def);
    def.certify_on_request = true;
    abut_shape* without = world_shape(&w, &s, &def);
    stage stages[THREADS + 1];
    pthread_t threads[THREADS];
    for (int i = 0; i <= THREADS; ++i) {
        stages[i] = (stage){.modal = modal,
                            .context = w.context,
                            .shape = i < THREADS ? shape : without,
                            .requests = requests && i == 1,
                            .hashes = test_alloc(STATES_MOST, sizeof(uint64_t))};
    }
    for (int i = 0; i < THREADS; ++i) {
        assert_int_equal(pthread_create(&threads[i], NULL, run, &stages[i]), 0);
    }
    for (int i = 0; i < THREADS; ++i) {
        assert_int_equal(pthread_join(threads[i], NULL), 0);
        stages[THREADS].states = stages[i].count > stages[THREADS].states ? stages[i].count
                                                                          : stages[THREADS].states;
    }
    (void)run(&stages[THREADS]);
    REQUIRE(abut__certified_made(shape) != NULL && abut__certified_made(without) == NULL);
    for (int i = 0; i <= THREADS; ++i) {
        where("modal %d, thread %d", modal, i);
        REQUIRE(!stages[i].failed && stages[i].count >= 4 && stages[i].count < STATES_MOST);
        REQUIRE(memcmp(stages[i].hashes, stages[THREADS].hashes,
                       stages[i].count * sizeof(uint64_t)) == 0);
        free(stages[i].hashes);
    }
    abut_shape_destroy(shape);
    abut_shape_destroy(without);
    world_free(&w);
    skin_free(&k);
    free_fields(&f);
    surface_free(&s);
}

static void test_scenes_share_slices(void** state) {
    (void)state;
    check_threads(true, false);
    check_threads(false, false);
}

static void test_a_request_beside_slices(void** state) {
    (void)state;
    check_threads(true, true);
    check_threads(false, true);
}

// ---- the first queries of a body

typedef struct asker {
    const world* w;
    abut_body_id body;
    bool alone;  // the body is named; otherwise the query is about the whole scene
    bool failed;
    uint64_t hash;
} asker;

static void* ask(void* argument) {
    asker* a = argument;
    abut_collide_result* result = NULL;
    a->failed = abut_collide_result_create(a->w->context, &result, NULL) != ABUT_OK ||
                (a->alone ? abut_collide_self(a->w->scene, a->body, NULL, result, NULL)
                          : abut_collide_self_all(a->w->scene, NULL, result, NULL)) != ABUT_OK;
    a->hash = a->failed ? 0 : result_hash(result);
    abut_collide_result_destroy(result);
    return NULL;
}

// Several threads at once make the tree and what their queries need.
static void test_first_queries_at_once(void** state) {
    (void)state;
    for (uint64_t seed = 0; seed < effort(4, 20, 100); ++seed) {
        test_random random = random_seed(40 + seed);
        surface s = surface_sheet(14, 14, 1);
        field_set f = make_fields(&random, &s, FIELDS, 0.1, ABUT_SCALAR_F32, false);
        const motion_def def = modal_def(&f);
        world w = world_make(NULL, NULL);
        const abut_body_id body = world_add(&w, &s, &def, NULL);
        const double q[FIELDS] = {0.5, -0.5, 1};
        set_coordinates(&w, body, q, FIELDS);
        pthread_t threads[THREADS];
        asker askers[THREADS];
        for (int i = 0; i < THREADS; ++i) {
            askers[i] = (asker){.w = &w, .body = body, .alone = i != 1};
            assert_int_equal(pthread_create(&threads[i], NULL, ask, &askers[i]), 0);
        }
        for (int i = 0; i < THREADS; ++i) {
            assert_int_equal(pthread_join(threads[i], NULL), 0);
            REQUIRE(!askers[i].failed && askers[i].hash == askers[0].hash);
        }
        (void)check_self(&w, body, NULL);
        world_free(&w);
        free_fields(&f);
        surface_free(&s);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_scenes_share_slices),
        cmocka_unit_test(test_a_request_beside_slices),
        cmocka_unit_test(test_first_queries_at_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
