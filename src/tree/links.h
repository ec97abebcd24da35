// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Links: which triangles share a class, within blocks and between them. Only self queries use them,
// so they are separate from the tree and are made for the first such query.
#ifndef ABUT_TREE_LINKS_H
#define ABUT_TREE_LINKS_H

#include "tree/tree.h"

// Two blocks that share a class. `rows` are the lanes of `a` that have neighbours in `b`. For every
// bit of `rows`, in order, there is a mask of these neighbours, from masks[first] on.
typedef struct abut__link {
    uint32_t a;
    uint32_t b;
    uint64_t rows;
    uint32_t first;
} abut__link;

// Per lane i of a block: the lanes j > i that share no class with it.
typedef struct abut__later {
    uint64_t lanes[ABUT__BLOCK_TRIANGLES];
} abut__later;

// The classes that all triangles of a block, or under a node, have in common. Unused entries are
// ABUT__NONE. If two nodes have one in common, all their triangles are neighbours. `hub` is one of
// them, the same in a whole subtree: the first of the highest node with any.
typedef struct abut__common {
    uint32_t class_id[3];
    uint32_t hub;
} abut__common;

typedef struct abut__links {
    const abut_context* context;
    uint32_t node_count;
    uint32_t block_count;
    uint32_t count;
    uint32_t mask_count;
    abut__link* list;
    uint64_t* masks;
    uint32_t* node_first;  // links whose lowest common node is n: list[node_first[n] .. [n + 1])
    uint64_t* crossing;    // per node: which of its children these are between, bit 8 i + k, i < k
    uint32_t* near_first;  // per block: its linked blocks are near[near_first[i] .. [i + 1])
    uint32_t* near;        // ascending
    uint32_t beside_count;
    uint32_t* beside_first;  // per node n: the nodes with blocks that are linked to blocks of n are
    uint32_t* beside;        // beside[beside_first[n] .. [n + 1]), ascending; n may be one of them
    uint64_t* beside_blocks;  // which blocks: bit 8 i + k for child i of n and child k of the other
    abut__later* later;       // per block
    uint8_t* hub;  // per block: 1 if it uses a hub, a class of so many blocks that links omit it
    abut__common* common[2];  // [0] of nodes, [1] of blocks; NULL: no block has a hub
} abut__links;

// NULL: no memory.
abut__links* abut__links_make(const abut__tree* tree, const abut_mesh* mesh);
void abut__links_free(abut__links* links);

static inline uint32_t abut__links_at(const abut__links* links, uint32_t node) {
    return links->node_first[node + 1] - links->node_first[node];
}
// Returns the neighbours in `b` of one lane of `a`, as a mask.
static inline uint64_t abut__link_row(const abut__links* links, const abut__link* link,
                                      uint32_t lane) {
    const uint64_t below = link->rows & ((UINT64_C(1) << lane) - 1);
    const uint32_t rank = (uint32_t)__builtin_popcountll(below);
    return (link->rows >> lane & 1) != 0 ? links->masks[link->first + rank] : 0;
}
// Tells, from common classes alone, whether every triangle under one node (or in one block) shares
// a class with every one under the other. The two may be equal. False if no block has a hub.
static inline bool abut__links_all_neighbours(const abut__links* links, abut__ref a, abut__ref b) {
    if (links->common[0] == NULL) {
        return false;
    }
    const uint32_t* x = links->common[abut__is_block(a)][abut__block_of(a)].class_id;
    const uint32_t* y = links->common[abut__is_block(b)][abut__block_of(b)].class_id;
    bool same = false;
    for (int i = 0; i < 3; ++i) {
        same |= x[i] != ABUT__NONE && (x[i] == y[0] || x[i] == y[1] || x[i] == y[2]);
    }
    return same;
}
bool abut__blocks_linked(const abut__links* links, uint32_t a, uint32_t b);
// Returns all linked blocks among the children of two nodes, which may be equal: bit 8 i + k for
// child i of the first and child k of the second.
uint64_t abut__links_beside(const abut__links* links, uint32_t node_a, uint32_t node_b);

#endif
