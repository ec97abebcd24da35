// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// The triangle test that a careful user would add to a library that only finds boxes: double
// precision, signs of determinants, no epsilon. It shares nothing with abut's own test and is not
// exact; the benchmark reports where that matters.
// Based on: P. Guigue, O. Devillers, "Fast and robust triangle-triangle overlap test using
// orientation predicates", Journal of Graphics Tools 8(1), 2003.
#ifndef BENCH_TRITRI_H
#define BENCH_TRITRI_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

typedef struct tritri_point {
    double x, y, z;
} tritri_point;

static inline tritri_point tritri_minus(tritri_point a, tritri_point b) {
    const tritri_point r = {a.x - b.x, a.y - b.y, a.z - b.z};
    return r;
}

static inline tritri_point tritri_cross(tritri_point a, tritri_point b) {
    const tritri_point r = {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
    return r;
}

static inline double tritri_dot(tritri_point a, tritri_point b) {
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

// > 0: d is above the plane of a, b, c
static inline double tritri_side(tritri_point a, tritri_point b, tritri_point c, tritri_point d) {
    return tritri_dot(tritri_minus(d, a), tritri_cross(tritri_minus(b, a), tritri_minus(c, a)));
}

static inline double tritri_side2(const double a[2], const double b[2], const double c[2]) {
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
}

static inline bool tritri_between(const double a[2], const double b[2], const double c[2]) {
    return fmin(a[0], b[0]) <= c[0] && c[0] <= fmax(a[0], b[0]) && fmin(a[1], b[1]) <= c[1] &&
           c[1] <= fmax(a[1], b[1]);
}

static inline bool tritri_segments(const double a[2], const double b[2], const double c[2],
                                   const double d[2]) {
    const double abc = tritri_side2(a, b, c);
    const double abd = tritri_side2(a, b, d);
    const double cda = tritri_side2(c, d, a);
    const double cdb = tritri_side2(c, d, b);
    if (((abc > 0 && abd < 0) || (abc < 0 && abd > 0)) &&
        ((cda > 0 && cdb < 0) || (cda < 0 && cdb > 0))) {
        return true;
    }
    return (abc == 0 && tritri_between(a, b, c)) || (abd == 0 && tritri_between(a, b, d)) ||
           (cda == 0 && tritri_between(c, d, a)) || (cdb == 0 && tritri_between(c, d, b));
}

static inline bool tritri_holds(double t[3][2], const double p[2]) {
    const double a = tritri_side2(t[0], t[1], p);
    const double b = tritri_side2(t[1], t[2], p);
    const double c = tritri_side2(t[2], t[0], p);
    return (a >= 0 && b >= 0 && c >= 0) || (a <= 0 && b <= 0 && c <= 0);
}

// Both in one plane: drops the axis along which its normal is longest.
static bool tritri_flat(const tritri_point p[3], const tritri_point q[3], tritri_point normal) {
    const double x = fabs(normal.x);
    const double y = fabs(normal.y);
    const double z = fabs(normal.z);
    const bool drop_x = x >= y && x >= z;
    const bool drop_z = !drop_x && z >= y;
    double s[2][3][2];
    for (int i = 0; i < 3; ++i) {
        const tritri_point* from[2] = {&p[i], &q[i]};
        for (int k = 0; k < 2; ++k) {
            s[k][i][0] = drop_x ? from[k]->y : from[k]->x;
            s[k][i][1] = drop_z ? from[k]->y : from[k]->z;
        }
    }
    for (int i = 0; i < 3; ++i) {
        for (int k = 0; k < 3; ++k) {
            if (tritri_segments(s[0][i], s[0][(i + 1) % 3], s[1][k], s[1][(k + 1) % 3])) {
                return true;
            }
        }
    }
    return tritri_holds(s[0], s[1][0]) || tritri_holds(s[1], s[0][0]);
}

// Rotates the corners of p so that p[0] is alone on its side of q's plane, where d are the sides of
// the corners. Returns true if that side is below; then q must be mirrored.
static inline bool tritri_turn(tritri_point p[3], const double d[3]) {
    int alone;
    bool below;
    if (d[0] > 0) {
        below = d[1] > 0 || d[2] > 0;
        alone = d[1] > 0 ? 2 : d[2] > 0 ? 1 : 0;
    } else if (d[0] < 0) {
        below = !(d[1] < 0 || d[2] < 0);
        alone = d[1] < 0 ? 2 : d[2] < 0 ? 1 : 0;
    } else if (d[1] < 0) {
        below = d[2] >= 0;
        alone = d[2] >= 0 ? 1 : 0;
    } else if (d[1] > 0) {
        below = d[2] > 0;
        alone = d[2] > 0 ? 0 : 1;
    } else {
        below = d[2] < 0;
        alone = 2;
    }
    const tritri_point turned[3] = {p[alone], p[(alone + 1) % 3], p[(alone + 2) % 3]};
    p[0] = turned[0];
    p[1] = turned[1];
    p[2] = turned[2];
    return below;
}

static inline void tritri_mirror(tritri_point p[3]) {
    const tritri_point kept = p[1];
    p[1] = p[2];
    p[2] = kept;
}

// Returns whether two triangles share a point; neither may be degenerate.
static bool tritri_touch(const tritri_point p[3], const tritri_point q[3]) {
    const tritri_point nq = tritri_cross(tritri_minus(q[1], q[0]), tritri_minus(q[2], q[0]));
    const double dp[3] = {tritri_dot(tritri_minus(p[0], q[0]), nq),
                          tritri_dot(tritri_minus(p[1], q[0]), nq),
                          tritri_dot(tritri_minus(p[2], q[0]), nq)};
    if ((dp[0] > 0 && dp[1] > 0 && dp[2] > 0) || (dp[0] < 0 && dp[1] < 0 && dp[2] < 0)) {
        return false;
    }
    const tritri_point np = tritri_cross(tritri_minus(p[1], p[0]), tritri_minus(p[2], p[0]));
    const double dq[3] = {tritri_dot(tritri_minus(q[0], p[0]), np),
                          tritri_dot(tritri_minus(q[1], p[0]), np),
                          tritri_dot(tritri_minus(q[2], p[0]), np)};
    if ((dq[0] > 0 && dq[1] > 0 && dq[2] > 0) || (dq[0] < 0 && dq[1] < 0 && dq[2] < 0)) {
        return false;
    }
    if (dp[0] == 0 && dp[1] == 0 && dp[2] == 0) {
        return tritri_flat(p, q, nq);
    }
    tritri_point a[3] = {p[0], p[1], p[2]};
    tritri_point b[3] = {q[0], q[1], q[2]};
    double db[3] = {dq[0], dq[1], dq[2]};
    if (tritri_turn(a, dp)) {
        tritri_mirror(b);
        db[1] = dq[2];
        db[2] = dq[1];
    }
    if (tritri_turn(b, db)) {
        tritri_mirror(a);
    }
    // Compares the intervals of both on the line where their planes meet.
    return tritri_side(a[1], b[0], a[0], b[1]) <= 0 && tritri_side(a[0], b[0], a[2], b[2]) <= 0;
}

#endif
