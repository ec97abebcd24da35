// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Closest points of two triangles in wide integers. Triangles that share no point are closest at
// two corners, at a corner and an inner point of an edge or of a face, or at inner points of two
// edges. Each pair of features gives a pair of points if its closest points lie inside both. Every
// such pair is at least as far apart as the triangles, so the least of them is the distance.
// Features without extent are skipped, because their own parts cover them.
#ifndef ABUT_EXACT_FEATURES_WIDE_H
#define ABUT_EXACT_FEATURES_WIDE_H

#include <stdbool.h>

#include "exact/wide.h"

// The closest points of a feature of one triangle and a feature of the other. Points are given by
// weights of corners: weight / unit, or 1 if the feature is a corner.
typedef struct abut__wide_points {
    const abut__wide* square;     // the squared distance is square / unit
    const abut__wide* unit;       // > 0
    uint32_t size[2];             // corners of each feature: 1, 2 (an edge) or 3 (the face)
    uint32_t first[2];            // a corner, or an edge from this corner to the next one
    const abut__wide* weight[3];  // size 1 and 1: none. 1 and 2: of the edge's second corner.
                                  // 1 and 3: of the face's corners. 2 and 2: of both second corners
} abut__wide_points;

// Calls `visit` with each such pair of points until it returns false. The triangles must share no
// point. Coordinates are in units of 2^exponent.
void abut__wide_features(const double p[3][3], const double q[3][3], int exponent,
                         bool (*visit)(void* user, const abut__wide_points* points), void* user);

// Returns the greatest exponent that suits both triangles: see abut__wide_exponent().
int abut__wide_pair_exponent(const double p[3][3], const double q[3][3]);

#endif
