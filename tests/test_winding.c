// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Generalized winding numbers against the plain sum over all triangles in long double, on every
// motion: open and closed surfaces, points near, far and within; the sides of open surfaces in
// closest-point queries; the same bits everywhere.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "support/everywhere.h"
#include "support/memory.h"
#include "support/motions.h"
#include "support/rays.h"

enum { POINTS = 40 };
#define PI 3.14159265358979323846264338327950288L

static uint32_t triangles_of(const abut_scene* scene, abut_body_id body) {
    return abut_mesh_triangle_count(abut_shape_mesh(abut_body_shape(scene, body)));
}

static long double length(const long double v[3]) {
    return sqrtl(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
}

static long double dot(const long double a[3], const long double b[3]) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

// the solid angle of a triangle from the angles at its corners on the sphere: Girard's theorem
static long double girard(const double t[3][3], const double p[3]) {
    long double v[3][3];
    long double n[3][3];  // normals of the planes through two corners
    for (int i = 0; i < 9; ++i) {
        v[i / 3][i % 3] = (long double)t[i / 3][i % 3] - (long double)p[i % 3];
    }
    for (int i = 0; i < 3; ++i) {
        const long double* a = v[i];
        const long double* b = v[(i + 1) % 3];
        for (int k = 0; k < 3; ++k) {
            n[i][k] = a[(k + 1) % 3] * b[(k + 2) % 3] - a[(k + 2) % 3] * b[(k + 1) % 3];
        }
    }
    const long double side = dot(n[0], v[2]);
    if (side == 0) {
        return 0;
    }
    long double sum = -PI;
    for (int i = 0; i < 3; ++i) {  // at corner i the planes of edges i and i + 2 meet
        const long double* x = n[i];
        const long double* y = n[(i + 2) % 3];
        const long double z[3] = {x[1] * y[2] - x[2] * y[1], x[2] * y[0] - x[0] * y[2],
                                  x[0] * y[1] - x[1] * y[0]};
        sum += atan2l(length(z), -dot(x, y));
    }
    return (side > 0 ? sum : -sum) / (4 * PI);
}

// the distance of a point from a segment
static double edge_distance(const double a[3], const double b[3], const double p[3]) {
    double u[3];
    double v[3];
    double uu = 0;
    double uv = 0;
    for (int k = 0; k < 3; ++k) {
        u[k] = b[k] - a[k];
        v[k] = p[k] - a[k];
        uu += u[k] * u[k];
        uv += u[k] * v[k];
    }
    const double s = uu > 0 ? fmin(1, fmax(0, uv / uu)) : 0;
    double sum = 0;
    for (int k = 0; k < 3; ++k) {
        sum += (v[k] - s * u[k]) * (v[k] - s * u[k]);
    }
    return sqrt(sum);
}

// the plain sum, and how far it may be missed
static double plain_sum(const world* w, abut_body_id body, const double p[3], double* slack) {
    const uint32_t count = triangles_of(w->scene, body);
    long double sum = 0;
    double nearest = INFINITY;
    double longest = 0;
    for (uint32_t i = 0; i < count; ++i) {
        double t[3][3];
        ray_corners(w->scene, body, i, t);
        sum += girard((const double(*)[3])t, p);
        for (int e = 0; e < 3; ++e) {
            nearest = fmin(nearest, edge_distance(t[e], t[(e + 1) % 3], p));
            longest = fmax(longest, edge_distance(t[e], t[e], t[(e + 1) % 3]));
        }
    }
    *slack = 0x1p-48 * count * (1 + longest / nearest);
    return (double)sum;
}

static surface surface_of(test_random* random, uint32_t seed) {
    surface s = seed % 3 == 0 ? surface_ball(24, 30, 1) : surface_sheet(28, 28, 3);
    if (seed % 3 == 1) {
        surface_shake(&s, random, 0.02, 0x1p-40);
    }
    if (seed % 3 == 0 && seed % 2 == 0) {  // a bowl
        s.triangle_count = s.triangle_count * 3 / 5;
    }
    return s;
}

static const motion_row* const rows[] = {&motion_free, &motion_modal, &motion_blend,
                                         &motion_flight};

static void test_numbers_are_plain_sums(void** state) {
    (void)state;
    for (uint32_t seed = 0; seed < effort(8, 24, 200); ++seed) {
        const motion_row* row = rows[seed % 4];
        test_random random = random_seed(900 + seed);
        world w = world_make(NULL, NULL);
        mover m = mover_make(row, seed % row->variants, surface_of(&random, seed), &random);
        const motion_def shape_def = mover_def(&m);
        const abut_body_id body = world_add(&w, &m.surface, &shape_def, NULL);
        for (uint32_t step = 0; step < 2; ++step) {
            mover_draw(&m, &random, step == 0 ? STATE_REST : STATE_ORDINARY);
            REQUIRE_OK(mover_set(&m, w.scene, body));
            world_frame(&w, body, frame_random(&random, seed % 2 == 0 ? 2 : 100));
            double points[POINTS][3];
            for (int i = 0; i < POINTS; ++i) {
                double t[3][3];
                ray_corners(w.scene, body, random_below(&random, triangles_of(w.scene, body)), t);
                const double off = i % 4 == 0 ? 0.01 : i % 4 == 1 ? 0.3 : i % 4 == 2 ? 3 : 100;
                for (int k = 0; k < 3; ++k) {
                    points[i][k] = t[0][k] + random_double(&random, -off, off);
                }
            }
            const uint32_t count = step == 0 ? 5 : POINTS;  // few and many
            size_t found;
            REQUIRE_OK(abut_contains_winding_numbers(
                w.scene, body, abut_positions_f64(points[0], count), NULL, w.sides, NULL));
            const double* numbers = abut_contains_result_winding_numbers(w.sides, &found);
            REQUIRE(found == count && abut_contains_result_sides(w.sides, NULL) == NULL);
            for (uint32_t i = 0; i < count; ++i) {
                double slack;
                where("%s, seed %u, step %u, point %u", row->name, seed, step, i);
                const double wanted = plain_sum(&w, body, points[i], &slack);
                REQUIRE(fabs(numbers[i] - wanted) <= slack);
            }
        }
        mover_free(&m);
        world_free(&w);
    }
}

// far points replace whole pieces: most triangles are not looked at
static void test_far_points_take_little_work(void** state) {
    (void)state;
    world w = world_make(NULL, NULL);
    surface s = surface_sheet(80, 80, 1);
    const abut_body_id body = world_add(&w, &s, NULL, NULL);
    const double far[3] = {0.5, 0.4, 9};
    const double near[3] = {0.51, 0.41, 0.003};
    abut_counters counters[2] = {{0}};
    for (int i = 0; i < 2; ++i) {
        abut_contains_def def = abut_contains_def_default();
        def.head.counters = &counters[i];
        REQUIRE_OK(abut_contains_winding_numbers(
            w.scene, body, abut_positions_f64(i == 0 ? far : near, 1), &def, w.sides, NULL));
    }
    REQUIRE(counters[0].boxes_tested < counters[1].boxes_tested);
    const double number = abut_contains_result_winding_numbers(w.sides, NULL)[0];
    REQUIRE(number < 0.5 && number > 0.49 - 1);
    surface_free(&s);
    world_free(&w);
}

static void test_sides_of_open_surfaces(void** state) {
    (void)state;
    world w = world_make(NULL, NULL);
    abut_closest_result* closest = NULL;
    surface s = surface_ball(20, 24, 1);
    s.triangle_count -= 24;  // without its last cap
    const abut_body_id body = world_add(&w, &s, NULL, NULL);
    REQUIRE_OK(abut_closest_result_create(w.context, &closest, NULL));
    const double points[3][3] = {{0, 0, 0.1}, {2, 0, 0}, {0.3, 0.3, -0.2}};
    abut_closest_def def = abut_closest_def_default();
    def.sign = true;
    for (int k = 0; k < 2; ++k) {
        def.sign_open = k == 1;
        REQUIRE_OK(
            abut_closest(w.scene, body, abut_positions_f64(points[0], 3), &def, closest, NULL));
        const abut_closest_point* row = abut_closest_result_points(closest, NULL);
        for (int i = 0; i < 3; ++i) {
            REQUIRE(row[i].side == (k == 0   ? ABUT_SIDE_UNDEFINED
                                    : i == 1 ? ABUT_SIDE_OUTSIDE
                                             : ABUT_SIDE_INSIDE));
            REQUIRE((row[i].distance < 0) == (k == 1 && i != 1));
        }
    }
    abut_closest_result_destroy(closest);
    surface_free(&s);
    world_free(&w);
}

static void test_same_bits_everywhere(void** state) {
    (void)state;
    enum { MANY = 200 };
    uint64_t wanted = 0;
    everywhere at = everywhere_each((const uint32_t[]){2, 5, 0}, 1);
    while (everywhere_next(&at)) {
        where("%s", at.text);
        world w = world_make(&at.def, NULL);
        test_random random = random_seed(3);
        static double points[MANY][3];
        surface s = surface_sheet(30, 30, 2);
        const abut_body_id body = world_add(&w, &s, NULL, NULL);
        for (int i = 0; i < 3 * MANY; ++i) {
            points[i / 3][i % 3] = random_double(&random, -2, 2);
        }
        REQUIRE_OK(abut_contains_winding_numbers(w.scene, body, abut_positions_f64(points[0], MANY),
                                                 NULL, w.sides, NULL));
        const double* numbers = abut_contains_result_winding_numbers(w.sides, NULL);
        uint64_t hash = 1469598103934665603u;
        hash_bytes(&hash, numbers, MANY * sizeof *numbers);
        wanted = at.first ? hash : wanted;
        REQUIRE(hash == wanted);
        surface_free(&s);
        world_free(&w);
    }
}

// every allocation fails once; then nothing more is allocated
static void test_memory_may_fail(void** state) {
    (void)state;
    test_memory memory;
    const abut_context_def def = memory_context_def(&memory);
    world w = world_make(&def, NULL);
    surface s = surface_sheet(30, 30, 2);
    static const double points[10][3] = {{0.1, 0.1, 0.1}, {3, 3, 3}};
    const abut_positions batch = abut_positions_f64(points[0], 10);
    abut_status status = ABUT_ERR_NO_MEMORY;
    const abut_body_id body = world_add(&w, &s, NULL, NULL);
    for (size_t call = 1; status != ABUT_OK; ++call) {
        where("call %zu", call);
        memory_fail(&memory, call, false);
        status = abut_contains_winding_numbers(w.scene, body, batch, NULL, w.sides, NULL);
        memory_fail(&memory, 0, false);
        REQUIRE(status == ABUT_OK || status == ABUT_ERR_NO_MEMORY);
    }
    const size_t calls = memory.calls;
    REQUIRE_OK(abut_contains_winding_numbers(w.scene, body, batch, NULL, w.sides, NULL));
    REQUIRE(memory.calls == calls);
    surface_free(&s);
    world_free(&w);
    memory_require_clean(&memory);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_numbers_are_plain_sums),
        cmocka_unit_test(test_far_points_take_little_work),
        cmocka_unit_test(test_sides_of_open_surfaces),
        cmocka_unit_test(test_same_bits_everywhere),
        cmocka_unit_test(test_memory_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
