// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Sums and products of doubles are dyadic rationals of less than 4400 bits, so numbers of that precision
// hold them exactly. A quotient is never computed: candidates are compared by products.

#include "support/rounded.h"

#include <gmp.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define EXACT_BITS 4400

typedef struct numbers {
    bool ready;
    mpf_t a, b, exact, middle, low;
} numbers;

static numbers now;

static void read_both(double a, double b) {
    if (!now.ready) {
        mpf_init2(now.a, EXACT_BITS);
        mpf_init2(now.b, EXACT_BITS);
        mpf_init2(now.exact, EXACT_BITS);
        mpf_init2(now.middle, EXACT_BITS);
        mpf_init2(now.low, EXACT_BITS);
        now.ready = true;
    }
    mpf_set_d(now.a, a);
    mpf_set_d(now.b, b);
}

// halfway from a double to the next one away from 0; the next after the largest is 2^1024
static void set_middle(double low, double next) {
    static const double top = 0x1p1023;
    mpf_set_d(now.middle, isfinite(next) ? next : low < 0 ? -top : top);
    if (!isfinite(next)) {
        mpf_mul_2exp(now.middle, now.middle, 1);
    }
    mpf_set_d(now.low, low);
    mpf_add(now.middle, now.middle, now.low);
    mpf_div_2exp(now.middle, now.middle, 1);
}

static double even_of(double low, double next) {
    uint64_t bits;
    memcpy(&bits, &low, sizeof bits);
    return (bits & 1) == 0 ? low : next;
}

// rounds the exact number, whose neighbouring double towards 0 is known
static double nearest(void) {
    const int sign = mpf_sgn(now.exact);
    const double low = mpf_get_d(now.exact);
    const double next = nextafter(low, sign < 0 ? -INFINITY : INFINITY);
    if (sign == 0 || isinf(low)) {
        return low;
    }
    set_middle(low, next);
    const int beyond = sign * mpf_cmp(now.exact, now.middle);
    return beyond < 0 ? low : beyond > 0 ? next : even_of(low, next);
}

static double rounded_result(void (*operation)(mpf_ptr, mpf_srcptr, mpf_srcptr), double a,
                             double b) {
    read_both(a, b);
    operation(now.exact, now.a, now.b);
    return nearest();
}

double rounded_sum(double a, double b) {
    return rounded_result(mpf_add, a, b);
}

double rounded_difference(double a, double b) {
    return rounded_result(mpf_sub, a, b);
}

double rounded_product(double a, double b) {
    return rounded_result(mpf_mul, a, b);
}

double rounded_quotient(double a, double b) {
    read_both(a, b);
    const int sign = mpf_sgn(now.a) * mpf_sgn(now.b);
    // its leading bits are right, and it is not above the exact quotient
    mpf_div(now.exact, now.a, now.b);
    const double low = mpf_get_d(now.exact);
    const double next = nextafter(low, sign < 0 ? -INFINITY : INFINITY);
    if (sign == 0 || isinf(low)) {
        return low;
    }
    set_middle(low, next);
    mpf_mul(now.middle, now.middle, now.b);  // compare a with middle * b
    const int beyond = mpf_sgn(now.a) * mpf_cmp(now.a, now.middle);
    return beyond < 0 ? low : beyond > 0 ? next : even_of(low, next);
}
