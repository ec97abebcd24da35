// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Keeps nodes across edits. Removed blocks leave their nodes. New blocks go where boxes grow least;
// a full node gets a new node below it. All other nodes stay, so that bodies can keep what they
// store per node: boxes, certificates, pairs. The descent maps these to the new tree. Nodes are
// renumbered without gaps and tables are copied; unchanged nodes cost nothing more.
//
// Such nodes are a little worse than nodes built from all blocks at once. All are built anew once
// the blocks removed and added exceed half the blocks of the tree, once the tree is too deep, or if
// one edit changes a good part of it.
#ifndef ABUT_TREE_PATCH_H
#define ABUT_TREE_PATCH_H

#include "tree/split.h"
#include "tree/tree.h"

#define ABUT__NEW_CHILD 0xffu

// Maps the nodes and blocks of a tree to those of the tree before the edit. Both keep their order.
typedef struct abut__descent {
    const abut_context* context;
    uint64_t from;  // serial of the old shape
    uint32_t block_count;
    uint32_t node_count;
    uint32_t before_count;       // nodes of the old tree
    uint32_t* block;             // per block: its old index; ABUT__NONE: it is new
    uint32_t* node;              // per node: likewise
    uint32_t* now;               // per old node: its new index; ABUT__NONE: it was removed
    uint8_t (*slot)[ABUT__FAN];  // per node: the old slot of each child, or ABUT__NEW_CHILD
    uint64_t* changed;           // a bit per node: its children are not the same as before
    uint64_t* touched;           // a bit per node: it, or a node below it, changed
    uint64_t* placed;            // a bit per block: it is new, or has a different parent
} abut__descent;

void abut__descent_free(abut__descent* descent);

static inline bool abut__descent_has(const uint64_t* bits, uint32_t number) {
    return (bits[number / 64] >> number % 64 & 1) != 0;
}

// Carries boxes of children (8 a node) over to the new tree. New children and lanes without a child
// get empty boxes.
void abut__descent_lanes(const abut__descent* descent, const abut__boxes8* before,
                         abut__boxes8* now);

// Tells whether to keep the nodes of a tree if `gone` blocks go and about `come` are added.
bool abut__tree_lasts(const abut__tree* tree, uint32_t gone, uint32_t come);

typedef struct abut__patch {
    const abut__tree* old;
    const uint32_t* origin;   // per kept block: its old index
    uint32_t kept;            // number of kept blocks: the first of the tree, at least one
    const abut__item* items;  // per block: its box; unused for kept blocks
    uint32_t fan_out;
} abut__patch;
// Makes the nodes of a tree that already has its blocks. `fits` is set to false, and the tree stays
// as it is, if the tree would be too deep. False: no memory.
bool abut__tree_patch(const abut__patch* patch, abut__tree* tree, abut__descent** descent,
                      bool* fits);

#endif
