// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Chooses whether boxes are refined by spheres.
#include "bound/refine_choice.h"

#define TRIAL 8u          // states of a trial
#define LONG 256u         // states until the other way is tried again
#define GAIN_LEAST 0.95f  // spheres must cost at most this part

// in nanoseconds, as measured by `abut bench bdtree`; only their relation matters
static double cost_of(const abut__refine_counts* counts, uint32_t fields) {
    const double m = fields;
    return counts->opened * (60 + 8 * m) + counts->false_opens * 40.0 + counts->refined * (12 + m);
}

static void start(abut__refine_choice* choice, bool refines, uint32_t until) {
    choice->refines = refines;
    choice->states = 0;
    choice->until = (uint16_t)until;
    choice->sum = 0;
}

void abut__refine_choice_next(abut__refine_choice* choice, const abut__refine_counts* counts,
                              uint32_t fields) {
    const double cost = cost_of(counts, fields);
    if (cost == 0) {  // no query came near: this says nothing
        return;
    }
    const int way = choice->refines ? 1 : 0;
    choice->sum += (float)cost;
    ++choice->states;
    choice->a_state[way] = choice->sum / choice->states;
    choice->until = choice->until == 0 ? TRIAL : choice->until;
    if (choice->states < choice->until) {
        return;
    }
    choice->tried[way] = true;
    if (!choice->tried[1 - way] || choice->until == LONG) {
        choice->tried[1 - way] = false;
        start(choice, !choice->refines, TRIAL);
    } else {
        start(choice, choice->a_state[1] <= GAIN_LEAST * choice->a_state[0], LONG);
    }
}
