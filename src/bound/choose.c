// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Choosing between the rules of flight bodies.
#include "bound/choose.h"

// In refits of a block, measured (`abut bench kinetic`):
#define MOVE_COST 2.0     // moving the vertices of a block in double, and its refit
#define START_COST 12.0   // a block's share of starting the kinetic tree, and of a segment's events
#define SPLIT_COST 150.0  // the same of a BoxTree
#define OPEN_COST 10.0    // opening two blocks in vain
#define GAIN_LEAST 0.7    // of what the present rule costs: what another one may cost at most
#define SEGMENTS_MOST 16u
#define TRIAL_AFTER 32u  // segments of linear boxes until least ones may be tried again
#define WIDE_LEAST \
    8.0  // a BoxTree is taken to be so much looser than linear boxes, if it is not known

void abut__choice_count(abut__choice* choice, uint32_t opened, uint32_t vain) {
    ++choice->states;
    choice->opened += opened;
    choice->vain += vain;
}

// what a rule opens in vain beyond what even least boxes do
static double open_cost(const abut__choice* choice, double vain) {
    const double least = choice->tight < choice->loose ? choice->tight : choice->loose;
    return vain > least ? OPEN_COST * (vain - least) : 0;
}

double abut__choice_cost(const abut__choice* choice, abut__rule rule, uint32_t blocks) {
    const double all = blocks;
    const double states = choice->states > 0 ? choice->states : 1;
    const double opened = (double)choice->opened / states;
    switch (rule) {
        case ABUT__RULE_LINEAR: return all / states + open_cost(choice, choice->loose);
        case ABUT__RULE_REFIT: return MOVE_COST * all + open_cost(choice, choice->tight);
        case ABUT__RULE_KINETIC:
            return START_COST * all / states + open_cost(choice, choice->tight);
        default:
            return SPLIT_COST * all / states +
                   open_cost(choice,
                             choice->split ? choice->wide : WIDE_LEAST * (choice->loose + opened));
    }
}

// how loose boxes were in the segment that has ended
static void note_looseness(abut__choice* choice) {
    const double a_state = choice->states > 0 ? (double)choice->vain / choice->states : 0;
    if (choice->rule == ABUT__RULE_LINEAR) {
        choice->loose = a_state;
        choice->segments = 0;
        if (++choice->age >= TRIAL_AFTER) {
            choice->tight = 0;
        }
        return;
    }
    if (choice->rule == ABUT__RULE_BOXTREE) {
        choice->wide = a_state;
        choice->split = true;
    } else {
        choice->tight = a_state;
        choice->age = 0;
    }
    ++choice->segments;
}

abut__rule abut__choice_next(abut__choice* choice, uint32_t blocks) {
    note_looseness(choice);
    abut__rule best = choice->rule;
    double least = GAIN_LEAST * abut__choice_cost(choice, best, blocks);
    for (int rule = 0; rule < ABUT__RULES; ++rule) {
        const double cost = abut__choice_cost(choice, (abut__rule)rule, blocks);
        if (cost < least) {
            best = (abut__rule)rule;
            least = cost;
        }
    }
    choice->rule = choice->segments >= SEGMENTS_MOST ? ABUT__RULE_LINEAR : best;
    choice->states = 0;
    choice->opened = choice->vain = 0;
    return choice->rule;
}
