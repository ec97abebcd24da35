// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// The broad phase: sweep and grid against all pairs of boxes, over crowds of bodies that move.
// Counters show that neither of them compares all bodies with all others.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "abut/abut.h"
#include "scene/broad.h"
#include "support/random.h"
#include "support/motion_def.h"

typedef struct crowd {
    abut_context* context;
    abut_scene* scene;
    abut_shape* shape;
    abut_body_id* bodies;
    double (*place)[3];
    uint32_t count;
} crowd;

// a shape of four triangles within a unit ball
static abut_shape* make_shape(abut_context* context) {
    static const double xyz[4][3] = {
        {0.5, 0.5, 0.5}, {0.5, -0.5, -0.5}, {-0.5, 0.5, -0.5}, {-0.5, -0.5, 0.5}};
    static const uint32_t triangles[4][3] = {{0, 1, 2}, {0, 3, 1}, {0, 2, 3}, {1, 3, 2}};
    abut_mesh_def def = abut_mesh_def_default();
    def.positions = abut_positions_f64(&xyz[0][0], 4);
    def.triangles = &triangles[0][0];
    def.triangle_count = 4;
    abut_mesh* mesh = NULL;
    abut_shape* shape = NULL;
    assert_int_equal(abut_mesh_create(context, &def, &mesh, NULL), ABUT_OK);
    assert_int_equal(motion_create(context, mesh, NULL, &shape, NULL), ABUT_OK);
    abut_mesh_destroy(mesh);
    return shape;
}

static abut_frame frame_at(const double place[3]) {
    abut_frame frame = abut_frame_identity();
    for (int d = 0; d < 3; ++d) {
        frame.t[d] = place[d];
    }
    return frame;
}

static crowd make_crowd(uint32_t count, const double size[3], uint64_t seed) {
    crowd c = {.count = count};
    assert_int_equal(abut_context_create(NULL, &c.context, NULL), ABUT_OK);
    assert_int_equal(abut_scene_create(c.context, NULL, &c.scene, NULL), ABUT_OK);
    c.shape = make_shape(c.context);
    c.bodies = calloc(count, sizeof *c.bodies);
    c.place = calloc(count, sizeof *c.place);
    test_random random = random_seed(seed);
    for (uint32_t i = 0; i < count; ++i) {
        abut_body_def def = abut_body_def_default();
        for (int d = 0; d < 3; ++d) {
            c.place[i][d] = size[d] * random_unit(&random);
        }
        def.frame = frame_at(c.place[i]);
        def.is_static = i % 97 == 0;
        def.groups = UINT64_C(1) << (i % 3);
        def.mask = i % 5 == 0 ? 5 : UINT64_MAX;
        assert_int_equal(abut_body_create(c.scene, c.shape, &def, &c.bodies[i], NULL), ABUT_OK);
    }
    return c;
}

static void free_crowd(crowd* c) {
    abut_scene_destroy(c->scene);
    abut_shape_destroy(c->shape);
    abut_context_destroy(c->context);
    free(c->bodies);
    free(c->place);
}

static void move_crowd(crowd* c, test_random* random, double step) {
    for (uint32_t i = 0; i < c->count; ++i) {
        for (int d = 0; d < 3; ++d) {
            c->place[i][d] += step * (random_unit(random) - 0.5);
        }
        const abut_frame frame = frame_at(c->place[i]);
        assert_int_equal(abut_body_set_frame(c->scene, c->bodies[i], &frame, NULL), ABUT_OK);
    }
}

static bool boxes_meet(const abut_box* a, const abut_box* b, double margin) {
    for (int d = 0; d < 3; ++d) {
        if (a->lo[d] - margin > b->hi[d] || b->lo[d] - margin > a->hi[d]) {
            return false;
        }
    }
    return true;
}

// every pair of boxes within the margin must be listed, and no pair far beyond it
static void check_pairs(const crowd* c, const abut__broad* broad, double margin, const char* what) {
    const abut__body_pair* pairs = broad->pairs.data;
    abut_box* boxes = calloc(c->count, sizeof *boxes);
    for (uint32_t i = 0; i < c->count; ++i) {
        assert_int_equal(abut_body_box(c->scene, c->bodies[i], &boxes[i], NULL), ABUT_OK);
    }
    size_t at = 0;
    for (uint32_t i = 0; i < c->count; ++i) {
        for (uint32_t k = i + 1; k < c->count; ++k) {
            const bool listed = at < broad->pairs.count && pairs[at].a == i && pairs[at].b == k;
            at += listed;
            const bool both_static = i % 97 == 0 && k % 97 == 0;
            const uint64_t mask_i = i % 5 == 0 ? 5 : UINT64_MAX;
            const uint64_t mask_k = k % 5 == 0 ? 5 : UINT64_MAX;
            const bool meet = !both_static && (mask_i >> (k % 3) & 1) != 0 &&
                              (mask_k >> (i % 3) & 1) != 0;
            const bool must = meet && boxes_meet(&boxes[i], &boxes[k], margin);
            const bool may = meet && boxes_meet(&boxes[i], &boxes[k], margin + 1e-6);
            if ((must && !listed) || (listed && !may)) {
                fail_msg("%s: pair %u %u listed %d, must %d, may %d", what, i, k, listed, must,
                         may);
            }
        }
    }
    assert_int_equal(at, broad->pairs.count);  // sorted, without duplicates
    free(boxes);
}

