// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Nearest points of triangles: see triangle.h.
#include "dynamics/triangle.h"

#include <math.h>

static double dot(const double a[3], const double b[3]) {
    return (a[0] * b[0] + a[1] * b[1]) + a[2] * b[2];
}

static void subtract(const double a[3], const double b[3], double out[3]) {
    for (int d = 0; d < 3; ++d) {
        out[d] = a[d] - b[d];
    }
}

// Computes the nearest point of the edge from a to b; returns the squared distance.
static double edge_nearest(const double a[3], const double b[3], const double point[3],
                           double nearest[3]) {
    double along[3];
    double from[3];
    subtract(b, a, along);
    subtract(point, a, from);
    const double length_sq = dot(along, along);
    const double s = length_sq > 0 ? fmin(fmax(dot(from, along) / length_sq, 0), 1) : 0;
    double off[3];
    for (int d = 0; d < 3; ++d) {
        nearest[d] = a[d] + s * along[d];
        off[d] = point[d] - nearest[d];
    }
    return dot(off, off);
}

// Computes the foot of the perpendicular; returns 0 if it is outside.
static int face_nearest(const double t[3][3], const double point[3], double nearest[3]) {
    double e[3];
    double f[3];
    double p[3];
    subtract(t[1], t[0], e);
    subtract(t[2], t[0], f);
    subtract(point, t[0], p);
    const double ee = dot(e, e);
    const double ef = dot(e, f);
    const double ff = dot(f, f);
    const double det = ee * ff - ef * ef;
    const double u = dot(p, e) * ff - dot(p, f) * ef;
    const double v = dot(p, f) * ee - dot(p, e) * ef;
    if (!(det > 0) || u < 0 || v < 0 || u + v > det) {
        return 0;
    }
    for (int d = 0; d < 3; ++d) {
        nearest[d] = t[0][d] + (u * e[d] + v * f[d]) / det;
    }
    return 1;
}

double triangle_nearest(const double t[3][3], const double point[3], double nearest[3]) {
    double best = INFINITY;
    if (face_nearest(t, point, nearest)) {
        double off[3];
        subtract(point, nearest, off);
        return dot(off, off);
    }
    for (int i = 0; i < 3; ++i) {
        double on[3];
        const double distance_sq = edge_nearest(t[i], t[(i + 1) % 3], point, on);
        if (distance_sq < best) {
            best = distance_sq;
            for (int d = 0; d < 3; ++d) {
                nearest[d] = on[d];
            }
        }
    }
    return best;
}
