// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Decides from the queries in the last state what is worth preparing for the proofs of a new one.
#ifndef ABUT_MOTION_DEMAND_H
#define ABUT_MOTION_DEMAND_H

#include "motion/motion.h"

typedef struct abut__demand {
    bool asked;        // the last state had self queries, and the new one has bounds
    bool proofs;       // and they gain from proofs; false: a pause, or too few blocks
    uint32_t queries;  // self queries of the last state
} abut__demand;

// Called once per new state. `had` says whether the last state had been prepared for proofs. If
// these proved nothing, there is a pause, longer each time.
abut__demand abut__demand_take(const abut_shape* shape, const abut__state* state,
                               abut__usage* usage, bool had);

#endif
