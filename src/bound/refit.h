// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Refit: computes the boxes of a tree from all positions, bottom-up.
#ifndef ABUT_BOUND_REFIT_H
#define ABUT_BOUND_REFIT_H

#include <string.h>

#include "simd/kernels.h"
#include "tree/patch.h"
#include "tree/stretches.h"

typedef struct abut__refit_boxes {
    abut__boxes8* boxes;     // per node: those of its children
    abut__box3 root;         // of the whole tree
    float extent;            // greatest magnitude of a coordinate of boxes of finite blocks
    atomic_uint bad_vertex;  // the lowest vertex that is not finite, or ABUT__NONE
    // Per block, where its extreme vertices are; undefined for blocks with a vertex that is not
    // finite. NULL: not wanted. Only abut__refit() makes them, for positions that stretches suit
    // and that have no origin.
    abut__side_places* places;
} abut__refit_boxes;

// Returns the vertex at a place of a block.
static inline uint32_t abut__place_vertex(const abut__stretches* stretches,
                                          const abut__block* block, uint32_t number,
                                          uint32_t place) {
    const uint32_t first = stretches->first[number];
    return stretches->first[number + 1] > first
               ? abut__stretch_first(stretches->list[first + place / 8]) / 3 + place % 8
               : block->vertex[place];
}

// Returns the sides of a block whose places differ, a bit each.
static inline uint32_t abut__places_differ(const abut__side_places* a, const abut__side_places* b) {
    uint64_t words[2];
    uint32_t sides = 0;
    memcpy(&words[0], a, sizeof words[0]);
    memcpy(&words[1], b, sizeof words[1]);
    for (uint32_t side = 0; side < 6 && words[0] != words[1]; ++side) {
        sides |= (uint32_t)(a->of[side] != b->of[side]) << side;
    }
    return sides;
}

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
