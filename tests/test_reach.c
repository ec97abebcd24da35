// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// How far a body reaches along a direction, against a pass over all vertices, and the work it takes.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/vec3.h"
#include "depth/reach.h"
#include "support/inside.h"

static abut_frame random_frame(test_random* random, uint32_t seed) {
    abut_frame frame = abut_frame_identity();
    const double angle = seed % 4 != 3 ? 0 : random_double(random, 0, 6);
    frame.r[0][0] = frame.r[1][1] = cos(angle);
    frame.r[0][1] = -sin(angle);
    frame.r[1][0] = sin(angle);
    for (int d = 0; d < 3 && seed % 3 != 0; ++d) {
        frame.t[d] = ldexp(random_double(random, -1, 1), random_between(random, -3, 20));
    }
    return frame;
}

// the greatest value of all vertices in the world
static double brute_reach(const world* w, abut_body_id body, uint32_t vertices,
                          const double direction[3]) {
    double most = -INFINITY;
    for (uint32_t v = 0; v < vertices; ++v) {
        double p[3];
        REQUIRE_OK(abut_body_world_vertex(w->scene, body, v, p, NULL));
        most = fmax(most, abut__dot3(p, direction));
    }
    return most;
}

static void test_same_as_a_pass(void** state) {
    (void)state;
    for (uint32_t seed = 0; seed < effort(40, 200, 2000); ++seed) {
        test_random random = random_seed(seed);
        world w = world_make(NULL, NULL);
        surface s = seed % 2 == 0 ? surface_ball(12, 14, random_double(&random, 0.1, 10))
                                  : surface_soup(&random, 300, 4, 1, 0x1p-20);
        // vertices of all blocks reach nearly as far: boxes, which are floats, do not tell which
        for (size_t i = 0; i < 3 * (size_t)s.vertex_count && seed % 4 == 1; i += 9) {
            s.xyz[i] = 9 + random_double(&random, 0, 1e-9);
        }
        const abut_body_id id = world_add(&w, &s, NULL, NULL);
        const abut_frame frame = random_frame(&random, seed);
        REQUIRE_OK(abut_body_set_frame(w.scene, id, &frame, NULL));
        for (int k = 0; k < 20; ++k) {
            double direction[3];
            for (int d = 0; d < 3; ++d) {
                direction[d] = k < 6 ? (k / 2 == d) * (k % 2 == 0 ? 1 : -1)
                                     : random_double(&random, -1, 1);
            }
            const double truth = brute_reach(&w, id, s.vertex_count, direction);
            const abut__reached found = abut__reach(inside_body(w.scene, id), direction, NULL);
            where("seed %u, direction %d: %.17g, truly %.17g", seed, k, found.along, truth);
            REQUIRE(found.along == truth);
            double p[3];
            REQUIRE_OK(abut_body_world_vertex(w.scene, id, found.vertex, p, NULL));
            REQUIRE(memcmp(p, found.point, sizeof p) == 0 && abut__dot3(p, direction) == truth);
            const uint32_t from = random_below(&random, s.vertex_count);
            const double least = abut__reach_from(inside_body(w.scene, id), from, direction);
            REQUIRE_OK(abut_body_world_vertex(w.scene, id, from, p, NULL));
            where("seed %u, direction %d, from %u: %.17g", seed, k, from, least);
            REQUIRE(least <= truth && least >= abut__dot3(p, direction));
            // a ball is convex, up to rounding and vertices at the same height
            REQUIRE(seed % 2 != 0 || k < 6 || least == truth);
        }
        surface_free(&s);
        world_free(&w);
    }
}

static void test_looks_at_few(void** state) {
    (void)state;
    world w = world_make(NULL, NULL);
    surface s = surface_ball(100, 100, 1);
    const abut_body_id id = world_add(&w, &s, NULL, NULL);
    test_random random = random_seed(3);
    for (int k = 0; k < 50; ++k) {
        const double direction[3] = {random_double(&random, -1, 1), random_double(&random, -1, 1),
                                     random_double(&random, -1, 1)};
        abut_counters work = {0};
        abut__reach(inside_body(w.scene, id), direction, &work);
        where("direction %d: %llu of %u vertices", k, (unsigned long long)work.vertices_evaluated,
              s.vertex_count);
        REQUIRE(work.vertices_evaluated > 0 && work.vertices_evaluated < s.vertex_count / 4);
    }
    surface_free(&s);
    world_free(&w);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_same_as_a_pass),
        cmocka_unit_test(test_looks_at_few),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
