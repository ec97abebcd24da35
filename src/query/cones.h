// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Cones: bounds of blocks and nodes all of whose triangles have a common vertex, the hub. Boxes of
// slivers that spread from one vertex all overlap. But everything below such a node lies in the
// convex hull of the tip, where the hub is, and of the box of all other corners, the rim. Three
// facts follow.
//
// - Hulls of two nodes with different hubs are apart if a direction separates them.
// - Two triangles that share the hub overlap beyond it only if both contain a common ray from the
//   tip. If a plane through the tip has the rims of two nodes strictly on either side, no two
//   triangles below them do. As then they have no other corner in common either, they have nothing
//   to report.
// - In a sweep, of two features of triangles with one hub that share no vertex, one has no hub and
//   so is in the rim. Unless the rim of one node meets the box of the other, nothing below them
//   touches. Feature queries use this, too: boxes are grown by their distance.
//
// Gilbert's algorithm finds directions, and the separation is verified with a pad for all rounding.
// Only bodies with hubs have cones, and only if their vertices are stored.
// Based on: Gilbert, "An Iterative Procedure for Computing the Minimum of a Quadratic Form on a Convex
// Set", SIAM Journal on Control 4 (1966).
#ifndef ABUT_QUERY_CONES_H
#define ABUT_QUERY_CONES_H

#include "query/query.h"

// The cone of a block or node, in the shape's coordinates; over the whole step if it is a sweep.
typedef struct abut__cone {
    uint32_t hub;      // ABUT__NONE: there is none, or it is unknown
    bool pointed;      // the hub has one position, and each triangle has another corner
    double tip[3];     // that position, if so
    abut__box3 rim;    // box of all corners but the hub, rounded outwards
    abut__box3 whole;  // box of all corners
} abut__cone;

// returns the index of a node's or block's cone among those of a tree
static inline size_t abut__cone_place(const abut__tree* tree, abut__ref ref) {
    return (size_t)abut__block_of(ref) + (abut__is_block(ref) ? tree->node_count : 0);
}

// Makes the cones of all jobs that benefit from them; false: no memory.
bool abut__cones_make(abut__workspace* work, const abut__settings* def);
// Whether nothing below two different nodes, or in two different blocks, of a job within a body is
// to be reported.
bool abut__cones_apart(const abut__run* run, const abut__job* job, abut__ref a, abut__ref b);

#endif
