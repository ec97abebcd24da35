// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// The kinetic AABB tree of Weller, Zachmann, "Kinetic Bounding Volume Hierarchies for Deformable
// Objects", 2006, for wide nodes over blocks. A box is stored as its six extreme vertices. While
// these stay extreme, a frame costs nothing. When another vertex overtakes one of them, there is an
// event.
//
// Time is the part of a segment between two keyframes, where every vertex moves on a line. A side
// with the same extreme vertex at both ends has it throughout and has no event. The extreme vertex
// of each other side of a block depends on this block alone, so all its changes in the segment are
// found when the segment is entered (side_lines.h), and sorted by time (side_events.h). A side of a
// node stores the time when another child overtakes the one that it holds. A node waits in a
// calendar queue for the first event of its six sides. When the line of the held child changes, it
// is copied upwards. A block that gets other flight plans within a segment is *alone* up to the end
// of it: it forgets its events and waits in the calendar, too.
//
// Certificates reach across keyframes (algorithm 3 of the paper). A side keeps its vertex in the
// next segment if that vertex is extreme at the next keyframe, too. This takes one comparison with
// the box of that keyframe, which a refit has made for linear boxes. Only sides that fail it look
// at their vertices. So a keyframe costs as much as changes there. The vertex that a side has is
// only a guess, and boxes of both keyframes prove or refute it, so any segment may follow any other.
// Where the refits have also found the extreme vertices themselves, the guess is not needed: two
// words per block tell which sides keep theirs, and the lines of these are sides of the boxes
// (aabb_places.c).
//
// Unlike in the paper, events are not handled one by one. A step to a time takes all events that
// are due. It gives blocks their lines at that time, and then evaluates each node that has an event
// once, children before parents, at that time rather than at the times of the events. So a step
// never evaluates more than a refit, and it terminates in spite of coincident events, ties and
// rounding. (events.h follows the paper, for comparison.) Backwards in time, a segment has its ends
// swapped. A change of direction enters it anew.
//
// The pad. Let u = 2^-24 and S the greatest magnitude of a coordinate at both ends. Vertices that
// end at most 16 u S above the vertex that a side holds at the beginning do not count as overtaking
// it. As that one is extreme at the beginning up to 16 u S, too, and these differences are off by u
// S, by linearity they never exceed it by more than 17 u S. The others overtake it at times that
// are computed in double and rounded up to float. So a side changes its line too late by at most u,
// and as slopes differ by at most 4 S, another line exceeds it by at most 4 u S until then. A line
// that is copied upwards never ends below the old one. A child that changes its line may exceed the
// child that its node holds by these 4 u S. So no vertex exceeds a side by more than 21 u S.
//
// Blocks that are alone compare floats: a vertex at the present time is off by 3 u S, the distance
// of two by 8 u S, the difference of slopes by 8 u S, the quotient adds 2 u S, and times are rounded
// towards the present. So while a side is valid, no vertex exceeds it by more than 18 u S. Those
// that end at most 16 u S above it do not count. For all others the difference of slopes is safely
// positive. Nodes compare doubles, and the error that levels add is negligible. Rounding the
// vertices, the part and the boxes adds 8 u S (motion/flight.h), and counting the part from the
// other end 2 u S. The pad is 2^-19 S = 32 u S.
#ifndef ABUT_BOUND_KINETIC_AABB_H
#define ABUT_BOUND_KINETIC_AABB_H

#include "bound/kinetic/calendar.h"
#include "bound/kinetic/key_points.h"
#include "bound/kinetic/side_events.h"
#include "bound/refit.h"
#include "tree/patch.h"
#include "tree/stretches.h"

#define ABUT__KINETIC_PAD 0x1p-19f        // relative to the extent
#define ABUT__KINETIC_TOLERANCE 0x1p-20f  // likewise

// Counts of a kinetic structure since it was made. Starts do not count as events.
typedef struct abut__kinetic_counts {
    uint64_t starts;          // segments entered, also by a change of direction
    uint64_t renewals;        // sides whose vertex was not extreme at both ends of the segment
    uint64_t steps;           // forward in a segment
    uint64_t events;          // sides that were due
    uint64_t outer;           // of them, those that got another line
    uint64_t updates;         // sides that got another line, in ancestors, too
    uint64_t visits;          // nodes and blocks evaluated again
    uint64_t most_visits;     // in one step
    uint64_t blocks_updated;  // blocks whose vertices got other flight plans
    uint64_t rebuilds;        // nodes whose children were split again, in a BoxTree
} abut__kinetic_counts;

// The four measures of kinetic structures (compactness, locality, responsiveness, efficiency).
typedef struct abut__kinetic_measures {
    double queue_per_node;         // entries in the calendar (compactness)
    double certificates_per_node;  // sides with an event
    uint32_t most_per_vertex;      // sides with an event that have the same extreme vertex
                                   // (locality)
    double events_per_vertex;      // since it was made
    double updates_per_event;      // (responsiveness)
    double outer_per_inner;        // changes of boxes over events (efficiency)
} abut__kinetic_measures;

