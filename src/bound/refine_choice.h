// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Chooses whether nodes whose boxes meet are also compared by spheres. Spheres save blocks that
// would be opened without a candidate, and cost updates and tests. Both are counted, never timed,
// so the choice is the same on every machine. Each way is tried for a few states, then the cheaper
// one is kept for long.
#ifndef ABUT_BOUND_REFINE_CHOICE_H
#define ABUT_BOUND_REFINE_CHOICE_H

#include <stdbool.h>
#include <stdint.h>

typedef struct abut__refine_choice {
    bool refines;
    bool tried[2];     // without spheres, with them
    uint16_t states;   // in the present way
    uint16_t until;    // states after which the other way may be tried again
    float sum;         // cost of these states
    float a_state[2];  // cost per state when each way was last used
} abut__refine_choice;

// What queries did with a body in one state.
typedef struct abut__refine_counts {
    uint32_t opened;       // blocks evaluated
    uint32_t false_opens;  // pairs of blocks opened without a candidate
    uint32_t refined;      // comparisons of spheres with the children of a node
} abut__refine_counts;

// Ends a state of a body with so many fields, and sets `refines` for the next one.
void abut__refine_choice_next(abut__refine_choice* choice, const abut__refine_counts* counts,
                              uint32_t fields);

#endif
