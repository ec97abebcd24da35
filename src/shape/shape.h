// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Making shapes, and others from them.
#ifndef ABUT_SHAPE_SHAPE_H
#define ABUT_SHAPE_SHAPE_H

#include "motion/motion.h"
#include "simd/layout.h"

// Makes a shape of a motion, which need not be in the list of motions. The arguments are valid, and
// so is what every motion takes of `def`.
abut_status abut__shape_create_with(abut_context* context, const abut_mesh* mesh,
                                    const abut_shape_def* def, const abut__motion* motion,
                                    abut_shape** shape, abut_error* error);
// One more holder of a shape; abut_shape_destroy lets go.
void abut__shape_hold(const abut_shape* shape);

// The same shape with its worn blocks (one byte a block) built anew for the given positions.
abut_status abut__shape_renew(const abut_shape* shape, const uint8_t* worn,
                              abut_positions positions, abut_shape** renewed, abut_edit_work* work,
                              abut_error* error);

// How good the tree is for positions, by a refit of its own, so that it means the same for every motion.
abut_status abut__shape_measure(const abut_shape* shape, abut__source source,
                                abut_tree_stats* stats, abut_error* error);

#endif
