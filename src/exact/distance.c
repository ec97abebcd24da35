// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Computes the distance of two triangles, their closest points, and the features of these. The
// search in plain doubles decides nearly all pairs. The others share a point, which the exact test
// finds, or their distance is a small part of their size, or they are badly shaped: wide integers
// decide these.
#include "exact/distance.h"

#include <math.h>
#include <string.h>

#include "exact/orient.h"
#include "exact/sides.h"
#include "exact/witness.h"

typedef double number;
static inline number least(number a, number b) {
    return ABUT__LESSER(a, b);
}
static inline number greatest(number a, number b) {
    return ABUT__GREATER(a, b);
}
static inline number root(number a) {
    return sqrt(a);
}
static inline number pick_less(number a, number b, number x, number y) {
    return a < b ? x : y;
}
#include "simd/distance_search.h"

// Returns the longest side of the box around both; infinite if it exceeds the range of doubles.
static double extent_of(const double p[3][3], const double q[3][3]) {
    double extent = 0.0;
    for (int k = 0; k < 3; ++k) {
        const double lo_p = ABUT__LESSER(ABUT__LESSER(p[0][k], p[1][k]), p[2][k]);
        const double hi_p = ABUT__GREATER(ABUT__GREATER(p[0][k], p[1][k]), p[2][k]);
        const double lo_q = ABUT__LESSER(ABUT__LESSER(q[0][k], q[1][k]), q[2][k]);
        const double hi_q = ABUT__GREATER(ABUT__GREATER(q[0][k], q[1][k]), q[2][k]);
        const double side = ABUT__GREATER(hi_p, hi_q) - ABUT__LESSER(lo_p, lo_q);
        extent = ABUT__GREATER(extent, side);
    }
    return extent;
}

static void scale(const double t[3][3], double by, double out[3][3]) {
    for (int i = 0; i < 3; ++i) {
        for (int k = 0; k < 3; ++k) {
            out[i][k] = t[i][k] * by;
        }
    }
}

// Two triangles scaled by `before`, then by 1 / `unit`, to an extent in [1, 2).
typedef struct {
    double p[3][3];
    double q[3][3];
    double before;
    double unit;
} scaled_pair;

// Scales two triangles. Extents outside 2^-900 .. 2^900 are first scaled into that range;
// coordinates lose only bits that are negligible against the extent. False: the extent is 0.
static bool scale_pair(const double p[3][3], const double q[3][3], scaled_pair* out) {
    double extent = extent_of(p, q);
    if (extent == 0.0) {
        return false;
    }
    const bool usual = extent >= 0x1p-900 && extent <= 0x1p900;
    out->before = usual ? 1.0 : extent > 1.0 ? 0x1p-200 : 0x1p500;
    scale(p, out->before, out->p);
    scale(q, out->before, out->q);
    if (!usual) {
        extent = extent_of((const double(*)[3])out->p, (const double(*)[3])out->q);
    }
    out->unit = ldexp(1.0, ilogb(extent));
    scale((const double(*)[3])out->p, 1.0 / out->unit, out->p);
    scale((const double(*)[3])out->q, 1.0 / out->unit, out->q);
    return true;
}

// Converts a feature number and its weights to weights of corners.
static void set_weights(const abut__closest* found, double p[3], double q[3]) {
    const int feature = (int)found->feature;
    for (int i = 0; i < 3; ++i) {
        p[i] = q[i] = 0.0;
    }
    if (feature < 9) {
        abut__weigh_edge(p, (uint32_t)feature / 3, found->s);
        abut__weigh_edge(q, (uint32_t)feature % 3, found->t);
        return;
    }
    double* face = feature < 12 ? p : q;
    double* corner = feature < 12 ? q : p;
    face[0] = (1.0 - found->s) - found->t;
    face[1] = found->s;
    face[2] = found->t;
    corner[feature % 3] = 1.0;
}

// Searches in plain doubles. False: undecided.
static bool search(const double p[3][3], const double q[3][3], abut_distance* out) {
    scaled_pair pair;
    if (!scale_pair(p, q, &pair)) {
        return false;
    }
    closest_points found;
    double doubt;
    const double distance = search_distance((const double(*)[3])pair.p, (const double(*)[3])pair.q,
                                            &found, &doubt);
    if (!(doubt <= 0.0)) {
        return false;
    }
    out->distance = distance * pair.unit / pair.before;
    const abut__closest closest = {found.s, found.t, found.feature};
    set_weights(&closest, out->p.weights, out->q.weights);
    return true;
}

// Computes the weights of a point of a triangle: exact at corners, elsewhere those of the closest
// point in doubles.
static void weigh_shared_point(const double t[3][3], const double x[3], double weight[3]) {
    weight[0] = weight[1] = weight[2] = 0.0;
    for (int i = 0; i < 3; ++i) {
        if (abut__same_point(t[i], x)) {
            weight[i] = 1.0;
            return;
        }
    }
    double point[3][3];
    for (int i = 0; i < 3; ++i) {
        memcpy(point[i], x, sizeof point[i]);
    }
    scaled_pair pair;
    closest_points found;
    double doubt;
    double unused[3];
    scale_pair(t, (const double(*)[3])point, &pair);  // extent > 0, because x is no corner
    search_distance((const double(*)[3])pair.p, (const double(*)[3])pair.q, &found, &doubt);
    const abut__closest closest = {found.s, found.t, found.feature};
    set_weights(&closest, weight, unused);
}

static bool share_a_point(const double p[3][3], const double q[3][3], abut_distance* out) {
    abut__intersection shared;
    abut__triangles_intersection(p, q, &shared);
    if (shared.count == 0) {
        return false;
    }
    out->distance = 0.0;
    weigh_shared_point(p, shared.points[0], out->p.weights);
    weigh_shared_point(q, shared.points[0], out->q.weights);
    abut__witness_name(&out->p);
    abut__witness_name(&out->q);
    memcpy(out->p.point, shared.points[0], sizeof out->p.point);
    memcpy(out->q.point, shared.points[0], sizeof out->q.point);
    return true;
}

void abut__triangles_distance(const double p[3][3], const double q[3][3], abut_distance* out) {
    if (!search(p, q, out)) {
        if (share_a_point(p, q, out)) {
            return;
        }
        abut__distance_wide(p, q, out);
    }
    if (out->distance == 0.0) {
        out->distance = 0x1p-1074;  // underflow, but they share no point
    }
    abut__witness_place(p, &out->p);
    abut__witness_place(q, &out->q);
}

void abut__distance_complete(const double p[3][3], const double q[3][3], double distance,
                             const abut__closest* closest, abut_distance* out) {
    out->distance = distance;
    set_weights(closest, out->p.weights, out->q.weights);
    abut__witness_place(p, &out->p);
    abut__witness_place(q, &out->q);
}
