// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Checks of the exact layer against the rational oracle, for the quick and the long test. Each
// failure prints the seed and the index that reproduce the pair, and its corners.
#ifndef ABUT_TESTS_EXACT_CHECKS_H
#define ABUT_TESTS_EXACT_CHECKS_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "exact/contact.h"
#include "exact/orient.h"
#include "exact/triangles.h"
#include "simd/kernels.h"
#include "exact/triangles_within.h"
#include "support/rational_triangles.h"
#include "test_exact_cases.h"

typedef struct {
    uint64_t seed, index;
    int family;
    exact_case pair;
} test_pair;

static inline test_pair pair_make(uint64_t seed, uint64_t index) {
    test_pair t = {seed, index, 0, {{{0}}, {{0}}}};
    t.pair = case_make(seed, index, &t.family);
    return t;
}

// fails the test with all that is needed to replay it
static inline void pair_fail(const test_pair* t, const char* what, double got, double wanted) {
    exact_case c = t->pair;
    for (int i = 0; i < 6; ++i) {
        const double* x = case_corner(&c, i);
        print_error("%c%d = {%a, %a, %a}\n", i < 3 ? 'p' : 'q', i % 3, x[0], x[1], x[2]);
    }
    fail_msg("%s: %.17g, wanted %.17g; seed %llu, index %llu, family %s", what, got, wanted,
             (unsigned long long)t->seed, (unsigned long long)t->index, case_names[t->family]);
}

static inline void shuffle(const double t[3][3], int order, double out[3][3]) {
    static const int orders[6][3] = {{0, 1, 2}, {1, 2, 0}, {2, 0, 1},
                                     {0, 2, 1}, {2, 1, 0}, {1, 0, 2}};
    for (int i = 0; i < 3; ++i) {
        memcpy(out[i], t[orders[order][i]], sizeof out[i]);
    }
}

// touch, in both orders and with permuted corners
static inline void check_touch(const test_pair* t, bool wanted) {
    double p[3][3];
    double q[3][3];
    shuffle(t->pair.p, (int)(t->index % 6), p);
    shuffle(t->pair.q, (int)(t->index / 6 % 6), q);
    const bool got[4] = {abut__triangles_touch(t->pair.p, t->pair.q),
                         abut__triangles_touch(t->pair.q, t->pair.p), abut__triangles_touch(p, q),
                         abut__triangles_touch(q, p)};
    for (int i = 0; i < 4; ++i) {
        if (got[i] != wanted) {
            pair_fail(t,
                      i == 0   ? "touch"
                      : i == 1 ? "touch, swapped"
                               : "touch, shuffled",
                      got[i], wanted);
        }
    }
}

// |x - exact| <= 2^-50 extent + 1 ulp? The extent of the pair is used in place of that of the edge.
static inline bool coordinate_is_close(double x, const mpq_t exact, double lo, double hi) {
    const double ulp = nextafter(fabs(x), INFINITY) - fabs(x);
    mpq_t error;
    mpq_t allowed;
    mpq_t term;
    mpq_inits(error, allowed, term, NULL);
    mpq_set_d(error, x);
    mpq_sub(error, error, exact);
    mpq_abs(error, error);
    mpq_set_d(allowed, hi);
    mpq_set_d(term, lo);
    mpq_sub(allowed, allowed, term);
    mpq_div_2exp(allowed, allowed, 50);
    mpq_set_d(term, isfinite(ulp) ? ulp : 0x1p971);
    mpq_add(allowed, allowed, term);
    const bool close = mpq_cmp(error, allowed) <= 0;
    mpq_clears(error, allowed, term, NULL);
    return close;
}

static inline bool point_is_close(const test_pair* t, const double x[3], mpq_t exact[3]) {
    exact_case c = t->pair;
    for (int k = 0; k < 3; ++k) {
        double lo = c.p[0][k];
        double hi = lo;
        for (int i = 1; i < 6; ++i) {
            const double y = case_corner(&c, i)[k];
            lo = y < lo ? y : lo;
            hi = y > hi ? y : hi;
        }
        if (!coordinate_is_close(x[k], exact[k], lo, hi)) {
            return false;
        }
    }
    return true;
}

// some start and direction makes all points agree, so the cyclic order is right as well
static inline bool points_match(const test_pair* t, const abut__intersection* got,
                                rational_set* wanted) {
    const uint32_t n = got->count;
    bool match = n == 0;
    for (uint32_t start = 0; start < n && !match; ++start) {
        for (uint32_t step = 1; step <= n && !match; step += n > 2 ? n - 2 : n) {  // 1, n - 1
            match = true;
            for (uint32_t i = 0; i < n && match; ++i) {
                match = point_is_close(t, got->points[i], wanted->point[(start + step * i) % n]);
            }
        }
    }
    return match;
}

