// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Computes crossings. An edge from a to b crosses a plane (or, in one plane, a line) that has a and
// b strictly on opposite sides, at heights h_a and h_b: at (a h_b - b h_a) / (h_b - h_a).
#include <math.h>
#include <stddef.h>

#include "exact/contact.h"
#include "exact/expansion.h"
#include "exact/orient.h"
#include "exact/sides.h"
#include "exact/wide.h"

// Double-double numbers: high + low with |low| at most half an ulp of high. Sums and products have
// relative errors under 2^-102 (with mixed signs: relative to the sum of magnitudes).
static abut__two add2(abut__two a, abut__two b) {
    const abut__two high = abut__two_sum(a.high, b.high);
    const abut__two low = abut__two_sum(a.low, b.low);
    const abut__two sum = abut__two_sum_ordered(high.high, high.low + low.high);
    return abut__two_sum_ordered(sum.high, sum.low + low.low);
}

static abut__two sub2(abut__two a, abut__two b) {
    return add2(a, (abut__two){-b.high, -b.low});
}

static abut__two mul2(abut__two a, abut__two b) {
    const abut__two high = abut__two_product(a.high, b.high);
    return abut__two_sum_ordered(high.high, high.low + (a.high * b.low + a.low * b.high));
}

static abut__two minor2(const abut__two u[3], const abut__two v[3], int axis) {
    const int i = (axis + 1) % 3;
    const int j = (axis + 2) % 3;
    return sub2(mul2(u[i], v[j]), mul2(u[j], v[i]));
}

// Computes x - origin and widens the extents to cover it. False: a coordinate is neither 0 nor in
// the range in which differences are exact and products keep all their bits (orient.c).
static bool take_difference(const double x[3], const double origin[3], abut__two out[3],
                            double extent[3]) {
    bool good = true;
    for (int k = 0; k < 3; ++k) {
        const double m = x[k] < 0.0 ? -x[k] : x[k];
        good = good && (m == 0.0 || (m > ABUT__FILTER_LEAST && m < ABUT__FILTER_GREATEST));
        out[k] = abut__two_difference(x[k], origin[k]);
        const double e = out[k].high < 0.0 ? -out[k].high : out[k].high;
        extent[k] = ABUT__GREATER(extent[k], e);
    }
    return good;
}

// Computes the heights of the ends in double-double; false: out of range. `scale` receives the
// product of the extents. The errors are below 2^-94 scale: up to 6 products of 3, each with at
// most 8 relative errors of 2^-102.
static bool heights2(const abut__contact_point* x, abut__two height[2], double* scale) {
    double extent[3] = {0.0, 0.0, 0.0};
    abut__two at_origin[3];
    abut__two u[3];
    abut__two v[3] = {{0.0, 0.0}};
    abut__two w[2][3];
    const double* o = x->face[0];
    bool good = take_difference(o, o, at_origin, extent);
    good = take_difference(x->face[1], o, u, extent) && good;
    good = take_difference(x->edge[0], o, w[0], extent) && good;
    good = take_difference(x->edge[1], o, w[1], extent) && good;
    if (x->axis >= 0) {
        const int i = (x->axis + 1) % 3;
        const int j = (x->axis + 2) % 3;
        *scale = extent[i] * extent[j];
        height[0] = minor2(u, w[0], x->axis);
        height[1] = minor2(u, w[1], x->axis);
        return good;
    }
    good = take_difference(x->face[2], o, v, extent) && good;
    *scale = extent[0] * extent[1] * extent[2];
    const abut__two n[3] = {minor2(u, v, 0), minor2(u, v, 1), minor2(u, v, 2)};
    for (int e = 0; e < 2; ++e) {
        height[e] = add2(add2(mul2(n[0], w[e][0]), mul2(n[1], w[e][1])), mul2(n[2], w[e][2]));
    }
    return good;
}

// Computes the crossing's coordinates; false: double-double does not suffice. Let
// s = |h_a| + |h_b|. The weight t = |h_a| / s is off by at most 2^-94 scale / s from the errors of
// the heights, which is below 2^-54 if s > 2^-40 scale, and by 3 roundings of t <= 1/2 (the nearer
// end is the start): below 2^-52 in all. t (b - a) adds two roundings, and the sum one of the
// result.
static bool round_quickly(const abut__contact_point* x, double out[3]) {
    abut__two height[2];
    double scale;
    if (!heights2(x, height, &scale)) {
        return false;
    }
    const double total = sub2(height[0], height[1]).high;
    const double s = total < 0.0 ? -total : total;
    if (!(s > 0x1p-40 * scale && scale > 0x1p-900)) {
        return false;
    }
    const double t = height[0].high / total;
    const bool from_start = t <= 0.5;
    const double* a = x->edge[from_start ? 0 : 1];
    const double* b = x->edge[from_start ? 1 : 0];
    const double weight = from_start ? t : -height[1].high / total;
    for (int k = 0; k < 3; ++k) {
        out[k] = a[k] + weight * (b[k] - a[k]);
    }
    return true;
}

static void subtract_wide(abut__wide* out, double a, double b, int exponent) {
    abut__wide right;
    abut__wide_set(out, a, exponent);
    abut__wide_set(&right, b, exponent);
    abut__wide_sub(out, out, &right);
}

