// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// The oracle of feature queries: every vertex with every face and every two edges, decided by GMP
// rationals. The corners are snapshots of the public positions.
#ifndef ABUT_TESTS_SUPPORT_FEATURE_ORACLE_H
#define ABUT_TESTS_SUPPORT_FEATURE_ORACLE_H

#include "support/swept_pairs.h"

/// A pair of features by the numbers that identify and sort it.
typedef struct near_feature {
    uint32_t body[2];
    uint32_t kind;
    uint64_t feature[2];  ///< as rows are sorted
    uint32_t triangle[2];
    double corner[4][3];
    double margin;    ///< at which it counts
    double distance;  ///< rounded down from the exact one
    bool touches;
} near_feature;

typedef struct near_list {
    near_feature* all;
    size_t count;
    size_t room;
    bool in_place;  ///< corners are where rows have their normals: no frame turns them
} near_list;

/// Whether a pair of triangles counts; NULL: all do.
typedef bool (*near_keeps)(uint32_t triangle_a, uint32_t triangle_b);

/// Appends all pairs at most `margin` plus both thicknesses apart: of two bodies, or of one if both are the same snapshot.
/// The positions are those of end 1.
void near_features(const snapshot* a, const snapshot* b, const uint32_t* classes, double margin,
                   near_keeps keeps, near_list* out);
/// Requires that the result has exactly these pairs, in order, with right values. Sorts `wanted`.
void require_features(const abut_features_result* result, near_list* wanted, double margin);
/// The exact distance of a pair, rounded down.
double feature_distance(const double corner[4][3], bool edges);

#endif  // ABUT_TESTS_SUPPORT_FEATURE_ORACLE_H
