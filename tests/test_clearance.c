// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// The distances on which lower bounds of depths rest, against the certified distance of triangles.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "depth/clearance.h"
#include "scene/scene.h"
#include "support/world.h"
#include "support/inside.h"

// the distance of a point from a surface, also of needles: never too large, and hardly too small
static void test_clearance(void** state) {
    (void)state;
    for (uint32_t round = 0; round < effort(20, 60, 600); ++round) {
        test_random random = random_seed(round);
        world w = world_make(NULL, NULL);
        surface s = surface_soup(&random, 60, 4, 2, 0x1p-20);
        for (uint32_t t = 0; t < s.triangle_count; ++t) {  // corners nearly in a line
            const double* a = s.xyz + 9 * (size_t)t;
            double* c = s.xyz + 9 * (size_t)t + 6;
            const double part = random_double(&random, -0.5, 1.5);
            const double off = ldexp(1, random_between(&random, -50, 0));
            for (int d = 0; d < 3 && t % 2 == 0; ++d) {
                c[d] = a[d] + part * (a[3 + d] - a[d]) + off * random_double(&random, -1, 1);
            }
        }
        const abut_body_id id = world_add(&w, &s, NULL, NULL);
        for (int k = 0; k < 20; ++k) {
            double p[3][3];
            double least = INFINITY;
            for (int d = 0; d < 3; ++d) {
                // beside a needle, where its plane matters, or anywhere
                const double* near = s.xyz + 18 * (size_t)(k % 30);
                const double beside = (near[d] + near[3 + d] + near[6 + d]) / 3 +
                                      ldexp(random_double(&random, -1, 1), -(int)(k / 2));
                p[0][d] = p[1][d] = p[2][d] = k % 2 == 0 ? beside : random_double(&random, -5, 5);
            }
            for (uint32_t t = 0; t < s.triangle_count; ++t) {
                abut_distance measured;
                REQUIRE_OK(abut_triangles_distance(
                    (const double(*)[3])p, (const double(*)[3])(s.xyz + 9 * (size_t)t), &measured));
                least = measured.distance < least ? measured.distance : least;
            }
            double to[3];
            const double clear = abut__clearance(inside_body(w.scene, id), p[0], 100, 1, NULL, to);
            REQUIRE(fabs(sqrt(to[0] * to[0] + to[1] * to[1] + to[2] * to[2]) - least) < 1e-6);
            where("seed %u, point %d: %.17g, truly %.17g", round, k, clear, least);
            REQUIRE(clear <= least && clear > least - 1e-6);
            const double part = random_double(&random, 0.5, 1);
            const double rough = abut__clearance(inside_body(w.scene, id), p[0], 100, part, NULL,
                                                 to);
            where("seed %u, point %d, part %g: %.17g, truly %.17g", round, k, part, rough, least);
            REQUIRE(rough <= least && rough > part * least - 1e-6);
        }
        surface_free(&s);
        world_free(&w);
    }
}

// Points close to needles, at distances like their width: heights above the plane of such a
// triangle have errors far above the distance, so that it must be measured in another way.
static void test_needles(void** state) {
    (void)state;
    for (uint32_t round = 0; round < effort(10, 30, 300); ++round) {
        test_random random = random_seed(100 + round);
        world w = world_make(NULL, NULL);
        surface s = surface_soup(&random, 20, 4, 2, 0x1p-20);
        for (uint32_t t = 0; t < s.triangle_count; ++t) {
            const double* a = s.xyz + 9 * (size_t)t;
            const double part = random_double(&random, 0, 1);
            const double off = ldexp(1, random_between(&random, -44, -34));
            for (int d = 0; d < 3; ++d) {
                s.xyz[9 * (size_t)t + 6 + (size_t)d] = a[d] + part * (a[3 + d] - a[d]) +
                                                       off * random_double(&random, -1, 1);
            }
        }
        const abut_body_id id = world_add(&w, &s, NULL, NULL);
        for (uint32_t k = 0; k < 20 * s.triangle_count; ++k) {
            const double* a = s.xyz + 9 * (size_t)(k / 20);
            const double part = random_double(&random, 0, 1);
            const double off = ldexp(1, random_between(&random, -42, -36));
            double p[3][3];
            abut_distance measured;
            for (int d = 0; d < 3; ++d) {
                p[0][d] = p[1][d] = p[2][d] = a[d] + part * (a[3 + d] - a[d]) +
                                              off * random_double(&random, -1, 1);
            }
            REQUIRE_OK(
                abut_triangles_distance((const double(*)[3])p, (const double(*)[3])a, &measured));
            double to[3];
            const double clear = abut__clearance(inside_body(w.scene, id), p[0], 100, 1, NULL, to);
            where("seed %u, point %u: %.17g, at most %.17g", 100 + round, k, clear,
                  measured.distance);
            REQUIRE(clear <= measured.distance);
        }
        surface_free(&s);
        world_free(&w);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_clearance),
        cmocka_unit_test(test_needles),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
