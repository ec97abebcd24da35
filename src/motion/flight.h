// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// What the flight motion keeps in shapes and states.
//
// The pad. Let u = 2^-24 and S the greatest magnitude of a coordinate at both ends. Rounding the
// positions, or the boxes' sides, to float is off by u S, the weights by u S each, products by u S
// together, and the sum by u S; the vertices' own doubles by far less. Below 6 u S in all; the pad is
// 2^-20 S = 16 u S, and something for what underflows.
#ifndef ABUT_MOTION_FLIGHT_H
#define ABUT_MOTION_FLIGHT_H

#include "bound/kinetic/aabb.h"
#include "bound/linear.h"
#include "motion/motion.h"

typedef struct abut__flight {
    uint32_t key_count;
    abut_key* keys;
    abut__linear linear;
    bool kinetic;  // states have kinetic boxes
} abut__flight;

typedef struct abut__flight_state {
    double time;
    uint32_t from;  // key before, and key after: the same at both ends of time
    uint32_t to;
    double part;      // of the way from one to the other
    float pad;        // that bounds and points need
    float tight_pad;  // that kinetic bounds need
    bool unbounded;
    const abut__key_boxes* ends[2];
    abut__kinetic* kinetic;  // handed on from state to state; NULL: another state has it, or none
    bool tight;              // it is right for this state
} abut__flight_state;

#endif
