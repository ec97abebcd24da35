// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Describes a contact of two moving primitives: the contact point on each, and the normal. Uses
// plain doubles, because nothing is decided here.
//
// Based on: Ericson, "Real-Time Collision Detection", 2005, sections 5.1.5 and 5.1.9, for closest
// points.
#include <math.h>
#include <string.h>

#include "base/vec3.h"
#include "exact/sides.h"
#include "exact/moving_features.h"

static double unit_part(double x) {  // returns 0 for the NaN of 0 / 0
    return x > 0.0 ? (x < 1.0 ? x : 1.0) : 0.0;
}

// Returns where the origin is closest on the segment from a along f, in [0, 1].
static double on_segment(const double a[3], const double f[3]) {
    return unit_part(-abut__dot3(a, f) / abut__dot3(f, f));
}

// Keeps weights of corners if the weighted sum is closer to the origin than the best so far.
static void keep_closer(int count, const double d[4][3], const double* weight, double* best,
                        double* kept) {
    double sum[3] = {0.0, 0.0, 0.0};
    for (int i = 0; i < count; ++i) {
        for (int k = 0; k < 3; ++k) {
            sum[k] += weight[i] * d[i][k];
        }
    }
    const double distance_sq = abut__dot3(sum, sum);
    if (distance_sq < *best) {
        *best = distance_sq;
        memcpy(kept, weight, (size_t)count * sizeof *weight);
    }
}

// Computes the weights of the corners of triangle d whose sum is closest to the origin. Weights
// inside a sliver are inaccurate, so the sides are always tried, too.
static void weigh_face(const double d[4][3], double weight[3]) {
    double f[3][3];
    for (int i = 0; i < 3; ++i) {
        for (int k = 0; k < 3; ++k) {
            f[i][k] = d[(i + 1) % 3][k] - d[i][k];
        }
    }
    double n[3];
    abut__cross3(f[0], f[1], n);
    double best = INFINITY;
    double inside[4];
    double least = INFINITY;
    for (int i = 0; i < 3; ++i) {  // the weight of the corner opposite edge i
        double m[3];
        abut__cross3(n, f[i], m);
        inside[(i + 2) % 3] = -abut__dot3(m, d[i]);
        least = ABUT__LESSER(least, inside[(i + 2) % 3]);
    }
    const double sum = inside[0] + inside[1] + inside[2];
    if (least >= 0.0 && sum > 0.0) {
        for (int i = 0; i < 3; ++i) {
            inside[i] /= sum;
        }
        keep_closer(3, d, inside, &best, weight);
    }
    for (int i = 0; i < 3; ++i) {
        const double s = on_segment(d[i], f[i]);
        double side[4] = {0.0, 0.0, 0.0, 0.0};
        side[i] = 1.0 - s;
        side[(i + 1) % 3] = s;
        keep_closer(3, d, side, &best, weight);
    }
}

// The same for two edges: d are a0 - b0, a1 - b0, a1 - b1, a0 - b1.
static void weigh_edges(const double d[4][3], double weight[4]) {
    double u[3];
    double v[3];
    for (int k = 0; k < 3; ++k) {
        u[k] = d[1][k] - d[0][k];  // a1 - a0
        v[k] = d[0][k] - d[3][k];  // b1 - b0
    }
    const double uu = abut__dot3(u, u);
    const double vv = abut__dot3(v, v);
    const double uv = abut__dot3(u, v);
    const double uw = abut__dot3(u, d[0]);
    const double vw = abut__dot3(v, d[0]);
    double best = INFINITY;
    // the inside and, for parallel edges, both ends of the first
    const double starts[3] = {unit_part((uv * vw - uw * vv) / (uu * vv - uv * uv)), 0.0, 1.0};
    for (int i = 0; i < 3; ++i) {
        const double r = unit_part((starts[i] * uv + vw) / vv);
        const double s = unit_part((r * uv - uw) / uu);
        const double corner[4] = {(1.0 - s) * (1.0 - r), s * (1.0 - r), s * r, (1.0 - s) * r};
        double kept[4];
        const double before = best;
        keep_closer(4, d, corner, &best, kept);
        if (best < before) {
            weight[0] = 1.0 - s;
            weight[1] = s;
            weight[2] = 1.0 - r;
            weight[3] = r;
        }
    }
}

static bool normalise(double v[3]) {
    const double most = ABUT__GREATER(fabs(v[0]), ABUT__GREATER(fabs(v[1]), fabs(v[2])));
    if (!(most > 0.0)) {
        return false;
    }
    for (int k = 0; k < 3; ++k) {
        v[k] /= most;
    }
    const double length = sqrt(abut__dot3(v, v));
    for (int k = 0; k < 3; ++k) {
        v[k] /= length;
    }
    return true;
}

// Computes the motion of the closest point of the hull.
static void motion_at(const abut__hull* hull, const double weight[4], double out[3]) {
    const double corner[4] = {
        hull->count == 3 ? weight[1] : weight[0] * weight[2],
        hull->count == 3 ? weight[2] : weight[1] * weight[2],
        hull->count == 3 ? weight[3] : weight[1] * weight[3],
        hull->count == 3 ? 0.0 : weight[0] * weight[3],
    };
    memset(out, 0, 3 * sizeof *out);
    for (int i = 0; i < hull->count; ++i) {
        for (int k = 0; k < 3; ++k) {
            out[k] += corner[i] * (hull->d[1][i][k] - hull->d[0][i][k]);
        }
    }
}

// Computes the normal, against the motion, of a hull that contains the origin. A degenerate hull
// gives a perpendicular to its longest side, or any direction.
static void normal_of_touching(const abut__hull* hull, const double d[4][3], const double motion[3],
                               double g[3]) {
    double f[2][3];
    for (int k = 0; k < 3; ++k) {
        f[0][k] = d[1][k] - d[0][k];
        f[1][k] = d[2][k] - d[1][k];
    }
    abut__cross3(f[0], f[1], g);
    const double* longest = abut__dot3(f[0], f[0]) > abut__dot3(f[1], f[1]) ? f[0] : f[1];
    if (!(abut__dot3(g, g) > 1e-24 * abut__dot3(f[0], f[0]) * abut__dot3(f[1], f[1]))) {
        const double part = abut__dot3(motion, longest) / abut__dot3(longest, longest);
        for (int k = 0; k < 3; ++k) {
            g[k] = -motion[k] + (abut__dot3(longest, longest) > 0.0 ? part * longest[k] : 0.0);
        }
    }
    if (abut__dot3(g, motion) > 0.0) {
        for (int k = 0; k < 3; ++k) {
            g[k] = -g[k];
        }
    }
    if (hull->extent > 0.0 && normalise(g)) {
        return;
    }
    g[0] = g[1] = 0.0;
    g[2] = 1.0;
}

void abut__sweep_describe(const abut__hull* hull, abut_sweep_contact* contact) {
    const bool edges = hull->count == 4;
    double d[4][3];
    double g[3];
    abut__hull_at(hull, contact->time, d);
    if (edges) {
        weigh_edges(d, contact->weights);
    } else {
        contact->weights[0] = 1.0;
        weigh_face(d, contact->weights + 1);
    }
    const double gap = abut__hull_direction(hull->count, d, g);
    if (!(gap > 0x1p-45 * hull->extent && normalise(g))) {
        double motion[3];
        motion_at(hull, contact->weights, motion);
        normal_of_touching(hull, d, motion, g);
    }
    for (int k = 0; k < 3; ++k) {  // the differences are face - vertex, or first edge - second edge
        contact->normal[k] = edges ? g[k] : -g[k];
    }
}
