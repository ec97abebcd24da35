// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Computes the distance of two segments. The search in plain doubles decides nearly all pairs. The
// others touch or nearly do, or are nearly parallel: the exact code for two triangles decides these,
// with the second end of each segment as its third corner, too.
#include "exact/segment_distance.h"

#include <math.h>
#include <string.h>

#include "exact/distance.h"
#include "exact/sides.h"

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
#include "simd/segment_search.h"

// Returns the longest side of the box around both segments.
static double extent_of(const double p[2][3], const double q[2][3]) {
    double extent = 0.0;
    for (int k = 0; k < 3; ++k) {
        const double lo = least(least(p[0][k], p[1][k]), least(q[0][k], q[1][k]));
        const double hi = greatest(greatest(p[0][k], p[1][k]), greatest(q[0][k], q[1][k]));
        extent = greatest(extent, hi - lo);
    }
    return extent;
}

static void make_triangle(const double segment[2][3], double out[3][3]) {
    for (int i = 0; i < 3; ++i) {
        memcpy(out[i], segment[i > 0], sizeof out[i]);
    }
}

void abut__segments_distance_open(const double p[2][3], const double q[2][3], double* distance,
                                  double weights[2][2]) {
    double a[3][3];
    double b[3][3];
    abut_distance whole;
    make_triangle(p, a);
    make_triangle(q, b);
    abut__triangles_distance((const double(*)[3])a, (const double(*)[3])b, &whole);
    *distance = whole.distance;
    weights[0][0] = whole.p.weights[0];
    weights[0][1] = whole.p.weights[1] + whole.p.weights[2];
    weights[1][0] = whole.q.weights[0];
    weights[1][1] = whole.q.weights[1] + whole.q.weights[2];
}

void abut__segments_distance(const double p[2][3], const double q[2][3], double* distance,
                             double weights[2][2]) {
    const double extent = extent_of(p, q);
    if (!(extent >= 0x1p-900 && extent <= 0x1p900)) {
        abut__segments_distance_open(p, q, distance, weights);
        return;
    }
    const double unit = ldexp(1.0, ilogb(extent));
    double end[4][3];
    for (int i = 0; i < 4; ++i) {
        for (int k = 0; k < 3; ++k) {
            end[i][k] = (i < 2 ? p[i][k] : q[i - 2][k]) * (1.0 / unit);
        }
    }
    closest_points found;
    double doubt;
    const double scaled = search_segments((const double(*)[3])end, (const double(*)[3])(end + 2),
                                          &found, &doubt);
    if (!(doubt <= 0.0)) {
        abut__segments_distance_open(p, q, distance, weights);
        return;
    }
    *distance = scaled * unit;
    weights[0][0] = 1.0 - found.s;
    weights[0][1] = found.s;
    weights[1][0] = 1.0 - found.t;
    weights[1][1] = found.t;
}

// A computed distance is off by at most 2^-25 of the exact one.
bool abut__segments_within(const double p[2][3], const double q[2][3], double distance,
                           double margin) {
    if (distance == 0.0 || distance < margin * (1.0 - 0x1p-24)) {
        return true;
    }
    if (distance > margin * (1.0 + 0x1p-24)) {
        return false;
    }
    double a[3][3];
    double b[3][3];
    make_triangle(p, a);
    make_triangle(q, b);
    return abut__triangles_within((const double(*)[3])a, (const double(*)[3])b, margin);
}
