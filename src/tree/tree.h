// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// The tree: wide nodes above blocks of up to 48 triangles. It holds topology only. Bounding boxes
// belong to the states of bodies, and the neighbours that self queries need are in links.h.
//
// A block is the unit of lazy evaluation. Its triangles are SIMD lanes (three groups of 16). It has
// at most 64 vertices, so that they fit in registers and permutes pick the corners. There is no
// tree inside a block.
#ifndef ABUT_TREE_TREE_H
#define ABUT_TREE_TREE_H

#include <stdatomic.h>

#include "base/memory.h"
#include "mesh/mesh.h"
#include "simd/layout.h"

// An array of blocks that several trees may share. The last tree that holds a slab frees it.
typedef struct abut__slab {
    atomic_uint holders;
    uint32_t count;
    abut__block* blocks;
} abut__slab;

typedef struct abut__tree {
    const abut_context* context;
    uint32_t node_count;
    uint32_t block_count;
    uint32_t depth;     // number of nodes on the longest path from the root to a block
    abut__node* nodes;  // parents come before their children
    const abut__block** blocks;
    uint32_t* block_parent;
    uint8_t* block_slot;
    float* block_fit;  // cost of the box / sum of its triangles' costs, when the block was made
    ABUT__VECTOR(abut__slab*) slabs;  // that hold the blocks
    // per node: boxes of its children when placed there; NULL unless nodes are lasting
    abut__boxes8* child_boxes;
    uint32_t folded_depth;    // depth when all nodes were last built from the blocks
    uint32_t changed_blocks;  // blocks removed and added since then
} abut__tree;

static inline uint32_t abut__ref_depth(const abut__tree* tree, abut__ref ref) {
    return abut__is_block(ref) ? tree->nodes[tree->block_parent[abut__block_of(ref)]].depth + 1u
                               : tree->nodes[ref].depth;
}
static inline uint32_t abut__ref_parent(const abut__tree* tree, abut__ref ref) {
    return abut__is_block(ref) ? tree->block_parent[abut__block_of(ref)] : tree->nodes[ref].parent;
}
static inline uint32_t abut__ref_slot(const abut__tree* tree, abut__ref ref) {
    return abut__is_block(ref) ? tree->block_slot[abut__block_of(ref)] : tree->nodes[ref].slot;
}
// The lowest node above two blocks.
static inline uint32_t abut__common_node(const abut__tree* tree, uint32_t block_a,
                                         uint32_t block_b) {
    uint32_t a = tree->block_parent[block_a];
    uint32_t b = tree->block_parent[block_b];
    while (a != b) {
        if (tree->nodes[a].depth >= tree->nodes[b].depth) {
            a = tree->nodes[a].parent;
        } else {
            b = tree->nodes[b].parent;
        }
    }
    return a;
}

typedef struct abut__tree_def {
    uint32_t fan_out;
    uint32_t block_triangles;
    bool lasting;  // keep the nodes across edits where possible (tree/patch.h)
} abut__tree_def;

struct abut__descent;
// Builds a tree over the living triangles of a mesh. Positions: one per vertex, with any stride.
abut_status abut__tree_build(const abut_context* context, const abut_mesh* mesh,
                             abut_positions positions, const abut__tree_def* def, abut__tree* tree,
                             abut_error* error);
// Builds the tree of an edited mesh. The triangles from `first_added` on are new; some of the
// others may be dead. A block of `old` is shared if it lost no triangle and `degraded` (one byte a
// block; NULL: none) does not mark it. The other triangles get new blocks, built for the given
// positions. The first `blocks_reused` blocks of the new tree are the shared ones. `origin` (room
// for all old blocks) receives their indices in `old`. If def->lasting is set and few blocks
// change, the nodes are kept, too, and `descent` receives how they map to the old ones. Otherwise
// `descent` is NULL.
abut_status abut__tree_edit(const abut__tree* old, const abut_mesh* mesh, abut_positions positions,
                            uint32_t first_added, const uint8_t* degraded,
                            const abut__tree_def* def, abut__tree* tree, uint32_t* blocks_reused,
                            uint32_t* origin, struct abut__descent** descent, abut_error* error);
void abut__tree_free(abut__tree* tree);

// Blocks of an older tree that the new tree shares.
typedef struct abut__kept_blocks {
    const abut__block** blocks;
    float* fit;
    uint32_t count;
} abut__kept_blocks;
// Builds a tree from kept blocks and loose triangles (NULL: the first loose_count of the mesh). On
// entry `tree` is empty except for the slabs that it holds. If `old` is not NULL, the tree keeps
// its nodes if possible; `origin` gives the index in `old` of each kept block. See
// abut__tree_edit().
abut_status abut__tree_assemble(abut__tree* tree, const abut_mesh* mesh, abut_positions positions,
                                const abut__kept_blocks* kept, const uint32_t* loose,
                                uint32_t loose_count, const abut__tree_def* def,
                                const abut__tree* old, const uint32_t* origin,
                                struct abut__descent** descent, abut_error* error);

abut__slab* abut__slab_make(const abut_context* context, uint32_t count);
void abut__slab_release(const abut_context* context, abut__slab* slab);
// Gives a tree a slab and one reference to it. False: no memory; the reference is released.
bool abut__tree_adopt(abut__tree* tree, abut__slab* slab);

// Makes a block of up to 48 triangles. `corners`, three a triangle, are the indices of its vertices
// within the block, without gaps.
void abut__block_make(const abut_mesh* mesh, const uint32_t* triangles, const uint8_t* corners,
                      uint32_t count, abut__block* block);

struct abut__links;
struct abut__stretches;
abut_status abut__tree_validate(const abut__tree* tree, const abut_mesh* mesh,
                                const struct abut__links* links,
                                const struct abut__stretches* stretches, abut_error* error);

#endif
