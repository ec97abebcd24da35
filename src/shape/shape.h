// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Creates shapes and shapes derived from them.
#ifndef ABUT_SHAPE_SHAPE_H
#define ABUT_SHAPE_SHAPE_H

#include "motion/blend.h"
#include "motion/motion.h"
#include "simd/layout.h"

// Makes a shape without its tree, with a reference to the mesh (NULL: it gets its mesh later).
abut_shape* abut__shape_start(abut_context* context, const abut_mesh* mesh,
                              const abut__motion* motion, const abut__tree_def* tree_def);
// Makes what the motion makes with the tree, which the shape has. A new shape has no lineage (NULL).
abut_status abut__shape_complete(abut_shape* made, const abut__lineage* lineage, abut_error* error);
// Creates a shape of a motion, which need not be in the list of motions. `own` is what the motion's
// `prepare` takes as its def. The other arguments are valid, and so is `def`.
abut_status abut__shape_create_with(abut_context* context, const abut_mesh* mesh,
                                    const abut_shape_def* def, const abut__motion* motion,
                                    const void* own, abut_shape** shape, abut_error* error);
// The same for arguments and a `def` that are not checked yet; `own` is.
abut_status abut__shape_create_checked(abut_context* context, const abut_mesh* mesh,
                                       const abut_shape_def* def, const abut__motion* motion,
                                       const void* own, abut_shape** shape, abut_error* error);
// abut_shape_create_blend() with a choice of bounds, for figures, benchmarks and tests.
abut_status abut__shape_create_blend(abut_context* context, const abut_mesh* mesh,
                                     const abut_blend_def* def, abut__blend_bound bound,
                                     abut_shape** shape, abut_error* error);
// Edits a shape of `motion` (NULL: of any). `own_edit` is the motion's edit def, or NULL.
abut_status abut__shape_edit_as(const abut_shape* shape, const abut__motion* motion,
                                const abut_shape_edit_def* edit, const void* own_edit,
                                abut_shape** edited, abut_edit_work* work, abut_error* error);
// Builds the tree of a shape, and what its motion makes with it, if it has none yet. Any number of
// threads may call it at once. False: no memory; a later call tries again.
bool abut__shape_ready(const abut_shape* shape);
// Adds a reference to a shape; abut_shape_destroy() releases it.
void abut__shape_hold(const abut_shape* shape);

// Returns the same shape with its degraded blocks (one byte per block) rebuilt for the given
// positions.
abut_status abut__shape_rebuild_blocks(const abut_shape* shape, const uint8_t* degraded,
                                       abut_positions positions, abut_shape** rebuilt,
                                       abut_edit_work* work, abut_error* error);

// Makes the same shape with another tree, built for the given positions, in other memory. `shape`
// must outlive it, and its motion must be one that wears. NULL: no memory.
abut_shape* abut__shape_with_tree(const abut_shape* shape, const abut_context* memory,
                                  abut_positions positions);

// Measures how good the tree is for positions, by its own refit, so that it means the same for all
// motions.
abut_status abut__shape_measure(const abut_shape* shape, abut__source source, abut_tree_info* stats,
                                abut_error* error);

#endif
