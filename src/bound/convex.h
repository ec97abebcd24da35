// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Bounds of convex combinations with limited weights: Steinemann, Otaduy, Gross, "Efficient Bounds
// for Point-Based Animations", 2007. The vertices under a child of a tree node are
//
//   v = sum_j w_j T_j v0,   l_j <= w_j <= h_j,   sum_j w_j = 1,
//
// with limits l_j, h_j that are known beforehand, and v0 in a box B_j. With b_j, how far T_j B_j
// reaches in some direction, the greatest sum_j w_j b_j is a linear program, and for any L
//
//   f(L) = sum_j l_j b_j + L (1 - sum_j l_j) + sum_j (h_j - l_j) max(0, b_j - L)
//
// is a bound: w_j b_j = l_j b_j + (w_j - l_j) L + (w_j - l_j) (b_j - L), sum over j, and the last
// term is at most (h_j - l_j) max(0, b_j - L). The paper's bound is f at the second greatest b_j, where
// only one term of the last sum is left; the least f, the dual's optimum, is at most a little
// tighter. Neither looks at a vertex, so the cost is that of the number of influences.
//
// The paper has one box B for all influences. Here B_j holds only those vertices that node j
// influences: the same cost, and much tighter, because a node moves what is near to it.
#ifndef ABUT_BOUND_CONVEX_H
#define ABUT_BOUND_CONVEX_H

#include "mesh/weights.h"
#include "tree/tree.h"

// What is known of the vertices of a block, or of a child, that a node influences: the limits of its
// weights, where all vertices count, and the rest box of those it influences. Rounded outwards.
typedef struct abut__limit {
    float least;
    float most;
    float lo[3];
    float hi[3];
} abut__limit;

// Immutable, shared by shapes that share the block.
typedef struct abut__convex_block {
    const abut_context* context;
    atomic_uint holders;
    size_t size;  // of all, in bytes
    uint32_t node_count;
    const uint32_t* nodes;  // that have an influence, ascending
    const abut__limit* limits;
    abut__blend_lanes lanes;
    abut__block_points rest;
} abut__convex_block;

typedef struct abut__convex {
    const abut_context* context;
    uint32_t node_count;
    uint32_t block_count;
    uint32_t taken;  // blocks that an older shape had made
    abut__convex_block** blocks;
    abut__convex_part (*parts)[ABUT__FAN];  // per node, of its children
    ABUT__VECTOR(float[ABUT__CONVEX_ROW]) rows;
    abut__uint32s nodes;  // as many
} abut__convex;

// What blocks an older shape has made already. The first `count` blocks of the new tree are the older
// one's, with the given numbers there; those of them with no vertex that is marked as `changed` (one
// byte a vertex; NULL: none) are taken over.
typedef struct abut__convex_past {
    const abut__convex* convex;
    const uint32_t* blocks;
    uint32_t count;
    const uint8_t* changed;
} abut__convex_past;

// `plain`: one rest box for all influences, as the paper has it. `past` may be NULL. NULL: no memory
abut__convex* abut__convex_make(const abut_context* context, const abut__tree* tree,
                                const abut_mesh* mesh, const abut__weights* weights, bool plain,
                                const abut__convex_past* past);
void abut__convex_free(abut__convex* convex);

static inline abut__convex_lanes abut__convex_node(const abut__convex* convex,
                                                   const abut__tree* tree, uint32_t node) {
    return (abut__convex_lanes){convex->parts[node], tree->nodes[node].count,
                                (const float*)convex->rows.data, convex->nodes.data};
}

#endif
