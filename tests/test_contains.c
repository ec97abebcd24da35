// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Point containment against the sum of solid angles, which is independent of counting crossings,
// above all for points in line with corners and edges; and for surfaces without an inside.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "support/solids.h"

// a cube of 12 n^2 triangles with integer corners, -n to n
static surface cube(int n) {
    surface s = surface_make((uint32_t)(12 * n * n) * 3, (uint32_t)(12 * n * n));
    uint32_t v = 0;
    for (int face = 0; face < 6; ++face) {
        const int axis = face / 2;
        const int sign = face % 2 == 0 ? 1 : -1;
        for (int i = 0; i < n; ++i) {
            for (int j = 0; j < n; ++j) {
                const int corner[6][2] = {{0, 0}, {1, 0}, {1, 1}, {0, 0}, {1, 1}, {0, 1}};
                for (int c = 0; c < 6; ++c) {
                    double* p = s.xyz + 3 * (size_t)v;
                    const int k = sign > 0 ? c : 5 - c;
                    p[axis] = sign * n;
                    p[(axis + 1) % 3] = 2 * (i + corner[k][0]) - n;
                    p[(axis + 2) % 3] = 2 * (j + corner[k][1]) - n;
                    s.triangles[v] = v;
                    ++v;
                }
            }
        }
    }
    return s;
}

// each lattice point is in line with corners and edges of the cube along all axes
static void test_lattice_of_a_cube(void** state) {
    (void)state;
    for (int n = 1; n <= 3; ++n) {
        world w = world_make(NULL, NULL);
        surface s = cube(n);
        const abut_body_id body = world_add(&w, &s, NULL, NULL);
        for (int x = -n - 1; x <= n + 1; ++x) {
            for (int y = -n - 1; y <= n + 1; ++y) {
                for (int z = -n - 1; z <= n + 1; ++z) {
                    const double p[3] = {x, y, z};
                    const int far = abs(x) > abs(y) ? abs(x) : abs(y);
                    const int most = far > abs(z) ? far : abs(z);
                    int32_t winding = 7;
                    where("n %d, point %d %d %d", n, x, y, z);
                    const abut_side side = world_point_side(&w, body, p, &winding);
                    REQUIRE(side == (most < n    ? ABUT_SIDE_INSIDE
                                     : most == n ? ABUT_SIDE_SURFACE
                                                 : ABUT_SIDE_OUTSIDE));
                    REQUIRE(winding == (most < n ? 1 : 0));
                }
            }
        }
        surface_free(&s);
        world_free(&w);
    }
}

// overlapping balls with integer corners, anywhere and rotated, against the winding number
static void test_random_points(void** state) {
    (void)state;
    for (uint32_t round = 0; round < effort(20, 60, 600); ++round) {
        test_random random = random_seed(round);
        world w = world_make(NULL, NULL);
        surface s = surface_ball(4 + round % 9, 5 + round % 7, 8);
        surface_shake(&s, &random, 1, round % 2 == 0 ? 1 : 0x1p-30);
        surface other = surface_copy(&s);
        surface_shift(&other, 3, 1, 0);
        surface both = surface_join(&s, &other);
        if (round % 3 == 0) {  // normals inwards
            for (uint32_t t = 0; t < both.triangle_count; ++t) {
                const uint32_t kept = both.triangles[3 * t];
                both.triangles[3 * t] = both.triangles[3 * t + 1];
                both.triangles[3 * t + 1] = kept;
            }
        }
        const abut_body_id body = world_add(&w, &both, NULL, NULL);
        for (int k = 0; k < 60; ++k) {
            const double step = k % 2 == 0 ? 1 : 0x1p-20;
            double p[3];
            for (int d = 0; d < 3; ++d) {
                p[d] = step * floor(random_double(&random, -12, 12) / step);
            }
            const double turns = winding_number(&both, p);
            int32_t winding = 7;
            where("seed %u, point %g %g %g", round, p[0], p[1], p[2]);
            const abut_side side = world_point_side(&w, body, p, &winding);
            if (side != ABUT_SIDE_SURFACE) {
                REQUIRE(fabs(turns - winding) < 1e-6);
                REQUIRE(side == (winding != 0 ? ABUT_SIDE_INSIDE : ABUT_SIDE_OUTSIDE));
            } else {
                REQUIRE(step == 1 && round % 2 == 0);  // on a corner, an edge or a flat part
            }
        }
        surface_free(&s);
        surface_free(&other);
        surface_free(&both);
        world_free(&w);
    }
}

