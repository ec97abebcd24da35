// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// All vertices of a state in float at once, and boxes refitted from them. If a body is small, or
// queries open most of it, this is less work than to bound node after node and to evaluate block
// after block. Vertices in double, about which answers are exact, are still computed only where
// candidates need them (motion/whole.h computes all of these).
#ifndef ABUT_MOTION_ROUGH_H
#define ABUT_MOTION_ROUGH_H

#include "bound/refit.h"
#include "motion/motion.h"

typedef struct abut__rough {
    bool here;      // valid for this state
    uint32_t room;  // for vertices
    float* xyz;     // packed; each coordinate is off by at most the pad
    uint32_t node_room;
    abut__refit_boxes refit;  // grown by the pad
} abut__rough;

// Costs of a shape's states, in any unit.
typedef struct abut__rough_costs {
    double begin;  // of each state whose vertices are not all computed
    double node;   // bounding the children of a node, on average
    double block;  // evaluating a block, on average
    double all;    // computing all vertices and refitting,
    double read;   // and reading a block from them, on average
} abut__rough_costs;

// Work that the queries on a state made necessary.
typedef struct abut__rough_counts {
    uint32_t nodes;   // whose children were bounded
    uint32_t blocks;  // evaluated
} abut__rough_counts;

// Reads the counts of the last state. Sets that of nodes to 0, and leaves the other to
// abut__whole_begin().
abut__rough_counts abut__rough_count(abut__usage* usage);
// Whether all at once costs less in a state that needs as much as the last one, whose own is `last`.
bool abut__rough_pays(const abut__rough_costs* costs, const abut__rough* last,
                      abut__rough_counts counts);

// Computes the vertices of part `index` of a state into out.
typedef void abut__rough_mover(const abut_shape* shape, const abut__state* state, uint32_t index,
                               float* out);
// Computes all vertices, in `parts` tasks, and the boxes, grown by `pad`. Without memory, or if a
// coordinate is not finite, it is not `here`, which only costs time later. *place is NULL until it
// is first needed.
void abut__rough_make(const abut_shape* shape, const abut__state* state, abut__rough_mover* mover,
                      uint32_t parts, float pad, abut__rough** place);
void abut__rough_release(const abut_context* context, abut__rough* rough);

static inline bool abut__rough_is_here(const abut__rough* rough) {
    return rough != NULL && rough->here;
}

static inline abut__source abut__rough_source(const abut__rough* rough) {
    return abut__source_make(rough->xyz, 3 * sizeof *rough->xyz, false);
}

#endif
