// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Bounds of convex combinations with limited weights: Steinemann, Otaduy, Gross, "Efficient Bounds
// for Point-Based Animations", 2007. The vertices under a child of a tree node are
//
//   v = sum_j w_j T_j v0,   l_j <= w_j <= h_j,   sum_j w_j = 1,
//
// with given limits l_j and h_j, and v0 in a box B_j. Let b_j be the support of T_j B_j in some
// direction. The greatest sum_j w_j b_j is a linear program, and for any L
//
//   f(L) = sum_j l_j b_j + L (1 - sum_j l_j) + sum_j (h_j - l_j) max(0, b_j - L)
//
// is an upper bound: w_j b_j = l_j b_j + (w_j - l_j) L + (w_j - l_j) (b_j - L), summed over j,
// where the last term is at most (h_j - l_j) max(0, b_j - L). The paper's bound is f at the second
// greatest b_j, where only one term of the last sum remains. The least f, the optimum of the dual,
// is at most a little tighter. Neither reads a vertex, so the cost depends on the number of
// influences alone.
//
// The paper has one box B for all influences. Here B_j contains only the vertices that node j
// influences. The cost is the same, and the bound is much tighter, because a node moves what is
// near to it.
#ifndef ABUT_BOUND_CONVEX_H
#define ABUT_BOUND_CONVEX_H

#include "mesh/weights.h"
#include "simd/kernels.h"
#include "tree/tree.h"

// One node's influence on the vertices of a block or of a child: the limits of its weights over all
// these vertices, and the rest box of the vertices that it influences. Rounded outwards.
typedef struct abut__limit {
    float least;
    float most;
    float lo[3];
    float hi[3];
} abut__limit;

// A block of a shape: immutable, and shared by shapes that share the block.
typedef struct abut__convex_block {
    const abut_context* context;
    atomic_uint holders;
    size_t size;  // in bytes, of the whole allocation
    uint32_t node_count;
    const uint32_t* nodes;  // nodes that influence it, ascending
    const abut__limit* limits;
    abut__blend_lanes lanes;
    abut__blend_order order;  // of its vertices, counted in the block; no runs: by `lanes` instead
    abut__block_points rest;
} abut__convex_block;

typedef struct abut__convex {
    const abut_context* context;
    uint32_t node_count;
    uint32_t block_count;
    uint32_t taken;  // number of blocks taken over from an older shape
    abut__convex_block** blocks;
    abut__convex_part (*parts)[ABUT__FAN];  // per node, of its children
    ABUT__VECTOR(float[ABUT__CONVEX_ROW]) rows;
    abut__uint32s nodes;  // one per row
} abut__convex;

// The blocks of an older shape, to be taken over. The first `count` blocks of the new tree are
// blocks of the older one, with the numbers `blocks` there. A block is taken over if none of its
// vertices is marked in `changed` (one byte per vertex; NULL: none is marked).
typedef struct abut__convex_past {
    const abut__convex* convex;
    const uint32_t* blocks;
    uint32_t count;
    const uint8_t* changed;
} abut__convex_past;

// `plain`: one rest box for all influences, as in the paper. `past` may be NULL. NULL: no memory.
abut__convex* abut__convex_make(const abut_context* context, const abut__tree* tree,
                                const abut_mesh* mesh, const abut__weights* weights, bool plain,
                                const abut__convex_past* past);
void abut__convex_free(abut__convex* convex);

// Computes the points of a block from their rest positions; both may be the same memory.
void abut__convex_points(const abut__kernels* kernels, const abut__convex_block* block,
                         const abut__columns* transforms, const abut__block_points* rest,
                         abut__block_points* points);

static inline abut__convex_lanes abut__convex_node(const abut__convex* convex,
                                                   const abut__tree* tree, uint32_t node) {
    return (abut__convex_lanes){convex->parts[node], tree->nodes[node].count,
                                (const float*)convex->rows.data, convex->nodes.data};
}

#endif
