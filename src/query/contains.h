// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Internals of containment: the side of a closed surface on which a point is, for other queries, too.
//
//   contains.c         rays, regions without surface, the calls
//   contains_points.c  many points
//   contains_winding.c generalized winding numbers of points
#ifndef ABUT_QUERY_CONTAINS_H
#define ABUT_QUERY_CONTAINS_H

#include "abut/contains.h"
#include "base/sort.h"
#include "query/query.h"

struct abut_contains_result {
    abut__workspace work;
    ABUT__VECTOR(abut_side) sides;
    ABUT__VECTOR(int32_t) windings;
    ABUT__VECTOR(double) numbers;     // generalized winding numbers
    ABUT__VECTOR(double) positions;   // of all vertices, if there are many points
    ABUT__VECTOR(abut__ref) stacks;   // of all workers
    ABUT__VECTOR(abut__keyed) order;  // of the points along a curve
};

// `winding` must not be NULL; the surface must be closed and finite.
abut_side abut__side_of(const abut__body* body, const double point[3], int32_t* winding,
                        abut_counters* counters);

// The same with boxes from the pool of the scene; `whole` is the body's box, relative to its origin.
abut_side abut__side_within(const abut_scene* scene, const abut__body* body,
                            const abut__box3* whole, const double point[3], int32_t* winding,
                            abut_counters* counters);

// Whether no triangle comes near a box (world coordinates), as far as boxes show it. Then all points
// in it have the same side, and are not on the surface.
bool abut__points_free(const abut_scene* scene, const abut__body* body, const abut_box* around,
                       abut_counters* counters);

// Finds the sides of points of a body whose surface is closed and finite, into result->sides and
// result->windings, which have room for them: contains_points.c.
abut_status abut__contains_sides(const abut_scene* scene, const abut__body* body,
                                 abut_positions points, abut_counters* counters,
                                 abut_contains_result* result);

// The side of the surface itself, at the first corner of one of its triangles (world coordinates,
// in the triangle's order up to a cyclic shift): inside if both of its sides are. `winding`
// receives the winding number of a point next to the triangle, on the side of its normal.
// ABUT_SIDE_SURFACE: another triangle overlaps this one; ABUT_SIDE_UNDEFINED: it has no area.
abut_side abut__side_beside(const abut__body* body, uint32_t triangle, const double corners[3][3],
                            int32_t* winding, abut_counters* counters);

// Computes generalized winding numbers into result->numbers: contains_winding.c.
abut_status abut__contains_numbers(const abut_scene* scene, abut__body* body, abut_positions points,
                                   abut_counters* counters, abut_contains_result* result);

// Fails if a point is not finite.
abut_status abut__check_points(abut_positions points, abut_error* error);

#endif