// The two keyframes of a segment.
typedef struct abut__kinetic_segment {
    abut__source source[2];
    const abut__boxes8* boxes[2];  // of a refit at both ends
    // per block, where the extreme vertices are at both ends; NULL: unknown
    const abut__side_places* places[2];
    uint32_t key[2];                   // numbers of the keyframes
    float extent;                      // the greatest magnitude of a coordinate
    const abut__stretches* stretches;  // may be NULL: speed up positions that are packed floats
} abut__kinetic_segment;

// What a member holds: per side the extreme vertex of a block, or the slot of a node's extreme
// child; the last step that counted it; and whether a block is alone: its events are not in the
// side_events but wait in the calendar, as those of nodes do.
#define ABUT__HELD_STEP 6
#define ABUT__HELD_ALONE 7
#define ABUT__HELD 8

// Arrays per member have the blocks first: member b is a block, member block_count + n a node. The
// root has no events, since its box is not stored.
typedef struct abut__kinetic {
    const abut_context* context;
    uint32_t block_count;
    uint32_t node_count;
    bool back;     // time runs backwards: the later keyframe comes first in all arrays
    float part;    // where the boxes are valid; < 0: nowhere
    float extent;  // the greatest since the last start
    float tolerance;
    atomic_bool lonely;  // some block may be alone
    // Of a segment that was entered by places; NULL otherwise. A side whose places at both ends are
    // equal has the vertex that they say, and what it holds has no meaning.
    const abut__side_places* places[2];
    const abut__stretches* stretches;
    bool edited;                    // data come from another tree; what the edit changed must still
                                    // be repaired
    abut__key_points points;        // and the keyframes of the segment
    abut__boxes8* ends[2];          // per node: the extreme lines of its children, at both ends
    float (*next)[ABUT__SIDES];     // per node, and block that is alone: when sides are overtaken
    uint32_t (*held)[ABUT__HELD];   // per member
    abut__side_events side_events;  // events of blocks that are not alone
    uint8_t* renewed;               // per member: sides that were computed at the last entry
    uint8_t* due;                   // per node: sides to evaluate
    uint64_t* dirty;                // a bit per node: `due` is not 0
    uint32_t* list;                 // room for all members
    uint64_t* marks;  // a bit per node: lines of its children are not those of the last state
    uint64_t serial;  // counts states, over edits; a new segment leaves one out, because all lines
                      // change; unique in the context
    bool settled;     // the next change belongs to the next state
    abut__calendar calendar;
    abut__kinetic_counts counts;
} abut__kinetic;

// NULL: no memory
abut__kinetic* abut__kinetic_make(const abut_context* context, const abut__tree* tree);
void abut__kinetic_free(abut__kinetic* kinetic);
// Moves to a part (0 .. 1) of a segment, whose vertices must be finite. Afterwards the
// interpolation of both ends, grown by the pad, contains all vertices, and is the least such box up
// to the pad.
void abut__kinetic_go(abut__kinetic* kinetic, const abut__tree* tree,
                      const abut__kinetic_segment* segment, float part);
// Repairs the marked blocks, one bit each, and the nodes above them, after the positions of some of
// their vertices changed at both ends. The cost depends on these only. If the segment is not the
// present one, it forgets everything.
void abut__kinetic_update(abut__kinetic* kinetic, const abut__tree* tree,
                          const abut__kinetic_segment* segment, const uint64_t* blocks);
// Returns a structure for an edited tree, which takes over the data of unchanged nodes and blocks.
// The rest must be repaired before use. NULL: there is no valid data, or no memory.
abut__kinetic* abut__kinetic_descend(const abut__kinetic* before, const abut__tree* tree,
                                     const abut__descent* descent);
// Repairs what the edit changed, like abut__kinetic_update().
void abut__kinetic_update_edited(abut__kinetic* kinetic, const abut__tree* tree,
                                 const abut__kinetic_segment* segment,
                                 const abut__descent* descent);
// Drops all data. To be called after the positions of a keyframe changed in any other way.
void abut__kinetic_forget(abut__kinetic* kinetic);
// Returns the extreme vertex of a side of a node or block other than the root.
uint32_t abut__kinetic_vertex(const abut__kinetic* kinetic, const abut__tree* tree, abut__ref ref,
                              uint32_t side);
// False: no memory.
bool abut__kinetic_measure(const abut__kinetic* kinetic, const abut__tree* tree,
                           uint32_t vertex_count, abut__kinetic_measures* out);

// Returns the extreme lines at the earlier (0) or later (1) keyframe, per node: boxes of its
// children.
static inline const abut__boxes8* abut__kinetic_end(const abut__kinetic* kinetic, int end) {
    return kinetic->ends[kinetic->back ? 1 - end : end];
}

// Returns the place of a side of child k among eight boxes. Sides follow each other in memory, and
// a branch could not be predicted.
static inline float* abut__kinetic_lane(abut__boxes8* boxes, uint32_t side, uint32_t k) {
    _Static_assert(sizeof *boxes == ABUT__SIDES * ABUT__FAN * sizeof(float), "eight boxes");
    return (float*)(void*)boxes + ((size_t)ABUT__FAN * side + k);
}

#endif
