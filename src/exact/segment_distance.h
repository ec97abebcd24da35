// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// The distance of two segments. The batched kernel (simd/kernels/segments_kernel.c) returns the same
// bits, or reports that a pair is undecided. A segment whose ends are equal is a point.
#ifndef ABUT_EXACT_SEGMENT_DISTANCE_H
#define ABUT_EXACT_SEGMENT_DISTANCE_H

#include <stdbool.h>

// Computes the distance, and the weights of both ends of p and of q at the closest points. The
// distance is 0 if and only if they share a point; otherwise its error is bounded as that of
// abut_triangles_distance().
void abut__segments_distance(const double p[2][3], const double q[2][3], double* distance,
                             double weights[2][2]);

// The same for a pair that the search left undecided.
void abut__segments_distance_open(const double p[2][3], const double q[2][3], double* distance,
                                  double weights[2][2]);

// Tells whether the distance is at most `margin` (finite, >= 0), exactly, given the computed one.
bool abut__segments_within(const double p[2][3], const double q[2][3], double distance,
                           double margin);

#endif
