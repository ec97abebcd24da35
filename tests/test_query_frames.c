// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Frames where boxes have no slack: surfaces that meet in one plane to the last bit because of
// their frames, at every magnitude. The pad of a box must cover all rounding errors.

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "support/world.h"

// a sheet perpendicular to an axis, at `height` along it
static surface wall(int axis, double height, double width) {
    surface s = surface_sheet(3, 3, width);
    for (uint32_t v = 0; v < s.vertex_count; ++v) {
        double* p = s.xyz + 3 * (size_t)v;
        const double q[3] = {p[0], p[1], height};
        for (int d = 0; d < 3; ++d) {
            p[(d + axis + 1) % 3] = q[d];
        }
    }
    return s;
}

static double random_length(test_random* random, int least, int most) {
    const double length = ldexp(1 + random_unit(random), random_between(random, least, most));
    return random_chance(random, 0.5) ? length : -length;
}

static void set_axis(abut_body_def* def, int axis, double t) {
    def->frame.t[axis] = t;
}

// Body a is at h with its frame at ta. Body b is at the resulting place with its frame at tb. Both
// are in one plane if tb rounds nothing, and a few bits apart otherwise. The oracle decides which.
static size_t check_walls(test_random* random, int least, int most, double margin_part) {
    const int axis = (int)random_below(random, 3);
    const double height = random_length(random, least, most);
    const double ta = random_length(random, least, most);
    const double tb = random_chance(random, 0.5) ? 0 : random_length(random, least, most);
    const double width = ldexp(1, random_between(random, least, most));
    world w = world_make(NULL, NULL);
    surface low = wall(axis, height, width);
    surface high = wall(axis, (height + ta) - tb, width);
    abut_body_def def_a = abut_body_def_default();
    abut_body_def def_b = abut_body_def_default();
    set_axis(&def_a, axis, ta);
    set_axis(&def_b, axis, tb);
    motion_def shape_def = motion_def_default();
    shape_def.block_triangles = 4;
    const abut_body_id a = world_add(&w, &low, &shape_def, &def_a);
    const abut_body_id b = world_add(&w, &high, &shape_def, &def_b);
    abut_collide_def def = abut_collide_def_default();
    size_t found = check_between(&w, a, b, &def) + check_between(&w, b, a, &def);
    found += check_collide_all(&w, &def);
    if (margin_part > 0) {  // the same at a distance of one margin
        double p[3];
        double q[3];
        REQUIRE_OK(abut_body_world_vertex(w.scene, a, 0, p, NULL));
        surface_free(&high);
        high = wall(axis, ((height + ta) - tb) + margin_part * ldexp(1, most), width);
        world_move(&w, b, high.xyz);
        REQUIRE_OK(abut_body_world_vertex(w.scene, b, 0, q, NULL));
        def.margin = fabs(q[axis] - p[axis]);
        found += check_between(&w, a, b, &def) + check_collide_all(&w, &def);
        def.margin = nextafter(def.margin, 0);
        (void)check_between(&w, a, b, &def);
    }
    surface_free(&low);
    surface_free(&high);
    world_free(&w);
    return found;
}

static void test_walls_that_frames_bring_together(void** state) {
    (void)state;
    static const struct {
        int least;
        int most;
    } ranges[] = {{-3, 3},        {-30, 30},  {-152, -140}, {-130, -120}, {-160, -100},
                  {-1070, -1000}, {100, 121}, {115, 130},   {900, 1000}};
    for (size_t r = 0; r < sizeof ranges / sizeof ranges[0]; ++r) {
        size_t found = 0;
        for (uint64_t seed = 1; seed <= effort(60, 200, 3000); ++seed) {
            where("range %zu, seed %llu", r, (unsigned long long)seed);
            test_random random = random_seed(seed);
            found += check_walls(&random, ranges[r].least, ranges[r].most,
                                 seed % 3 == 0 ? random_unit(&random) : 0);
        }
        REQUIRE(found > 0);
    }
}

