// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// How far two triangles are apart. One function of doubles, whatever computes it: the batched kernel
// gives the same bits as the function for one pair, or says that it cannot tell.
#ifndef ABUT_EXACT_DISTANCE_H
#define ABUT_EXACT_DISTANCE_H

#include "exact/triangles.h"

// See abut_triangles_distance(). Depends on the order of corners and of triangles, but only within
// the error bound. Scaling both by a power of two scales distance and points, bit for bit, as long as
// nothing leaves the range of normal doubles and they share no point.
void abut__triangles_distance(const double p[3][3], const double q[3][3], abut_distance* out);

// The same in wide integers, for triangles that share no point: whatever their gap, the distance is
// within 2^-50 of itself.
void abut__distance_wide(const double p[3][3], const double q[3][3], abut_distance* out);

// Where two triangles are closest, as the search in doubles knows it: see distance_search.h.
typedef struct abut__closest {
    double s, t;
    double feature;
} abut__closest;

// The distance from what the search found: the same as abut__triangles_distance().
void abut__distance_complete(const double p[3][3], const double q[3][3], double distance,
                             const abut__closest* closest, abut_distance* out);

#endif
