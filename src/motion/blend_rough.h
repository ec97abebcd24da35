// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// All vertices of a blend state in float (motion/rough.h), where these cost less than bounds of
// nodes and points of blocks.
#ifndef ABUT_MOTION_BLEND_ROUGH_H
#define ABUT_MOTION_BLEND_ROUGH_H

#include "motion/blend.h"

// Whether there are so few fields that all vertices may be computed at once.
static inline bool abut__blend_may_be_rough(const abut__blend_state* own) {
    return own->field_count <= ABUT__BLEND_MOVES_MOST;
}
// Returns what states of the shape cost, once its bounds are made.
abut__rough_costs abut__blend_costs(const abut_shape* shape);
// Computes all vertices of a new state if that pays after what queries did with `last`; `counts`
// NULL: it does not. The pad of the state covers their errors, as it does those of points.
void abut__blend_rough(const abut_shape* shape, const abut__state* state, const abut__state* last,
                       const abut__rough_counts* counts);

#endif
