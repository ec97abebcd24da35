// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Distances of points and triangles: against rational arithmetic, the batched kernel against the
// function for one pair, and the bounds in float against the same function.
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "exact/point_distance.h"
#include "support/everywhere.h"
#include "support/rational_triangles.h"
#include "support/world.h"

typedef struct pair {
    double t[3][3];
    double x[3];
} pair;

enum { KINDS = 9 };

static double draw(test_random* random, double step) {
    return step * floor(random_double(random, -1, 1) / step);
}

// triangles of all shapes; points near them, on them, far away
static pair random_pair(test_random* random, uint32_t kind) {
    pair p;
    const double step = kind % 2 == 0 ? 0.25 : 0x1p-40;
    for (int i = 0; i < 9; ++i) {
        p.t[i / 3][i % 3] = draw(random, step);
    }
    for (int d = 0; d < 3; ++d) {
        p.x[d] = draw(random, step);
    }
    const double a = random_double(random, -0.5, 1.5);
    const double b = random_double(random, -0.5, 1.5);
    for (int d = 0; d < 3; ++d) {
        const double on = p.t[0][d] + a * (p.t[1][d] - p.t[0][d]) + b * (p.t[2][d] - p.t[0][d]);
        switch (kind) {
            case 2: p.x[d] = p.t[1][d]; break;                          // a corner
            case 3: p.x[d] = 0.5 * p.t[0][d] + 0.5 * p.t[2][d]; break;  // on an edge, nearly
            case 4: p.x[d] = on; break;                                 // in the plane, nearly
            case 5: p.t[2][d] = p.t[1][d] + a * (p.t[0][d] - p.t[1][d]); break;  // a needle
            case 6: p.t[2][d] = p.t[1][d]; break;                                // a segment
            case 7: p.x[d] = on + draw(random, step) * 0x1p-30; break;           // very near
            case 8: p.x[d] *= 1e9; break;                                        // far
            default: break;
        }
    }
    return p;
}

static void scale_pair(pair* p, double by) {
    for (int i = 0; i < 9; ++i) {
        p->t[i / 3][i % 3] *= by;
    }
    for (int d = 0; d < 3; ++d) {
        p->x[d] *= by;
    }
}

static double extent_of(const pair* p) {
    double extent = 0;
    for (int d = 0; d < 3; ++d) {
        const double lo = fmin(fmin(p->t[0][d], p->t[1][d]), fmin(p->t[2][d], p->x[d]));
        const double hi = fmax(fmax(p->t[0][d], p->t[1][d]), fmax(p->t[2][d], p->x[d]));
        extent = fmax(extent, hi - lo);
    }
    return extent;
}

// sign of x^2 - square, for x >= 0
static int compare_square(double x, mpq_t square) {
    mpq_t own;
    mpq_init(own);
    mpq_set_d(own, x);
    mpq_mul(own, own, own);
    const int order = mpq_cmp(own, square);
    mpq_clear(own);
    return order;
}

static void check_witness(const pair* p, double distance, const abut_witness* w) {
    double sum = 0;
    double square = 0;
    for (int i = 0; i < 3; ++i) {
        REQUIRE(w->weights[i] >= 0 && w->weights[i] <= 1);
        sum += w->weights[i];
        REQUIRE((w->weights[i] != 0) ==
                (w->feature == ABUT_FEATURE_FACE || (uint32_t)i == w->index ||
                 (w->feature == ABUT_FEATURE_EDGE && (uint32_t)i == (w->index + 1) % 3)));
    }
    REQUIRE(fabs(sum - 1) <= 0x1p-50);
    const double error = 0x1p-44 * extent_of(p);
    for (int d = 0; d < 3; ++d) {
        const double at = w->weights[0] * p->t[0][d] + w->weights[1] * p->t[1][d] +
                          w->weights[2] * p->t[2][d];
        REQUIRE(fabs(at - w->point[d]) <= error + 0x1p-48 * fabs(at));
        square += (w->point[d] - p->x[d]) * (w->point[d] - p->x[d]);
    }
    REQUIRE(fabs(sqrt(square) - distance) <=
            2 * error + 0x1p-50 * fabs(p->x[0] + p->x[1] + p->x[2]));
}

