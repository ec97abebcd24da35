// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// How far a body reaches along a direction.
#ifndef ABUT_DEPTH_REACH_H
#define ABUT_DEPTH_REACH_H

#include "abut/query.h"
#include "body/body.h"

// The vertex of a body that is farthest along a direction.
typedef struct abut__reached {
    double along;  // the abut__dot3() of its position in the world and the direction
    uint32_t vertex;
    double point[3];
} abut__reached;

// Finds the farthest vertex of a triangle; of several, the one with the lowest number.
abut__reached abut__reach(const abut__body* body, const double direction[3],
                          abut_counters* counters);

// Returns how far a body reaches at least: climbs from a vertex to neighbours that are farther.
double abut__reach_from(const abut__body* body, uint32_t vertex, const double direction[3]);

#endif
