// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// The certificates of moving_features.h in sums of two doubles, for what doubles leave open:
// primitives that are coplanar within an ulp but not exactly.
//
// Based on: Dekker, "A floating-point technique for extending the available precision", Numerische
// Mathematik 18 (1971).
#include <math.h>

#include "exact/sides.h"
#include "exact/moving_features.h"

#define FINE_CUBIC 0x1p-98        // of P
#define FINE_DIRECTION 0x1.8p-96  // 12 * 2^-99
#define FINE_LEAST 0x1p-760

// The error is less than 2^-104 (|a| + |b|), which suffices for the bounds.
static inline abut__two add(abut__two a, abut__two b) {
    const abut__two sum = abut__two_sum(a.high, b.high);
    return abut__two_sum_ordered(sum.high, sum.low + (a.low + b.low));
}

static inline abut__two negate(abut__two a) {
    return (abut__two){-a.high, -a.low};
}

// The error is less than 2^-103 |a b|.
static inline abut__two multiply(abut__two a, abut__two b) {
    const abut__two product = abut__two_product(a.high, b.high);
    return abut__two_sum_ordered(product.high, product.low + (a.high * b.low + a.low * b.high));
}

static inline abut__two scale(abut__two a, double b) {
    const abut__two product = abut__two_product(a.high, b);
    return abut__two_sum_ordered(product.high, product.low + a.low * b);
}

__attribute__((always_inline)) static inline abut__two mix(abut__two x, abut__two y, double t) {
    return add(multiply(x, abut__two_difference(1.0, t)), scale(y, t));
}

typedef struct {
    abut__two x[3];
} fine_vector;

static abut__two difference(double x, double y, int exponent) {
    if (exponent == 0) {
        return abut__two_difference(x, y);
    }
    const abut__two d = exponent > 0 ? abut__two_difference(0.5 * x, 0.5 * y)
                                     : abut__two_difference(x, y);
    const int by = exponent > 0 ? 1 - exponent : -exponent;
    return (abut__two){ldexp(d.high, by), ldexp(d.low, by)};
}

static fine_vector subtract(const double x[3], const double y[3], int exponent) {
    fine_vector v;
    for (int k = 0; k < 3; ++k) {
        v.x[k] = difference(x[k], y[k], exponent);
    }
    return v;
}

static fine_vector cross(const fine_vector* a, const fine_vector* b) {
    fine_vector v;
    for (int k = 0; k < 3; ++k) {
        const int i = (k + 1) % 3;
        const int j = (k + 2) % 3;
        v.x[k] = add(multiply(a->x[i], b->x[j]), negate(multiply(a->x[j], b->x[i])));
    }
    return v;
}

static abut__two dot(const fine_vector* a, const fine_vector* b) {
    return add(add(multiply(a->x[0], b->x[0]), multiply(a->x[1], b->x[1])),
               multiply(a->x[2], b->x[2]));
}

static void make_cubic(const fine_vector e1[2], const fine_vector e2[2], const fine_vector w[2],
                       abut__two c[4]) {
    const abut__two third = {0x1.5555555555555p-2, 0x1.5555555555555p-56};
    const fine_vector n0 = cross(&e1[0], &e2[0]);
    const fine_vector n2 = cross(&e1[1], &e2[1]);
    const fine_vector p = cross(&e1[0], &e2[1]);
    const fine_vector q = cross(&e1[1], &e2[0]);
    fine_vector n1;
    for (int k = 0; k < 3; ++k) {
        n1.x[k] = add(p.x[k], q.x[k]);
    }
    c[0] = dot(&n0, &w[0]);
    c[1] = multiply(add(dot(&n0, &w[1]), dot(&n1, &w[0])), third);
    c[2] = multiply(add(dot(&n1, &w[1]), dot(&n2, &w[0])), third);
    c[3] = dot(&n2, &w[1]);
}

