// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Sides of a triangle's corners about the plane of another, with one filter bound for a whole pair.
#ifndef ABUT_EXACT_SIDES_H
#define ABUT_EXACT_SIDES_H

#include <math.h>
#include <stdbool.h>

#include "exact/orient.h"

#define ABUT__LESSER(a, b) ((a) < (b) ? (a) : (b))
#define ABUT__GREATER(a, b) ((a) > (b) ? (a) : (b))

// Returns a bound for the error of every 3-D orientation of corners of p and q in plain doubles, or
// -1 if the boxes of the two share no point. The extents of the box around both, rounded, are upper
// bounds of all computed differences, because rounding is monotonic: see orient.h. It is infinite
// outside the filter's range, where it decides nothing, and 0 if both lie in one plane
// perpendicular to an axis.
static inline double abut__pair_bound(const double p[3][3], const double q[3][3]) {
    double extent[3];
    for (int k = 0; k < 3; ++k) {
        const double lo_p = ABUT__LESSER(ABUT__LESSER(p[0][k], p[1][k]), p[2][k]);
        const double hi_p = ABUT__GREATER(ABUT__GREATER(p[0][k], p[1][k]), p[2][k]);
        const double lo_q = ABUT__LESSER(ABUT__LESSER(q[0][k], q[1][k]), q[2][k]);
        const double hi_q = ABUT__GREATER(ABUT__GREATER(q[0][k], q[1][k]), q[2][k]);
        if (lo_p > hi_q || lo_q > hi_p) {
            return -1.0;
        }
        extent[k] = ABUT__GREATER(hi_p, hi_q) - ABUT__LESSER(lo_p, lo_q);
    }
    const double least = ABUT__LESSER(ABUT__LESSER(extent[0], extent[1]), extent[2]);
    const double greatest = ABUT__GREATER(ABUT__GREATER(extent[0], extent[1]), extent[2]);
    if (!(least > ABUT__FILTER_LEAST && greatest < ABUT__FILTER_GREATEST)) {
        return least == 0.0 ? 0.0 : INFINITY;
    }
    return ABUT__ORIENT3D_BOUND * (extent[0] * extent[1] * extent[2]);
}

// orient3d of corners of a pair in plain doubles, for comparison with the bound.
static inline double abut__pair_determinant(const double a[3], const double b[3], const double c[3],
                                            const double d[3]) {
    const double u[3] = {b[0] - a[0], b[1] - a[1], b[2] - a[2]};
    const double v[3] = {c[0] - a[0], c[1] - a[1], c[2] - a[2]};
    return (u[1] * v[2] - u[2] * v[1]) * (d[0] - a[0]) +
           (u[2] * v[0] - u[0] * v[2]) * (d[1] - a[1]) +
           (u[0] * v[1] - u[1] * v[0]) * (d[2] - a[2]);
}

static inline int abut__orient3d_bounded(const double a[3], const double b[3], const double c[3],
                                         const double d[3], double bound) {
    const double det = abut__pair_determinant(a, b, c, d);
    return det > bound ? 1 : det < -bound ? -1 : abut__orient3d_exact(a, b, c, d);
}

// Computes the sides of the corners of `other` about the plane of t; 0: the bound does not decide.
static inline void abut__plane_sides_filter(const double t[3][3], const double other[3][3],
                                            double bound, int sides[3]) {
    const double ux = t[1][0] - t[0][0];
    const double uy = t[1][1] - t[0][1];
    const double uz = t[1][2] - t[0][2];
    const double vx = t[2][0] - t[0][0];
    const double vy = t[2][1] - t[0][1];
    const double vz = t[2][2] - t[0][2];
    const double nx = uy * vz - uz * vy;
    const double ny = uz * vx - ux * vz;
    const double nz = ux * vy - uy * vx;
    for (int i = 0; i < 3; ++i) {
        const double height = nx * (other[i][0] - t[0][0]) + ny * (other[i][1] - t[0][1]) +
                              nz * (other[i][2] - t[0][2]);
        sides[i] = (height > bound) - (height < -bound);  // branchless
    }
}

// Makes the sides exact that the filter left at 0. All are 0 if t has no area.
static inline void abut__plane_sides_exact(const double t[3][3], const double other[3][3],
                                           int sides[3]) {
    for (int i = 0; i < 3; ++i) {
        if (sides[i] == 0) {
            sides[i] = abut__orient3d_exact(t[0], t[1], t[2], other[i]);
        }
    }
}

static inline void abut__plane_sides(const double t[3][3], const double other[3][3], double bound,
                                     int sides[3]) {
    abut__plane_sides_filter(t, other, bound, sides);
    abut__plane_sides_exact(t, other, sides);
}

static inline bool abut__one_side(const int sides[3]) {
    const int sum = sides[0] + sides[1] + sides[2];
    return sum == 3 || sum == -3;
}

static inline bool abut__all_zero(const int sides[3]) {
    return (sides[0] | sides[1] | sides[2]) == 0;
}

// The corner that the plane separates from the other two: it is strictly on one side and the others
// are not. If only one corner touches the plane and the others are on one side, it is that corner,
// and it counts as on the opposite side.
typedef struct abut__lone_corner {
    int corner;
    int side;  // -1 or 1
} abut__lone_corner;

// `sides` must be neither all 0 nor all on one side. A table by 9 s_2 + 3 s_1 + s_0 replaces a
// search, because its branches would be unpredictable.
static inline abut__lone_corner abut__find_lone_corner(const int sides[3]) {
    // clang-format off
    static const signed char corner[27] = {
        0, 0, 0, 1, 2, 0, 1, 1, 2,   // s_2 = -1
        2, 1, 0, 0, 0, 0, 0, 1, 2,   // s_2 = 0
        2, 1, 1, 0, 2, 1, 0, 0, 0};  // s_2 = 1
    static const signed char side[27] = {
        1, 1, 1, 1, -1, 1, 1, 1, -1,
        1, -1, 1, -1, 1, 1, -1, 1, -1,
        1, -1, -1, -1, 1, -1, -1, -1, 1};
    // clang-format on
    const int index = 13 + sides[0] + 3 * sides[1] + 9 * sides[2];
    return (abut__lone_corner){corner[index], side[index]};
}

// Numbers the corners of two triangles whose planes cross in a line so that p[i[0]] and q[j[0]] are
// lone, edges p_i0 p_i1 and p_i0 p_i2 meet the line in this order, q_j0 q_j2 and q_j0 q_j1 too, and
//   sign of orient3d(p_i0, p_ia, q_j0, q_jb) = sign of (point on p_i0 p_ia - point on q_j0 q_jb)
// along the line, zero included. Proof for zero: let the two edges lie in a plane M. M is not the
// plane of q, because the first edge leaves that plane. So M meets the plane of q in the line of
// the second edge, and the first edge's point is on it. The order is that of p as seen from q's
// lone corner and vice versa, which the sides of the lone corners decide.
static inline void abut__arrange(const int sides_p[3], const int sides_q[3], int i[3], int j[3]) {
    const abut__lone_corner p = abut__find_lone_corner(sides_p);
    const abut__lone_corner q = abut__find_lone_corner(sides_q);
    const int step_p = q.side < 0 ? 2 : 1;
    const int step_q = p.side < 0 ? 2 : 1;
    i[0] = p.corner;
    i[1] = (p.corner + step_p) % 3;
    i[2] = (p.corner + 3 - step_p) % 3;
    j[0] = q.corner;
    j[1] = (q.corner + step_q) % 3;
    j[2] = (q.corner + 3 - step_q) % 3;
}

#endif
