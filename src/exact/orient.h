// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Signs of orientation determinants, exact for all finite points: the only arithmetic that decides
// contact. Each has four stages, and each stage can be called alone:
//   filter     plain doubles and an error bound; undecided near 0 or outside 2^-300 .. 2^300
//   residue    exact; fixed-width integers, undecided outside that range or if the coordinates'
//              exponents differ by too much (residue.c)
//   expansion  exact; undecided if a coordinate is not 0 and outside 2^-300 .. 2^300
//   wide       exact, always
#ifndef ABUT_EXACT_ORIENT_H
#define ABUT_EXACT_ORIENT_H

#include <stdbool.h>

enum { ABUT__UNDECIDED = 2 };

// Error bounds of the filters. Let m_x, m_y, m_z be upper bounds of the magnitudes of all
// *computed* differences of coordinates that are used, per axis, and u = 2^-53.
//   Three dimensions. The determinant is a sum of 6 products of one difference per axis. A computed
//   difference d is D (1 + e), |e| <= u, of the true D, so replacing the D by the d changes a
//   product by at most (1 + u + 2 u^2)^3 - 1 times m_x m_y m_z. Evaluating
//   x (y z' - y' z) + ... then gives each product at most 5 more factors (1 + e): product,
//   difference, product, two sums. Together |computed - true| <= 6 (8 u + 40 u^2) m_x m_y m_z,
//   less than 48.1 u m_x m_y m_z. Computing m_x m_y m_z loses a factor (1 - u)^2, and the product
//   with 50 u one more: 50 u leaves room for all of these.
//   Two dimensions: 2 products, 2 differences each, a product and a sum: 2 (4 u + 20 u^2); 10 u.
//   Underflow. Every m is above 2^-300. A product of two differences that underflows is off by at
//   most 2^-1075, which its third factor, at most m_x say, turns into 2^-1075 m_x; the product of
//   three adds at most 2^-1075 more. 50 u against 48.1 u leaves 1.9 u m_x m_y m_z, which is above
//   both u 2^-600 m_x and u 2^-900, more than ten such errors. Nothing overflows, because every m
//   is below 2^300. Differences and sums never underflow.
#define ABUT__ORIENT3D_BOUND (50.0 * 0x1p-53)
#define ABUT__ORIENT2D_BOUND (10.0 * 0x1p-53)
#define ABUT__FILTER_LEAST 0x1p-300
#define ABUT__FILTER_GREATEST 0x1p300

// The result of a filter: |determinant - true value| <= bound. An infinite bound decides nothing.
typedef struct abut__estimate {
    double determinant;
    double bound;
} abut__estimate;
abut__estimate abut__orient3d_estimate(const double a[3], const double b[3], const double c[3],
                                       const double d[3]);
abut__estimate abut__orient2d_estimate(const double a[3], const double b[3], const double c[3],
                                       int axis);

static inline int abut__estimate_sign(abut__estimate e) {
    return e.determinant > e.bound    ? 1
           : e.determinant < -e.bound ? -1
           : e.bound == 0.0           ? 0
                                      : ABUT__UNDECIDED;
}

// The residue stage for callers that have an estimate of the same determinant.
int abut__orient3d_resolve(abut__estimate e, const double a[3], const double b[3],
                           const double c[3], const double d[3]);
int abut__orient2d_resolve(abut__estimate e, const double a[3], const double b[3],
                           const double c[3], int axis);

// The sign of ((b - a) x (c - a)) . (d - a).
int abut__orient3d(const double a[3], const double b[3], const double c[3], const double d[3]);
int abut__orient3d_filter(const double a[3], const double b[3], const double c[3],
                          const double d[3]);
int abut__orient3d_residue(const double a[3], const double b[3], const double c[3],
                           const double d[3]);
int abut__orient3d_expansion(const double a[3], const double b[3], const double c[3],
                             const double d[3]);
int abut__orient3d_wide(const double a[3], const double b[3], const double c[3], const double d[3]);
// Runs all stages in turn, after a test for zeros from equal points: for callers whose own, coarser
// filter did not decide the sign.
int abut__orient3d_exact(const double a[3], const double b[3], const double c[3],
                         const double d[3]);

// The sign of component `axis` of (b - a) x (c - a): the turn of a, b, c projected along it.
int abut__orient2d(const double a[3], const double b[3], const double c[3], int axis);
int abut__orient2d_filter(const double a[3], const double b[3], const double c[3], int axis);
int abut__orient2d_residue(const double a[3], const double b[3], const double c[3], int axis);
int abut__orient2d_expansion(const double a[3], const double b[3], const double c[3], int axis);
int abut__orient2d_wide(const double a[3], const double b[3], const double c[3], int axis);

// The sign of d . ((a - o) x (b - o)): the turn of an edge about the ray from o along d. Exact.
int abut__orient_ray(const double o[3], const double d[3], const double a[3], const double b[3]);
int abut__orient_ray_expansion(const double o[3], const double d[3], const double a[3],
                               const double b[3]);
int abut__orient_ray_wide(const double o[3], const double d[3], const double a[3],
                          const double b[3]);

// Returns an axis along which the triangle projects to a triangle with area; -1 if there is none,
// because its corners are collinear or equal.
int abut__triangle_axis(const double t[3][3]);

static inline bool abut__same_point(const double a[3], const double b[3]) {
    return a[0] == b[0] && a[1] == b[1] && a[2] == b[2];
}

#endif
