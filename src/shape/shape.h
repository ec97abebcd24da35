// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Creates shapes and shapes derived from them.
#ifndef ABUT_SHAPE_SHAPE_H
#define ABUT_SHAPE_SHAPE_H

#include "motion/motion.h"
#include "simd/layout.h"

// Creates a shape of a motion, which need not be in the list of motions. The arguments must be
// valid, and so must the members of `def` that all motions use.
abut_status abut__shape_create_with(abut_context* context, const abut_mesh* mesh,
                                    const abut_shape_def* def, const abut__motion* motion,
                                    abut_shape** shape, abut_error* error);
// Adds a reference to a shape; abut_shape_destroy() releases it.
void abut__shape_hold(const abut_shape* shape);

// Returns the same shape with its degraded blocks (one byte per block) rebuilt for the given
// positions.
abut_status abut__shape_rebuild_blocks(const abut_shape* shape, const uint8_t* degraded,
                                       abut_positions positions, abut_shape** rebuilt,
                                       abut_edit_work* work, abut_error* error);

// Measures how good the tree is for positions, by its own refit, so that it means the same for all
// motions.
abut_status abut__shape_measure(const abut_shape* shape, abut__source source,
                                abut_tree_stats* stats, abut_error* error);

#endif