static void minor_wide(abut__wide* out, const abut__wide u[3], const abut__wide v[3], int axis) {
    const int i = (axis + 1) % 3;
    const int j = (axis + 2) % 3;
    abut__wide product;
    abut__wide_mul(out, &u[i], &v[j]);
    abut__wide_mul(&product, &u[j], &v[i]);
    abut__wide_sub(out, out, &product);
}

static void height_wide(abut__wide* out, const abut__contact_point* x, const double* end,
                        int exponent) {
    const double* o = x->face[0];
    abut__wide u[3];
    abut__wide v[3];
    abut__wide w[3];
    for (int k = 0; k < 3; ++k) {
        subtract_wide(&u[k], x->face[1][k], o[k], exponent);
        subtract_wide(&w[k], end[k], o[k], exponent);
    }
    if (x->axis >= 0) {
        minor_wide(out, u, w, x->axis);
        return;
    }
    for (int k = 0; k < 3; ++k) {
        subtract_wide(&v[k], x->face[2][k], o[k], exponent);
    }
    abut__wide_set(out, 0.0, exponent);
    for (int k = 0; k < 3; ++k) {
        abut__wide n;
        abut__wide product;
        minor_wide(&n, u, v, k);
        abut__wide_mul(&product, &n, &w[k]);
        abut__wide_add(out, out, &product);
    }
}

// The crossing as a quotient of integers, times 2^exponent.
typedef struct {
    int exponent;
    abut__wide numerator[3];
    abut__wide denominator;  // > 0
} quotient;

static int common_exponent(const abut__contact_point* x, const double* a, const double* b) {
    const double* const points[7] = {x->edge[0], x->edge[1], x->face[0], x->face[1],
                                     x->face[2], a,          b};
    int least = ABUT__WIDE_NO_EXPONENT;
    for (int i = 0; i < 7; ++i) {
        const int exponent = points[i] != NULL ? abut__wide_exponent(points[i], 3) : least;
        least = exponent < least ? exponent : least;
    }
    return least;
}

static void set_quotient(quotient* out, const abut__contact_point* x, int exponent) {
    abut__wide from;
    abut__wide to;
    out->exponent = exponent;
    height_wide(&from, x, x->edge[0], exponent);
    height_wide(&to, x, x->edge[1], exponent);
    from.sign = 1;  // their signs differ: the magnitudes weigh the opposite ends
    to.sign = 1;
    abut__wide_add(&out->denominator, &from, &to);
    for (int k = 0; k < 3; ++k) {
        abut__wide coordinate;
        abut__wide product;
        abut__wide_set(&coordinate, x->edge[0][k], exponent);
        abut__wide_mul(&out->numerator[k], &coordinate, &to);
        abut__wide_set(&coordinate, x->edge[1][k], exponent);
        abut__wide_mul(&product, &coordinate, &from);
        abut__wide_add(&out->numerator[k], &out->numerator[k], &product);
    }
}

static void round_exactly(const abut__contact_point* x, double out[3]) {
    quotient exact;
    set_quotient(&exact, x, common_exponent(x, NULL, NULL));
    for (int k = 0; k < 3; ++k) {
        out[k] = abut__wide_quotient(&exact.numerator[k], &exact.denominator, exact.exponent);
    }
}

void abut__crossing_round(const abut__contact_point* x, double out[3]) {
    if (!round_quickly(x, out)) {
        round_exactly(x, out);
    }
    for (int k = 0; k < 3; ++k) {  // clamp each coordinate to the edge's box
        const double lo = ABUT__LESSER(x->edge[0][k], x->edge[1][k]);
        const double hi = ABUT__GREATER(x->edge[0][k], x->edge[1][k]);
        out[k] = out[k] < lo ? lo : out[k] > hi ? hi : out[k];
    }
}

// Computes x - a, times the denominator.
static void offset_from(abut__wide out[3], const quotient* x, const double a[3]) {
    for (int k = 0; k < 3; ++k) {
        abut__wide coordinate;
        abut__wide product;
        abut__wide_set(&coordinate, a[k], x->exponent);
        abut__wide_mul(&product, &coordinate, &x->denominator);
        abut__wide_sub(&out[k], &x->numerator[k], &product);
    }
}

static bool boxes_apart(const double a[3], const double b[3], const double c[3],
                        const double d[3]) {
    for (int k = 0; k < 3; ++k) {
        if (ABUT__GREATER(a[k], b[k]) < ABUT__LESSER(c[k], d[k]) ||
            ABUT__GREATER(c[k], d[k]) < ABUT__LESSER(a[k], b[k])) {
            return true;
        }
    }
    return false;
}

bool abut__crossing_on_segment(const abut__contact_point* x, const double a[3], const double b[3]) {
    if (boxes_apart(x->edge[0], x->edge[1], a, b)) {
        return false;
    }
    quotient exact;
    abut__wide from_a[3];
    abut__wide from_b[3];
    abut__wide direction[3];
    set_quotient(&exact, x, common_exponent(x, a, b));
    offset_from(from_a, &exact, a);
    offset_from(from_b, &exact, b);
    for (int k = 0; k < 3; ++k) {
        if (from_a[k].sign * from_b[k].sign > 0) {
            return false;  // outside the segment's box
        }
        subtract_wide(&direction[k], b[k], a[k], exact.exponent);
    }
    for (int k = 0; k < 3; ++k) {
        abut__wide turn;
        minor_wide(&turn, from_a, direction, k);
        if (turn.sign != 0) {
            return false;
        }
    }
    return true;
}
