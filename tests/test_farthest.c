// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// The farthest point along a direction, against a pass over all points: the same bits and the same
// place, also among points that are equally far. And the work that it takes.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/vec3.h"
#include "depth/farthest.h"
#include "support/world.h"

enum { MOST = 4000 };

// what the library promises, by a pass over all points
static size_t brute_place(const double (*p)[3], size_t count, const double direction[3]) {
    size_t best = 0;
    for (size_t i = 1; i < count; ++i) {
        best = abut__dot3(p[i], direction) > abut__dot3(p[best], direction) ? i : best;
    }
    return best;
}

static void random_direction(test_random* random, uint32_t kind, double out[3]) {
    for (int d = 0; d < 3; ++d) {
        out[d] = kind % 3 == 0 ? random_between(random, -1, 1) : random_double(random, -1, 1);
    }
}

// points in a cube, on a ball, on a grid with many ties, in a plane, or all in one place
static void random_points(test_random* random, uint32_t kind, size_t count, double (*p)[3]) {
    const double scale = ldexp(1, random_between(random, -30, 30));
    for (size_t i = 0; i < count; ++i) {
        double length = 0;
        for (int d = 0; d < 3; ++d) {
            p[i][d] = kind == 2 ? random_between(random, -4, 4) : random_double(random, -1, 1);
            p[i][d] = kind == 4 || (kind == 3 && d == 1) ? 0.25 : p[i][d];
            length += p[i][d] * p[i][d];
        }
        for (int d = 0; d < 3; ++d) {
            p[i][d] *= kind == 1 && length > 0 ? scale / sqrt(length) : scale;
        }
    }
}

static void test_same_as_a_pass(void** state) {
    (void)state;
    abut_context* context;
    REQUIRE_OK(abut_context_create(NULL, &context, NULL));
    double(*p)[3] = calloc(MOST, sizeof *p);
    abut__farthest f;
    memset(&f, 0, sizeof f);
    for (uint32_t seed = 0; seed < effort(120, 400, 4000); ++seed) {
        test_random random = random_seed(seed);
        const size_t count = (size_t)random_between(&random, 1, seed % 4 == 0 ? 100 : MOST);
        random_points(&random, seed % 5, count, p);
        REQUIRE(abut__farthest_set(context, &f, (const double(*)[3])p, count));
        for (uint32_t k = 0; k < 20; ++k) {
            double direction[3];
            random_direction(&random, k, direction);
            const size_t some = (size_t)random_between(&random, 1, (int32_t)count);
            const size_t among = k % 2 == 0 ? count : some;
            const size_t truth = brute_place((const double(*)[3])p, among, direction);
            where("seed %u, direction %u, %zu points, the first %zu", seed, k, count, among);
            REQUIRE(abut__farthest_place(&f, direction, among) == truth);
            const size_t all = brute_place((const double(*)[3])p, count, direction);
            REQUIRE(abut__farthest_along(&f, direction) == abut__dot3(p[all], direction));
        }
    }
    REQUIRE(abut__farthest_set(context, &f, (const double(*)[3])p, 0));
    REQUIRE(abut__farthest_along(&f, (const double[3]){1, 0, 0}) == -INFINITY);
    abut__farthest_free(context, &f);
    free(p);
    abut_context_destroy(context);
}

// On a ball each point is the farthest along some direction, so no point can be left out ahead.
static void test_looks_at_few(void** state) {
    (void)state;
    abut_context* context;
    REQUIRE_OK(abut_context_create(NULL, &context, NULL));
    surface ball = surface_ball(200, 200, 1);
    abut__farthest f;
    memset(&f, 0, sizeof f);
    REQUIRE(abut__farthest_set(context, &f, (const double(*)[3])ball.xyz, ball.vertex_count));
    test_random random = random_seed(7);
    for (uint32_t k = 0; k < 200; ++k) {
        double direction[3];
        random_direction(&random, k, direction);
        const size_t work = abut__farthest_work(&f, direction);
        where("direction %u: %zu of %u", k, work, ball.vertex_count);
        REQUIRE(direction[0] * direction[1] * direction[2] == 0 || work < ball.vertex_count / 10);
    }
    abut__farthest_free(context, &f);
    surface_free(&ball);
    abut_context_destroy(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_same_as_a_pass),
        cmocka_unit_test(test_looks_at_few),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
