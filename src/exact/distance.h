// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// The distance of two triangles. All implementations give the same bits: the batched kernel returns
// the result of the function for one pair, or reports that it is undecided.
#ifndef ABUT_EXACT_DISTANCE_H
#define ABUT_EXACT_DISTANCE_H

#include "exact/triangles.h"

// See abut_triangles_distance(). The result depends on the order of corners and of triangles, but
// only within the error bound. Scaling both by a power of two scales distance and points, bit for
// bit, if all values stay normal doubles and the triangles share no point.
void abut__triangles_distance(const double p[3][3], const double q[3][3], abut_distance* out);

// The same in wide integers, for triangles that share no point. The relative error is at most 2^-50
// for any distance.
void abut__distance_wide(const double p[3][3], const double q[3][3], abut_distance* out);

// The closest points of two triangles as the search in doubles represents them: see
// distance_search.h.
typedef struct abut__closest {
    double s, t;
    double feature;
} abut__closest;

// Computes the same as abut__triangles_distance() from the result of the search.
void abut__distance_complete(const double p[3][3], const double q[3][3], double distance,
                             const abut__closest* closest, abut_distance* out);

#endif
