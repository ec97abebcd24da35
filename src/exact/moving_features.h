// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Decides whether a vertex and a face, or two edges, touch while their corners move along segments,
// and when first. Implements abut_vertex_face_sweep() and abut_edge_edge_sweep().
//
// The problem. x_i(t) = (1 - t) x_i0 + t x_i1, in real numbers, t in [0, 1]. Differences: vertex
// and face d_k = f_k - v (three of them), edges d_ij = a_i - b_j (four). The primitives touch at t
// if and only if the origin is in the convex hull of the d(t), and each d moves on a segment. So
// both kinds are one problem: a hull of three or four moving corners (abut__hull).
//
// The method proves separation and does not rely on roots. Its correctness rests on three facts:
//
// (A) The cubic. With e1 = f1 - f0, e2 = f2 - f0, w = f0 - v, or e1 = a1 - a0, e2 = b1 - b0,
//     w = a0 - b0, the origin can be in the hull only where C = (e1 x e2) . w is 0: all corners are
//     in one plane. Superscripts are the ends, n0 = e1^0 x e2^0, n2 = e1^1 x e2^1,
//     N = e1^0 x e2^1 + e1^1 x e2^0. The Bernstein coefficients of C on [0, 1] are
//         c0 = n0.w0   c1 = (n0.w1 + N.w0) / 3   c2 = (N.w1 + n2.w0) / 3   c3 = n2.w1
//     and on [a, b] the blossoms c(aaa), c(aab), c(abb), c(bbb). C lies between the least and the
//     greatest of them: no contact in [a, b] if all are > E or all < -E, where
//         E = 24 u P + 2^-760,  P = Ax (By Wz + Bz Wy) + Ay (Bx Wz + Bz Wx) + Az (Bx Wy + By Wx)
//     with u = 2^-53, Ax = max(|e1x^0|, |e1x^1|), B from e2 and W from w. Proof: a term of a
//     computed coefficient has at most 12 roundings (three differences, two products, the cross
//     product's difference, N's sum, two sums of the dot product, one sum, a rounded 1/3 and its
//     product), all |c_i| <= P (1 + O(u)), and blossoms are computed from the c_i in three levels
//     of three roundings each: 21 u P (1 + O(u)) in all, and errors do not accumulate. The
//     remaining 3 u P cover the rounding of E.
// (B) Directions. For any doubles g0, g1 let g(s) = (1 - s) g0 + s g1 along [a, b]. g(s) . d_k is a
//     quadratic with coefficients g0.d_k(a), (g0.d_k(b) + g1.d_k(a)) / 2, g1.d_k(b). If all of them
//     are > T for all k, the origin is outside the hull throughout. With m the greater of |g0|
//     and |g1| and D the greatest |d_k|, axis by axis,
//         T = 12 u (m . D) + 2^-800
//     because a computed d_k(t) is off by at most 4 u D (the difference, 1 - t, product and sum),
//     the dot product adds 3 u and the mean 1 u. Coordinate axes need no T: signs of differences
//     of doubles are exact, and a coordinate that is > 0 at both ends is > 0 in between.
// (C) The examined intervals cover [0, 1] and share their ends bit for bit.
//
// Everything else (roots, closest points, where to split) is a guess. A bad guess costs time but
// cannot lose a contact: an interval that no certificate clears is reported.
//
// Margin g > 0: contact is distance <= g. Then E grows by g times a bound of |e1 x e2| on [0, 1],
// because C > g |e1 x e2| means that plane and vertex, or the lines, are farther than g apart. T
// grows by g max(|g0|, |g1|).
//
// Double-double. Intervals that doubles leave open are tried again with the same formulas on exact
// differences as sums of two doubles (sweep_fine.c): 2^-98 P and 12 2^-99 (m . D) replace 24 u P
// and 12 u (m . D). An operation on such sums is off by less than 2^-103 of the magnitudes of its
// operands, and there are no more operations than above.
//
// Ranges. Differences outside 2^-200 .. 2^200 are scaled by one power of two, so that nothing
// overflows; 2^-760 and 2^-800 cover underflow. Coordinates are never scaled, because that would
// lose bits of the small ones.
//
// Based on: the coplanarity cubic of Provot, "Collision and self-collision handling in cloth model
// dedicated to design garments", 1997. The guarantees and the test data follow Wang, Ferguson,
// Schneider, Jiang, Attene, Panozzo, "A Large Scale Benchmark and an Inclusion-Based Algorithm for
// Continuous Collision Detection", ACM Transactions on Graphics 40 (2021).
#ifndef ABUT_EXACT_MOVING_FEATURES_H
#define ABUT_EXACT_MOVING_FEATURES_H

