// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// The kinetic BoxTree of Weller, Zachmann, "Kinetic Bounding Volume Hierarchies for Deformable
// Objects", 2006: a binary tree whose nodes have only two planes across one axis, the upper end of the
// one child and the lower end of the other. Boxes are what the planes above leave of the root's. There
// are far fewer events than in the kinetic AABB tree, but an axis that is not split above a block is
// not bounded at all, so its boxes are much wider. No body uses it: it is here to be counted and
// compared, event by event.
//
// The splits part the children of each node of a shape's tree in halves, along the axis where their
// centres lie farthest apart at the beginning of the segment; leaves are blocks.
//
// A plane chooses from the vertices below. Going down, a split across the same axis offers the vertex
// of its own plane in place of everything on that side. So planes hang together as nodes of the AABB
// tree do: what takes over in one is passed on to the next above that sees it. It ends for the same
// reason (events.h).
#ifndef ABUT_BOUND_KINETIC_BOXTREE_H
#define ABUT_BOUND_KINETIC_BOXTREE_H

#include "bound/kinetic/aabb.h"
#include "bound/kinetic/heap.h"
#include "bound/kinetic/line.h"

// Whose line a plane has: a vertex, or another plane, with the top bit set.
#define ABUT__FROM_PLANE 0x80000000u

typedef struct abut__plane {
    abut__line line;
    uint32_t from;
} abut__plane;

typedef struct abut__boxtree_split {
    abut__ref child[2];  // splits, or blocks
    uint32_t parent;     // ABUT__NONE: the root
    uint32_t axis;
    abut__plane plane[2];  // the upper end of the first child, the lower end of the second
} abut__boxtree_split;

typedef struct abut__boxtree {
    const abut_context* context;
    const abut__tree* tree;
    abut__source source[2];
    uint32_t split_count;  // one less than there are blocks; children come after their parents
    uint32_t block_count;
    double part;
    abut__boxtree_split* splits;
    uint32_t* block_parent;  // per block: its split
    abut__heap heap;         // of planes, two a split
    abut__kinetic_counts counts;
} abut__boxtree;

// At the beginning of a segment, whose vertices are finite. False: no memory.
bool abut__boxtree_init(abut__boxtree* boxtree, const abut_context* context, const abut__tree* tree,
                        const abut__source source[2]);
void abut__boxtree_free(abut__boxtree* boxtree);
// Handles all events up to a part, which is not before the last.
void abut__boxtree_go(abut__boxtree* boxtree, double part);
// The box of a block at the present part, not padded: what the planes above leave of the root's.
abut__box3 abut__boxtree_box(const abut__boxtree* boxtree, uint32_t block, abut__box3 root);

#endif
