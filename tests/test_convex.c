// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Bounds of convex combinations against the corners of the polytope of all weights within their
// limits. Equation 11 is never below the greatest corner, though its proof has a gap. The minimum
// of the dual is the greatest corner. The boxes of every instruction set contain all corners and
// are no larger than the formulas say. Based on: Steinemann, Otaduy, Gross, "Efficient Bounds for
// Point-Based Animations", 2007; corners after Kavan, Zara, "Fast Collision Detection for
// Skeletally Deformable Models", 2005.

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "bench/paper/corners.h"
#include "motion/blend.h"
#include "support/everywhere.h"
#include "support/inside.h"
#include "support/skin.h"

static uint32_t trials(void) {
    return effort(3000, 20000, 400000);
}

// ---- the formulas

// all numbers are short fractions, so nothing is rounded
static void test_equation_11_bounds_all_corners(void** state) {
    (void)state;
    const uint64_t seed = 31;
    uint64_t random = seed;
    size_t looser = 0;
    for (uint32_t i = 0; i < trials(); ++i) {
        where("seed %u, trial %u", (unsigned)seed, i);
        const corners_case c = corners_random(&random, i % CORNERS_KIND_COUNT,
                                              2 + i % (CORNERS_MOST - 1));
        const double truth = corners_maximum(c.count, c.least, c.most, c.reach);
        const double eq11 = corners_eq11(c.count, c.least, c.most, c.reach);
        REQUIRE(isfinite(truth));
        REQUIRE(eq11 >= truth);
        looser += eq11 > truth;
    }
    REQUIRE(looser > 0);
}

static void test_dual_is_the_greatest_corner(void** state) {
    (void)state;
    const uint64_t seed = 32;
    uint64_t random = seed;
    for (uint32_t i = 0; i < trials(); ++i) {
        where("seed %u, trial %u", (unsigned)seed, i);
        const corners_case c = corners_random(&random, i % CORNERS_KIND_COUNT,
                                              2 + i % (CORNERS_MOST - 1));
        const double truth = corners_maximum(c.count, c.least, c.most, c.reach);
        REQUIRE(corners_dual(c.count, c.least, c.most, c.reach) == truth);
        REQUIRE(corners_greedy(c.count, c.least, c.most, c.reach) == truth);
    }
}

// The assumption of appendix B is often false, and then a corner of the paper is beyond its
// equation. No vertex is, as the first test shows.
static void test_appendix_b_is_often_false(void** state) {
    (void)state;
    const uint64_t seed = 33;
    uint64_t random = seed;
    size_t wrong = 0;
    size_t beyond = 0;
    for (uint32_t i = 0; i < trials(); ++i) {
        const corners_case c = corners_random(&random, i % CORNERS_KIND_COUNT,
                                              2 + i % (CORNERS_MOST - 1));
        wrong += !corners_appendix(c.count, c.least, c.most, c.reach);
        beyond += corners_paper(c.count, c.least, c.most, c.reach) >
                  corners_eq11(c.count, c.least, c.most, c.reach);
    }
    print_message("appendix B: false in %.0f %% of %u cases, corners beyond in %.0f %%\n",
                  100.0 * (double)wrong / trials(), trials(), 100.0 * (double)beyond / trials());
    REQUIRE(wrong > trials() / 5 && wrong < trials() / 2);
    REQUIRE(beyond > 0);
}

// ---- the library's boxes

#define NODES_MOST 7

typedef struct extent {
    double lo[3];
    double hi[3];
} extent;

// the limits of the vertices under a child, computed from them
typedef struct truth {
    uint32_t vertices;
    uint32_t count[NODES_MOST];  // number of vertices that follow the node
    double least[NODES_MOST];
    double most[NODES_MOST];
    extent own[NODES_MOST];
    extent all;
} truth;

static void include(extent* e, const double* p) {
    for (int d = 0; d < 3; ++d) {
        e->lo[d] = fmin(e->lo[d], p[d]);
        e->hi[d] = fmax(e->hi[d], p[d]);
    }
}

static void add_vertex(truth* t, const surface* s, const skin* k, uint32_t vertex) {
    ++t->vertices;
    include(&t->all, s->xyz + 3 * (size_t)vertex);
    for (uint32_t i = k->first[vertex]; i < k->first[vertex + 1]; ++i) {
        const uint32_t node = k->nodes[i];
        ++t->count[node];
        t->least[node] = fmin(t->least[node], k->values[i]);
        t->most[node] = fmax(t->most[node], k->values[i]);
        include(&t->own[node], s->xyz + 3 * (size_t)vertex);
    }
}

