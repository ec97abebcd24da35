// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Chooses what bounds a state of a flight body: the rule that its shape was made with, or one
// chosen for the segment (bound/choose.h). Linear boxes always exist. A body has one kinetic tree
// or BoxTree, which moves from state to state; without memory for it linear boxes are used.
#ifndef ABUT_MOTION_RULES_H
#define ABUT_MOTION_RULES_H

#include "motion/flight.h"

// Called once per new state, when its ends and pads are set.
void abut__rules_begin(const abut_shape* shape, abut__state* state, const abut__state* last,
                       abut__usage* usage, abut__demand demand, abut__whole_mover* mover);
// For a state of an edited shape: takes over from a state of the shape before the choice, and the
// trees whose segments continue unchanged.
void abut__rules_descend(const abut_shape* shape, abut__flight_state* own,
                         const abut__flight_state* from);
// Returns the boxes of a node's children by the rule of the state, in the shape's axes; lanes
// without a child are empty.
void abut__rules_bound(const abut_shape* shape, const abut__flight_state* own, uint32_t node,
                       abut__boxes8* out);
// Counts of a flight body's kinetic tree or BoxTree since it was made, and the usual measures of
// kinetic data structures: compactness (queue_per_node, certificates_per_node), locality
// (most_per_vertex), efficiency (outer_per_inner), responsiveness (updates_per_event). For tests,
// benchmarks and figures.
typedef struct abut__kinetic_stats {
    abut_flight_bound bound;  // in this state; AUTO where all vertices were moved
    uint64_t
        bounded;  // nodes and blocks visited to make the boxes at the ends of the current segment:
                  // all of them, twice, or after an edit those that it changed
    // all that follows is 0 unless the state has a kinetic tree or a BoxTree
    uint32_t nodes;           // nodes and blocks: what a refit visits with every state
    uint64_t starts;          // new segments, or time reversed
    uint64_t steps;           // states that continued the last one
    uint64_t events;          // sides, or planes, whose vertex was overtaken
    uint64_t updates;         // of these that got another vertex, those above included
    uint64_t visits;          // nodes and blocks examined, in a kinetic tree at most once a step
    uint64_t most_visits;     // in one step of a kinetic tree
    uint64_t blocks_updated;  // blocks changed by plans for some vertices, or by edits
    uint64_t rebuilds;        // nodes of a BoxTree that were parted anew
    double queue_per_node;    // what waits for an event at present
    double certificates_per_node;  // sides that have one to come
    uint32_t most_per_vertex;      // of these, those of one and the same vertex
    double events_per_vertex;      // so far
    double updates_per_event;
    double outer_per_inner;  // events that changed a box, over all
} abut__kinetic_stats;

// Linear time. False: no memory.
bool abut__rules_measure(const abut_shape* shape, const abut__flight_state* own,
                         abut__kinetic_stats* out);
void abut__rules_release(const abut_context* context, abut__flight_state* own);

#endif