static void check_pair(const pair* p, bool witness) {
    const double(*t)[3] = p->t;
    const double q[3][3] = {
        {p->x[0], p->x[1], p->x[2]}, {p->x[0], p->x[1], p->x[2]}, {p->x[0], p->x[1], p->x[2]}};
    double distance;
    abut_witness nearest;
    mpq_t square;
    mpq_init(square);
    abut__point_distance(t, p->x, &distance, &nearest);
    rational_distance_sq(t, q, square);
    const double extent = extent_of(p);
    const double error = distance < 0x1p-20 * extent ? 0x1p-50 * distance
                                                     : fmin(0x1p-45 * extent, 0x1p-25 * distance);
    REQUIRE((distance == 0) == (mpq_sgn(square) == 0));
    REQUIRE(compare_square(distance - error, square) <= 0);
    REQUIRE(compare_square(distance + error * (1 + 0x1p-20), square) >= 0);
    if (witness) {
        check_witness(p, distance, &nearest);
    }
    // the exact decision at the distance, and one step to either side
    for (int k = -1; k <= 1; ++k) {
        const double margin = k < 0   ? nextafter(distance, 0)
                              : k > 0 ? nextafter(distance, 1e300)
                                      : distance;
        REQUIRE(abut__point_within(t, p->x, distance, margin) ==
                (compare_square(margin, square) >= 0));
    }
    mpq_clear(square);
}

static void test_against_rationals(void** state) {
    (void)state;
    for (uint32_t seed = 0; seed < effort(900, 5000, 50000); ++seed) {
        test_random random = random_seed(seed);
        pair p = random_pair(&random, seed % KINDS);
        where("seed %u", seed);
        check_pair(&p, true);
        if (seed % 5 == 0) {
            scale_pair(&p, ldexp(1, (int)(seed % 3) * 300 - 300));
            check_pair(&p, true);
        }
    }
}

// triangles around a vertex have the same distance from a point that is nearest to it
static void test_shared_vertex(void** state) {
    (void)state;
    for (uint32_t seed = 0; seed < effort(300, 1000, 10000); ++seed) {
        test_random random = random_seed(seed);
        double distance[4];
        double corner[3];
        double x[3];
        for (int d = 0; d < 3; ++d) {
            corner[d] = random_double(&random, -1, 1);
            x[d] = corner[d] + (d == 0 ? random_double(&random, 1, 2) : 0);
        }
        for (int k = 0; k < 4; ++k) {
            pair p;
            memcpy(p.x, x, sizeof x);
            for (int i = 0; i < 3; ++i) {
                for (int d = 0; d < 3; ++d) {
                    p.t[i][d] = i == k % 3
                                    ? corner[d]
                                    : corner[d] - random_double(&random, 0, d == 0 ? 1 : 0.1);
                }
            }
            abut_witness nearest;
            abut__point_distance((const double(*)[3])p.t, p.x, &distance[k], &nearest);
            where("seed %u, triangle %d", seed, k);
            REQUIRE(nearest.feature == ABUT_FEATURE_VERTEX && nearest.index == (uint32_t)k % 3);
            REQUIRE(distance[k] == distance[0]);
        }
    }
}

static void check_kernel(const abut__kernels* kernels, const pair pairs[16]) {
    abut__point_batch batch;
    abut__distances found;
    for (int k = 0; k < 16; ++k) {
        for (int i = 0; i < 9; ++i) {
            batch.corner[i / 3][i % 3][k] = pairs[k].t[i / 3][i % 3];
        }
        for (int d = 0; d < 3; ++d) {
            batch.point[d][k] = pairs[k].x[d];
        }
    }
    kernels->measure_points(&batch, 0xffff, &found);
    for (int k = 0; k < 16; ++k) {
        const double(*t)[3] = pairs[k].t;
        double distance[2];
        abut_witness nearest[2];
        abut__point_distance(t, pairs[k].x, &distance[0], &nearest[0]);
        if ((found.open >> k & 1) != 0) {
            abut__point_distance_open(t, pairs[k].x, &distance[1], &nearest[1]);
        } else {
            const abut__closest closest = {found.s[k], found.t[k], found.feature[k]};
            distance[1] = found.distance[k];
            abut__point_complete(t, &closest, &nearest[1]);
        }
        REQUIRE(memcmp(&distance[0], &distance[1], sizeof distance[0]) == 0);
        REQUIRE(memcmp(&nearest[0], &nearest[1], sizeof nearest[0]) == 0);
    }
}