#include <stdbool.h>
#include <stdint.h>

#include "abut/exact.h"
#include "exact/expansion.h"

// Four moving points: vertex and face (v f0 f1 f2), or two edges (a0 a1 b0 b1).
typedef struct abut__sweep_question {
    const double (*from)[3];
    const double (*to)[3];
    bool edges;
    double tolerance;  // relative to the longest edge
    double margin;
} abut__sweep_question;

// The hull of the differences, scaled by 2^-exponent if needed. Corners are in order around it.
typedef struct abut__hull {
    int count;
    int exponent;
    double d[2][4][3];  // end, corner, axis
    double e[2][2][3];  // end, e1 or e2, axis
    double extent;      // the greatest of all these magnitudes
    double reach[3];    // D
    double c[4];        // C
    double bound;       // E
    double permanent;   // P
    double margin;
} abut__hull;

// The same in sums of two doubles.
typedef struct abut__fine_hull {
    abut__two d[2][4][3];
    abut__two c[4];
    double bound;
} abut__fine_hull;

// ---- moving_features.c: the search
void abut__sweep_decide(const abut__sweep_question* question, abut_sweep_contact* out);
// Prepares the hull of a question for abut__sweep_next(). False: they are separate throughout.
bool abut__sweep_open(const abut__sweep_question* question, abut__hull* hull);
// Finds the first interval, from a time on, in which separation is not proven. It is as short as
// that of a contact of abut__sweep_decide(). False: they are separate to the end.
bool abut__sweep_next(const abut__sweep_question* question, const abut__hull* hull, double from,
                      double interval[2]);
// Tells exactly whether they touch, or are within the margin, at the start.
bool abut__sweep_touches_at_start(const abut__sweep_question* question);

// ---- sweep_hull.c
// False: an axis separates them throughout; or, if the extent is in range, the cubic does. The
// batched kernel decides the same.
bool abut__hull_make(const abut__sweep_question* question, abut__hull* hull);
// Returns an upper bound of the greatest speed of a corner.
double abut__hull_speed(const abut__hull* hull);
// Converts `tolerance` to the units of this hull.
double abut__hull_tolerance(const abut__hull* hull, double tolerance);
void abut__hull_at(const abut__hull* hull, double t, double d[4][3]);

// ---- sweep_cubic.c
// (A) on [a, b]; `c` receives the blossoms.
bool abut__cubic_clears(const abut__hull* hull, double a, double b, double c[4]);
// Estimates the only root of a cubic that changes its sign on [0, 1], and the slope there. False:
// there may be more roots.
bool abut__cubic_root(const double c[4], double* root, double* slope);

// ---- sweep_direction.c
// Estimates the direction that separates a hull with these corners, three or four, best, scaled so
// that its greatest component is 1. Returns the gap along it; <= 0: it does not separate.
double abut__hull_direction(int count, const double d[4][3], double g[3]);
// (B) on [a, b].
bool abut__direction_clears(const abut__hull* hull, double a, double b, const double g0[3],
                            const double g1[3]);
// Estimates how far from a to b one direction clears, as a part in [0, 1]; 0: not at all.
double abut__direction_reach(const abut__hull* hull, double a, double b, const double g[3]);
double abut__direction_threshold(const abut__hull* hull, const double g0[3], const double g1[3],
                                 double factor);
// Returns the time up to which coordinate axes alone prove separation from the start on.
double abut__axes_reach(const abut__hull* hull);
// Returns the time from which on they prove it to the end.
double abut__axes_reach_back(const abut__hull* hull);

// ---- sweep_fine.c
void abut__fine_make(const abut__sweep_question* question, const abut__hull* hull,
                     abut__fine_hull* fine);
bool abut__fine_cubic_clears(const abut__fine_hull* fine, double a, double b);
// Whether the cubic is 0 at a time within its error: then no interval from there on is clear.
bool abut__fine_cubic_is_flat(const abut__fine_hull* fine, double t);
// Estimates the time up to which the cubic clears from the start on.
double abut__fine_cubic_reach(const abut__fine_hull* fine);
void abut__fine_at(const abut__hull* hull, const abut__fine_hull* fine, double t, double d[4][3]);
bool abut__fine_direction_clears(const abut__hull* hull, const abut__fine_hull* fine, double a,
                                 double b, const double g0[3], const double g1[3]);
double abut__fine_direction_reach(const abut__hull* hull, const abut__fine_hull* fine, double a,
                                  double b, const double g[3]);

// ---- sweep_contact.c
// Fills in the weights and the normal of a contact at its time.
void abut__sweep_describe(const abut__hull* hull, abut_sweep_contact* contact);

#endif
