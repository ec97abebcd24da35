// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// The kinetic AABB tree as in Weller, Zachmann, "Kinetic Bounding Volume Hierarchies for Deformable
// Objects", 2006: it handles one event after the other, from a heap. It counts what the paper
// counts, and checks the batched form (aabb.h), which is faster. The two share neither kernels nor
// queue.
//
// Time runs from keyframe to keyframe: keyframe k is at time k. An event is searched in the present
// segment, then in the following ones, up to the last (algorithm 3 of the paper, which does not
// end). So a keyframe is no event by itself, and nothing starts anew there.
//
// It terminates: within a segment, an event replaces a line by a steeper one (outwards), and lines that propagate to
// ancestors are steeper, too. No side ever returns to a line that is less steep, and there are
// finitely many lines. Coincident events, ties and rounding change only the order.
#ifndef ABUT_BOUND_KINETIC_EVENTS_H
#define ABUT_BOUND_KINETIC_EVENTS_H

#include "bound/kinetic/aabb.h"
#include "bound/kinetic/heap.h"
#include "bound/kinetic/line.h"

// A side of a node or block.
typedef struct abut__event_side {
    uint32_t vertex;  // the extreme one
    uint32_t which;   // its index in the block, or that of the child
} abut__event_side;

typedef struct abut__events {
    const abut_context* context;
    uint32_t block_count;
    uint32_t node_count;
    double time;
    const abut__tree* tree;
    const abut__source* keys;
    uint32_t key_count;
    abut__event_side (*sides)[ABUT__SIDES];  // per member, as in aabb.h; the root has none
    abut__heap heap;                         // of side numbers, six per member
    abut__kinetic_counts counts;
} abut__events;

// Starts at the first of at least two keyframes, which must outlive it and be finite. False: no
// memory.
bool abut__events_init(abut__events* events, const abut_context* context, const abut__tree* tree,
                       const abut__source* keys, uint32_t key_count);
void abut__events_free(abut__events* events);
// Handles all events up to a time, which must not be before the last.
void abut__events_go(abut__events* events, double time);
// Returns the box of a node or block other than the root at the present time, without the pad.
abut__box3 abut__events_box(const abut__events* events, abut__ref ref);

#endif
