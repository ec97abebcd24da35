// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// How far a point is from a body's surface.
#ifndef ABUT_DEPTH_CLEARANCE_H
#define ABUT_DEPTH_CLEARANCE_H

#include "abut/query.h"
#include "body/body.h"

// A lower bound of the distance, off by a few roundings; at most `limit`. `to` receives the way to where the surface is
// closest; 0 if that is not below the limit.
double abut__clearance(const abut__body* body, const double point[3], double limit,
                       abut_counters* counters, double to[3]);

#endif
