// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// The kinetic AABB tree as Weller and Zachmann have it in "Kinetic Bounding Volume Hierarchies for
// Deformable Objects", 2006: one event after the other, from a heap. It counts what the paper counts,
// and checks the batched form (aabb.h), which is faster; the two share neither kernels nor queue.
//
// It ends. An event puts in the place of a line one that is steeper (outwards), and what an event
// passes on to ancestors is steeper, too. No side ever gets back a line that is less steep, and there
// are finitely many: coincident events, ties and rounding only decide in what order they come.
#ifndef ABUT_BOUND_KINETIC_EVENTS_H
#define ABUT_BOUND_KINETIC_EVENTS_H

#include "bound/kinetic/aabb.h"
#include "bound/kinetic/heap.h"
#include "bound/kinetic/line.h"

// A side of a node or block.
typedef struct abut__event_side {
    abut__line line;  // that is extreme
    uint32_t which;   // place in the block, or child
} abut__event_side;

typedef struct abut__events {
    const abut_context* context;
    uint32_t block_count;
    uint32_t node_count;
    double part;
    const abut__tree* tree;
    abut__source source[2];
    abut__event_side (*sides)[ABUT__SIDES];  // per member, as in aabb.h; the root has none
    abut__heap heap;                         // of numbers of sides, six a member
    abut__kinetic_counts counts;
} abut__events;

// At the beginning of a segment, whose vertices are finite. False: no memory.
bool abut__events_init(abut__events* events, const abut_context* context, const abut__tree* tree,
                       const abut__source source[2]);
void abut__events_free(abut__events* events);
// Handles all events up to a part, which is not before the last.
void abut__events_go(abut__events* events, double part);
// The box of a node or block other than the root at the present part, not padded.
abut__box3 abut__events_box(const abut__events* events, abut__ref ref);

#endif
