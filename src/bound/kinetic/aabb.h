// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// The kinetic AABB tree of Weller, Zachmann, "Kinetic Bounding Volume Hierarchies for Deformable
// Objects", 2006, for wide nodes over blocks. A box is not six numbers but six vertices; while these
// stay the extreme ones, nothing has to be done, however many frames are drawn. When another vertex
// overtakes, an event says so.
//
// Time is the part of a segment between two keyframes, where every vertex moves on a line. A side that
// has the same extreme vertex at both ends has it throughout and waits for nothing. Of the others each
// knows when it is overtaken; a node or block waits in a calendar for the first of its six.
//
// Unlike in the paper, events are not handled one by one: going on to a time takes everything that is
// due, and looks at it once, children before their parents, as it is at that time, not at the times of
// the events. So one step looks at no node or block twice, which is never more than a refit does; and
// no chain of coincident events, ties, or rounding can keep it from ending. (The paper's way, for
// comparison: events.h.) Turning round, or going to another segment, starts anew: backwards, a segment
// is one whose ends have changed places.
//
// The pad. Let u = 2^-24 and S the greatest magnitude of a coordinate at both ends. In a block, floats
// are compared: a vertex now is off by 3 u S, the distance of two by 8 u S, the difference of slopes
// (up to 4 S) by 8 u S, the quotient adds 2 u S, and times are rounded towards the present. So when a
// side is said to hold, no vertex exceeds it by more than 18 u S. Vertices that end at most 16 u S
// above it do not count as overtaking it at all: by linearity they never exceed it by more than
// 17 u S, and for all others the difference of slopes is safely positive. In nodes, doubles are
// compared, and nothing worth mention is added from level to level. Rounding the vertices, the part
// and the boxes makes another 8 u S (motion/flight.h), and counting the part from the other end 2 u S.
// The pad is 2^-19 S = 32 u S.
#ifndef ABUT_BOUND_KINETIC_AABB_H
#define ABUT_BOUND_KINETIC_AABB_H

#include "bound/kinetic/calendar.h"
#include "simd/kernels.h"
#include "tree/patch.h"

#define ABUT__KINETIC_PAD 0x1p-19f        // of the extent
#define ABUT__KINETIC_TOLERANCE 0x1p-20f  // likewise

// What a kinetic structure did since it was made. Starts are not among the events.
typedef struct abut__kinetic_counts {
    uint64_t starts;       // at a keyframe, or when time turned round
    uint64_t steps;        // on in a segment
    uint64_t events;       // sides whose time had come
    uint64_t outer;        // of them, those where another line took over
    uint64_t updates;      // sides that got another line, ancestors included
    uint64_t visits;       // nodes and blocks looked at again
    uint64_t most_visits;  // in one step
    uint64_t mended;       // blocks with vertices that got other plans
    uint64_t rebuilds;     // nodes whose children were parted anew, in a BoxTree
} abut__kinetic_counts;

// The four measures of kinetic structures, at present.
typedef struct abut__kinetic_measures {
    double queue_per_node;         // waiting in the calendar (compactness)
    double certificates_per_node;  // sides that wait for a time
    uint32_t most_per_vertex;      // sides with a time that one vertex realises (locality)
    double events_per_vertex;      // since it was made
    double updates_per_event;      // (responsiveness)
    double outer_per_inner;        // changes of boxes over events (efficiency)
} abut__kinetic_measures;

// The two keyframes of a segment.
typedef struct abut__kinetic_segment {
    abut__source source[2];
    const abut__boxes8* boxes[2];  // of a refit at both
    uint32_t key[2];               // what keeps them apart
    float extent;                  // the greatest magnitude of a coordinate
} abut__kinetic_segment;

// Blocks come first in what is kept for both: member b is a block, member block_count + n a node. The
// root waits for nothing, since no box of it is kept.
typedef struct abut__kinetic {
    const abut_context* context;
    uint32_t block_count;
    uint32_t node_count;
    uint32_t key[2];  // of the points; ABUT__NONE: none
    bool back;        // time runs backwards: the later key comes first in all that is kept
    float part;       // of the segment where the boxes are right; < 0: nowhere
    float extent;     // the greatest since it was last started
    float tolerance;
    bool edited;                    // it is another tree's, but for what has yet to be mended
    uint32_t* first;                // per block, and one more: its first group of 16 vertices
    float* points[2];               // per block: rows of x, y, z
    abut__boxes8* ends[2];          // per node: the extreme lines of its children, at both ends
    float (*next)[ABUT__SIDES];     // per member
    uint8_t (*which)[ABUT__SIDES];  // per member: place in the block, or child
    uint8_t* due;                   // per node: sides to look at
    uint64_t* dirty;                // a bit per node: whether there are such
    uint32_t* list;                 // room for all members
    abut__calendar calendar;
    abut__kinetic_counts counts;
} abut__kinetic;

// NULL: no memory
abut__kinetic* abut__kinetic_make(const abut_context* context, const abut__tree* tree);
void abut__kinetic_free(abut__kinetic* kinetic);
// Makes the boxes right for a part (0 .. 1) of a segment: afterwards the interpolation of both ends,
// grown by the pad, holds all vertices, and is the least such box but for the pad. All vertices are
// finite.
void abut__kinetic_go(abut__kinetic* kinetic, const abut__tree* tree,
                      const abut__kinetic_segment* segment, float part);
// After the positions of some vertices changed at both ends: makes the marked blocks, one bit each, and
// what follows from them above right again, at the cost of these. If the segment is not
// the present one, everything is forgotten.
void abut__kinetic_mend(abut__kinetic* kinetic, const abut__tree* tree,
                        const abut__kinetic_segment* segment, const uint64_t* blocks);
// One for an edited tree: all that is known of nodes and blocks that are as they were is taken over, and
// the rest has to be mended before it is used. NULL: nothing is known, or there is no memory.
abut__kinetic* abut__kinetic_descend(const abut__kinetic* before, const abut__tree* tree,
                                     const abut__descent* descent);
// Mends it: the same as above for what has changed in the tree.
void abut__kinetic_mend_edit(abut__kinetic* kinetic, const abut__tree* tree,
                             const abut__kinetic_segment* segment, const abut__descent* descent);
// After the positions of a keyframe changed in any other way.
void abut__kinetic_forget(abut__kinetic* kinetic);
// The vertex that realises a side of a node or block other than the root.
uint32_t abut__kinetic_vertex(const abut__kinetic* kinetic, const abut__tree* tree, abut__ref ref,
                              uint32_t side);
// False: no memory.
bool abut__kinetic_measure(const abut__kinetic* kinetic, const abut__tree* tree,
                           uint32_t vertex_count, abut__kinetic_measures* out);

// The lines at the earlier (0) or later (1) key, per node: the boxes of its children.
static inline const abut__boxes8* abut__kinetic_end(const abut__kinetic* kinetic, int end) {
    return kinetic->ends[kinetic->back ? 1 - end : end];
}

// where a side of child k is among eight boxes
static inline float* abut__kinetic_lane(abut__boxes8* boxes, uint32_t side, uint32_t k) {
    return side < 3 ? &boxes->lo[side][k] : &boxes->hi[side - 3][k];
}

#endif
