// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Tells whether the distance of two triangles is at most a margin. A search in plain doubles finds
// a pair of close points. The points prove an upper bound of the distance; their difference, as the
// normal of a slab between the triangles, proves a lower bound. Both hold whatever the errors of
// the search. If neither decides, wide integers do.
//
// Based on: Lumelsky, "On fast computation of distance between line segments", Information
// Processing Letters 21 (1985), for the closest points of two segments.
#include "exact/triangles_within.h"

#include <math.h>

#include "exact/orient.h"
#include "exact/sides.h"
#include "exact/triangles.h"

// Both triangles relative to p0, as rounded differences. All coordinates are at most `extent` in
// magnitude, with an error of at most u times it, u = 2^-53.
typedef struct {
    double t[2][3][3];
    double edge[2][3][3];
    double extent;
    double margin;
} local_pair;

typedef struct {
    double distance_sq;
    double difference[3];
} closest;

static double dot(const double a[3], const double b[3]) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static double clamp_to_unit(double x) {  // also turns the NaN of 0 / 0 into 0
    return x > 0.0 ? (x < 1.0 ? x : 1.0) : 0.0;
}

static void make_local(const double p[3][3], const double q[3][3], double margin, local_pair* out) {
    double extent = 0.0;
    for (int i = 0; i < 3; ++i) {
        for (int k = 0; k < 3; ++k) {
            const double x = p[i][k] - p[0][k];
            const double y = q[i][k] - p[0][k];
            out->t[0][i][k] = x;
            out->t[1][i][k] = y;
            extent = ABUT__GREATER(extent, x < 0.0 ? -x : x);
            extent = ABUT__GREATER(extent, y < 0.0 ? -y : y);
        }
    }
    for (int s = 0; s < 2; ++s) {
        for (int i = 0; i < 3; ++i) {
            for (int k = 0; k < 3; ++k) {
                out->edge[s][i][k] = out->t[s][(i + 1) % 3][k] - out->t[s][i][k];
            }
        }
    }
    out->extent = extent;
    out->margin = margin;
}

static void keep_closer(closest* best, const double difference[3]) {
    const double distance_sq = dot(difference, difference);
    if (distance_sq < best->distance_sq) {
        best->distance_sq = distance_sq;
        for (int k = 0; k < 3; ++k) {
            best->difference[k] = difference[k];
        }
    }
}

static void try_edges(const local_pair* pair, int i, int j, closest* best) {
    const double* a = pair->t[0][i];
    const double* c = pair->t[1][j];
    const double* u = pair->edge[0][i];
    const double* v = pair->edge[1][j];
    const double w[3] = {c[0] - a[0], c[1] - a[1], c[2] - a[2]};
    const double uu = dot(u, u);
    const double vv = dot(v, v);
    const double uv = dot(u, v);
    const double uw = dot(u, w);
    const double vw = dot(v, w);
    double s = clamp_to_unit((uw * vv - vw * uv) / (uu * vv - uv * uv));
    const double t = clamp_to_unit((s * uv - vw) / vv);
    s = clamp_to_unit((t * uv + uw) / uu);
    double difference[3];
    for (int k = 0; k < 3; ++k) {
        difference[k] = (c[k] + t * v[k]) - (a[k] + s * u[k]);
    }
    keep_closer(best, difference);
}

// Tries the corners of triangle 1 - side against the face of triangle `side`.
static void try_face(const local_pair* pair, int side, const double n[3], closest* best) {
    const double* a = pair->t[side][0];
    const double* u = pair->edge[side][0];
    const double v[3] = {-pair->edge[side][2][0], -pair->edge[side][2][1], -pair->edge[side][2][2]};
    const double nn = dot(n, n);
    for (int i = 0; i < 3; ++i) {
        const double* x = pair->t[1 - side][i];
        const double w[3] = {x[0] - a[0], x[1] - a[1], x[2] - a[2]};
        const double wn[3] = {w[1] * n[2] - w[2] * n[1], w[2] * n[0] - w[0] * n[2],
                              w[0] * n[1] - w[1] * n[0]};
        const double s = -dot(v, wn) / nn;
        const double t = dot(u, wn) / nn;
        if (!(s >= 0.0 && t >= 0.0 && s + t <= 1.0)) {
            continue;
        }
        double difference[3];
        for (int k = 0; k < 3; ++k) {
            difference[k] = x[k] - (a[k] + (s * u[k] + t * v[k]));
            difference[k] = side == 0 ? difference[k] : -difference[k];
        }
        keep_closer(best, difference);
    }
}

