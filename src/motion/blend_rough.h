// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// All vertices of a blend state in float (motion/rough.h), where these cost less than bounds of
// nodes and points of blocks.
#ifndef ABUT_MOTION_BLEND_ROUGH_H
#define ABUT_MOTION_BLEND_ROUGH_H

#include "motion/blend.h"

// Returns what states of the shape cost, once its bounds are made.
abut__rough_costs abut__blend_costs(const abut_shape* shape);
// Computes all vertices of a new state if that pays after what queries did with `last`; `counts`
// NULL: it does not. The pad of the state covers their errors, as it does those of points.
void abut__blend_rough(const abut_shape* shape, const abut__state* state, const abut__state* last,
                       const abut__rough_counts* counts);

#endif
