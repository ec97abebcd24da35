// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Expansions: a real number as the exact sum of doubles that do not overlap, in ascending
// magnitude, without zeros. Length 0 is the number 0. Differences without a rounding error have
// length at most 1, so their products are cheap. All operations are exact if nothing overflows and
// no product falls below 2^-1074; the caller checks the range of its data.
//
// Based on: Shewchuk, "Adaptive Precision Floating-Point Arithmetic and Fast Robust Geometric
// Predicates", Discrete & Computational Geometry 18 (1997); Dekker, "A floating-point technique
// for extending the available precision", Numerische Mathematik 18 (1971).
#ifndef ABUT_EXACT_EXPANSION_H
#define ABUT_EXACT_EXPANSION_H

#include <float.h>
#include <math.h>
#include <stdbool.h>

#ifdef __FAST_MATH__
#error "error terms vanish under -ffast-math"
#endif
// x87 arithmetic has excess precision, which would make the error terms below wrong
_Static_assert(FLT_EVAL_METHOD == 0, "doubles must be evaluated as doubles");

typedef struct abut__two {
    double high, low;  // high + low is the value; high is the value rounded
} abut__two;

static inline abut__two abut__two_sum(double a, double b) {
    const double high = a + b;
    const double b_part = high - a;
    const double a_part = high - b_part;
    return (abut__two){high, (a - a_part) + (b - b_part)};
}

static inline abut__two abut__two_difference(double a, double b) {
    return abut__two_sum(a, -b);
}

// Requires |a| >= |b| or a == 0.
static inline abut__two abut__two_sum_ordered(double a, double b) {
    const double high = a + b;
    return (abut__two){high, b - (high - a)};
}

// Splits a into a sum of two doubles of at most 26 bits each.
static inline abut__two abut__two_halves(double a) {
    const double scaled = 134217729.0 * a;  // 2^27 + 1
    const double high = scaled - (scaled - a);
    return (abut__two){high, a - high};
}

static inline abut__two abut__two_product(double a, double b) {
    const double high = a * b;
    const abut__two x = abut__two_halves(a);
    const abut__two y = abut__two_halves(b);
    const double low = ((x.high * y.high - high) + x.high * y.low + x.low * y.high) + x.low * y.low;
    return (abut__two){high, low};
}

// Writes the nonzero parts of a pair as an expansion. Returns its length: 0, 1 or 2.
static inline int abut__expansion_from_two(abut__two a, double* out) {
    int n = 0;
    if (a.low != 0.0) {
        out[n++] = a.low;
    }
    if (a.high != 0.0) {
        out[n++] = a.high;
    }
    return n;
}

// out = e + sign * f, at most m + n doubles; out must not overlap e or f.
static inline int abut__expansion_sum(int m, const double* e, int n, const double* f, double sign,
                                      double* out) {
    int i = 0;
    int j = 0;
    int length = 0;
    double carry = 0.0;
    while (i < m || j < n) {
        const bool from_e = j >= n || (i < m && fabs(e[i]) < fabs(f[j]));
        const double next = from_e ? e[i++] : sign * f[j++];
        const abut__two sum = abut__two_sum(carry, next);
        if (sum.low != 0.0) {
            out[length++] = sum.low;
        }
        carry = sum.high;
    }
    if (carry != 0.0) {
        out[length++] = carry;
    }
    return length;
}

// out = b * e, at most 2 m doubles; out must not overlap e.
static inline int abut__expansion_scale(int m, const double* e, double b, double* out) {
    if (m == 0 || b == 0.0) {
        return 0;
    }
    const abut__two first = abut__two_product(e[0], b);
    int length = 0;
    double carry = first.high;
    if (first.low != 0.0) {
        out[length++] = first.low;
    }
    for (int i = 1; i < m; ++i) {
        const abut__two product = abut__two_product(e[i], b);
        const abut__two low = abut__two_sum(carry, product.low);
        if (low.low != 0.0) {
            out[length++] = low.low;
        }
        const abut__two high = abut__two_sum_ordered(product.high, low.high);
        if (high.low != 0.0) {
            out[length++] = high.low;
        }
        carry = high.high;
    }
    if (carry != 0.0) {
        out[length++] = carry;
    }
    return length;
}

// Returns the sign of an expansion, which is that of its greatest part.
static inline int abut__expansion_sign(int m, const double* e) {
    return m == 0 ? 0 : e[m - 1] > 0.0 ? 1 : -1;
}

#endif
