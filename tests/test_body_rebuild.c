// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Degradation and rebuilding of trees. Triangles that drift apart degrade a tree. Rebuilding keeps
// the work of queries near that of a new tree, and never changes an answer.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "abut/abut.h"
#include "support/random.h"
#include "support/motion_def.h"

#define TRIANGLES 4000u
#define VERTICES (3u * TRIANGLES)

// a soup of small triangles, each of which moves from one place to another
typedef struct drift {
    double from[TRIANGLES][3];
    double to[TRIANGLES][3];
    double shape[TRIANGLES][3][3];
    double xyz[VERTICES][3];
    uint32_t corner[VERTICES];
    abut_context* context;
    abut_scene* scene;
    abut_mesh* mesh;
    abut_body_id rebuilt;  // rebuilt when its tree is degraded
    abut_body_id stale;    // never rebuilt
    abut_collide_result* result;
} drift;

static void pose(drift* d, double t) {
    for (uint32_t i = 0; i < TRIANGLES; ++i) {
        for (uint32_t c = 0; c < 3; ++c) {
            for (uint32_t a = 0; a < 3; ++a) {
                d->xyz[3 * i + c][a] = (1 - t) * d->from[i][a] + t * d->to[i][a] +
                                       d->shape[i][c][a];
            }
        }
    }
}

static abut_positions view(const drift* d) {
    return abut_positions_f64(&d->xyz[0][0], VERTICES);
}

static abut_body_id make_body(drift* d, const abut_shape* shape) {
    abut_body_id body;
    abut_body_def def = abut_body_def_default();
    def.keeps_tree = true;
    assert_int_equal(abut_body_create(d->scene, shape, &def, &body, NULL), ABUT_OK);
    return body;
}

static drift* make_drift(uint64_t seed) {
    drift* d = calloc(1, sizeof *d);
    test_random random = random_seed(seed);
    for (uint32_t i = 0; i < TRIANGLES; ++i) {
        for (uint32_t a = 0; a < 3; ++a) {
            d->from[i][a] = random_unit(&random);
            d->to[i][a] = random_unit(&random);
        }
        for (uint32_t c = 0; c < 3; ++c) {
            d->corner[3 * i + c] = 3 * i + c;
            for (uint32_t a = 0; a < 3; ++a) {
                d->shape[i][c][a] = 0.03 * random_unit(&random);
            }
        }
    }
    pose(d, 0);
    assert_int_equal(abut_context_create(NULL, &d->context, NULL), ABUT_OK);
    assert_int_equal(abut_scene_create(d->context, NULL, &d->scene, NULL), ABUT_OK);
    assert_int_equal(abut_collide_result_create(d->context, &d->result, NULL), ABUT_OK);
    abut_mesh_def def = abut_mesh_def_default();
    def.positions = view(d);
    def.triangles = d->corner;
    def.triangle_count = TRIANGLES;
    assert_int_equal(abut_mesh_create(d->context, &def, &d->mesh, NULL), ABUT_OK);
    abut_shape* shape = NULL;
    assert_int_equal(motion_create(d->context, d->mesh, NULL, &shape, NULL), ABUT_OK);
    d->rebuilt = make_body(d, shape);
    d->stale = make_body(d, shape);
    abut_shape_destroy(shape);
    return d;
}

static void free_drift(drift* d) {
    abut_collide_result_destroy(d->result);
    abut_scene_destroy(d->scene);
    abut_mesh_destroy(d->mesh);
    abut_context_destroy(d->context);
    free(d);
}

static uint64_t hash_of(const abut_collide_result* result) {
    size_t count = 0;
    const abut_pair* pairs = abut_collide_result_pairs(result, &count);
    uint64_t hash = count;
    for (size_t i = 0; i < count; ++i) {
        hash = (hash ^ ((uint64_t)pairs[i].triangle_a << 32 | pairs[i].triangle_b)) *
               UINT64_C(0x9e3779b97f4a7c15);
    }
    return hash;
}

// box tests of a self query, and its answer
static uint64_t work_of(drift* d, abut_body_id body, uint64_t* hash) {
    abut_counters work = {0};
    abut_collide_def query = abut_collide_def_default();
    query.head.counters = &work;
    assert_int_equal(abut_collide_self(d->scene, body, &query, d->result, NULL), ABUT_OK);
    *hash = hash_of(d->result);
    return work.boxes_tested;
}

// the same of a body whose tree was built for this state
static uint64_t work_of_fresh(drift* d, uint64_t* hash) {
    abut_shape* shape = NULL;
    abut_shape* built = NULL;
    motion_edit_def edit = motion_edit_def_default();
    edit.rebuild = true;
    edit.rebuild_positions = view(d);
    assert_int_equal(motion_create(d->context, d->mesh, NULL, &shape, NULL), ABUT_OK);
    assert_int_equal(motion_edit(shape, &edit, &built, NULL, NULL), ABUT_OK);
    const abut_body_id body = make_body(d, built);
    assert_int_equal(abut_body_set_positions(d->scene, body, view(d), NULL), ABUT_OK);
    const uint64_t work = work_of(d, body, hash);
    assert_int_equal(abut_body_destroy(d->scene, body, NULL), ABUT_OK);
    abut_shape_destroy(built);
    abut_shape_destroy(shape);
    return work;
}

