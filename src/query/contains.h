// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// The side of a closed surface on which a point is, for other queries.
#ifndef ABUT_QUERY_CONTAINS_H
#define ABUT_QUERY_CONTAINS_H

#include "abut/contains.h"
#include "body/body.h"

// `winding` must not be NULL; the surface must be closed and finite.
abut_side abut__side_of(const abut__body* body, const double point[3], int32_t* winding,
                        abut_counters* counters);

// The same for the surface itself, at the first corner of one of its triangles (world coordinates,
// in the triangle's order up to a cyclic shift): inside if both of its sides are. `winding`
// receives the winding number of a point next to the triangle, on the side of its normal.
// ABUT_SIDE_SURFACE: another triangle overlaps this one; ABUT_SIDE_UNDEFINED: it has no area.
abut_side abut__side_beside(const abut__body* body, uint32_t triangle, const double corners[3][3],
                            int32_t* winding, abut_counters* counters);

// Fails if a point is not finite.
abut_status abut__check_points(abut_positions points, abut_error* error);

#endif
