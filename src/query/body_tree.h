// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// A tree over the boxes of bodies, for queries about points. It is built anew for each query: bodies
// are sorted along a curve that fills space, and each eight consecutive ones have a common node.
#ifndef ABUT_QUERY_BODY_TREE_H
#define ABUT_QUERY_BODY_TREE_H

#include "abut/types.h"
#include "base/memory.h"
#include "base/sort.h"

#define ABUT__BODY_LEVELS 12u  // enough for 2^32 bodies

typedef struct abut__body_tree {
    uint32_t count;                       // bodies
    uint32_t levels;                      // 0: there are no bodies
    size_t first[ABUT__BODY_LEVELS + 1];  // per level: its first box; level 0 are the bodies
    ABUT__VECTOR(abut_box) boxes;
    ABUT__VECTOR(abut__keyed) order;  // the bodies in the order of level 0, and room to sort
} abut__body_tree;

// An entry of a search: a box of a level, and its squared distance from the point.
typedef struct abut__body_gap {
    double gap_sq;
    uint32_t level;
    uint32_t index;
} abut__body_gap;
// entries that a search may store at once
#define ABUT__BODY_GAPS (8u * ABUT__BODY_LEVELS)

// Builds the tree; box i is that of body i, and may be unbounded. False: no memory.
bool abut__body_tree_build(const abut_context* context, abut__body_tree* tree,
                           const abut_box* boxes, uint32_t count);
void abut__body_tree_free(const abut_context* context, abut__body_tree* tree);
// Returns the number of the body at an index of level 0.
static inline uint32_t abut__body_tree_at(const abut__body_tree* tree, uint32_t index) {
    return (uint32_t)tree->order.data[index].value;
}
// Begins a search at the root. `stack` has room for ABUT__BODY_GAPS entries; returns their number.
uint32_t abut__body_tree_begin(const abut__body_tree* tree, const double point[3],
                               abut__body_gap* stack);
// Replaces an entry, which was taken from the stack, by its children, the nearest one last. Returns
// the number of entries.
uint32_t abut__body_tree_open(const abut__body_tree* tree, const double point[3],
                              abut__body_gap entry, abut__body_gap* stack, uint32_t count);

#endif
