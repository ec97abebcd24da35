// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Contours: the boundary of the surface under a node as one loop of vertices, if it is one loop.
#ifndef ABUT_TREE_CONTOUR_H
#define ABUT_TREE_CONTOUR_H

#include "tree/tree.h"

#define ABUT__CONTOUR_MOST 2048u      // longer contours are not stored
#define ABUT__CONTOUR_BLOCKS_LEAST 8  // none over fewer blocks: lanes are cheaper

// Per node, or pair of nodes: vertices first[n] .. first[n] + count[n] - 1, in the direction of the triangles. Count
// 0: the node's surface is not oriented or not a manifold, its boundary is not exactly one loop, or
// a limit above excludes it.
typedef struct abut__contours {
    uint32_t* first;
    uint32_t* count;
    uint32_t entry_count;
    abut__uint32s vertices;
} abut__contours;

// The vertices of contour i; NULL if there are no contours at all.
static inline const uint32_t* abut__contour_of(const abut__contours* contours, uint32_t i) {
    return contours->vertices.data != NULL ? contours->vertices.data + contours->first[i] : NULL;
}

// NULL: no memory.
abut__contours* abut__contours_make(const abut__tree* tree);
// Finds contours of pairs of nodes that share edges, each pair as one surface: entry i is that of
// pairs[i], lower node << 32 | upper node.
abut__contours* abut__contours_make_pairs(const abut__tree* tree, const uint64_t* pairs,
                                          uint32_t count);
void abut__contours_free(const abut_context* context, abut__contours* contours);

#endif
