// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// The expected answers of proximity queries: all pairs of triangles, read through the public
// interface alone. Ids and bits follow from abut_triangles_distance() and the documented order of
// ties, by gaps: distances less the thickness of both. An independent formula in long double checks the distances themselves.

#ifndef ABUT_TESTS_SUPPORT_NEAR_H
#define ABUT_TESTS_SUPPORT_NEAR_H

#include "support/world.h"

/// The distance of two triangles without a common point, without code of the library: closest
/// points of corners and triangles by the Voronoi regions of the triangle, and of edges.
double plain_distance(const double p[3][3], const double q[3][3]);

/// The corners of a triangle of `body` in the coordinates of a query of `body` and `other`.
void query_corners(const abut_scene* scene, abut_body_id body, abut_body_id other,
                   uint32_t triangle, double out[3][3]);

/// Which pairs of triangles count.
typedef struct distance_oracle {
    double within;  ///< the greatest gap of a pair
    abut_filter filter;
    /// NULL, or a function that says whether a query over a scene tests these two bodies.
    bool (*meet)(const void* user, uint32_t body_a, uint32_t body_b);
    const void* user;
} distance_oracle;

/// The expected distance pairs, without witnesses, in the documented order; malloc'ed.
typedef struct distance_list {
    abut_distance_pair* pairs;
    size_t count;
} distance_list;
distance_list distances_between(const abut_scene* scene, abut_body_id a, abut_body_id b,
                                const distance_oracle* o);
distance_list distances_of_bodies(const abut_scene* scene, const distance_oracle* o);
distance_list distances_of_triangles(const abut_scene* scene, abut_body_id a,
                                     const distance_oracle* o);
distance_list distances_within(const abut_scene* scene, abut_body_id a, const distance_oracle* o);

/// Requires these ids and distances, and that every pair fits its witnesses: they lie on their
/// triangles, their distance is that of the pair, and that is the plain distance.
void require_distances(const abut_scene* scene, const abut_nearest_result* got,
                       const distance_list* wanted, const char* what);

#endif  // ABUT_TESTS_SUPPORT_NEAR_H
