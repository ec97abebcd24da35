// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Which rule bounds a body between two of its keyframes. All are right; they differ in what they cost
// at the beginning of a segment, with every state, and in blocks that are opened in vain since boxes
// are loose. These are counted, and what a rule would have cost in the last segment is what it is
// judged by: no clock. A rule is left only for one that is clearly cheaper. What tighter boxes save is
// known only when they have been tried, so they are, and how loose linear boxes are is found out anew
// now and then.
#ifndef ABUT_BOUND_CHOOSE_H
#define ABUT_BOUND_CHOOSE_H

#include <stdbool.h>
#include <stdint.h>

typedef enum abut__rule {
    ABUT__RULE_LINEAR = 0,  // boxes of both keys, interpolated (bound/linear.h)
    ABUT__RULE_REFIT,  // all vertices moved, and boxes made anew, with every state (bound/refit.h)
    ABUT__RULE_KINETIC,  // the kinetic AABB tree (bound/kinetic/aabb.h)
    ABUT__RULE_BOXTREE,  // the kinetic BoxTree (bound/kinetic/boxtree.h)
    ABUT__RULES,
} abut__rule;

typedef struct abut__choice {
    abut__rule rule;
    uint32_t states;    // set in the present segment
    uint64_t vain;      // pairs of blocks, in it, that were opened and came to nothing
    uint64_t opened;    // blocks, in it
    double loose;       // the first a state, when boxes were last linear,
    double tight;       // when they were last least; 0: not known, or too long ago,
    double wide;        // and when they were last those of a BoxTree,
    bool split;         // if ever
    uint32_t segments;  // since boxes were last linear,
    uint32_t age;       // or of linear ones since they were last least
} abut__choice;

// Counts one more state of the present segment, and what queries did with the last one.
void abut__choice_count(abut__choice* choice, uint32_t opened, uint32_t vain);
// The rule for the next segment of a body with so many blocks.
abut__rule abut__choice_next(abut__choice* choice, uint32_t blocks);
// What a rule costs a state, in refits of a block, by the counts so far; what any rule would open is
// left out.
double abut__choice_cost(const abut__choice* choice, abut__rule rule, uint32_t blocks);

#endif