// Tells whether a slab of normal n with p below and q above it is wider than the margin. A computed
// n . x is at most 4.1 u |n|_1 extent off that of the true difference x from p0 (u from the
// difference, 3 u from the sum), the gap between two of them at most 10.3 u |n|_1 extent: 2^-49 is
// 16 u.
static bool slab_separates(const local_pair* pair, const double n[3]) {
    const double nn = dot(n, n);
    if (!(nn > 0x1p-900 && nn < 0x1p900)) {
        return false;
    }
    double top = -INFINITY;
    double bottom = INFINITY;
    for (int i = 0; i < 3; ++i) {
        const double height_p = dot(n, pair->t[0][i]);
        const double height_q = dot(n, pair->t[1][i]);
        top = ABUT__GREATER(top, height_p);
        bottom = ABUT__LESSER(bottom, height_q);
    }
    const double norm_1 = fabs(n[0]) + fabs(n[1]) + fabs(n[2]);
    return (bottom - top) - 0x1p-49 * (norm_1 * pair->extent) >
           pair->margin * sqrt(nn) * (1.0 + 0x1p-49);
}

static bool slab_separates_either_way(const local_pair* pair, const double n[3]) {
    const double m[3] = {-n[0], -n[1], -n[2]};
    return slab_separates(pair, n) || slab_separates(pair, m);
}

static void normal(const local_pair* pair, int side, double n[3]) {
    const double* u = pair->edge[side][0];
    const double* v = pair->edge[side][1];
    n[0] = u[1] * v[2] - u[2] * v[1];
    n[1] = u[2] * v[0] - u[0] * v[2];
    n[2] = u[0] * v[1] - u[1] * v[0];
}

// Tells whether the points found prove that the margin is reached. They are corners with weights in
// [0, 1]. A coordinate of a computed point is at most 20 u extent off that of the point with the
// same weights (differences from p0: u, edges: 4 u, each product and sum up to 2 u, weights whose
// sum rounds to 1: 2 u). Hence one of the difference is 42 u off, and its length 73 u: 2^-46 is 128
// u and covers the rounding of this sum as well.
static bool points_prove_within(const local_pair* pair, const closest* best) {
    return sqrt(best->distance_sq) * (1.0 + 0x1p-50) + 0x1p-46 * pair->extent <= pair->margin;
}

int abut__within_filter(const double p[3][3], const double q[3][3], double margin) {
    local_pair pair;
    make_local(p, q, margin, &pair);
    if (!(pair.extent > ABUT__FILTER_LEAST && pair.extent < ABUT__FILTER_GREATEST &&
          margin > ABUT__FILTER_LEAST && margin < ABUT__FILTER_GREATEST)) {
        return ABUT__UNDECIDED;
    }
    double n[2][3];
    for (int side = 0; side < 2; ++side) {
        normal(&pair, side, n[side]);
        if (slab_separates_either_way(&pair, n[side])) {
            return 0;
        }
    }
    closest best = {INFINITY, {0.0, 0.0, 0.0}};
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            try_edges(&pair, i, j, &best);
        }
        if (points_prove_within(&pair, &best)) {
            return 1;
        }
    }
    try_face(&pair, 0, n[0], &best);
    try_face(&pair, 1, n[1], &best);
    if (points_prove_within(&pair, &best)) {
        return 1;
    }
    return slab_separates(&pair, best.difference) ? 0 : ABUT__UNDECIDED;
}

// Rounding is monotonic, so a gap that rounds to more than the margin exceeds it.
static bool boxes_prove_apart(const double p[3][3], const double q[3][3], double margin) {
    for (int k = 0; k < 3; ++k) {
        const double lo_p = ABUT__LESSER(ABUT__LESSER(p[0][k], p[1][k]), p[2][k]);
        const double hi_p = ABUT__GREATER(ABUT__GREATER(p[0][k], p[1][k]), p[2][k]);
        const double lo_q = ABUT__LESSER(ABUT__LESSER(q[0][k], q[1][k]), q[2][k]);
        const double hi_q = ABUT__GREATER(ABUT__GREATER(q[0][k], q[1][k]), q[2][k]);
        if (lo_p - hi_q > margin || lo_q - hi_p > margin) {
            return true;
        }
    }
    return false;
}

bool abut__triangles_within(const double p[3][3], const double q[3][3], double margin) {
    if (margin == 0.0) {
        return abut__triangles_touch(p, q);
    }
    if (boxes_prove_apart(p, q, margin)) {
        return false;
    }
    const int within = abut__within_filter(p, q, margin);
    if (within != ABUT__UNDECIDED) {
        return within == 1;
    }
    return abut__triangles_touch(p, q) || abut__within_wide(p, q, margin);
}
