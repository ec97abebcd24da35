// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Selection of the features of two triangles that may meet, moving or at rest, against plain loops
// over corners.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "simd/kernels.h"
#include "support/everywhere.h"
#include "support/world.h"

enum { TRIANGLES = 48, PAIRS = 64 };

// the corners of a feature
typedef struct feature {
    int count;
    int corner[3];
} feature;

static feature corner_of(int i) {
    return (feature){1, {i, 0, 0}};
}

static feature edge_of(int i) {
    return (feature){2, {i, (i + 1) % 3, 0}};
}

static const feature whole = {3, {0, 1, 2}};

static void features_of(int bit, feature* a, feature* b) {
    *a = bit < 3 ? corner_of(bit) : bit < 6 ? whole : edge_of((bit - 6) / 3);
    *b = bit < 3 ? whole : bit < 6 ? corner_of(bit - 3) : edge_of((bit - 6) % 3);
}

static bool share(const abut__moving_triangle* a, feature f, const abut__moving_triangle* b,
                  feature g) {
    for (int i = 0; i < f.count; ++i) {
        for (int j = 0; j < g.count; ++j) {
            if (a->classes[f.corner[i]] == b->classes[g.corner[j]]) {
                return true;
            }
        }
    }
    return false;
}

// every corner of f, shifted, is above every corner of g, shifted
static bool above(const abut__moving_triangle* a, feature f, float shift_a,
                  const abut__moving_triangle* b, feature g, float shift_b, int end, int d) {
    for (int i = 0; i < f.count; ++i) {
        for (int j = 0; j < g.count; ++j) {
            const float x = a->x[end][d][f.corner[i]] + shift_a;
            const float y = b->x[end][d][g.corner[j]] + shift_b;
            if (!(x - y > 0)) {
                return false;
            }
        }
    }
    return true;
}

static bool apart(const abut__moving_triangle* a, feature f, const abut__moving_triangle* b,
                  feature g, const abut__shift* shift) {
    for (int d = 0; d < 3; ++d) {
        const float lo = shift->lo[d];
        const float hi = shift->hi[d];
        if ((above(a, f, lo, b, g, 0, 0, d) && above(a, f, lo, b, g, 0, 1, d)) ||
            (above(b, g, 0, a, f, hi, 0, d) && above(b, g, 0, a, f, hi, 1, d))) {
            return true;
        }
    }
    return false;
}

static uint32_t expected(const abut__moving_triangle* a, const abut__moving_triangle* b, bool self,
                         const abut__shift* shift) {
    uint32_t pairs = 0;
    for (int bit = 0; bit < 15; ++bit) {
        feature f;
        feature g;
        features_of(bit, &f, &g);
        const bool owned = (a->owned[0] & b->owned[1]) >> bit & 1;
        const bool meets = owned && !(self && share(a, f, b, g)) && !apart(a, f, b, g, shift);
        pairs |= (uint32_t)meets << bit;
    }
    return pairs;
}

static void make_triangle(test_random* random, bool far, abut__moving_triangle* t) {
    memset(t, 0, sizeof *t);
    double middle[2][3];
    for (int i = 0; i < 6; ++i) {
        middle[i / 3][i % 3] = random_double(random, -1, 1);
    }
    for (int c = 0; c < 4; ++c) {
        for (int i = 0; i < 6; ++i) {
            const double x = middle[i / 3][i % 3] + random_double(random, -0.5, 0.5);
            // a grid makes many coordinates equal; values beyond float are infinite
            t->x[i / 3][i % 3][c] = far ? (float)(x * 1e39) : (float)(round(8 * x) / 8);
        }
        t->classes[c] = random_below(random, 12);
    }
    t->owned[0] = random_below(random, ABUT__FEATURE_PAIRS + 1);
    t->owned[1] = random_below(random, ABUT__FEATURE_PAIRS + 1);
}

static void check_round(uint32_t seed, uint64_t* met, uint64_t* left_out) {
    test_random random = random_seed(seed);
    static abut__moving_triangle a[TRIANGLES];
    static abut__moving_triangle b[TRIANGLES];
    uint8_t lanes[PAIRS][2];
    for (int t = 0; t < TRIANGLES; ++t) {
        make_triangle(&random, seed % 7 == 3 && t % 3 == 0, &a[t]);
        make_triangle(&random, seed % 7 == 3 && t % 4 == 0, &b[t]);
    }
    for (int i = 0; i < PAIRS; ++i) {
        lanes[i][0] = (uint8_t)(i % 3 == 0 || i == 0 ? random_below(&random, TRIANGLES)
                                                     : lanes[i - 1][0]);
        lanes[i][1] = (uint8_t)random_below(&random, TRIANGLES);
    }
    const bool self = seed % 2 == 0;
    abut__shift shift;
    for (int d = 0; d < 3; ++d) {  // no margin, some, or more than all distances
        const float middle = seed % 3 == 1 ? (float)random_double(&random, -0.5, 0.5) : 0;
        const float pad = seed % 5 == 4 ? INFINITY : seed % 3 == 0 ? 0 : 0.125f;
        shift.lo[d] = middle - pad;
        shift.hi[d] = middle + pad;
    }
    const uint32_t count = 1 + random_below(&random, PAIRS);
    FOR_EACH_KERNELS(set, kernels) {
        uint16_t meet[PAIRS];
        kernels->features_meet(a, b, (const uint8_t(*)[2])lanes, count, self, &shift, meet);
        for (uint32_t i = 0; i < count; ++i) {
            const abut__moving_triangle* p = &a[lanes[i][0]];
            const abut__moving_triangle* q = &b[lanes[i][1]];
            const uint32_t wanted = expected(p, q, self, &shift);
            if (meet[i] != wanted) {
                fail_msg("seed %u, instruction set %d, pair %u: %x, not %x", seed, set, i, meet[i],
                         wanted);
            }
            *met += (uint64_t)__builtin_popcount(wanted);
            *left_out += (uint64_t)__builtin_popcount((p->owned[0] & q->owned[1]) ^ wanted);
        }
    }
}

