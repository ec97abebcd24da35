// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Distance from a point to a body's surface.
#ifndef ABUT_DEPTH_CLEARANCE_H
#define ABUT_DEPTH_CLEARANCE_H

#include "abut/query.h"
#include "body/body.h"

// Returns a lower bound of the distance, and at most `limit`. It is too small by a few roundings, or
// is `part` of the distance: 1, or less, which spares most of the work where much of the surface is
// about equally far. `to` receives the vector to the closest surface point found; 0 if none is below
// `part` of the limit.
double abut__clearance(const abut__body* body, const double point[3], double limit, double part,
                       abut_counters* counters, double to[3]);

#endif