static void test_kernels(void** state) {
    (void)state;
    FOR_EACH_KERNELS(set, kernels) {
        for (uint32_t seed = 0; seed < effort(200, 1000, 10000); ++seed) {
            test_random random = random_seed(seed);
            pair pairs[16];
            for (uint32_t k = 0; k < 16; ++k) {
                pairs[k] = random_pair(&random, (seed + k) % KINDS);
                scale_pair(&pairs[k], ldexp(1, (int)(seed % 5) * 480 - 960));
            }
            where("seed %u, set %d", seed, set);
            check_kernel(kernels, pairs);
        }
    }
}

// the bounds enclose the distance of the triangles as they are in float
static void check_bounds(const abut__kernels* kernels, test_random* random, uint32_t kind,
                         reference* same) {
    abut__point_lanes lanes;
    float lower[16];
    float upper[16];
    pair first = random_pair(random, kind);
    for (int d = 0; d < 3; ++d) {
        lanes.point[d] = (float)first.x[d];
    }
    for (int k = 0; k < 16; ++k) {
        const pair p = k == 0 ? first : random_pair(random, kind);
        for (int i = 0; i < 9; ++i) {
            lanes.corner[i / 3][i % 3][k] = (float)p.t[i / 3][i % 3];
        }
    }
    kernels->bound_point(&lanes, 0xffff, lower, upper);
    for (int k = 0; k < 16; ++k) {
        double t[3][3];
        const double x[3] = {(double)lanes.point[0], (double)lanes.point[1],
                             (double)lanes.point[2]};
        double distance;
        double most = 0;
        abut_witness unused;
        for (int i = 0; i < 3; ++i) {
            double square = 0;
            for (int d = 0; d < 3; ++d) {
                t[i][d] = (double)lanes.corner[i][d][k];
                square += (t[i][d] - x[d]) * (t[i][d] - x[d]);
            }
            most = fmax(most, sqrt(square));
        }
        abut__point_distance((const double(*)[3])t, x, &distance, &unused);
        REQUIRE((double)lower[k] <= distance + 0x1p-20 * most);
        REQUIRE((double)upper[k] >= distance - 0x1p-20 * most);
    }
    float both[2][16];
    memcpy(both[0], lower, sizeof lower);
    memcpy(both[1], upper, sizeof upper);
    REQUIRE(reference_same(same, both, sizeof both));
    // pairs have the same bounds; here all points are the same, and the triangles in another order
    abut__point_pairs pairs;
    for (int k = 0; k < 16; ++k) {
        for (int i = 0; i < 9; ++i) {
            pairs.corner[i / 3][i % 3][k] = lanes.corner[i / 3][i % 3][15 - k];
        }
        for (int d = 0; d < 3; ++d) {
            pairs.point[d][k] = lanes.point[d];
        }
    }
    for (int k = 0; k < 16; k += 5) {  // points far from the others
        pairs.point[0][k] += 3;
    }
    float bounds[2][16];
    kernels->bound_point_pairs(&pairs, 0xffff, bounds[0], bounds[1]);
    for (int k = 0; k < 16; ++k) {
        abut__point_lanes one = lanes;
        for (int d = 0; d < 3; ++d) {
            one.point[d] = pairs.point[d][k];
        }
        kernels->bound_point(&one, 0xffff, lower, upper);
        REQUIRE(memcmp(&bounds[0][k], &lower[15 - k], sizeof lower[0]) == 0);
        REQUIRE(memcmp(&bounds[1][k], &upper[15 - k], sizeof upper[0]) == 0);
    }
}

static void test_float_bounds(void** state) {
    (void)state;
    for (uint32_t seed = 0; seed < effort(500, 3000, 30000); ++seed) {
        reference same = {0};
        FOR_EACH_KERNELS(set, kernels) {
            test_random random = random_seed(seed);
            where("seed %u, set %d", seed, set);
            check_bounds(kernels, &random, seed % (KINDS - 1), &same);
        }
        reference_free(&same);
    }
}

