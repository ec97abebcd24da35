// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Distances of segments against rational arithmetic, the batched kernel against the function for
// one pair, and the normals between features against exact differences.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "exact/feature_normal.h"
#include "exact/point_distance.h"
#include "exact/segment_distance.h"
#include "support/everywhere.h"
#include "support/rational_triangles.h"
#include "support/world.h"

typedef struct pair {
    double x[4][3];  // ends of both segments
} pair;

enum { KINDS = 10 };

static double draw(test_random* random, double step) {
    return step * floor(random_double(random, -1, 1) / step);
}

// segments of all kinds: crossing, parallel, on one line, points, very near, far away
static pair random_pair(test_random* random, uint32_t kind) {
    pair p;
    const double step = kind % 2 == 0 ? 0.25 : 0x1p-40;
    for (int i = 0; i < 12; ++i) {
        p.x[i / 3][i % 3] = draw(random, step);
    }
    const double a = random_double(random, 0, 1);
    const double b = random_double(random, -0.5, 1.5);
    for (int d = 0; d < 3; ++d) {
        const double e = p.x[1][d] - p.x[0][d];
        const double on = p.x[0][d] + a * e;
        switch (kind) {
            case 2: p.x[3][d] = p.x[0][d]; break;                          // a common end
            case 3: p.x[3][d] = p.x[2][d] + b * e; break;                  // nearly parallel
            case 4: p.x[3][d] = p.x[2][d] + 2 * e; break;                  // parallel
            case 5: p.x[2][d] = on; break;                                 // nearly touching
            case 6: p.x[1][d] = p.x[0][d]; break;                          // a point
            case 7: p.x[2][d] = on + draw(random, step) * 0x1p-30; break;  // very near
            case 8:                                                        // on one line
                p.x[2][d] = p.x[0][d] + 2 * e;
                p.x[3][d] = p.x[0][d] + 3 * e;
                break;
            case 9: p.x[3][d] *= 1e9; break;  // far
            default: break;
        }
    }
    return p;
}

static void scale_pair(pair* p, double by) {
    for (int i = 0; i < 12; ++i) {
        p->x[i / 3][i % 3] *= by;
    }
}

