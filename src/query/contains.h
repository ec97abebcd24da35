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

#endif
