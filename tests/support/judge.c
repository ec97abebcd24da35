// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT

#include "support/judge.h"

#include <math.h>

#include "exact/triangles.h"
#include "support/rational_triangles.h"

#define ONE_IN 10

static size_t asked;
static size_t judged;
static size_t spent;

bool judge_is_due(void) {
    return ONE_IN * judged < ++asked && spent < effort(6000, 400000, UINT32_MAX);
}

size_t judge_spend(size_t cost) {
    const size_t most = 1 + effort(150, 1000, 4000);
    ++judged;
    spent += cost < most ? cost : most;
    return 1 + (cost - (cost > 0)) / most;
}

size_t judge_asked(void) {
    return asked;
}

size_t judge_judged(void) {
    return judged;
}

bool judge_touch(const double p[3][3], const double q[3][3]) {
    rational_set shared;
    rational_set_init(&shared);
    rational_intersection(p, q, &shared);
    const bool touch = shared.count > 0;
    rational_set_clear(&shared);
    return touch;
}

// the longest side of the box around both
static double extent_of(const double p[3][3], const double q[3][3]) {
    double extent = 0;
    for (int d = 0; d < 3; ++d) {
        double lo = INFINITY;
        double hi = -INFINITY;
        for (int i = 0; i < 3; ++i) {
            lo = fmin(lo, fmin(p[i][d], q[i][d]));
            hi = fmax(hi, fmax(p[i][d], q[i][d]));
        }
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

void judge_distance(const double p[3][3], const double q[3][3], double distance) {
    mpq_t square;
    mpq_init(square);
    rational_distance_sq(p, q, square);
    // twice the bound, because this is computed in doubles
    const double error = 0x1p-44 * extent_of(p, q);
    REQUIRE((distance == 0) == (mpq_sgn(square) == 0));
    REQUIRE(distance <= error || compare_square(distance - error, square) <= 0);
    REQUIRE(compare_square(distance + error, square) >= 0);
    mpq_clear(square);
}

// ---- all pairs; brute_touch takes no user pointer

static double margin_now;
static size_t candidates;
static size_t stride;  // every stride-th pair is judged

static bool count_candidate(const double p[3][3], const double q[3][3]) {
    (void)p;
    (void)q;
    ++candidates;
    return false;
}

static bool by_predicates(const double p[3][3], const double q[3][3]) {
    return margin_now > 0 ? abut__triangles_within(p, q, margin_now) : abut__triangles_touch(p, q);
}

static bool within(const double p[3][3], const double q[3][3], double margin) {
    mpq_t distance_sq;
    mpq_t square;
    mpq_inits(distance_sq, square, NULL);
    rational_distance_sq(p, q, distance_sq);
    mpq_set_d(square, margin);
    mpq_mul(square, square, square);
    const bool is_within = mpq_cmp(distance_sq, square) <= 0;
    mpq_clears(distance_sq, square, NULL);
    return is_within;
}

static bool by_rationals(const double p[3][3], const double q[3][3]) {
    if (candidates++ % stride != 0) {
        return by_predicates(p, q);
    }
    return margin_now > 0 ? within(p, q, margin_now) : judge_touch(p, q);
}

static size_t brute(const judge_side* a, const judge_side* b, double margin, brute_touch touch,
                    brute_pair** out) {
    candidates = 0;
    margin_now = margin;
    return b == NULL ? brute_self(a->xyz, a->triangles, a->count, a->classes, margin, touch, out)
                     : brute_collide(a->xyz, a->triangles, a->count, b->xyz, b->triangles, b->count,
                                     margin, touch, out);
}

size_t judge_pairs(const judge_side* a, const judge_side* b, double margin, bool always,
                   brute_pair** out) {
    stride = always ? 1 : 0;
    if (!always && judge_is_due()) {
        (void)brute(a, b, margin, count_candidate, NULL);
        stride = judge_spend((margin > 0 ? JUDGE_DISTANCE : JUDGE_TOUCH) * candidates);
    }
    return brute(a, b, margin, stride > 0 ? by_rationals : by_predicates, out);
}

size_t judge_surfaces(const surface* a, const surface* b, brute_pair** out) {
    const judge_side sides[2] = {{a->xyz, a->triangles, a->triangle_count, NULL},
                                 {b->xyz, b->triangles, b->triangle_count, NULL}};
    return judge_pairs(&sides[0], &sides[1], 0, false, out);
}
