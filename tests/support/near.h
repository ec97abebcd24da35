// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// The expected answers of proximity queries: all pairs of triangles, read through the public
// interface alone. Ids and bits follow from abut_triangles_distance() and the documented order of
// ties. An independent formula in long double checks the distances themselves.

#ifndef ABUT_TESTS_SUPPORT_NEAR_H
#define ABUT_TESTS_SUPPORT_NEAR_H

#include "support/world.h"

/// The distance of two triangles without a common point, without code of the library: closest
/// points of corners and triangles by the Voronoi regions of the triangle, and of edges.
double plain_distance(const double p[3][3], const double q[3][3]);

/// The corners of a triangle of `body` in the coordinates of a query of `body` and `other`.
void near_corners(const abut_scene* scene, abut_body_id body, abut_body_id other, uint32_t triangle,
                  double out[3][3]);

typedef struct near_oracle {
    double within;
    abut_filter filter;
    /// NULL, or a function that says whether a query over a scene tests these two bodies.
    bool (*meet)(const void* user, uint32_t body_a, uint32_t body_b);
    const void* user;
} near_oracle;

/// Distance pairs without witnesses, in the documented order; malloc'ed.
typedef struct gap_list {
    abut_distance_pair* gaps;
    size_t count;
} gap_list;
gap_list near_between(const abut_scene* scene, abut_body_id a, abut_body_id b,
                      const near_oracle* o);
gap_list near_all(const abut_scene* scene, const near_oracle* o);
gap_list near_triangles(const abut_scene* scene, abut_body_id a, const near_oracle* o);
gap_list near_self(const abut_scene* scene, abut_body_id a, const near_oracle* o);

/// Fails unless ids and distances are these and every pair fits its witnesses: they lie on their
/// triangles, are as far apart as the distance, and that is the plain distance.
void require_gaps(const abut_scene* scene, const abut_nearest_result* got, const gap_list* wanted,
                  const char* what);

#endif  // ABUT_TESTS_SUPPORT_NEAR_H