// Many points at once, which share rays where no surface is near, against the winding number and
// against each point alone.
static void test_batches(void** state) {
    (void)state;
    enum { MANY = 3000 };
    for (uint32_t round = 0; round < effort(3, 12, 120); ++round) {
        test_random random = random_seed(round);
        world w = world_make(NULL, NULL);
        surface s = surface_ball(8, 11, 8);
        surface_shake(&s, &random, 1, 0x1p-20);
        surface other = surface_copy(&s);
        surface_shift(&other, 5, 1, 0);
        surface both = surface_join(&s, &other);
        const abut_body_id body = world_add(&w, &both, NULL, NULL);
        double(*points)[3] = test_alloc(MANY, sizeof *points);
        for (int i = 0; i < MANY; ++i) {
            const uint32_t on = random_below(&random, both.vertex_count);
            for (int d = 0; d < 3; ++d) {
                points[i][d] = i % 5 == 0 ? both.xyz[3 * (size_t)on + (size_t)d]
                                          : random_double(&random, -15, 15);
            }
        }
        size_t count = 0;
        REQUIRE_OK(abut_contains_points(w.scene, body, abut_positions_f64(points[0], MANY), NULL,
                                        w.sides, NULL));
        const abut_side* sides = abut_contains_result_sides(w.sides, &count);
        const int32_t* windings = abut_contains_result_windings(w.sides, NULL);
        REQUIRE(count == MANY);
        abut_side* kept = test_alloc(MANY, sizeof *kept);
        for (int i = 0; i < MANY; ++i) {
            where("seed %u, point %d", round, i);
            kept[i] = sides[i];
            if (i % 5 == 0) {
                REQUIRE(sides[i] == ABUT_SIDE_SURFACE && windings[i] == 0);
            } else {
                REQUIRE(sides[i] != ABUT_SIDE_SURFACE);
                REQUIRE(fabs(winding_number(&both, points[i]) - windings[i]) < 1e-3);
            }
        }
        for (int i = 0; i < MANY; i += 7) {
            int32_t winding;
            where("seed %u, point %d alone", round, i);
            REQUIRE(world_point_side(&w, body, points[i], &winding) == kept[i]);
        }
        free(kept);
        free(points);
        surface_free(&s);
        surface_free(&other);
        surface_free(&both);
        world_free(&w);
    }
}

static void test_frames(void** state) {
    (void)state;
    test_random random = random_seed(5);
    world w = world_make(NULL, NULL);
    surface s = cube(2);
    const abut_body_id body = world_add(&w, &s, NULL, NULL);
    for (int k = 0; k < 300; ++k) {
        abut_frame frame = frame_random(&random, k % 2 == 0 ? 10 : 1e9);
        world_frame(&w, body, frame);
        double p[3];
        double most = 0;
        for (int d = 0; d < 3; ++d) {
            p[d] = random_double(&random, -4, 4);
            most = fabs(p[d]) > most ? fabs(p[d]) : most;
        }
        double q[3];
        for (int d = 0; d < 3; ++d) {
            q[d] = frame.r[d][0] * p[0] + frame.r[d][1] * p[1] + frame.r[d][2] * p[2] + frame.t[d];
        }
        int32_t winding;
        if (fabs(most - 2) > 1e-5) {
            REQUIRE(world_point_side(&w, body, q, &winding) ==
                    (most < 2 ? ABUT_SIDE_INSIDE : ABUT_SIDE_OUTSIDE));
        }
    }
    surface_free(&s);
    world_free(&w);
}

static void test_no_inside(void** state) {
    (void)state;
    world w = world_make(NULL, NULL);
    surface open = cube(1);
    open.triangle_count -= 1;
    surface mixed = cube(1);
    mixed.triangles[0] = 1;
    mixed.triangles[1] = 0;
    const double p[3] = {0, 0, 0};
    int32_t winding = 7;
    const abut_body_id a = world_add(&w, &open, NULL, NULL);
    const abut_body_id b = world_add(&w, &mixed, NULL, NULL);
    assert_int_equal(world_point_side(&w, a, p, &winding), ABUT_SIDE_UNDEFINED);
    assert_int_equal(winding, 0);
    assert_int_equal(world_point_side(&w, b, p, NULL), ABUT_SIDE_UNDEFINED);
    assert_int_equal(world_body_side(&w, a, b), ABUT_SIDE_UNDEFINED);
    surface_free(&open);
    surface_free(&mixed);
    world_free(&w);
}

