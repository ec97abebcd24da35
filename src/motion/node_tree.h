// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Points with round supports in a balanced tree of boxes: who is within a radius of a point, whose
// support holds a point, and how far the nearest are. Nothing depends on how evenly points lie, and
// results are the same as if all points had been asked.
#ifndef ABUT_MOTION_NODE_TREE_H
#define ABUT_MOTION_NODE_TREE_H

#include "base/memory.h"

#define ABUT__NODE_LEAF 8  // points at the bottom

typedef struct abut__node_box {
    double lo[3];
    double hi[3];
    double shrink;  // one over the largest of the supports below
} abut__node_box;

typedef struct abut__node_tree {
    uint32_t count;
    uint32_t box_count;     // box k has children 2 k + 1 and 2 k + 2
    const double* places;   // xyz of every point; the caller's
    const double* reaches;  // the caller's
    uint32_t* order;        // points as the leaves have them
    double* shrinks;        // one over the support of each, in the order of the leaves
    abut__node_box* boxes;
} abut__node_tree;

// The supports need no values yet. False: no memory.
bool abut__node_tree_make(const abut_context* context, const double* places, const double* reaches,
                          uint32_t count, abut__node_tree* tree);
void abut__node_tree_free(const abut_context* context, abut__node_tree* tree);
// Reads the supports: positive, and neither they nor one over them may be infinite.
void abut__node_tree_set_reaches(abut__node_tree* tree);

// How far p is from q, squared, in units of a support: `shrink` is one over that. Below 1 if within.
static inline double abut__node_apart_sq(const double p[3], const double q[3], double shrink) {
    const double x = (p[0] - q[0]) * shrink;
    const double y = (p[1] - q[1]) * shrink;
    const double z = (p[2] - q[2]) * shrink;
    return x * x + y * y + z * z;
}

// The points within `radius` of p, or with radius 0 those whose own support holds p, ascending.
// Returns how many there are; `out` may be NULL.
uint32_t abut__node_tree_within(const abut__node_tree* tree, const double p[3], double radius,
                                uint32_t* out);

// The distance of the k-th nearest point that is not p itself, or the farthest if there are fewer;
// 0 if there is none. `room` holds k numbers.
double abut__node_tree_distance(const abut__node_tree* tree, const double p[3], uint32_t k,
                                double* room);

#endif
