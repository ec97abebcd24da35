// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// tests/support/rounded.h by rationals, because mini-gmp has no mpf: the double nearest to the exact result, found from
// any double near it by comparing exact distances.
#include "support/rounded.h"

#include <gmp.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

// the sign of |x - b| - |x - a|, where a < b are neighbours around x
static int nearer_lower(const mpq_t x, double a, double b) {
    mpq_t middle, other;
    mpq_inits(middle, other, NULL);
    mpq_set_d(middle, a);
    mpq_set_d(other, b);
    mpq_add(middle, middle, other);
    mpq_div_2exp(middle, middle, 1);
    const int order = mpq_cmp(middle, x);
    mpq_clears(middle, other, NULL);
    return order;
}

static bool is_even(double x) {
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits % 2 == 0;
}

static double nearest(const mpq_t x) {
    mpq_t limit;
    mpq_init(limit);
    mpq_set_d(limit, 0x1.fffffffffffffp1023);
    mpz_t half;
    mpz_init_set_ui(half, 1);
    mpz_mul_2exp(half, half, 970);
    mpz_add(mpq_numref(limit), mpq_numref(limit), half);
    mpz_clear(half);
    mpq_t size;
    mpq_init(size);
    mpq_abs(size, x);
    const bool infinite = mpq_cmp(size, limit) >= 0;
    mpq_clears(limit, size, NULL);
    if (infinite) {
        return mpq_sgn(x) < 0 ? -INFINITY : INFINITY;
    }
    double c = mpq_get_d(x);
    c = c > 0x1.fffffffffffffp1023 ? 0x1.fffffffffffffp1023 : c;
    c = c < -0x1.fffffffffffffp1023 ? -0x1.fffffffffffffp1023 : c;
    for (;;) {
        const double below = nextafter(c, -INFINITY);
        const double above = nextafter(c, INFINITY);
        const int low = isfinite(below) ? nearer_lower(x, below, c) : -1;
        const int high = isfinite(above) ? nearer_lower(x, c, above) : 1;
        if (low > 0 || (low == 0 && is_even(below))) {
            c = below;
        } else if (high < 0 || (high == 0 && is_even(above))) {
            c = above;
        } else {
            return c;
        }
    }
}

static double result(void (*operation)(mpq_t, const mpq_t, const mpq_t), double a, double b,
                     double zero) {
    mpq_t x, y;
    mpq_inits(x, y, NULL);
    mpq_set_d(x, a);
    mpq_set_d(y, b);
    operation(x, x, y);
    const int sign = mpq_sgn(x);
    const double rounded = nearest(x);
    mpq_clears(x, y, NULL);
    // rationals have one zero: its sign is that of the operation, or of a result that is too small
    return sign == 0 ? zero : copysign(rounded, sign);
}

double rounded_sum(double a, double b) {
    return result(mpq_add, a, b, a + b);
}
double rounded_difference(double a, double b) {
    return result(mpq_sub, a, b, a - b);
}
double rounded_product(double a, double b) {
    return result(mpq_mul, a, b, a * b);
}
double rounded_quotient(double a, double b) {
    return result(mpq_div, a, b, a / b);
}
