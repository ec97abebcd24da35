// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// The tree as data: wide nodes above blocks of up to 48 triangles. Topology only; boxes belong to
// the states of bodies, and what self queries know about neighbours stands in links.h.
//
// A block is the unit of lazy evaluation: its triangles are SIMD lanes (three groups of 16), its
// vertices at most 64, so that they fit in registers and corners are picked by permutes. There is
// no tree inside a block.
#ifndef ABUT_TREE_TREE_H
#define ABUT_TREE_TREE_H

#include <stdatomic.h>

#include "base/memory.h"
#include "mesh/mesh.h"
#include "simd/layout.h"

// A node, or a block if the top bit is set.
typedef uint32_t abut__ref;
#define ABUT__REF_BLOCK 0x80000000u
#define ABUT__NONE UINT32_MAX
static inline bool abut__is_block(abut__ref ref) {
    return (ref & ABUT__REF_BLOCK) != 0;
}
static inline uint32_t abut__block_of(abut__ref ref) {
    return ref & ~ABUT__REF_BLOCK;
}

typedef struct abut__node {
    abut__ref child[ABUT__FAN];
    uint32_t parent;  // ABUT__NONE for the root, which is node 0
    uint16_t depth;   // 0 for the root
    uint8_t slot;     // place in the parent
    uint8_t count;    // children
} abut__node;

// Blocks are kept in slabs that trees share; a slab goes when its last tree goes.
typedef struct abut__slab {
    atomic_uint holders;
    uint32_t count;
    abut__block* blocks;
} abut__slab;

typedef struct abut__tree {
    const abut_context* context;
    uint32_t node_count;
    uint32_t block_count;
    uint32_t depth;     // nodes on the longest way from the root to a block
    abut__node* nodes;  // children come after their parents
    const abut__block** blocks;
    uint32_t* block_parent;
    uint8_t* block_slot;
    float* block_fit;  // cost of the box over the sum of its triangles' costs when it was made
    ABUT__VECTOR(abut__slab*) slabs;  // where the blocks are
    abut__boxes8* lay;  // per node: where its children lay when they were put there; NULL: not kept
    uint32_t folded_depth;  // depth when the nodes were last made of all blocks,
    uint32_t worn;          // and how many blocks came and went since
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

typedef struct abut__tree_def {
    uint32_t fan_out;
    uint32_t block_triangles;
    bool lasting;  // nodes are to outlast edits (tree/patch.h)
} abut__tree_def;

struct abut__descent;
// Builds a tree over the living triangles of a mesh at the given positions (tightly packed or
// not; as many as the mesh has vertices).
abut_status abut__tree_build(const abut_context* context, const abut_mesh* mesh,
                             abut_positions positions, const abut__tree_def* def, abut__tree* tree,
                             abut_error* error);
// Builds the tree of an edited mesh, whose triangles from `first_added` on are new and of whose
// others some may have died. Blocks of `old` that lost no triangle, and are not among the `worn`
// (one byte a block; NULL: none), are shared; the rest is built for the given positions. The first
// `blocks_shared` blocks are the shared ones, and `origin` (room for the old blocks) receives the
// numbers that they had. Where nodes last, and not too much changes, they stay too, and `descent`
// receives how they come from the old ones; NULL: all are new.
abut_status abut__tree_edit(const abut__tree* old, const abut_mesh* mesh, abut_positions positions,
                            uint32_t first_added, const uint8_t* worn, const abut__tree_def* def,
                            abut__tree* tree, uint32_t* blocks_shared, uint32_t* origin,
                            struct abut__descent** descent, abut_error* error);
void abut__tree_free(abut__tree* tree);

// Blocks of an older tree that are taken over.
typedef struct abut__kept {
    const abut__block** blocks;
    float* fit;
    uint32_t count;
} abut__kept;
// Builds a tree, empty but for the slabs it holds, of kept blocks and loose triangles (NULL: the
// first loose_count of the mesh). If `old` is not NULL, it is tried to keep its nodes, of whose blocks
// `origin` says which are kept; see abut__tree_edit().
abut_status abut__tree_assemble(abut__tree* tree, const abut_mesh* mesh, abut_positions positions,
                                const abut__kept* kept, const uint32_t* loose, uint32_t loose_count,
                                const abut__tree_def* def, const abut__tree* old,
                                const uint32_t* origin, struct abut__descent** descent,
                                abut_error* error);

abut__slab* abut__slab_make(const abut_context* context, uint32_t count);
void abut__slab_release(const abut_context* context, abut__slab* slab);
// makes a tree hold a slab and takes over one holder; false: no memory, the holder is released
bool abut__tree_adopt(abut__tree* tree, abut__slab* slab);

// Makes a block of up to 48 triangles; `corners`, three a triangle, number its vertices without gaps.
void abut__block_make(const abut_mesh* mesh, const uint32_t* triangles, const uint8_t* corners,
                      uint32_t count, abut__block* block);

struct abut__links;
struct abut__stretches;
abut_status abut__tree_validate(const abut__tree* tree, const abut_mesh* mesh,
                                const struct abut__links* links,
                                const struct abut__stretches* stretches, abut_error* error);

#endif
