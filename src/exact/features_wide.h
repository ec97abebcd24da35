// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Closest points of two triangles in wide integers. Triangles that share no point are closest at two
// corners, a corner and an inner point of an edge, a corner and one of a face, or inner points of two
// edges. Each pair of features gives a pair of points if its closest points lie inside, and every
// such pair is at least as far apart as the triangles; so the least of them is the distance. Features
// without extent are skipped, for smaller ones stand for them.
#ifndef ABUT_EXACT_FEATURES_WIDE_H
#define ABUT_EXACT_FEATURES_WIDE_H

#include <stdbool.h>

#include "exact/wide.h"

// The closest points of a feature of one triangle and one of the other. Points are given by the
// weights of corners: weight / unit, but for a corner, whose weight is 1.
typedef struct abut__wide_points {
    const abut__wide* square;     // the square of their distance is square / unit
    const abut__wide* unit;       // > 0
    uint32_t size[2];             // corners of each feature: 1, 2 (an edge) or 3 (the face)
    uint32_t first[2];            // a corner, or an edge from this corner to the next one
    const abut__wide* weight[3];  // size 1 and 1: none. 1 and 2: of the edge's second corner.
                                  // 1 and 3: of the face's corners. 2 and 2: of both second corners
} abut__wide_points;

// Calls `visit` with all such pairs of points, of triangles that share no point, until it returns
// false. Coordinates are in units of 2^exponent.
void abut__wide_features(const double p[3][3], const double q[3][3], int exponent,
                         bool (*visit)(void* user, const abut__wide_points* points), void* user);

// The greatest exponent that fits both triangles: see abut__wide_exponent().
int abut__wide_pair_exponent(const double p[3][3], const double q[3][3]);

#endif
