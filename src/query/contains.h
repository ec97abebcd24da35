// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// On which side of a closed surface a point is, for other queries.
#ifndef ABUT_QUERY_CONTAINS_H
#define ABUT_QUERY_CONTAINS_H

#include "abut/contains.h"
#include "body/body.h"

// `winding` must not be NULL; the surface must be closed and finite.
abut_side abut__side_of(const abut__body* body, const double point[3], int32_t* winding,
                        abut_counters* counters);

// The same for the surface itself, at the first corner of one of its triangles (world coordinates, in the
// triangle's order up to a turn): inside if both of its sides are. `winding` receives how often the
// surface winds around what lies beside it, on the side of its normal. ABUT_SIDE_SURFACE: another triangle lies
// in this one; ABUT_SIDE_UNDEFINED: it has no area.
abut_side abut__side_beside(const abut__body* body, uint32_t triangle, const double corners[3][3],
                            int32_t* winding, abut_counters* counters);

#endif
