// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Chooses what bounds a state of a flight body: the rule that its shape was made with, or one
// chosen for the segment (bound/choose.h). Linear boxes always exist. A body has one kinetic tree
// or BoxTree, which moves from state to state; without memory for it linear boxes are used.
#ifndef ABUT_MOTION_RULES_H
#define ABUT_MOTION_RULES_H

#include "abut/body.h"
#include "motion/flight.h"

// Called once per new state, when its ends and pads are set.
void abut__rules_begin(const abut_shape* shape, abut__state* state, const abut__state* last,
                       abut__usage* usage, abut__whole_mover* mover);
// For a state of an edited shape: takes over from a state of the shape before the choice, and the
// trees whose segments continue unchanged.
void abut__rules_descend(const abut_shape* shape, abut__flight_state* own,
                         const abut__flight_state* from);
// Returns the boxes of a node's children by the rule of the state, in the shape's axes; lanes
// without a child are empty.
void abut__rules_bound(const abut_shape* shape, const abut__flight_state* own, uint32_t node,
                       abut__boxes8* out);
// See abut_body_kinetic_stats(); false: no memory.
bool abut__rules_measure(const abut_shape* shape, const abut__flight_state* own,
                         abut_kinetic_stats* out);
void abut__rules_release(const abut_context* context, abut__flight_state* own);

#endif
