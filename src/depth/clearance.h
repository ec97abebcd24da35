// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Distance from a point to a body's surface.
#ifndef ABUT_DEPTH_CLEARANCE_H
#define ABUT_DEPTH_CLEARANCE_H

#include "abut/query.h"
#include "body/body.h"

// Returns a lower bound of the distance, too small by a few roundings, and at most `limit`. `to`
// receives the vector to the closest surface point; 0 if the distance is not below the limit.
double abut__clearance(const abut__body* body, const double point[3], double limit,
                       abut_counters* counters, double to[3]);

#endif
