// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Nodes that outlast edits. Blocks that are gone leave their nodes, new ones go where boxes grow least,
// and a node that has no room gets a new one below it. All other nodes stay as they are, so that what
// bodies keep of them, boxes, certificates, pairs, can stay, too: whoever keeps something goes by the
// descent. Numbers close up, and tables are copied; nothing else is done for what has not changed.
//
// Nodes made this way are a little worse than those made of all blocks at once. Once every second block
// has changed, or ways have become long, or if an edit changes a good part of the tree, all are made
// anew.
#ifndef ABUT_TREE_PATCH_H
#define ABUT_TREE_PATCH_H

#include "tree/split.h"
#include "tree/tree.h"

#define ABUT__NEW_CHILD 0xffu

// How the nodes and blocks of a tree come from those of the tree before. Both keep their order.
typedef struct abut__descent {
    const abut_context* context;
    uint64_t from;  // serial of the shape before
    uint32_t block_count;
    uint32_t node_count;
    uint32_t before_count;       // nodes of the tree before
    uint32_t* block;             // per block: its number before; ABUT__NONE: it is new
    uint32_t* node;              // per node, likewise
    uint32_t* now;               // per node before: its number; ABUT__NONE: it is gone
    uint8_t (*slot)[ABUT__FAN];  // per node: where in it a child was before, or ABUT__NEW_CHILD
    uint64_t* changed;           // a bit per node: it has not just the children that it had
    uint64_t* touched;           // a bit per node: it, or one below it, is changed
    uint64_t* placed;            // a bit per block: it is new, or has another node above it
} abut__descent;

void abut__descent_free(abut__descent* descent);

static inline bool abut__descent_has(const uint64_t* bits, uint32_t number) {
    return (bits[number / 64] >> number % 64 & 1) != 0;
}

// What is kept per node for its children, 8 boxes each, for the tree of the descent: new children have
// empty boxes, and lanes without a child, too.
void abut__descent_lanes(const abut__descent* descent, const abut__boxes8* before,
                         abut__boxes8* now);

// Whether nodes of a tree are worth keeping if so many blocks go and about so many come.
bool abut__tree_lasts(const abut__tree* tree, uint32_t gone, uint32_t come);

typedef struct abut__patch {
    const abut__tree* old;
    const uint32_t* origin;   // per kept block: its number before
    uint32_t kept;            // the tree's first blocks, at least one
    const abut__item* items;  // per block: where it lies; not asked for of kept ones
    uint32_t fan_out;
} abut__patch;
// Nodes for a tree that has its blocks. `fits` false: ways would be too long; nothing is done then.
// False: no memory.
bool abut__tree_patch(const abut__patch* patch, abut__tree* tree, abut__descent** descent,
                      bool* fits);

#endif
