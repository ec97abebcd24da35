// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Orientation signs: filter, expansions, wide integers, and the order of the stages.
//
// Based on: Shewchuk, "Adaptive Precision Floating-Point Arithmetic and Fast Robust Geometric
// Predicates", Discrete & Computational Geometry 18 (1997).
#include "exact/orient.h"

#include <math.h>
#include <stdint.h>

#include "exact/expansion.h"
#include "exact/wide.h"

static double greater(double a, double b) {
    return a > b ? a : b;
}

static double lesser(double a, double b) {
    return a < b ? a : b;
}

// Written out, because the compiler would not unroll a loop over the axes.
abut__estimate abut__orient3d_estimate(const double a[3], const double b[3], const double c[3],
                                       const double d[3]) {
    const double ux = b[0] - a[0];
    const double uy = b[1] - a[1];
    const double uz = b[2] - a[2];
    const double vx = c[0] - a[0];
    const double vy = c[1] - a[1];
    const double vz = c[2] - a[2];
    const double wx = d[0] - a[0];
    const double wy = d[1] - a[1];
    const double wz = d[2] - a[2];
    const double mx = greater(greater(fabs(ux), fabs(vx)), fabs(wx));
    const double my = greater(greater(fabs(uy), fabs(vy)), fabs(wy));
    const double mz = greater(greater(fabs(uz), fabs(vz)), fabs(wz));
    const double least = lesser(lesser(mx, my), mz);
    if (!(least > ABUT__FILTER_LEAST && greater(greater(mx, my), mz) < ABUT__FILTER_GREATEST)) {
        // a difference that rounds to 0 is 0: then all points share a coordinate
        return (abut__estimate){0.0, least == 0.0 ? 0.0 : INFINITY};
    }
    const double det = (uy * vz - uz * vy) * wx + (uz * vx - ux * vz) * wy +
                       (ux * vy - uy * vx) * wz;
    return (abut__estimate){det, ABUT__ORIENT3D_BOUND * (mx * my * mz)};
}

abut__estimate abut__orient2d_estimate(const double a[3], const double b[3], const double c[3],
                                       int axis) {
    const int i = (axis + 1) % 3;
    const int j = (axis + 2) % 3;
    const double ui = b[i] - a[i];
    const double uj = b[j] - a[j];
    const double vi = c[i] - a[i];
    const double vj = c[j] - a[j];
    const double mi = greater(fabs(ui), fabs(vi));
    const double mj = greater(fabs(uj), fabs(vj));
    if (mi == 0.0 || mj == 0.0) {
        return (abut__estimate){0.0, 0.0};
    }
    if (!(mi > ABUT__FILTER_LEAST && mi < ABUT__FILTER_GREATEST && mj > ABUT__FILTER_LEAST &&
          mj < ABUT__FILTER_GREATEST)) {
        return (abut__estimate){0.0, INFINITY};
    }
    return (abut__estimate){ui * vj - uj * vi, ABUT__ORIENT2D_BOUND * (mi * mj)};
}

int abut__orient3d_filter(const double a[3], const double b[3], const double c[3],
                          const double d[3]) {
    return abut__estimate_sign(abut__orient3d_estimate(a, b, c, d));
}

int abut__orient2d_filter(const double a[3], const double b[3], const double c[3], int axis) {
    return abut__estimate_sign(abut__orient2d_estimate(a, b, c, axis));
}

// Tells whether expansions are exact: every coordinate must be 0 or in 2^-300 .. 2^300.
// Coordinates, hence differences and their rounding errors, are then multiples of 2^-352, products
// of three of 2^-1056; and the greatest sum of products is below 6 * 2^903.
static bool in_range(const double a[3]) {
    for (int k = 0; k < 3; ++k) {
        const double m = fabs(a[k]);
        if (!(m == 0.0 || (m > ABUT__FILTER_LEAST && m < ABUT__FILTER_GREATEST))) {
            return false;
        }
    }
    return true;
}

typedef struct {
    int length;
    double part[2];
} difference;

static difference subtract(double a, double b) {
    difference d;
    d.length = abut__expansion_from_two(abut__two_difference(a, b), d.part);
    return d;
}

// The result has at most 8 parts.
static int multiply(difference a, difference b, double* out) {
    double low[4];
    double high[4];
    if (a.length == 0 || b.length == 0) {
        return 0;
    }
    if (b.length == 1) {
        return abut__expansion_scale(a.length, a.part, b.part[0], out);
    }
    const int m = abut__expansion_scale(a.length, a.part, b.part[0], low);
    const int n = abut__expansion_scale(a.length, a.part, b.part[1], high);
    return abut__expansion_sum(m, low, n, high, 1.0, out);
}

