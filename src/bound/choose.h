// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Chooses the rule that bounds a body between two of its keyframes. All rules are conservative.
// They differ in their costs per segment and per state, and in the false opens: blocks that queries
// open without a candidate because boxes are loose. These are counted, and the choice compares the
// cost of each rule in the last segment, without a clock. It leaves a rule only for one that is
// clearly cheaper. What tighter boxes save is known only after a trial, so they are tried, and
// linear boxes now and then again.
#ifndef ABUT_BOUND_CHOOSE_H
#define ABUT_BOUND_CHOOSE_H

#include <stdbool.h>
#include <stdint.h>

typedef enum abut__rule {
    ABUT__RULE_LINEAR = 0,  // boxes of both keyframes, interpolated (bound/linear.h)
    ABUT__RULE_REFIT,    // all vertices moved and boxes refitted with every state (bound/refit.h)
    ABUT__RULE_KINETIC,  // the kinetic AABB tree (bound/kinetic/aabb.h)
    ABUT__RULE_BOXTREE,  // the kinetic BoxTree (bound/kinetic/boxtree.h)
    ABUT__RULES,
} abut__rule;

typedef struct abut__choice {
    abut__rule rule;
    uint32_t states;       // in the present segment
    uint64_t false_opens;  // in it: pairs of blocks opened without a candidate
    uint64_t opened;       // blocks, in it
    double loose;          // false opens per state, when boxes were last linear,
    double tight;          // when they were last tight (0: unknown or too long ago),
    double wide;           // and when they were last those of a BoxTree,
    bool split;            // which was used at least once
    uint32_t segments;     // since boxes were last linear,
    uint32_t age;          // or of linear segments since they were last tight
} abut__choice;

// Counts one more state of the present segment, and the opens of the queries on the previous state.
void abut__choice_count(abut__choice* choice, uint32_t opened, uint32_t false_opens);
// Returns the rule for the next segment of a body with so many blocks.
abut__rule abut__choice_next(abut__choice* choice, uint32_t blocks);
// Returns the cost of a rule per state, in refits of a block, by the counts so far, without the
// blocks that any rule would open.
double abut__choice_cost(const abut__choice* choice, abut__rule rule, uint32_t blocks);

#endif