void abut__fine_make(const abut__sweep_question* question, const abut__hull* hull,
                     abut__fine_hull* fine) {
    static const int minuend[2][4] = {{1, 2, 3, 0}, {0, 1, 1, 0}};
    static const int subtrahend[2][4] = {{0, 0, 0, 0}, {2, 2, 3, 3}};
    const int kind = question->edges ? 1 : 0;
    const int exponent = hull->exponent;
    fine_vector e1[2];
    fine_vector e2[2];
    fine_vector w[2];
    for (int end = 0; end < 2; ++end) {
        const double(*x)[3] = end == 0 ? question->from : question->to;
        for (int i = 0; i < hull->count; ++i) {
            const fine_vector d = subtract(x[minuend[kind][i]], x[subtrahend[kind][i]], exponent);
            for (int k = 0; k < 3; ++k) {
                fine->d[end][i][k] = d.x[k];
            }
        }
        e1[end] = question->edges ? subtract(x[1], x[0], exponent) : subtract(x[2], x[1], exponent);
        e2[end] = question->edges ? subtract(x[3], x[2], exponent) : subtract(x[3], x[1], exponent);
        for (int k = 0; k < 3; ++k) {
            w[end].x[k] = fine->d[end][0][k];
        }
    }
    make_cubic(e1, e2, w, fine->c);
    fine->bound = FINE_CUBIC * hull->permanent + FINE_LEAST;
}

static void blossoms(const abut__two c[4], double t, double other, abut__two* all, abut__two* two) {
    const abut__two p0 = mix(c[0], c[1], t);
    const abut__two p1 = mix(c[1], c[2], t);
    const abut__two p2 = mix(c[2], c[3], t);
    const abut__two q0 = mix(p0, p1, t);
    const abut__two q1 = mix(p1, p2, t);
    *all = mix(q0, q1, t);
    *two = mix(q0, q1, other);
}

bool abut__fine_cubic_is_flat(const abut__fine_hull* fine, double t) {
    abut__two c[2];
    blossoms(fine->c, t, t, &c[0], &c[1]);
    return !(fabs(c[0].high) > fine->bound);
}

bool abut__fine_cubic_clears(const abut__fine_hull* fine, double a, double b) {
    abut__two c[4];
    blossoms(fine->c, a, b, &c[0], &c[1]);
    blossoms(fine->c, b, a, &c[3], &c[2]);
    bool above = true;
    bool below = true;
    for (int i = 0; i < 4; ++i) {
        above = above && c[i].high > fine->bound;
        below = below && c[i].high < -fine->bound;
    }
    return above || below;
}

// The blossoms over [0, x] differ from the first coefficient by at most 3 x times the greatest
// difference of the other coefficients from it.
double abut__fine_cubic_reach(const abut__fine_hull* fine) {
    double most = 0.0;
    for (int i = 1; i < 4; ++i) {
        const double change = fabs(fine->c[i].high - fine->c[0].high);
        most = ABUT__GREATER(most, change);
    }
    const double part = 0.25 * fabs(fine->c[0].high) / most;
    return part < 1.0 ? part : 1.0;  // also 1 for the NaN of 0 / 0
}

void abut__fine_at(const abut__hull* hull, const abut__fine_hull* fine, double t, double d[4][3]) {
    for (int i = 0; i < hull->count; ++i) {
        for (int k = 0; k < 3; ++k) {
            d[i][k] = mix(fine->d[0][i][k], fine->d[1][i][k], t).high;
        }
    }
}

static abut__two height(const abut__fine_hull* fine, int corner, double t, const double g[3]) {
    abut__two sum = {0.0, 0.0};
    for (int k = 0; k < 3; ++k) {
        sum = add(sum, scale(mix(fine->d[0][corner][k], fine->d[1][corner][k], t), g[k]));
    }
    return sum;
}

bool abut__fine_direction_clears(const abut__hull* hull, const abut__fine_hull* fine, double a,
                                 double b, const double g0[3], const double g1[3]) {
    const double threshold = abut__direction_threshold(hull, g0, g1, FINE_DIRECTION);
    bool clear = true;
    for (int i = 0; i < hull->count && clear; ++i) {
        const abut__two middle = add(height(fine, i, b, g0), height(fine, i, a, g1));
        clear = height(fine, i, a, g0).high > threshold && 0.5 * middle.high > threshold &&
                height(fine, i, b, g1).high > threshold;
    }
    return clear;
}

double abut__fine_direction_reach(const abut__hull* hull, const abut__fine_hull* fine, double a,
                                  double b, const double g[3]) {
    const double threshold = abut__direction_threshold(hull, g, g, FINE_DIRECTION);
    double part = 1.0;
    for (int i = 0; i < hull->count; ++i) {
        const abut__two first = height(fine, i, a, g);
        const abut__two last = height(fine, i, b, g);
        if (!(first.high > threshold)) {
            return 0.0;
        }
        if (!(last.high > threshold)) {
            const double here = (first.high - threshold) / add(first, negate(last)).high;
            part = ABUT__LESSER(part, here);
        }
    }
    return part;
}
