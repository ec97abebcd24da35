// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// How far a body reaches along a direction.
#ifndef ABUT_DEPTH_REACH_H
#define ABUT_DEPTH_REACH_H

#include "abut/query.h"
#include "body/body.h"

// Returns the greatest abut__dot3() of a vertex of a triangle, in the world, and the direction.
double abut__reach(const abut__body* body, const double direction[3], abut_counters* counters);

#endif
