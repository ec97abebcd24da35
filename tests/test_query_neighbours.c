// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Self queries with neighbours: which triangles that share a vertex are reported. Constructed cases
// with known answers, and soups of few vertices in special position against rational arithmetic.

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "support/world.h"

static abut_collide_def with_neighbours(void) {
    abut_collide_def def = abut_collide_def_default();
    def.include_neighbours = true;
    return def;
}

// ---- constructed cases

// Two triangles over these points: a unit square with its centre and the middles of its sides, and
// a point above the centre.
//   3---6---2
//   |   |   |
//   7---4---5      8 is above 4
//   |   |   |
//   0---9---1
static const double points[10][3] = {{0, 0, 0}, {2, 0, 0}, {2, 2, 0}, {0, 2, 0}, {1, 1, 0},
                                     {2, 1, 0}, {1, 2, 0}, {0, 1, 0}, {1, 1, 1}, {1, 0, 0}};
typedef struct by_hand {
    const char* what;
    uint32_t corners[6];
    uint32_t found;   // 1 if the pair is reported
    uint32_t shared;  // number of shared points, if the pair is reported
} by_hand;
static const by_hand cases[] = {
    {"identical", {0, 1, 2, 0, 1, 2}, 1, 3},
    {"the same corners turned", {0, 1, 2, 1, 2, 0}, 1, 3},
    {"the same corners in reverse order", {0, 1, 2, 2, 1, 0}, 1, 3},
    {"identical, without area", {0, 4, 2, 0, 4, 2}, 1, 2},
    {"identical, without area, another order", {0, 4, 2, 4, 2, 0}, 1, 2},
    {"identical, two corners", {0, 0, 2, 0, 0, 2}, 1, 2},
    {"the same two corners", {0, 0, 2, 0, 2, 2}, 1, 2},
    {"identical, one corner", {4, 4, 4, 4, 4, 4}, 1, 1},
    {"an edge of a triangle", {0, 0, 1, 0, 1, 2}, 0, 0},
    {"a corner of a triangle", {0, 0, 0, 0, 1, 2}, 0, 0},
    {"side by side", {0, 1, 2, 0, 2, 3}, 0, 0},
    {"folded flat over an edge, one within the other", {0, 2, 1, 0, 2, 5}, 1, 3},
    {"folded flat over an edge, crossing", {0, 1, 2, 0, 1, 3}, 1, 3},
    {"bent over an edge", {0, 2, 1, 0, 2, 8}, 0, 0},
    {"at a corner, on either side of a line", {4, 0, 1, 4, 2, 3}, 0, 0},
    {"at a corner, sides in one line from it", {0, 1, 4, 0, 2, 3}, 1, 2},
    {"at a corner, an area in common", {0, 1, 6, 0, 5, 3}, 1, 4},
    {"at a corner, an edge along the other's edge", {0, 1, 3, 0, 9, 8}, 1, 2},
    {"at a corner, an edge through the other's inside", {0, 1, 2, 0, 5, 8}, 1, 2},
    {"at a corner, out of plane", {4, 0, 1, 4, 8, 2}, 0, 0},
    {"at a corner, along a segment", {0, 1, 2, 0, 4, 8}, 1, 2},
    {"segment in a face", {0, 1, 2, 0, 5, 5}, 1, 2},
    {"segment along an edge, longer", {0, 1, 4, 0, 2, 2}, 1, 2},
    {"segment along an edge, shorter", {0, 1, 2, 0, 4, 4}, 1, 2},
    {"segments end to end", {0, 4, 4, 4, 2, 2}, 0, 0},
    {"segments one in the other", {0, 4, 4, 0, 2, 2}, 1, 2},
    {"no area, the third corner on the edge", {0, 2, 4, 0, 2, 1}, 0, 0},
    {"no area, the third corner beyond the edge", {0, 4, 2, 0, 4, 1}, 0, 0},
};

static surface pair_of(const uint32_t corners[6]) {
    surface s = surface_make(10, 2);
    memcpy(s.xyz, points, sizeof points);
    memcpy(s.triangles, corners, 6 * sizeof *corners);
    return s;
}

static void test_constructed_pairs(void** state) {
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        for (int turned = 0; turned < 2; ++turned) {
            const uint32_t* c = cases[i].corners;
            const uint32_t swapped[6] = {c[3], c[4], c[5], c[0], c[1], c[2]};
            where("%s%s", cases[i].what, turned != 0 ? ", swapped" : "");
            world w = world_make(NULL, NULL);
            surface s = pair_of(turned != 0 ? swapped : c);
            const abut_body_id body = world_add(&w, &s, NULL, NULL);
            abut_collide_def def = with_neighbours();
            def.intersections = true;
            const size_t found = check_self(&w, body, &def);
            REQUIRE(found == cases[i].found);
            if (found > 0) {
                REQUIRE(abut_collide_result_intersections(w.result, NULL)[0].count ==
                        cases[i].shared);
            }
            def.include_neighbours = false;
            REQUIRE(check_self(&w, body, &def) == 0);
            surface_free(&s);
            world_free(&w);
        }
    }
}

// ---- soups

// few vertices on a coarse grid, so that triangles share corners, are coplanar, have no area or are
// equal
static surface few_corners(test_random* random, uint32_t vertices, uint32_t triangles) {
    surface s = surface_make(vertices, triangles);
    const bool flat = random_below(random, 2) == 0;
    for (uint32_t v = 0; v < vertices; ++v) {
        for (size_t d = 0; d < 3; ++d) {
            const double x = (double)random_below(random, 4);
            s.xyz[3 * (size_t)v + d] = d == 2 && flat ? 0 : x;
        }
    }
    for (uint32_t t = 0; t < triangles; ++t) {
        for (uint32_t c = 0; c < 3; ++c) {
            s.triangles[3 * (size_t)t + c] = random_below(random, vertices);
        }
        if (t > 0 && random_below(random, 6) == 0) {
            const uint32_t from = random_below(random, t);
            const uint32_t turn = random_below(random, 3);
            for (uint32_t c = 0; c < 3; ++c) {
                s.triangles[3 * (size_t)t + c] =
                    s.triangles[3 * (size_t)from + (turn == 2 ? 2 - c : (c + turn) % 3)];
            }
        }
    }
    return s;
}

static void test_soups_of_few_corners(void** state) {
    (void)state;
    size_t found = 0;
    for (uint64_t seed = 1; seed <= effort(24, 80, 1500); ++seed) {
        test_random random = random_seed(seed);
        surface s = few_corners(&random, 3 + random_below(&random, 10),
                                2 + random_below(&random, 40));
        motion_def shape = motion_def_default();
        shape.fan_out = 2 + random_below(&random, 7);
        shape.block_triangles = 1 + random_below(&random, 6);
        world w = world_make(NULL, NULL);
        const abut_body_id body = world_add(&w, &s, &shape, NULL);
        for (uint32_t mode = 0; mode < 4; ++mode) {
            where("seed %llu, mode %u", (unsigned long long)seed, mode);
            abut_collide_def def = with_neighbours();
            def.margin = mode == 1 ? 0.25 : 0;
            def.include_neighbours = mode != 3;
            def.culling.kind = mode == 2 ? ABUT_CULLING_VORONOI : ABUT_CULLING_TREE;
            found += check_self(&w, body, &def);
        }
        surface_free(&s);
        world_free(&w);
    }
    REQUIRE(found > 1000);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_constructed_pairs),
        cmocka_unit_test(test_soups_of_few_corners),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
