// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Points with spherical supports in a balanced tree of boxes. Finds the points within a radius of a
// point, those whose support contains a point, and the distance of the nearest ones. Results are
// the same as by testing all points, however unevenly they are distributed.
#ifndef ABUT_MOTION_NODE_TREE_H
#define ABUT_MOTION_NODE_TREE_H

#include "base/memory.h"

#define ABUT__NODE_LEAF 8  // points in a leaf

typedef struct abut__node_box {
    double lo[3];
    double hi[3];
    double shrink;  // reciprocal of the largest support below
} abut__node_box;

typedef struct abut__node_tree {
    uint32_t count;
    uint32_t box_count;     // box k has children 2 k + 1 and 2 k + 2
    const double* places;   // xyz of each point; the caller's
    const double* reaches;  // supports; the caller's
    uint32_t* order;        // points in the order of the leaves
    double* shrinks;        // reciprocal of each support, in the order of the leaves
    abut__node_box* boxes;
} abut__node_tree;

// Builds the tree; the supports need no values yet. False: no memory.
bool abut__node_tree_make(const abut_context* context, const double* places, const double* reaches,
                          uint32_t count, abut__node_tree* tree);
void abut__node_tree_free(const abut_context* context, abut__node_tree* tree);
// Reads the supports: positive, and neither they nor their reciprocals may be infinite.
void abut__node_tree_set_reaches(abut__node_tree* tree);

// Returns the squared distance of p and q in units of a support, of which `shrink` is the
// reciprocal. Below 1 if within.
static inline double abut__node_apart_sq(const double p[3], const double q[3], double shrink) {
    const double x = (p[0] - q[0]) * shrink;
    const double y = (p[1] - q[1]) * shrink;
    const double z = (p[2] - q[2]) * shrink;
    return x * x + y * y + z * z;
}

// Lists the points within `radius` of p, or with radius 0 those whose own support contains p,
// ascending. Returns their number; `out` may be NULL.
uint32_t abut__node_tree_within(const abut__node_tree* tree, const double p[3], double radius,
                                uint32_t* out);

// Returns the distance of the k-th nearest point that is not at p, or of the farthest if there are
// fewer; 0 if there is none. `room` has space for k numbers.
double abut__node_tree_distance(const abut__node_tree* tree, const double p[3], uint32_t k,
                                double* room);

#endif
