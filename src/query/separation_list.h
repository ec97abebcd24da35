// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// The kinetic separation list of two bodies, or of one with itself: the pairs of nodes where a
// traversal ends, and until when it will end there. Based on the kinetic incremental collision
// detection of Weller, Zachmann, "Kinetic Bounding Volume Hierarchies for Deformable Objects",
// 2006, for trees of any fan-out, with boxes that are interpolated between two instants
// (bound/linear.h).
//
// Contents. A pair of tree nodes that overlap is *opened*: all children of one meet all children of
// the other, up to 64 *lanes*. The list consists of the lanes of all opened pairs that are not
// opened themselves: lanes that are apart, and overlapping pairs of blocks. An opened pair has one
// event, the first of its lanes': a lane that was apart overlaps (BV-overlap: it is opened, or is
// an overlapping pair of blocks), an opened lane separates (fathers-do-not-overlap: everything
// below it is removed at once), two blocks separate (leaves-do-not-overlap). At an event all lanes
// of the pair are examined again, sixteen at a time. When boxes change (BV-change: a keyframe was
// passed, or plans changed) the pairs that use these boxes are examined again, from the top. When a
// shape was edited, and its nodes stayed (tree/patch.h), numbers change: pairs keep the lanes whose
// children still exist, and pairs that use changed boxes are examined likewise.
//
// A kinetic AABB tree (bound/kinetic/aabb.h) has tighter boxes: each side follows the line of its
// extreme vertex, and an event of the tree gives it another line. The list uses the present lines,
// and their intervals are right until they change. The tree tells in which nodes it has changed
// lines since the last state, and the pairs with these nodes are examined again (BV-change, too).
// So the list is that of a new traversal with the tree's present boxes.
//
// Gaps. In a *window* of time in which both bodies' boxes are linear, on each axis the gap in front
// of a box and the one behind it are linear: g(x) = g0 + x (g1 - g0), where x in [0, 1] is the part
// of the window. Boxes are apart as long as one of the six gaps is positive. A gap that closes is
// positive before some x, one that opens after some x. So boxes overlap in an interval, from the
// last closing to the first opening, perhaps an empty one. The axis whose gap closes last is the
// witness.
//
// Rounding. All is float, and a gap is what is computed: fl(g0 + fl(x fl(g1 - g0))). As rounding
// preserves order this is a monotone function of x, so it changes its sign once, and the intervals
// are exact for some x that is close to the computed root g0 / -(g1 - g0): near the root the sum is
// exact to u |slope| with u = 2^-24, the product as well, and the division to u. That is below 4 u
// together, and times are taken 8 u early. Slopes below 2^-100 may underflow and are not used: such
// a lane is due at once. So the list at x is that of a new traversal with the same gaps at x:
// nothing is missed, however late or early events are processed. The pad covers the error of the
// gaps against the boxes' true ones. Let S be the sum of both extents, the distance of the origins
// and the margin. Boxes at the ends of a window within a segment are off by 3 u S, their shift and
// difference by 3 u S, x, the slope, the product and the sum by 4 u S, 4 u S, 4 u S and 2 u S. That
// is 20 u S; rotated boxes and shifts need less than 16 u S (body/body.h, query/run.c). The pad is
// 64 u S, in addition to those of the segments.
//
// Termination. Going to an instant examines an opened pair at most twice: once when it is due, once
// when it is made. Its next event is after that instant, whatever was computed. Events that
// coincide, velocities of 0 and rounding change only the order in which pairs are examined, and the
// result is the same: the list is a function of x alone.
//
// Two forms. *Event by event* the queue is a heap that returns one pair after the other. *Batched*
// it is a calendar that returns all pairs due since the last step at once: cheaper, and the list is
// the same.
#ifndef ABUT_QUERY_SEPARATION_LIST_H
#define ABUT_QUERY_SEPARATION_LIST_H

#include "bound/kinetic/calendar.h"
#include "bound/kinetic/heap.h"
#include "query/query.h"

typedef enum abut__list_form {
    ABUT__LIST_BATCHED,
    ABUT__LIST_BY_EVENT,
} abut__list_form;