// a point that is exactly a corner has the coordinates of that corner
static inline bool corners_are_exact(const test_pair* t, const abut__intersection* got,
                                     rational_set* wanted) {
    exact_case c = t->pair;
    for (uint32_t i = 0; i < wanted->count; ++i) {
        for (int j = 0; j < 6; ++j) {
            const double* x = case_corner(&c, j);
            bool is_corner = true;
            for (int k = 0; k < 3; ++k) {
                mpq_t y;
                mpq_init(y);
                mpq_set_d(y, x[k]);
                is_corner = is_corner && mpq_equal(y, wanted->point[i][k]);
                mpq_clear(y);
            }
            bool found = !is_corner;
            for (uint32_t k = 0; k < got->count; ++k) {
                found = found || abut__same_point(got->points[k], x);
            }
            if (!found) {
                return false;
            }
        }
    }
    return true;
}

static inline void check_intersection(const test_pair* t, rational_set* wanted) {
    abut__intersection got;
    abut__triangles_intersection(t->pair.p, t->pair.q, &got);
    if (got.count != wanted->count) {
        pair_fail(t, "points shared", got.count, wanted->count);
    }
    if (!points_match(t, &got, wanted)) {
        pair_fail(t, "points shared are too far off or out of order", got.points[0][0],
                  mpq_get_d(wanted->point[0][0]));
    }
    if (!corners_are_exact(t, &got, wanted)) {
        pair_fail(t, "a shared corner has lost its bits", 0.0, 0.0);
    }
    double p[3][3];
    shuffle(t->pair.p, (int)(t->index % 6), p);
    abut__triangles_intersection(t->pair.q, p, &got);
    if (got.count != wanted->count || !points_match(t, &got, wanted)) {
        pair_fail(t, "points shared, swapped", got.count, wanted->count);
    }
}

static inline void check_beyond(const test_pair* t, const rational_set* shared) {
    for (uint32_t mask = 1; mask < 8; ++mask) {
        const bool wanted = rational_beyond(t->pair.p, shared, mask);
        const bool got = abut__triangles_overlap_beyond(t->pair.p, t->pair.q, mask);
        if (got != wanted) {
            pair_fail(t, "overlap beyond mask", mask, wanted);
        }
    }
}

// how often each method decided
typedef struct {
    uint64_t filter_no, filter_yes, exact, ties;
} within_counts;

static inline void check_margin(const test_pair* t, const mpq_t distance_sq, double margin,
                                within_counts* counts) {
    if (!isfinite(margin)) {
        return;
    }
    mpq_t margin_sq;
    mpq_init(margin_sq);
    mpq_set_d(margin_sq, margin);
    mpq_mul(margin_sq, margin_sq, margin_sq);
    const int order = mpq_cmp(distance_sq, margin_sq);
    mpq_clear(margin_sq);
    const bool wanted = order <= 0;
    double p[3][3];
    shuffle(t->pair.p, (int)(t->index % 6), p);
    if (abut__triangles_within(t->pair.p, t->pair.q, margin) != wanted) {
        pair_fail(t, "within margin", margin, wanted);
    }
    if (abut__triangles_within(t->pair.q, p, margin) != wanted) {
        pair_fail(t, "within margin, swapped and shuffled", margin, wanted);
    }
    const int filter = margin > 0.0 ? abut__within_filter(t->pair.p, t->pair.q, margin)
                                    : ABUT__UNDECIDED;
    if (filter != ABUT__UNDECIDED && (filter == 1) != wanted) {
        pair_fail(t, "filter of margin", margin, wanted);
    }
    if (mpq_sgn(distance_sq) > 0 && abut__within_wide(t->pair.p, t->pair.q, margin) != wanted) {
        pair_fail(t, "wide integers, margin", margin, wanted);
    }
    counts->filter_no += filter == 0;
    counts->filter_yes += filter == 1;
    counts->exact += filter == ABUT__UNDECIDED && margin > 0.0;
    counts->ties += order == 0;
}

static inline void check_within(const test_pair* t, const mpq_t distance_sq,
                                within_counts* counts) {
    mpf_t root;
    mpf_init2(root, 256);
    mpf_set_q(root, distance_sq);
    mpf_sqrt(root, root);
    const double distance = mpf_get_d(root);  // exact if the distance is a double
    mpf_clear(root);
    const double above = nextafter(distance, INFINITY);
    const double margins[8] = {distance,
                               above,
                               nextafter(above, INFINITY),
                               0.5 * distance,
                               1.5 * distance,
                               distance * (1.0 + 0x1p-45),
                               0.0,
                               0x1p-10};
    for (int i = 0; i < 8; ++i) {
        check_margin(t, distance_sq, margins[i], counts);
    }
    if (distance > 0.0) {
        check_margin(t, distance_sq, nextafter(distance, 0.0), counts);
    }
}

// the instruction sets that this processor has
typedef abut__triangle_verdict (*filter_kernel)(const abut__triangle_batch*, uint32_t);
typedef uint32_t (*within_kernel)(const abut__triangle_batch*, uint32_t, const double[16]);
typedef struct {
    int count;
    filter_kernel filter[3];
    within_kernel within[3];
} kernel_set;

