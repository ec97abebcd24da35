// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Chooses between the rules that bound flight bodies.
#include "bound/choose.h"

// Costs in units of the refit of a block. Those of a segment are what `abut bench kinetic --tables
// --rows 'costs of a segment'` prints: the time of 30 states between two keyframes over that of a
// refit, with the boxes of the keyframe, the entry into the segment, and all its events. Cloth,
// dress and shirt of 16k to 580k triangles take 4.5 to 8 refits with a kinetic tree, and 7 to 19
// with a BoxTree.
#define MOVE_COST 2.0    // moving the vertices of a block in double, and refitting it
#define START_COST 7.0   // per block: a segment of the kinetic tree
#define SPLIT_COST 12.0  // the same for a BoxTree
#define OPEN_COST 10.0   // opening two blocks without a candidate
#define GAIN_LEAST 0.7   // a new rule must cost at most this part of the present one
#define SEGMENTS_MOST 16u
#define TRIAL_AFTER 32u  // segments of linear boxes until tight ones may be tried again
#define WIDE_LEAST \
    8.0  // assumed ratio of a BoxTree's false opens to those of linear boxes, until measured

void abut__choice_count(abut__choice* choice, uint32_t opened, uint32_t false_opens) {
    ++choice->states;
    choice->opened += opened;
    choice->false_opens += false_opens;
}

// Returns the cost of the false opens of a rule beyond those of the tightest boxes.
static double open_cost(const abut__choice* choice, double false_opens) {
    const double least = choice->tight < choice->loose ? choice->tight : choice->loose;
    return false_opens > least ? OPEN_COST * (false_opens - least) : 0;
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

// Records the false opens of the segment that has ended.
static void note_looseness(abut__choice* choice) {
    const double a_state = choice->states > 0 ? (double)choice->false_opens / choice->states : 0;
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
    choice->opened = choice->false_opens = 0;
    return choice->rule;
}