// the same with rotated bodies: a quarter turn is exact, so that the planes still meet
static void test_turned_walls(void** state) {
    (void)state;
    size_t found = 0;
    for (uint64_t seed = 1; seed <= effort(100, 300, 5000); ++seed) {
        where("seed %llu", (unsigned long long)seed);
        test_random random = random_seed(seed);
        const int most = random_between(&random, -140, 120);
        const double height = random_length(&random, most - 8, most);
        const double ta = random_length(&random, most - 8, most);
        world w = world_make(NULL, NULL);
        surface low = wall(0, height, ldexp(1, most));
        surface high = wall(1, height + ta, ldexp(1, most));
        abut_body_def def = abut_body_def_default();
        // x becomes y
        static const double quarter[3][3] = {{0, -1, 0}, {1, 0, 0}, {0, 0, 1}};
        memcpy(def.frame.r, quarter, sizeof quarter);
        def.frame.t[1] = ta;
        def.frame.t[0] = seed % 2 == 0 ? ldexp(1, most) : ldexp(0.7, most);
        const abut_body_id a = world_add(&w, &low, NULL, &def);
        const abut_body_id b = world_add(&w, &high, NULL, NULL);
        found += check_between(&w, a, b, NULL) + check_between(&w, b, a, NULL);
        (void)check_collide_all(&w, NULL);
        surface_free(&low);
        surface_free(&high);
        world_free(&w);
    }
    REQUIRE(found > 0);
}

// a small body whose frame is far beyond float, and a body with such vertices
static void test_beyond_float(void** state) {
    (void)state;
    static const double far[] = {1e37, 3e38, 4e38, 1e100, 1e300};
    for (size_t i = 0; i < sizeof far / sizeof far[0]; ++i) {
        where("far %g", far[i]);
        world w = world_make(NULL, NULL);
        surface large = surface_sheet(4, 4, far[i]);
        surface_shift(&large, far[i] / 2, far[i] / 2, 0);
        surface small = surface_sheet(2, 2, 1);
        abut_body_def def = abut_body_def_default();
        def.frame.t[0] = def.frame.t[1] = far[i];
        const abut_body_id a = world_add(&w, &large, NULL, NULL);
        const abut_body_id b = world_add(&w, &small, NULL, &def);
        REQUIRE(check_between(&w, a, b, NULL) > 0);
        REQUIRE(check_collide_all(&w, NULL) > 0);
        surface_free(&large);
        surface_free(&small);
        world_free(&w);
    }
}

// a body box contains every world vertex, for any place of the body
static void test_body_box(void** state) {
    (void)state;
    for (uint64_t seed = 1; seed <= effort(50, 200, 2000); ++seed) {
        where("seed %llu", (unsigned long long)seed);
        test_random random = random_seed(seed);
        world w = world_make(NULL, NULL);
        surface s = surface_soup(&random, 20, 1, 1, 0x1p-20);
        surface_shift(&s, seed % 2 == 0 ? 3 : 0, seed % 4 == 0 ? -3 : 0, 0);
        surface_scale(&s, ldexp(1, random_between(&random, -1070, 1020)));
        abut_body_def def = abut_body_def_default();
        const double reach = ldexp(1, random_between(&random, -1000, 1020));
        const abut_frame frame = frame_random(&random, reach);
        memcpy(def.frame.t, frame.t, sizeof frame.t);
        if (seed % 3 == 0) {
            def.frame = frame;
        }
        const abut_body_id body = world_add(&w, &s, NULL, &def);
        abut_box box;
        REQUIRE_OK(abut_body_box(w.scene, body, &box, NULL));
        for (uint32_t v = 0; v < s.vertex_count; ++v) {
            double p[3];
            REQUIRE_OK(abut_body_world_vertex(w.scene, body, v, p, NULL));
            for (int d = 0; d < 3; ++d) {
                REQUIRE(p[d] >= box.lo[d] && p[d] <= box.hi[d]);
            }
        }
        surface_free(&s);
        world_free(&w);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_walls_that_frames_bring_together),
        cmocka_unit_test(test_turned_walls),
        cmocka_unit_test(test_beyond_float),
        cmocka_unit_test(test_body_box),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