static inline kernel_set kernels(void) {
    kernel_set set = {1, {abut__triangles_filter_scalar}, {abut__triangles_beyond_scalar}};
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
        set.filter[set.count] = abut__triangles_filter_avx2;
        set.within[set.count++] = abut__triangles_beyond_avx2;
    }
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
        __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl")) {
        set.filter[set.count] = abut__triangles_filter_avx512;
        set.within[set.count++] = abut__triangles_beyond_avx512;
    }
#endif
    return set;
}

static inline void batch_put(abut__triangle_batch* batch, int lane, const exact_case* pair) {
    exact_case c = *pair;
    for (int i = 0; i < 6; ++i) {
        for (int k = 0; k < 3; ++k) {
            batch->corner[i][k][lane] = case_corner(&c, i)[k];
        }
    }
}

typedef struct {
    uint64_t apart, touch, open;
} kernel_counts;

// sixteen pairs with known answers through every kernel
static inline void check_filter_kernels(const test_pair t[16], uint32_t touching, uint32_t valid,
                                        kernel_counts* counts) {
    static kernel_set set;
    static abut__triangle_batch batch;
    set = kernels();
    for (int lane = 0; lane < 16; ++lane) {
        batch_put(&batch, lane, &t[lane].pair);
    }
    abut__triangle_verdict first = {0, 0};
    for (int s = 0; s < set.count; ++s) {
        const abut__triangle_verdict v = set.filter[s](&batch, valid);
        first = s == 0 ? v : first;
        assert_int_equal(v.apart & v.touch, 0);
        assert_int_equal((v.apart | v.touch) & ~valid, 0);
        const uint32_t wrong = (v.apart & touching) | (v.touch & ~touching);
        if (wrong != 0) {
            pair_fail(&t[__builtin_ctz(wrong)], "kernel, instruction set", s, 0.0);
        }
        if (v.apart != first.apart || v.touch != first.touch) {
            pair_fail(&t[0], "kernels differ: first of 16, instruction set", s, 0.0);
        }
    }
    counts->apart += (uint64_t)__builtin_popcount(first.apart);
    counts->touch += (uint64_t)__builtin_popcount(first.touch);
    counts->open += (uint64_t)__builtin_popcount(valid & ~(first.apart | first.touch));
}

static inline void check_within_kernels(const test_pair t[16], const bool within[16], double margin,
                                        kernel_counts* counts) {
    static kernel_set set;
    static abut__triangle_batch batch;
    set = kernels();
    uint32_t close = 0;
    double margins[16];
    for (int lane = 0; lane < 16; ++lane) {
        margins[lane] = margin;
        batch_put(&batch, lane, &t[lane].pair);
        close |= (uint32_t)within[lane] << lane;
    }
    uint32_t first = 0;
    for (int s = 0; s < set.count; ++s) {
        const uint32_t apart = set.within[s](&batch, 0xffff, margins);
        first = s == 0 ? apart : first;
        if ((apart & close) != 0) {
            pair_fail(&t[__builtin_ctz(apart & close)], "kernel says apart, margin", margin, 1.0);
        }
        if (apart != first) {
            pair_fail(&t[0], "kernels differ: first of 16, instruction set", s, 0.0);
        }
    }
    counts->apart += (uint64_t)__builtin_popcount(first);
    counts->open += (uint64_t)__builtin_popcount(0xffff & ~first);
}

// how often each stage gave an answer, and how often it was the first
enum { STAGES = 4 };
typedef struct {
    uint64_t answered[STAGES], first[STAGES];
} stage_counts;

static inline void check_stages(const test_pair* t, const int sign[STAGES], int whole, int wanted,
                                stage_counts* counts) {
    static const char* const names[STAGES] = {"filter", "residue", "expansion", "wide"};
    bool decided = false;
    for (int s = 0; s < STAGES; ++s) {
        if (sign[s] == ABUT__UNDECIDED) {
            continue;
        }
        if (sign[s] != wanted) {
            pair_fail(t, names[s], sign[s], wanted);
        }
        ++counts->answered[s];
        counts->first[s] += !decided;
        decided = true;
    }
    if (whole != wanted) {
        pair_fail(t, "orientation", whole, wanted);
    }
}

static inline void check_orientations(const test_pair* t, stage_counts* solid,
                                      stage_counts* planar) {
    const double* a = t->pair.p[0];
    const double* b = t->pair.p[1];
    const double* c = t->pair.p[2];
    const double* d = t->pair.q[0];
    const int sign3[STAGES] = {abut__orient3d_filter(a, b, c, d),
                               abut__orient3d_residue(a, b, c, d),
                               abut__orient3d_expansion(a, b, c, d),
                               abut__orient3d_wide(a, b, c, d)};
    check_stages(t, sign3, abut__orient3d_exact(a, b, c, d), rational_orient3d(a, b, c, d), solid);
    const int axis = (int)(t->index % 3);
    const int sign2[STAGES] = {abut__orient2d_filter(a, b, c, axis),
                               abut__orient2d_residue(a, b, c, axis),
                               abut__orient2d_expansion(a, b, c, axis),
                               abut__orient2d_wide(a, b, c, axis)};
    check_stages(t, sign2, abut__orient2d(a, b, c, axis), rational_orient2d(a, b, c, axis), planar);
}

#endif