static void test_rebuilding_keeps_a_shuffled_mesh_fast(void** state) {
    (void)state;
    drift* d = make_drift(11);
    uint32_t rebuilds = 0;
    uint64_t stale = 0;
    uint64_t fresh = 0;
    for (int step = 0; step <= 40; ++step) {
        pose(d, step / 40.0);
        assert_int_equal(abut_body_set_positions(d->scene, d->rebuilt, view(d), NULL), ABUT_OK);
        assert_int_equal(abut_body_set_positions(d->scene, d->stale, view(d), NULL), ABUT_OK);
        abut_edit_work work;
        assert_int_equal(abut_body_rebuild_tree(d->scene, d->rebuilt, 2, &work, NULL), ABUT_OK);
        rebuilds += work.blocks_built > 0;
        assert_int_equal(abut_shape_validate(abut_body_shape(d->scene, d->rebuilt), NULL), ABUT_OK);
        assert_int_equal(abut_body_validate(d->scene, d->rebuilt, NULL), ABUT_OK);
        uint64_t hash[3];
        const uint64_t rebuilt = work_of(d, d->rebuilt, &hash[0]);
        stale = work_of(d, d->stale, &hash[1]);
        fresh = work_of_fresh(d, &hash[2]);
        assert_true(hash[0] == hash[1] && hash[1] == hash[2]);
        if (rebuilt > 2 * fresh) {
            fail_msg("step %d: %llu box tests although rebuilt, %llu with a fresh tree", step,
                     (unsigned long long)rebuilt, (unsigned long long)fresh);
        }
        double degradation = 0;
        assert_int_equal(abut_body_tree_degradation(d->scene, d->rebuilt, &degradation, NULL),
                         ABUT_OK);
        assert_true(degradation <= 2.0 + 1e-9);
    }
    double degradation = 0;
    assert_int_equal(abut_body_tree_degradation(d->scene, d->stale, &degradation, NULL), ABUT_OK);
    assert_true(stale > 3 * fresh);  // and queries cost more
    assert_in_range(rebuilds, 1, 20);
    free_drift(d);
}

// a few triangles fly off: only their blocks are rebuilt
static void test_rebuilding_a_part(void** state) {
    (void)state;
    drift* d = make_drift(12);
    for (uint32_t i = 0; i < TRIANGLES; ++i) {
        const bool flies = d->from[i][0] < 0.2;
        for (uint32_t a = 0; a < 3; ++a) {
            d->to[i][a] = flies ? 10 * d->to[i][a] : d->from[i][a];
        }
    }
    pose(d, 1);
    assert_int_equal(abut_body_set_positions(d->scene, d->rebuilt, view(d), NULL), ABUT_OK);
    abut_edit_work work;
    assert_int_equal(abut_body_rebuild_tree(d->scene, d->rebuilt, 2, &work, NULL), ABUT_OK);
    assert_true(work.blocks_built > 0);
    assert_true(work.blocks_reused > 2 * work.blocks_built);
    uint64_t rebuilt = 0;
    uint64_t fresh = 0;
    (void)work_of(d, d->rebuilt, &rebuilt);
    (void)work_of_fresh(d, &fresh);
    assert_true(rebuilt == fresh);
    free_drift(d);
}

// stretching and rotating degrade nothing, and nothing is rebuilt
static void test_stretching_is_no_degradation(void** state) {
    (void)state;
    drift* d = make_drift(13);
    for (uint32_t v = 0; v < VERTICES; ++v) {
        for (uint32_t a = 0; a < 3; ++a) {
            d->xyz[v][a] *= 1000;
        }
    }
    assert_int_equal(abut_body_set_positions(d->scene, d->rebuilt, view(d), NULL), ABUT_OK);
    double degradation = 0;
    assert_int_equal(abut_body_tree_degradation(d->scene, d->rebuilt, &degradation, NULL), ABUT_OK);
    assert_true(degradation > 0.99 && degradation < 1.01);
    abut_edit_work work;
    assert_int_equal(abut_body_rebuild_tree(d->scene, d->rebuilt, 1.5, &work, NULL), ABUT_OK);
    assert_int_equal(work.blocks_built + work.blocks_reused, 0);
    assert_int_equal(abut_body_rebuild_tree(d->scene, d->rebuilt, 0.5, &work, NULL),
                     ABUT_ERR_INVALID_ARGUMENT);
    d->xyz[7][1] = 0.0 / 0.0;
    assert_int_equal(abut_body_borrow_positions(d->scene, d->rebuilt, view(d), NULL), ABUT_OK);
    abut_error error;
    assert_int_equal(abut_body_rebuild_tree(d->scene, d->rebuilt, 2, NULL, &error),
                     ABUT_ERR_INVALID_DATA);
    assert_int_equal(error.index, 7);
    free_drift(d);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rebuilding_keeps_a_shuffled_mesh_fast),
        cmocka_unit_test(test_rebuilding_a_part),
        cmocka_unit_test(test_stretching_is_no_degradation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