static void add_child(truth* t, const abut__tree* tree, abut__ref ref, const surface* s,
                      const skin* k) {
    if (!abut__is_block(ref)) {
        for (uint32_t i = 0; i < tree->nodes[ref].count; ++i) {
            add_child(t, tree, tree->nodes[ref].child[i], s, k);
        }
        return;
    }
    const abut__block* block = tree->blocks[abut__block_of(ref)];
    for (uint32_t i = 0; i < block->triangle_count; ++i) {
        for (size_t c = 0; c < 3; ++c) {
            add_vertex(t, s, k, s->triangles[3 * (size_t)block->triangle[i] + c]);
        }
    }
}

static truth find_truth(const abut__tree* tree, abut__ref ref, const surface* s, const skin* k) {
    static const extent nothing = {{INFINITY, INFINITY, INFINITY},
                                   {-INFINITY, -INFINITY, -INFINITY}};
    truth t = {.all = nothing};
    for (uint32_t j = 0; j < NODES_MOST; ++j) {
        t.least[j] = INFINITY;
        t.own[j] = nothing;
    }
    add_child(&t, tree, ref, s, k);
    for (uint32_t j = 0; j < NODES_MOST; ++j) {
        t.least[j] = t.count[j] < t.vertices ? 0 : t.least[j];
    }
    return t;
}

// limits and extents of the nodes with an influence, towards sign * axis
static corners_case case_of(const truth* t, const double (*transforms)[12], bool plain, size_t axis,
                            double sign) {
    corners_case c = {.count = 0};
    for (uint32_t j = 0; j < NODES_MOST; ++j) {
        if (t->count[j] == 0) {
            continue;
        }
        const extent* e = plain ? &t->all : &t->own[j];
        const double* row = transforms[j] + 4 * axis;
        double reach = sign * row[3];
        for (int d = 0; d < 3; ++d) {
            reach += fmax(sign * row[d] * e->lo[d], sign * row[d] * e->hi[d]);
        }
        c.least[c.count] = t->least[j];
        c.most[c.count] = t->most[j];
        c.reach[c.count++] = reach;
    }
    return c;
}

static void check_side(const corners_case* c, double eq11_box, double least_box, double pad) {
    const double greatest = corners_maximum(c->count, c->least, c->most, c->reach);
    const double eq11 = corners_eq11(c->count, c->least, c->most, c->reach);
    REQUIRE(isfinite(greatest));
    REQUIRE(eq11_box >= greatest);
    REQUIRE(least_box >= greatest);
    REQUIRE(eq11_box <= eq11 + 2 * pad);
    REQUIRE(least_box <= greatest + 2 * pad);
}

// motion/blend.h derives this pad
static double pad_of(const surface* s, const double (*transforms)[12], uint32_t nodes) {
    double most[3] = {0, 0, 0};
    for (size_t i = 0; i < 3 * (size_t)s->vertex_count; ++i) {
        most[i % 3] = fmax(most[i % 3], fabs(s->xyz[i]));
    }
    double reach = 0;
    for (size_t d = 0; d < 3; ++d) {
        double sum = 0;
        for (size_t e = 0; e < 4; ++e) {
            double number = 0;
            for (uint32_t j = 0; j < nodes; ++j) {
                number = fmax(number, fabs(transforms[j][4 * d + e]));
            }
            sum += number * (e < 3 ? most[e] : 1);
        }
        reach = fmax(reach, sum);
    }
    return (nodes + 16.0) * 0x1p-23 * reach;
}