// a block of triangles over random points; some have no area, others are needles
static void draw_block(test_random* random, abut__block* block, abut__block_points* points) {
    memset(block, 0, sizeof *block);
    block->vertex_count = ABUT__BLOCK_VERTICES;
    block->triangle_count = ABUT__BLOCK_TRIANGLES;
    for (uint32_t v = 0; v < ABUT__BLOCK_VERTICES; ++v) {
        const bool beside = v % 4 == 3;  // makes needles
        for (int d = 0; d < 3; ++d) {
            points->xyz[d][v] = beside
                                    ? points->xyz[d][v - 1] + (float)draw(random, 0x1p-40) * 1e-5f
                                    : (float)draw(random, 0x1p-40);
        }
    }
    for (uint32_t k = 0; k < 3 * ABUT__BLOCK_TRIANGLES; ++k) {
        block->corner[k % 3][k / 3] = (uint8_t)random_below(random, ABUT__BLOCK_VERTICES);
    }
}

// a lane that its disc excludes is farther away
static void check_discs(const abut__kernels* kernels, test_random* random, reference* same) {
    abut__block block;
    abut__block_points points;
    abut__discs discs;
    draw_block(random, &block, &points);
    kernels->make_discs(&block, &points, &discs);
    for (int round = 0; round < 4; ++round) {
        const float reach = (float)random_double(random, 0, 1.5);
        const float at[3] = {(float)draw(random, 0x1p-40), (float)draw(random, 0x1p-40),
                             (float)draw(random, 0x1p-40)};
        const double x[3] = {(double)at[0], (double)at[1], (double)at[2]};
        const uint64_t all = (UINT64_C(1) << ABUT__BLOCK_TRIANGLES) - 1;
        const uint64_t lanes = kernels->disc_lanes(&discs, all, at, reach);
        for (uint32_t k = 0; k < ABUT__BLOCK_TRIANGLES; ++k) {
            double t[3][3];
            double distance;
            abut_witness unused;
            for (int i = 0; i < 9; ++i) {
                t[i / 3][i % 3] = (double)points.xyz[i % 3][block.corner[i / 3][k]];
            }
            abut__point_distance((const double(*)[3])t, x, &distance, &unused);
            REQUIRE((lanes >> k & 1) != 0 || distance > (double)reach - 0x1p-19);
        }
        REQUIRE(round > 0 || reference_same(same, &lanes, sizeof lanes));
    }
}

static double lane_distance(const abut__block* block, const abut__block_points* points, uint32_t k,
                            const float at[3]) {
    const double x[3] = {(double)at[0], (double)at[1], (double)at[2]};
    double t[3][3];
    double distance;
    abut_witness unused;
    for (int i = 0; i < 9; ++i) {
        t[i / 3][i % 3] = (double)points->xyz[i % 3][block->corner[i / 3][k]];
    }
    abut__point_distance((const double(*)[3])t, x, &distance, &unused);
    return distance;
}

// The distance is never less than that of the closest lane, and lanes that are left out are farther.
static void check_nearest_discs(const abut__kernels* kernels, test_random* random, uint64_t* hash) {
    abut__block block;
    abut__block_points points;
    abut__discs discs;
    draw_block(random, &block, &points);
    kernels->make_discs(&block, &points, &discs);
    for (int round = 0; round < 4; ++round) {
        float reach = (float)random_double(random, 0, 2.5);
        const float given = reach;
        const float at[3] = {(float)draw(random, 0x1p-40), (float)draw(random, 0x1p-40),
                             (float)draw(random, 0x1p-40)};
        float gap_sq[ABUT__BLOCK_TRIANGLES];
        uint32_t nearest = ABUT__BLOCK_TRIANGLES;
        const uint64_t lanes = kernels->disc_nearest(&discs, at, 0x1p-18f, &reach, &nearest,
                                                     gap_sq);
        double least = INFINITY;
        for (uint32_t k = 0; k < ABUT__BLOCK_TRIANGLES; ++k) {
            const double distance = lane_distance(&block, &points, k, at);
            least = fmin(least, distance);
            REQUIRE((lanes >> k & 1) != 0 || distance > (double)reach);
            REQUIRE(sqrt((double)gap_sq[k]) <= distance + 0x1p-18);
            REQUIRE(k != nearest || distance <= (double)reach);
        }
        REQUIRE(reach == given || (reach < given && (double)reach >= least));
        REQUIRE((nearest < ABUT__BLOCK_TRIANGLES) == (reach < given));
        hash_bytes(hash, &reach, sizeof reach);
        hash_bytes(hash, &lanes, sizeof lanes);
    }
}

