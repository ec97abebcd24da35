// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Refit: the boxes of a tree from all positions, bottom-up.
#ifndef ABUT_BOUND_REFIT_H
#define ABUT_BOUND_REFIT_H

#include "simd/kernels.h"
#include "tree/patch.h"
#include "tree/stretches.h"

typedef struct abut__refit_boxes {
    abut__boxes8* boxes;     // per node: those of its children
    abut__box3 root;         // of everything
    float extent;            // greatest magnitude of a coordinate, of finite blocks
    atomic_uint bad_vertex;  // the lowest vertex that is not finite, or ABUT__NONE
} abut__refit_boxes;

// Tasks that have nothing to do with the refit but may as well run beside it.
typedef struct abut__beside {
    abut_task_fn task;
    void* argument;
    uint32_t count;
} abut__beside;

// `out->boxes` has room for all nodes. A block with a vertex that is not finite gets an infinite
// box, and so do the nodes above it.
// `stretches` make it faster where positions are packed floats; NULL: there are none.
void abut__refit(const abut_context* context, const abut__tree* tree,
                 const abut__stretches* stretches, abut__source source, abut__beside beside,
                 abut__refit_boxes* out);

// The same for boxes that are right but for the marked blocks, one bit each, at the cost of these and
// of the nodes above them. `nodes` is room for one bit a node, all 0, and is so again afterwards. Where
// a vertex is or was not finite all boxes are to be made anew.
void abut__refit_marked(const abut_context* context, const abut__tree* tree, abut__source source,
                        const uint64_t* blocks, uint64_t* nodes, abut__refit_boxes* out);

// Boxes of an edited tree from those of the tree before, none of whose vertices is not finite, at
// positions that are the same for all blocks that were there: at the cost of what changed, but for
// copying. Returns how many nodes and blocks were looked at.
uint32_t abut__refit_descend(const abut_context* context, const abut__tree* tree,
                             const abut__descent* descent, abut__source source,
                             const abut__refit_boxes* before, abut__refit_boxes* out);

#endif