static void check_node(const abut_shape* shape, const abut__kernels* kernels, const surface* s,
                       const skin* k, const double (*transforms)[12], uint32_t node) {
    const abut__tree* tree = &shape->tree;
    const bool plain = abut__blend_of(shape)->bound == ABUT__BLEND_BOUND_PLAIN;
    const double pad = pad_of(s, transforms, k->node_count);
    _Alignas(64) abut__columns columns[NODES_MOST];
    abut__transforms_most most;
    abut__boxes8 eq11;
    abut__boxes8 least;
    double copy[NODES_MOST][12];
    kernels->blend_columns(transforms, false, k->node_count, copy, columns, &most);
    assert_memory_equal(copy, transforms, k->node_count * sizeof *copy);
    const abut__convex_lanes lanes = abut__convex_node(abut__blend_of(shape)->convex, tree, node);
    kernels->blend_boxes(&lanes, columns, NULL, (float)pad, &eq11);
    kernels->blend_boxes_least(&lanes, columns, NULL, (float)pad, &least);
    for (uint32_t i = 0; i < tree->nodes[node].count; ++i) {
        const truth t = find_truth(tree, tree->nodes[node].child[i], s, k);
        for (size_t d = 0; d < 3; ++d) {
            const corners_case upper = case_of(&t, transforms, plain, d, 1);
            const corners_case lower = case_of(&t, transforms, plain, d, -1);
            check_side(&upper, (double)eq11.hi[d][i], (double)least.hi[d][i], pad);
            check_side(&lower, -(double)eq11.lo[d][i], -(double)least.lo[d][i], pad);
        }
    }
}

// Weights of up to all nodes, multiples of 2^-16 that sum to 1. In every second skin the vertices
// of each triangle of a soup follow every second node, so that under a child all do or none does.
static skin random_skin(test_random* random, const surface* s, uint32_t nodes) {
    skin k = skin_alloc(nodes, s->vertex_count, nodes, ABUT_SCALAR_F32);
    const bool halved = random_chance(random, 0.5);
    const double sparse = halved ? 0 : random_double(random, 0, 0.9);
    for (uint32_t v = 0; v < s->vertex_count; ++v) {
        uint32_t at = k.first[v];
        const uint32_t half = v / 3 % 2;
        uint32_t left = 65536;
        for (uint32_t j = 0; j < nodes && left > 0; ++j) {
            const bool follows = halved ? j % 2 == half : !random_chance(random, sparse);
            if (follows || j + 1 == nodes) {
                const uint32_t part = j + 1 == nodes ? left : 1 + random_below(random, left);
                k.nodes[at] = j;
                k.values[at] = part / 65536.0;
                k.narrow[at] = (float)k.values[at];
                left -= part;
                ++at;
            }
        }
        k.first[v + 1] = at;
    }
    return k;
}

static void check_shape(const abut_shape* shape, const surface* s, const skin* k,
                        const double (*transforms)[12]) {
    (void)inside_shape(shape);
    FOR_EACH_KERNELS(set, kernels) {
        for (uint32_t node = 0; node < shape->tree.node_count; ++node) {
            check_node(shape, kernels, s, k, transforms, node);
        }
    }
}

static void test_boxes_contain_all_corners(void** state) {
    (void)state;
    static const int bounds[] = {MOTION_BOUND_AUTO, ABUT__BLEND_BOUND_PLAIN,
                                 ABUT__BLEND_BOUND_EXACT};
    const uint64_t seed = 34;
    test_random random = random_seed(seed);
    for (uint32_t round = 0; round < effort(30, 150, 3000); ++round) {
        where("seed %u, round %u", (unsigned)seed, round);
        world w = world_make(NULL, NULL);
        surface s = random_chance(&random, 0.5) ? surface_ball(5, 8, 1)
                                                : surface_soup(&random, 40, 1, 0.3, 0x1p-20);
        for (size_t i = 0; i < 3 * (size_t)s.vertex_count; ++i) {
            s.xyz[i] = (double)(float)s.xyz[i];  // makes boxes exact
        }
        const uint32_t nodes = 1 + random_below(&random, NODES_MOST);
        skin k = random_skin(&random, &s, nodes);
        motion_def def = blend_def(&k, NULL);
        def.bound = bounds[round % 3];
        def.block_triangles = random_chance(&random, 0.5) ? 1 : 1 + random_below(&random, 20);
        def.fan_out = 2 + random_below(&random, 7);
        abut_shape* shape = world_shape(&w, &s, &def);
        double t[NODES_MOST][12];
        for (int step = 0; step < 3; ++step) {
            if (random_chance(&random, 0.5)) {
                wild_transforms(&random, t, nodes, 10 * step);
            } else {
                gentle_transforms(&random, t, nodes, 0.4);
            }
            check_shape(shape, &s, &k, (const double(*)[12])t);
        }
        abut_shape_destroy(shape);
        skin_free(&k);
        surface_free(&s);
        world_free(&w);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_equation_11_bounds_all_corners),
        cmocka_unit_test(test_dual_is_the_greatest_corner),
        cmocka_unit_test(test_appendix_b_is_often_false),
        cmocka_unit_test(test_boxes_contain_all_corners),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
