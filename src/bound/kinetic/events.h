// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// The kinetic AABB tree as in Weller, Zachmann, "Kinetic Bounding Volume Hierarchies for Deformable
// Objects", 2006: it handles one event after the other, from a heap. It counts what the paper
// counts, and checks the batched form (aabb.h), which is faster. The two share neither kernels nor
// queue.
//
// It terminates: an event replaces a line by a steeper one (outwards), and lines that propagate to
// ancestors are steeper, too. No side ever returns to a line that is less steep, and there are
// finitely many lines. Coincident events, ties and rounding change only the order.
#ifndef ABUT_BOUND_KINETIC_EVENTS_H
#define ABUT_BOUND_KINETIC_EVENTS_H

#include "bound/kinetic/aabb.h"
#include "bound/kinetic/heap.h"
#include "bound/kinetic/line.h"

// A side of a node or block.
typedef struct abut__event_side {
    abut__line line;  // the extreme line
    uint32_t which;   // index of the vertex in the block, or of the child
} abut__event_side;

typedef struct abut__events {
    const abut_context* context;
    uint32_t block_count;
    uint32_t node_count;
    double part;
    const abut__tree* tree;
    abut__source source[2];
    abut__event_side (*sides)[ABUT__SIDES];  // per member, as in aabb.h; the root has none
    abut__heap heap;                         // of side numbers, six per member
    abut__kinetic_counts counts;
} abut__events;

// Starts at the beginning of a segment, whose vertices must be finite. False: no memory.
bool abut__events_init(abut__events* events, const abut_context* context, const abut__tree* tree,
                       const abut__source source[2]);
void abut__events_free(abut__events* events);
// Handles all events up to a part, which must not be before the last.
void abut__events_go(abut__events* events, double part);
// Returns the box of a node or block other than the root at the present part, without the pad.
abut__box3 abut__events_box(const abut__events* events, abut__ref ref);

#endif
