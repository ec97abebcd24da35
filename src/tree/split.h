// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Splits boxes top-down into a binary tree.
#ifndef ABUT_TREE_SPLIT_H
#define ABUT_TREE_SPLIT_H

#include "base/memory.h"
#include "simd/layout.h"

typedef struct abut__item {
    abut__box4 box;
    uint32_t id;
} abut__item;

static inline abut__box3 abut__item_box(const abut__item* item) {
    return (abut__box3){{item->box.lo[0], item->box.lo[1], item->box.lo[2]},
                        {item->box.hi[0], item->box.hi[1], item->box.hi[2]}};
}

// A node of the binary tree: items first .. first + count - 1. For a leaf `left` is ABUT__NONE;
// otherwise the children are splits[left] and splits[left + 1].
typedef struct abut__split {
    uint32_t first;
    uint32_t count;
    uint32_t left;
    uint32_t depth;
    double cost;  // of its box
} abut__split;
typedef ABUT__VECTOR(abut__split) abut__splits;

// Coordinates are clamped to this limit when items are made, so that sums and areas stay finite.
#define ABUT__ITEM_LIMIT 1e37f

// Orders the items and appends the splits of the tree, the root first, to an empty vector. A leaf
// has up to `group` items, and exactly that many where this costs little, so that wide nodes are
// full. False: no memory.
bool abut__split_items(const abut_context* context, abut__item* items, uint32_t count,
                       uint32_t group, abut__splits* splits);

double abut__box_area(const float lo[3], const float hi[3]);
// The cost of a box: the square of the sum of its sides. Surface area cannot distinguish a strip
// from a square on a flat sheet (cloth at rest), and strips fold badly.
double abut__box_cost(const float lo[3], const float hi[3]);
// Returns the cost of a box divided by the cost of its triangles; 1 if that is 0.
float abut__fit_of(double box_cost, double triangle_cost_sum);

#endif