static double extent_of(const pair* p) {
    double extent = 0;
    for (int d = 0; d < 3; ++d) {
        const double lo = fmin(fmin(p->x[0][d], p->x[1][d]), fmin(p->x[2][d], p->x[3][d]));
        const double hi = fmax(fmax(p->x[0][d], p->x[1][d]), fmax(p->x[2][d], p->x[3][d]));
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

static void check_weights(const pair* p, double distance, const double w[2][2]) {
    double square = 0;
    for (int side = 0; side < 2; ++side) {
        REQUIRE(w[side][0] >= 0 && w[side][1] >= 0);
        REQUIRE(fabs(w[side][0] + w[side][1] - 1) <= 0x1p-50);
    }
    for (int d = 0; d < 3; ++d) {
        const double difference = (w[0][0] * p->x[0][d] + w[0][1] * p->x[1][d]) -
                                  (w[1][0] * p->x[2][d] + w[1][1] * p->x[3][d]);
        square += difference * difference;
    }
    REQUIRE(fabs(sqrt(square) - distance) <= 0x1p-43 * extent_of(p));
}

static void check_pair(const pair* p, bool weighs) {
    const double(*x)[3] = p->x;
    double distance;
    double weights[2][2];
    mpq_t square;
    mpq_init(square);
    abut__segments_distance(x, x + 2, &distance, weights);
    rational_feature_distance_sq(x, true, square);
    const double extent = extent_of(p);
    const double bound = distance < 0x1p-20 * extent ? 0x1p-50 * distance
                                                     : fmin(0x1p-45 * extent, 0x1p-25 * distance);
    const double error = bound + 0x1p-1074;  // the last place of denormals
    REQUIRE((distance == 0) == (mpq_sgn(square) == 0));
    REQUIRE(compare_square(fmax(distance - error, 0), square) <= 0);
    REQUIRE(compare_square(distance + error * (1 + 0x1p-20), square) >= 0);
    if (weighs) {
        check_weights(p, distance, (const double(*)[2])weights);
    }
    // the exact decision at the distance, and one step to either side
    for (int k = -1; k <= 1; ++k) {
        const double margin = k < 0   ? nextafter(distance, 0)
                              : k > 0 ? nextafter(distance, 1e300)
                                      : distance;
        REQUIRE(abut__segments_within(x, x + 2, distance, margin) ==
                (compare_square(margin, square) >= 0));
    }
    mpq_clear(square);
}

static void test_against_rationals(void** state) {
    (void)state;
    for (uint32_t seed = 0; seed < effort(1000, 5000, 50000); ++seed) {
        test_random random = random_seed(seed);
        pair p = random_pair(&random, seed % KINDS);
        where("seed %u", seed);
        check_pair(&p, true);
        if (seed % 7 == 0) {
            scale_pair(&p, ldexp(1, (int)(seed % 3) * 300 - 300));
            check_pair(&p, seed % 3 == 1);
        }
    }
}

// beyond the range in which doubles can be squared
static void test_extremes(void** state) {
    (void)state;
    for (uint32_t seed = 0; seed < effort(100, 500, 5000); ++seed) {
        test_random random = random_seed(seed);
        pair p = random_pair(&random, seed % (KINDS - 1));
        scale_pair(&p, ldexp(1, seed % 2 == 0 ? -1060 : 1020));
        where("seed %u", seed);
        check_pair(&p, false);
    }
}

static void check_kernel(const abut__kernels* kernels, const pair pairs[16]) {
    abut__segment_batch batch;
    abut__distances found;
    for (int k = 0; k < 16; ++k) {
        for (int i = 0; i < 12; ++i) {
            batch.end[i / 3][i % 3][k] = pairs[k].x[i / 3][i % 3];
        }
    }
    kernels->measure_segments(&batch, 0xffff, &found);
    for (int k = 0; k < 16; ++k) {
        const double(*x)[3] = pairs[k].x;
        double distance[2];
        double weights[2][2][2];
        abut__segments_distance(x, x + 2, &distance[0], weights[0]);
        if ((found.open >> k & 1) != 0) {
            abut__segments_distance_open(x, x + 2, &distance[1], weights[1]);
        } else {
            distance[1] = found.distance[k];
            weights[1][0][0] = 1 - found.s[k];
            weights[1][0][1] = found.s[k];
            weights[1][1][0] = 1 - found.t[k];
            weights[1][1][1] = found.t[k];
        }
        REQUIRE(memcmp(&distance[0], &distance[1], sizeof distance[0]) == 0);
        REQUIRE(memcmp(weights[0], weights[1], sizeof weights[0]) == 0);
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

// ---- normals

// A vertex above the inside of a face, or an edge that crosses another one, along a known direction
// and at any distance: the corners are doubles, so the direction is known up to rounding of them.
static void test_normals(void** state) {
    (void)state;
    for (uint32_t seed = 0; seed < effort(2000, 10000, 100000); ++seed) {
        test_random random = random_seed(seed);
        const bool edges = seed % 2 == 1;
        const int axis = (int)(seed / 2 % 3);
        const double height = ldexp(random_chance(&random, 0.5) ? 1 : -1,
                                    -(int)random_below(&random, 60));
        // in the plane through 0 that is orthogonal to the axis; the exact normal is the axis
        double x[4][3] = {{0}};
        for (int i = 0; i < 4; ++i) {
            for (int k = 1; k < 3; ++k) {
                x[i][(axis + k) % 3] = random_dyadic(&random, 1, 0x1p-20);
            }
        }
        for (int i = 0; i < (edges ? 2 : 1); ++i) {
            x[i][axis] = height;
        }
        double distance;
        double weights[2][2];
        double w[4] = {1, 0, 0, 0};
        if (edges) {
            abut__segments_distance((const double(*)[3])x, (const double(*)[3])(x + 2), &distance,
                                    weights);
            memcpy(w, weights, sizeof w);
        } else {
            abut_witness nearest;
            abut__point_distance((const double(*)[3])(x + 1), x[0], &distance, &nearest);
            memcpy(w + 1, nearest.weights, 3 * sizeof *w);
        }
        double n[3];
        abut__feature_normal((const double(*)[3])x, w, edges, distance, n);
        where("seed %u, height %g", seed, height);
        REQUIRE(fabs(n[0] * n[0] + n[1] * n[1] + n[2] * n[2] - 1) < 0x1p-48);
        if (distance == fabs(height)) {
            REQUIRE(n[axis] * (height > 0 ? 1 : -1) > 1 - 0x1p-20);
        }
    }
}

// features that touch have the normal of the face, or of both edges; or none
static void test_touching_normals(void** state) {
    (void)state;
    const double face[4][3] = {{0.25, 0.25, 0}, {0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
    const double crossing[4][3] = {{-1, 0, 0}, {1, 0, 0}, {0, -1, 0}, {0, 1, 0}};
    const double along[4][3] = {{0, 0, 0}, {1, 0, 0}, {0.5, 0, 0}, {2, 0, 0}};
    const double in_face[4] = {1, 0.5, 0.25, 0.25};
    const double halves[4] = {0.5, 0.5, 0.5, 0.5};
    const double end[4] = {0.5, 0.5, 1, 0};
    double n[3];
    abut__feature_normal(face, in_face, false, 0, n);
    REQUIRE(n[0] == 0 && n[1] == 0 && n[2] == 1);
    abut__feature_normal(crossing, halves, true, 0, n);
    REQUIRE(n[0] == 0 && n[1] == 0 && n[2] == 1);
    abut__feature_normal(along, end, true, 0, n);
    REQUIRE(n[0] == 0 && n[1] == 0 && n[2] == 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_against_rationals), cmocka_unit_test(test_extremes),
        cmocka_unit_test(test_kernels),           cmocka_unit_test(test_normals),
        cmocka_unit_test(test_touching_normals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
