// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Computes the distance of a point and a triangle. The search in plain doubles decides nearly all
// pairs. The others are points on the triangle or very near it, and badly shaped triangles: the
// exact code for two triangles decides these, with three times the point as the second triangle.
#include "exact/point_distance.h"

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
#include "simd/point_search.h"

// Returns the longest side of the box around the triangle and the point.
static double extent_of(const double t[3][3], const double x[3]) {
    double extent = 0.0;
    for (int k = 0; k < 3; ++k) {
        const double lo = least(least(t[0][k], t[1][k]), t[2][k]);
        const double hi = greatest(greatest(t[0][k], t[1][k]), t[2][k]);
        extent = greatest(extent, greatest(hi, x[k]) - least(lo, x[k]));
    }
    return extent;
}

void abut__point_complete(const double t[3][3], const abut__closest* found, abut_witness* nearest) {
    double* weights = nearest->weights;
    if (found->feature == ABUT__POINT_FACE) {
        weights[0] = (1.0 - found->s) - found->t;
        weights[1] = found->s;
        weights[2] = found->t;
    } else {
        weights[0] = weights[1] = weights[2] = 0.0;
        abut__weigh_edge(weights, (uint32_t)found->feature, found->s);
    }
    abut__witness_place(t, nearest);
}

void abut__point_distance_open(const double t[3][3], const double x[3], double* distance,
                               abut_witness* nearest) {
    for (uint32_t i = 0; i < 3; ++i) {
        if (abut__same_point(t[i], x)) {
            *distance = 0.0;
            *nearest = (abut_witness){{x[0], x[1], x[2]}, {0.0, 0.0, 0.0}, ABUT_FEATURE_VERTEX, i};
            nearest->weights[i] = 1.0;
            return;
        }
    }
    double point[3][3];
    for (int i = 0; i < 3; ++i) {
        memcpy(point[i], x, sizeof point[i]);
    }
    abut_distance whole;
    abut__triangles_distance(t, (const double(*)[3])point, &whole);
    *distance = whole.distance;
    *nearest = whole.p;
}

void abut__point_distance(const double t[3][3], const double x[3], double* distance,
                          abut_witness* nearest) {
    const double extent = extent_of(t, x);
    if (!(extent >= 0x1p-900 && extent <= 0x1p900)) {
        abut__point_distance_open(t, x, distance, nearest);
        return;
    }
    const double unit = ldexp(1.0, ilogb(extent));
    double corner[3][3];
    double point[3];
    for (int k = 0; k < 3; ++k) {
        for (int i = 0; i < 3; ++i) {
            corner[i][k] = t[i][k] * (1.0 / unit);
        }
        point[k] = x[k] * (1.0 / unit);
    }
    closest_points found;
    double doubt;
    const double scaled = search_point((const double(*)[3])corner, point, &found, &doubt);
    if (!(doubt <= 0.0)) {
        abut__point_distance_open(t, x, distance, nearest);
        return;
    }
    *distance = scaled * unit;
    abut__point_complete(t, &(abut__closest){found.s, found.t, found.feature}, nearest);
}

// A computed distance is off by at most 2^-25 of the exact one.
bool abut__point_within(const double t[3][3], const double x[3], double distance, double margin) {
    if (distance == 0.0 || distance < margin * (1.0 - 0x1p-24)) {
        return true;
    }
    if (distance > margin * (1.0 + 0x1p-24)) {
        return false;
    }
    double point[3][3];
    for (int i = 0; i < 3; ++i) {
        memcpy(point[i], x, sizeof point[i]);
    }
    return abut__triangles_within(t, (const double(*)[3])point, margin);
}