static void test_features_are_those_of_plain_loops(void** state) {
    (void)state;
    uint64_t met = 0;
    uint64_t left_out = 0;
    const uint32_t rounds = effort(200, 2000, 20000);
    for (uint32_t seed = 1; seed <= rounds; ++seed) {
        check_round(seed, &met, &left_out);
    }
    print_message("%llu pairs of features may meet, %llu do not\n", (unsigned long long)met,
                  (unsigned long long)left_out);
    assert_true(met > 10 * rounds && left_out > 10 * rounds);
}

// ---- at rest

typedef struct still_block {
    abut__block fixed;
    abut__feature_block block;
    double xyz[ABUT__BLOCK_VERTICES][3];
} still_block;

static void make_still(test_random* random, int side, still_block* out) {
    memset(out, 0, sizeof *out);
    out->block.fixed = &out->fixed;
    for (uint32_t v = 0; v < ABUT__BLOCK_VERTICES; ++v) {
        for (int d = 0; d < 3; ++d) {
            const double x = round(8 * random_double(random, -1, 1)) / 8;
            out->xyz[v][d] = x;
            out->block.rows[v][d] = side == 0 ? x : -x;
            out->block.rows[v][4 + d] = side == 0 ? -x : x;
        }
        out->block.classes[v] = random_below(random, 40);
    }
    for (uint32_t t = 0; t < TRIANGLES; ++t) {
        for (int c = 0; c < 3; ++c) {
            out->fixed.corner[c][t] = (uint8_t)random_below(random, ABUT__BLOCK_VERTICES);
        }
        out->block.owned[t] = (uint8_t)random_below(random, 64);
    }
}

// whether every corner of f is above every corner of g by more than the margin
static bool still_above(const still_block* a, uint32_t t, feature f, const still_block* b,
                        uint32_t u, feature g, double margin, int d) {
    for (int i = 0; i < f.count; ++i) {
        for (int j = 0; j < g.count; ++j) {
            if (!(a->xyz[a->fixed.corner[f.corner[i]][t]][d] -
                      b->xyz[b->fixed.corner[g.corner[j]][u]][d] >
                  margin)) {
                return false;
            }
        }
    }
    return true;
}

static uint32_t still_expected(const still_block* a, uint32_t t, const still_block* b, uint32_t u,
                               bool self, double margin) {
    uint32_t pairs = 0;
    for (int bit = 0; bit < 15; ++bit) {
        feature f;
        feature g;
        features_of(bit, &f, &g);
        bool near = (bit >= 3 && bit < 6) ||
                    (a->block.owned[t] >> (bit < 3 ? bit : 3 + (bit - 6) / 3) & 1) != 0;
        near = near &&
               (bit < 3 || (b->block.owned[u] >> (bit < 6 ? bit - 3 : 3 + (bit - 6) % 3) & 1) != 0);
        for (int k = 0; k < f.count * g.count && self; ++k) {
            near = near && a->block.classes[a->fixed.corner[f.corner[k / g.count]][t]] !=
                               b->block.classes[b->fixed.corner[g.corner[k % g.count]][u]];
        }
        for (int d = 0; d < 3; ++d) {
            near = near && !still_above(a, t, f, b, u, g, margin, d) &&
                   !still_above(b, u, g, a, t, f, margin, d);
        }
        pairs |= (uint32_t)near << bit;
    }
    return pairs;
}

static void test_features_at_rest(void** state) {
    (void)state;
    static still_block a;
    static still_block b;
    uint64_t near_count = 0;
    for (uint32_t seed = 0; seed < effort(100, 1000, 10000); ++seed) {
        test_random random = random_seed(seed);
        make_still(&random, 0, &a);
        make_still(&random, 1, &b);
        const bool self = seed % 2 == 0;
        const double margin = 0.125 * (seed % 4);
        uint8_t lanes[PAIRS][2];
        for (int i = 0; i < PAIRS; ++i) {
            lanes[i][0] = (uint8_t)(i % 3 != 0 ? lanes[i - 1][0]
                                               : random_below(&random, TRIANGLES));
            lanes[i][1] = (uint8_t)random_below(&random, TRIANGLES);
        }
        FOR_EACH_KERNELS(set, kernels) {
            uint16_t near[PAIRS];
            kernels->features_near(&a.block, &b.block, (const uint8_t(*)[2])lanes, PAIRS, self,
                                   margin, near);
            for (uint32_t i = 0; i < PAIRS; ++i) {
                where("seed %u, set %d, pair %u", seed, set, i);
                REQUIRE(near[i] == still_expected(&a, lanes[i][0], &b, lanes[i][1], self, margin));
                near_count += near[i] != 0;
            }
        }
    }
    REQUIRE(near_count > 1000);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_features_are_those_of_plain_loops),
        cmocka_unit_test(test_features_at_rest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
