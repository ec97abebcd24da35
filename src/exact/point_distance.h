// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// The distance of a point and a triangle. The batched kernel (simd/kernels/closest_kernel.c) returns
// the same bits, or reports that a pair is undecided.
#ifndef ABUT_EXACT_POINT_DISTANCE_H
#define ABUT_EXACT_POINT_DISTANCE_H

#include "exact/distance.h"

// Computes distance and closest point. The distance is 0 if and only if the point is on the
// triangle; otherwise its error is bounded as that of abut_triangles_distance().
void abut__point_distance(const double t[3][3], const double x[3], double* distance,
                          abut_witness* nearest);

// The same for a pair that the search left undecided.
void abut__point_distance_open(const double t[3][3], const double x[3], double* distance,
                               abut_witness* nearest);

// Computes the closest point from the result of the search; `feature` is as in point_search.h.
void abut__point_complete(const double t[3][3], const abut__closest* found, abut_witness* nearest);

// Tells whether the distance is at most `margin` (finite, >= 0), exactly, given the computed one.
bool abut__point_within(const double t[3][3], const double x[3], double distance, double margin);

#endif
