// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Refit: computes the boxes of a tree from all positions, bottom-up.
#ifndef ABUT_BOUND_REFIT_H
#define ABUT_BOUND_REFIT_H

#include "simd/kernels.h"
#include "tree/patch.h"
#include "tree/stretches.h"

typedef struct abut__refit_boxes {
    abut__boxes8* boxes;     // per node: those of its children
    abut__box3 root;         // of the whole tree
    float extent;            // greatest magnitude of a coordinate of boxes of finite blocks
    atomic_uint bad_vertex;  // the lowest vertex that is not finite, or ABUT__NONE
} abut__refit_boxes;

// Independent tasks to run along with the refit.
typedef struct abut__beside {
    abut_task_fn task;
    void* argument;
    uint32_t count;
} abut__beside;

// Refits all boxes, which are relative to the source's origin. `out->boxes` has room for all nodes. A
// block with a vertex that is not finite gets an infinite box, and so do the nodes above it.
// `stretches` (may be NULL) speed up positions that are packed floats.
void abut__refit(const abut_context* context, const abut__tree* tree,
                 const abut__stretches* stretches, abut__source source, abut__beside beside,
                 abut__refit_boxes* out);

// Refits only the marked blocks, one bit each, and the nodes above them; all other boxes must be
// valid. `nodes` has room for one bit per node; all are 0 before and after the call. If a vertex is
// or was not finite, call abut__refit() instead.
void abut__refit_marked(const abut_context* context, const abut__tree* tree, abut__source source,
                        const uint64_t* blocks, uint64_t* nodes, abut__refit_boxes* out);

// Makes the boxes of an edited tree from those of the tree before, whose vertices must all be
// finite. Blocks that both trees have must have the same positions. Apart from copying, it costs as
// much as the edit changed. Returns the number of nodes and blocks that were refitted.
uint32_t abut__refit_descend(const abut_context* context, const abut__tree* tree,
                             const abut__descent* descent, abut__source source,
                             const abut__refit_boxes* before, abut__refit_boxes* out);

#endif