static void test_sweep_and_grid_equal_all_pairs(void** state) {
    (void)state;
    static const double sizes[][3] = {{30, 30, 30}, {200, 1, 1}, {3, 3, 3}, {60, 60, 0.5}};
    for (uint64_t seed = 1; seed <= 8; ++seed) {
        crowd c = make_crowd(400, sizes[seed % 4], seed);
        test_random random = random_seed(1000 + seed);
        abut__broad sweep = {0};
        abut__broad grid = {0};
        for (int step = 0; step < 6; ++step) {
            char what[64];
            (void)snprintf(what, sizeof what, "seed %d, step %d", (int)seed, step);
            const double margin = step % 3 == 2 ? 0.75 : 0;
            sweep.use_grid = false;
            grid.use_grid = true;
            assert_true(abut__broad_phase(c.scene, margin, &sweep));
            check_pairs(&c, &sweep, margin, what);
            assert_true(abut__broad_phase(c.scene, margin, &grid));
            check_pairs(&c, &grid, margin, what);
            move_crowd(&c, &random, step == 3 ? 50 : 0.3);
        }
        abut__broad_free(c.context, &sweep);
        abut__broad_free(c.context, &grid);
        free_crowd(&c);
    }
}

// one body as large as all others together neither degrades the grid nor is missed
static void test_large_body_in_a_crowd(void** state) {
    (void)state;
    static const double size[3] = {40, 40, 40};
    crowd c = make_crowd(600, size, 5);
    double* xyz = calloc(12, sizeof *xyz);
    for (int i = 0; i < 12; ++i) {
        xyz[i] = (i * 7 % 5) * 20.0 - 20;
    }
    assert_int_equal(
        abut_body_set_positions(c.scene, c.bodies[3], abut_positions_f64(xyz, 4), NULL), ABUT_OK);
    abut__broad grid = {.use_grid = true};
    assert_true(abut__broad_phase(c.scene, 0, &grid));
    check_pairs(&c, &grid, 0, "a large body");
    free(xyz);
    abut__broad_free(c.context, &grid);
    free_crowd(&c);
}

// twelve thousand bodies: the same pairs in each step, and work nearly linear in their number
static void test_twelve_thousand_bodies(void** state) {
    (void)state;
    static const double size[3] = {60, 60, 60};
    crowd c = make_crowd(12000, size, 9);
    test_random random = random_seed(77);
    abut__broad broad = {0};
    for (int step = 0; step < 3; ++step) {
        assert_true(abut__broad_phase(c.scene, 0, &broad));
        check_pairs(&c, &broad, 0, "twelve thousand");
        assert_in_range(broad.comparisons, broad.pairs.count, 64u * c.count);
        move_crowd(&c, &random, 0.2);
    }
    assert_true(broad.use_grid);  // a sweep along one axis would compare a million pairs
    abut_collide_result* result = NULL;
    assert_int_equal(abut_collide_result_create(c.context, &result, NULL), ABUT_OK);
    assert_int_equal(abut_collide_all(c.scene, NULL, result, NULL), ABUT_OK);
    size_t count = 0;
    const abut_pair* pairs = abut_collide_result_pairs(result, &count);
    assert_true(count > 1000);
    abut_collide_result* one = NULL;
    assert_int_equal(abut_collide_result_create(c.context, &one, NULL), ABUT_OK);
    for (size_t i = 0; i < count;
         i += 101) {  // a query of two bodies agrees with the query over the scene
        assert_int_equal(abut_collide(c.scene, c.bodies[pairs[i].body_a], c.bodies[pairs[i].body_b],
                                      NULL, one, NULL),
                         ABUT_OK);
        assert_true(abut_collide_result_found(one));
    }
    abut_collide_result_destroy(one);
    abut_collide_result_destroy(result);
    abut__broad_free(c.context, &broad);
    free_crowd(&c);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sweep_and_grid_equal_all_pairs),
        cmocka_unit_test(test_large_body_in_a_crowd),
        cmocka_unit_test(test_twelve_thousand_bodies),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