// a b' - a' b, at most 16 parts.
static int minor(difference a, difference b, difference a1, difference b1, double* out) {
    double first[8];
    double second[8];
    const int m = multiply(a, b1, first);
    const int n = multiply(a1, b, second);
    return abut__expansion_sum(m, first, n, second, -1.0, out);
}

// Multiplies an expansion of at most 16 parts by a difference: at most 64 parts.
static int multiply_minor(int m, const double* e, difference d, double* out) {
    double low[32];
    double high[32];
    if (d.length == 0) {
        return 0;
    }
    if (d.length == 1) {
        return abut__expansion_scale(m, e, d.part[0], out);
    }
    const int i = abut__expansion_scale(m, e, d.part[0], low);
    const int j = abut__expansion_scale(m, e, d.part[1], high);
    return abut__expansion_sum(i, low, j, high, 1.0, out);
}

int abut__orient3d_expansion(const double a[3], const double b[3], const double c[3],
                             const double d[3]) {
    if (!(in_range(a) && in_range(b) && in_range(c) && in_range(d))) {
        return ABUT__UNDECIDED;
    }
    difference u[3];
    difference v[3];
    for (int k = 0; k < 3; ++k) {
        u[k] = subtract(b[k], a[k]);
        v[k] = subtract(c[k], a[k]);
    }
    double term[3][64];
    int length[3];
    for (int k = 0; k < 3; ++k) {
        const int i = (k + 1) % 3;
        const int j = (k + 2) % 3;
        double product[16];
        const int m = minor(u[i], u[j], v[i], v[j], product);
        length[k] = multiply_minor(m, product, subtract(d[k], a[k]), term[k]);
    }
    double two[128];
    double all[192];
    const int m = abut__expansion_sum(length[0], term[0], length[1], term[1], 1.0, two);
    return abut__expansion_sign(abut__expansion_sum(m, two, length[2], term[2], 1.0, all), all);
}

int abut__orient2d_expansion(const double a[3], const double b[3], const double c[3], int axis) {
    if (!(in_range(a) && in_range(b) && in_range(c))) {
        return ABUT__UNDECIDED;
    }
    const int i = (axis + 1) % 3;
    const int j = (axis + 2) % 3;
    double det[16];
    const int m = minor(subtract(b[i], a[i]), subtract(b[j], a[j]), subtract(c[i], a[i]),
                        subtract(c[j], a[j]), det);
    return abut__expansion_sign(m, det);
}

int abut__orient_ray_expansion(const double o[3], const double d[3], const double a[3],
                               const double b[3]) {
    if (!(in_range(o) && in_range(d) && in_range(a) && in_range(b))) {
        return ABUT__UNDECIDED;
    }
    difference u[3];
    difference v[3];
    for (int k = 0; k < 3; ++k) {
        u[k] = subtract(a[k], o[k]);
        v[k] = subtract(b[k], o[k]);
    }
    double term[3][32];
    int length[3];
    for (int k = 0; k < 3; ++k) {
        const int i = (k + 1) % 3;
        const int j = (k + 2) % 3;
        double product[16];
        const int m = minor(u[i], u[j], v[i], v[j], product);
        length[k] = abut__expansion_scale(m, product, d[k], term[k]);
    }
    double two[64];
    double all[96];
    const int m = abut__expansion_sum(length[0], term[0], length[1], term[1], 1.0, two);
    return abut__expansion_sign(abut__expansion_sum(m, two, length[2], term[2], 1.0, all), all);
}

static void subtract_wide(abut__wide* out, double a, double b, int exponent) {
    abut__wide right;
    abut__wide_set(out, a, exponent);
    abut__wide_set(&right, b, exponent);
    abut__wide_sub(out, out, &right);
}

// u v' - u' v
static void minor_wide(abut__wide* out, const abut__wide* u, const abut__wide* u1,
                       const abut__wide* v, const abut__wide* v1) {
    abut__wide product;
    abut__wide_mul(out, u, v1);
    abut__wide_mul(&product, u1, v);
    abut__wide_sub(out, out, &product);
}

int abut__orient3d_wide(const double a[3], const double b[3], const double c[3],
                        const double d[3]) {
    const double values[12] = {a[0], a[1], a[2], b[0], b[1], b[2],
                               c[0], c[1], c[2], d[0], d[1], d[2]};
    const int exponent = abut__wide_exponent(values, 12);
    abut__wide u[3];
    abut__wide v[3];
    for (int k = 0; k < 3; ++k) {
        subtract_wide(&u[k], b[k], a[k], exponent);
        subtract_wide(&v[k], c[k], a[k], exponent);
    }
    abut__wide det;
    abut__wide_set(&det, 0.0, exponent);
    for (int k = 0; k < 3; ++k) {
        const int i = (k + 1) % 3;
        const int j = (k + 2) % 3;
        abut__wide w;
        abut__wide product;
        abut__wide term;
        subtract_wide(&w, d[k], a[k], exponent);
        minor_wide(&product, &u[i], &u[j], &v[i], &v[j]);
        abut__wide_mul(&term, &product, &w);
        abut__wide_add(&det, &det, &term);
    }
    return det.sign;
}