static abut__box3 box_around(const abut__block_points* points) {
    abut__box3 box;
    for (int d = 0; d < 3; ++d) {
        box.lo[d] = INFINITY;
        box.hi[d] = -INFINITY;
        for (uint32_t v = 0; v < ABUT__BLOCK_VERTICES; ++v) {
            box.lo[d] = fminf(box.lo[d], points->xyz[d][v]);
            box.hi[d] = fmaxf(box.hi[d], points->xyz[d][v]);
        }
    }
    return box;
}

static void draw_near_points(test_random* random, abut__near_points* near,
                             abut__near_packs* packs) {
    for (uint32_t k = 0; k < 16; ++k) {
        near->limit_sq[k] = (float)random_double(random, -0.1, 1);
        near->disc_limit_sq[k] = near->limit_sq[k];
        packs->limit_sq[k] = near->limit_sq[k];
        for (int d = 0; d < 3; ++d) {
            near->at[d][k] = (float)random_double(random, -1, 1);
            packs->lo[d][k] = near->at[d][k] - (float)random_double(random, 0, 0.2);
            packs->hi[d][k] = near->at[d][k] + (float)random_double(random, 0, 0.2);
        }
    }
}

// Blocks that points or packs around them are not near are farther.
static void check_near_points(const abut__kernels* kernels, test_random* random, uint64_t* hash) {
    enum { BLOCKS = 16 };
    abut__near_points near;
    abut__near_packs packs;
    draw_near_points(random, &near, &packs);
    for (uint32_t b = 0; b < BLOCKS; ++b) {
        abut__block block;
        abut__block_points points;
        abut__discs discs;
        abut__disc disc;
        draw_block(random, &block, &points);
        for (uint32_t i = 0; i < 3 * ABUT__BLOCK_VERTICES; ++i) {  // small and flat ones
            points.xyz[i % 3][i / 3] *= i % 3 == 1 ? 0x1p-6f : 0.25f;
            points.xyz[i % 3][i / 3] += (float)b / (float)BLOCKS - 0.5f;
        }
        kernels->make_discs(&block, &points, &discs);
        kernels->block_disc(&discs, &points, &disc);
        const abut__box3 box = box_around(&points);
        const uint32_t mask[3] = {kernels->points_near(&near, &box),
                                  kernels->points_near_disc(&near, &disc),
                                  kernels->packs_near(&packs, &box)};
        hash_bytes(hash, &disc, sizeof disc);
        hash_bytes(hash, mask, sizeof mask);
        REQUIRE((mask[0] & ~mask[2]) == 0);
        for (uint32_t k = 0; k < 16; ++k) {
            const float at[3] = {near.at[0][k], near.at[1][k], near.at[2][k]};
            const double reach = sqrt(fmax((double)near.limit_sq[k], 0));
            double least = INFINITY;
            for (uint32_t t = 0; t < ABUT__BLOCK_TRIANGLES; ++t) {
                least = fmin(least, lane_distance(&block, &points, t, at));
            }
            for (int i = 0; i < 3; ++i) {
                REQUIRE((mask[i] >> k & 1) != 0 || near.limit_sq[k] < 0 || least > reach - 0x1p-18);
                REQUIRE(near.limit_sq[k] >= 0 || (mask[i] >> k & 1) == 0);
            }
        }
    }
}

static void test_discs(void** state) {
    (void)state;
    for (uint32_t seed = 0; seed < effort(100, 1000, 10000); ++seed) {
        reference same = {0};
        FOR_EACH_KERNELS(set, kernels) {
            test_random random = random_seed(seed);
            where("seed %u, set %d", seed, set);
            check_discs(kernels, &random, &same);
        }
        reference_free(&same);
    }
}

static void test_lists(void** state) {
    (void)state;
    for (uint32_t seed = 0; seed < effort(20, 200, 2000); ++seed) {
        reference same = {0};
        FOR_EACH_KERNELS(set, kernels) {
            test_random random = random_seed(seed);
            uint64_t hash = 0;
            where("seed %u, set %d", seed, set);
            check_nearest_discs(kernels, &random, &hash);
            check_near_points(kernels, &random, &hash);
            REQUIRE(reference_same(&same, &hash, sizeof hash));
        }
        reference_free(&same);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_against_rationals),
        cmocka_unit_test(test_shared_vertex),
        cmocka_unit_test(test_kernels),
        cmocka_unit_test(test_float_bounds),
        cmocka_unit_test(test_discs),
        cmocka_unit_test(test_lists),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
