// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// What queries of proximity must answer: all pairs of triangles, one after the other, read through
// the public interface alone. Ids and bits go by abut_triangles_distance() and the documented order of
// ties; that distances are right at all is checked by a formula of its own, in long double.

#ifndef ABUT_TESTS_SUPPORT_NEAR_H
#define ABUT_TESTS_SUPPORT_NEAR_H

#include "support/world.h"

/// The distance of two triangles that share no point: closest points of corners and triangles by the
/// regions of the triangle's plane, and of edges; nothing of the library.
double plain_distance(const double p[3][3], const double q[3][3]);

/// The corners of a triangle of `body`, as a query of `body` and `other` sees them.
void near_corners(const abut_scene* scene, abut_body_id body, abut_body_id other, uint32_t triangle,
                  double out[3][3]);

typedef struct near_oracle {
    double within;
    abut_filter filter;
    /// NULL, or: whether these two bodies are to be looked at, in queries over a scene.
    bool (*meet)(const void* user, uint32_t body_a, uint32_t body_b);
    const void* user;
} near_oracle;

/// Gaps without witnesses, in the documented order; malloc'ed.
typedef struct gap_list {
    abut_distance_pair* gaps;
    size_t count;
} gap_list;
gap_list near_between(const abut_scene* scene, abut_body_id a, abut_body_id b,
                      const near_oracle* o);
gap_list near_all(const abut_scene* scene, const near_oracle* o);
gap_list near_triangles(const abut_scene* scene, abut_body_id a, const near_oracle* o);
gap_list near_self(const abut_scene* scene, abut_body_id a, const near_oracle* o);

/// Fails unless the ids and distances are these, and every gap is what its witnesses say: they lie
/// on their triangles, are as far apart as the distance, and that is the plain one.
void require_gaps(const abut_scene* scene, const abut_nearest_result* got, const gap_list* wanted,
                  const char* what);

#endif  // ABUT_TESTS_SUPPORT_NEAR_H