int abut__orient2d_wide(const double a[3], const double b[3], const double c[3], int axis) {
    const int i = (axis + 1) % 3;
    const int j = (axis + 2) % 3;
    const double values[6] = {a[i], a[j], b[i], b[j], c[i], c[j]};
    const int exponent = abut__wide_exponent(values, 6);
    abut__wide u;
    abut__wide u1;
    abut__wide v;
    abut__wide v1;
    abut__wide det;
    subtract_wide(&u, b[i], a[i], exponent);
    subtract_wide(&u1, b[j], a[j], exponent);
    subtract_wide(&v, c[i], a[i], exponent);
    subtract_wide(&v1, c[j], a[j], exponent);
    minor_wide(&det, &u, &u1, &v, &v1);
    return det.sign;
}

int abut__orient_ray_wide(const double o[3], const double d[3], const double a[3],
                          const double b[3]) {
    const double values[9] = {o[0], o[1], o[2], a[0], a[1], a[2], b[0], b[1], b[2]};
    const int exponent = abut__wide_exponent(values, 9);
    const int exponent_d = abut__wide_exponent(d, 3);
    abut__wide u[3];
    abut__wide v[3];
    for (int k = 0; k < 3; ++k) {
        subtract_wide(&u[k], a[k], o[k], exponent);
        subtract_wide(&v[k], b[k], o[k], exponent);
    }
    abut__wide det;
    abut__wide_set(&det, 0.0, exponent);
    for (int k = 0; k < 3; ++k) {
        const int i = (k + 1) % 3;
        const int j = (k + 2) % 3;
        abut__wide w;
        abut__wide product;
        abut__wide term;
        abut__wide_set(&w, d[k], exponent_d);
        minor_wide(&product, &u[i], &u[j], &v[i], &v[j]);
        abut__wide_mul(&term, &product, &w);
        abut__wide_add(&det, &det, &term);
    }
    return det.sign;
}

int abut__orient_ray(const double o[3], const double d[3], const double a[3], const double b[3]) {
    if (abut__same_point(a, b) || abut__same_point(o, a) || abut__same_point(o, b)) {
        return 0;
    }
    const int sign = abut__orient_ray_expansion(o, d, a, b);
    return sign != ABUT__UNDECIDED ? sign : abut__orient_ray_wide(o, d, a, b);
}

int abut__orient3d(const double a[3], const double b[3], const double c[3], const double d[3]) {
    const abut__estimate estimate = abut__orient3d_estimate(a, b, c, d);
    int sign = abut__estimate_sign(estimate);
    if (sign == ABUT__UNDECIDED) {
        sign = abut__orient3d_resolve(estimate, a, b, c, d);
    }
    if (sign == ABUT__UNDECIDED) {
        sign = abut__orient3d_expansion(a, b, c, d);
    }
    return sign != ABUT__UNDECIDED ? sign : abut__orient3d_wide(a, b, c, d);
}

int abut__orient3d_exact(const double a[3], const double b[3], const double c[3],
                         const double d[3]) {
    // neighbours in a mesh share corners: this finds most exact zeros
    if (abut__same_point(a, d) || abut__same_point(b, d) || abut__same_point(c, d) ||
        abut__same_point(a, b) || abut__same_point(b, c) || abut__same_point(c, a)) {
        return 0;
    }
    return abut__orient3d(a, b, c, d);
}

int abut__orient2d(const double a[3], const double b[3], const double c[3], int axis) {
    const abut__estimate estimate = abut__orient2d_estimate(a, b, c, axis);
    int sign = abut__estimate_sign(estimate);
    if (sign == ABUT__UNDECIDED) {
        sign = abut__orient2d_resolve(estimate, a, b, c, axis);
    }
    if (sign == ABUT__UNDECIDED) {
        sign = abut__orient2d_expansion(a, b, c, axis);
    }
    return sign != ABUT__UNDECIDED ? sign : abut__orient2d_wide(a, b, c, axis);
}

int abut__triangle_axis(const double t[3][3]) {
    for (int axis = 0; axis < 3; ++axis) {
        if (abut__orient2d(t[0], t[1], t[2], axis) != 0) {
            return axis;
        }
    }
    return -1;
}