static void test_bodies(void** state) {
    (void)state;
    world w = world_make(NULL, NULL);
    surface large = cube(3);
    surface small = surface_ball(5, 7, 0.5);
    surface far = surface_copy(&small);
    surface_shift(&far, 9, 0, 0);
    surface two = surface_join(&small, &far);
    surface across = surface_copy(&small);
    surface_shift(&across, 3, 0, 0);
    const abut_body_id outer = world_add(&w, &large, NULL, NULL);
    const surface* inner[4] = {&small, &far, &two, &across};
    const abut_side expected[4] = {ABUT_SIDE_INSIDE, ABUT_SIDE_OUTSIDE, ABUT_SIDE_PARTLY,
                                   ABUT_SIDE_SURFACE};
    for (int i = 0; i < 4; ++i) {
        const abut_body_id body = world_add(&w, inner[i], NULL, NULL);
        assert_int_equal(world_body_side(&w, outer, body), expected[i]);
        assert_int_equal(world_body_side(&w, body, outer),
                         i == 3 ? ABUT_SIDE_SURFACE : ABUT_SIDE_OUTSIDE);
    }
    surface_free(&large);
    surface_free(&small);
    surface_free(&far);
    surface_free(&two);
    surface_free(&across);
    world_free(&w);
}

static void test_errors_and_work(void** state) {
    (void)state;
    world w = world_make(NULL, NULL);
    surface s = surface_ball(60, 90, 1);
    const abut_body_id body = world_add(&w, &s, NULL, NULL);
    const double points[6] = {0.1, 0.2, 0.3, 0, 2, 0};
    const double bad[6] = {0, 0, 0, 0, NAN, 0};
    const abut_positions two = abut_positions_f64(points, 2);
    const abut_body_id none = {0};
    abut_counters work = {0};
    abut_error error = {0};
    size_t count = 7;
    REQUIRE_OK(abut_contains_points(w.scene, body, two, NULL, w.sides, &error));
    REQUIRE_STATUS(abut_contains_points(w.scene, none, two, NULL, w.sides, &error),
                   ABUT_ERR_INVALID_ARGUMENT);
    assert_null(abut_contains_result_sides(w.sides, &count));  // a refused query leaves it empty
    assert_int_equal(count, 0);
    REQUIRE_STATUS(abut_contains_points(w.scene, body, abut_positions_f64(bad, 2), NULL, w.sides,
                                        &error),
                   ABUT_ERR_INVALID_DATA);
    assert_int_equal(error.index, 1);
    assert_int_equal(error.body.generation, 0);
    REQUIRE_STATUS(abut_contains_points(w.scene, body, two, NULL, NULL, &error),
                   ABUT_ERR_INVALID_ARGUMENT);
    REQUIRE_STATUS(abut_contains_body(w.scene, body, body, NULL, w.sides, &error),
                   ABUT_ERR_INVALID_ARGUMENT);
    REQUIRE_STATUS(abut_contains_body(w.scene, body, none, NULL, w.sides, &error),
                   ABUT_ERR_INVALID_ARGUMENT);
    abut_contains_def def = abut_contains_def_default();
    def.head.counters = &work;
    REQUIRE_OK(abut_contains_points(w.scene, body, two, &def, w.sides, &error));
    const abut_side* sides = abut_contains_result_sides(w.sides, &count);
    assert_int_equal(count, 2);
    assert_int_equal(sides[0], ABUT_SIDE_INSIDE);
    assert_int_equal(sides[1], ABUT_SIDE_OUTSIDE);
    assert_int_equal(abut_contains_result_windings(w.sides, NULL)[0], 1);
    work = (abut_counters){0};
    REQUIRE_OK(
        abut_contains_points(w.scene, body, abut_positions_f64(points, 1), &def, w.sides, &error));
    assert_in_range(work.exact_tests, 1, 30);
    assert_in_range(work.blocks_evaluated, 1, 8);
    surface_free(&s);
    world_free(&w);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lattice_of_a_cube), cmocka_unit_test(test_random_points),
        cmocka_unit_test(test_batches),           cmocka_unit_test(test_frames),
        cmocka_unit_test(test_no_inside),         cmocka_unit_test(test_bodies),
        cmocka_unit_test(test_errors_and_work),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