// An opened pair.
typedef struct abut__opened {
    uint32_t node[2];  // whose children meet; for a block its parent, with only the block's lanes
    uint64_t valid;    // existing lanes 8 i + j: child i of the first and child j of the second
    uint64_t always;   // lanes of children with themselves
    uint64_t inner;    // lanes that are opened if they overlap; the others are pairs of blocks
    uint64_t overlap;  // lanes that overlap
    uint32_t parent;   // the pair that this one is a lane of; ABUT__NONE: the root, or unused
    uint32_t first;    // opened lane, by ascending lanes; ABUT__NONE: none
    uint32_t next;     // opened lane of the parent, or the next unused pair
    float due;         // nothing changes before; infinity: in this window
    uint32_t leaf;     // its index among those with leaves; ABUT__NONE: it has none
    uint32_t user_next[2];  // pairs with the same node, for sides with boxes of a kinetic tree
    uint32_t user_previous[2];
    uint8_t lane;        // of the parent
    uint8_t box_count;   // boxes that are compared,
    uint8_t pair_count;  // and pairs of them
    bool used;
} abut__opened;

// A body's part in a list.
typedef struct abut__list_side {
    const abut__body* body;
    bool moves;  // by its segment; otherwise it rests in its state
    bool tight;  // its boxes are those of a kinetic tree, which changes them at its own events
    abut__segment segment;
    bool whole;     // the window is the whole segment
    float part[2];  // of the segment, at the ends of the window
    abut__turn turn;
    // what the list was made for:
    abut_frame frame;
    uint64_t serial;  // of the shape
    uint64_t stamp;   // of a body that rests
} abut__list_side;

typedef struct abut__list_counts {
    uint64_t events;    // opened pairs that were due
    uint64_t looked;    // opened pairs that were examined, for whatever reason
    uint64_t met;       // lanes that began to overlap
    uint64_t parted;    // lanes that ceased to overlap
    uint64_t windows;   // times that everything was examined
    uint64_t repaired;  // times that a part was, because boxes changed
    uint64_t edits;     // times that it followed an edited shape
    uint64_t changed;   // opened pairs that were examined because a kinetic tree changed boxes
} abut__list_counts;

typedef struct abut__list {
    const abut_context* context;
    abut__list_form form;
    uint32_t owner[2];  // for the owner of the list: the bodies that it was made for
    bool self;
    bool ready;
    abut__list_side side[2];
    double margin;
    double from;  // the window
    double to;
    float part;  // of the window: the current instant
    abut__shift shift;
    ABUT__VECTOR(abut__opened) opened;  // the first is the root
    uint32_t unused;                    // the first unused pair
    abut__calendar calendar;
    abut__heap heap;
    abut__uint32s todo;   // opened pairs to be examined
    abut__uint32s leafy;  // opened pairs with overlapping pairs of blocks, or self ones
    bool in_order;        // the leafy ones are in the order of the descent
    bool has_users;
    abut__uint32s users[2];  // per node of a side: the first opened pair with it (list_users.h)
    size_t entry_count;      // lanes that are not opened
    size_t leaf_count;  // those that are overlapping pairs of blocks, or blocks with themselves
    size_t opened_count;
    abut__list_counts counts;
    const abut__job* job;  // of the current call
    abut_counters* work;   // likewise
} abut__list;

// NULL: no memory
abut__list* abut__list_make(const abut_context* context, abut__list_form form);
void abut__list_free(abut__list* list);
// Removes all pairs, but keeps the memory.
void abut__list_empty(abut__list* list);

// Whether a job can have a list: the motion of at least one body is known ahead, and the other
// one's, too, at the same time, or it rests. `rests` says so of a and b; a static body always
// rests.
bool abut__list_fits(const abut__job* job, const bool rests[2], abut__list_side sides[2]);
// Brings the list to the current instant; counts boxes that are bounded and tested. False: no
// memory; the list is empty then.
bool abut__list_go(abut__list* list, const abut__job* job, double margin,
                   const abut__list_side sides[2], abut_counters* work);
// Appends the overlapping pairs of blocks as entries of a job, and for self jobs blocks with
// themselves and links. False: no memory.
bool abut__list_leaves(abut__list* list, const abut__job* job, uint32_t job_index,
                       abut__entries* entries);

#endif
