// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// The kinetic BoxTree of Weller, Zachmann, "Kinetic Bounding Volume Hierarchies for Deformable
// Objects", 2006: a binary tree whose nodes have only two planes across one axis, the upper end of the
// one child and the lower end of the other. Boxes are what the planes above leave of the root's. There
// are far fewer events than in the kinetic AABB tree, but an axis that is not split above a block is
// not bounded at all, so its boxes are much wider.
//
// The splits part the children of each node of a shape's tree in halves, along the axis where they lie
// farthest apart; leaves are blocks. The splits of a node have numbers in a row, after those of its
// parent. When the halves of a split have grown into each other, or lie apart along another axis, the
// children of its node are parted anew as they lie then; the other nodes keep their splits (the paper
// leaves this to the future). Every step looks at some of the nodes in turn, and parts none twice, so
// it ends.
//
// A plane chooses from the vertices below. Going down, a split across the same axis offers the vertex
// of its own plane in place of everything on that side. So planes hang together as nodes of the AABB
// tree do: what takes over in one is passed on to the next above that sees it. It ends for the same
// reason (events.h).
//
// The pad. Lines are read as floats and worked out in double: a plane is off by what rounding to float
// does to vertices and boxes, and by the rounding of the part, together less than that of the AABB
// tree, whose pad does (aabb.h).
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
    uint32_t node;         // of the shape's tree, whose children it parts
    double allowed;        // how far the halves may reach into each other
    abut__plane plane[2];  // the upper end of the first child, the lower end of the second
} abut__boxtree_split;

typedef struct abut__boxtree {
    const abut_context* context;
    const abut__tree* tree;
    abut__source source[2];  // in the direction of time
    uint32_t key[2];         // of the segment, likewise; ABUT__NONE: none
    bool back;               // time runs backwards
    bool parted;             // there are splits
    bool edited;             // they are another tree's, but for what has yet to be mended
    uint32_t split_count;    // one less than there are blocks
    uint32_t block_count;
    uint32_t node_count;
    double part;
    uint32_t looked_at;  // the next node to be looked at for whether it has degraded
    abut__boxtree_split* splits;
    uint32_t* block_parent;  // per block: its split
    uint32_t* first;         // per node: its first split
    abut__ref* top;          // per node: the split, or block, that stands for it
    abut__heap heap;         // of planes, two a split
    abut__kinetic_counts counts;
} abut__boxtree;

// At the beginning of a segment, whose vertices are finite. False: no memory.
bool abut__boxtree_init(abut__boxtree* boxtree, const abut_context* context, const abut__tree* tree,
                        const abut__source source[2]);
void abut__boxtree_free(abut__boxtree* boxtree);
// Handles all events up to a part, which is not before the last, and parts some nodes anew where that
// is due.
void abut__boxtree_go(abut__boxtree* boxtree, double part);
// The box of a block at the present part, not padded: what the planes above leave of the root's.
abut__box3 abut__boxtree_box(const abut__boxtree* boxtree, uint32_t block, abut__box3 root);
// The boxes of a node's children, likewise.
void abut__boxtree_bound(const abut__boxtree* boxtree, uint32_t node, abut__box3 root,
                         abut__boxes8* out);

// The same as a bound of bodies, as abut__kinetic_make() and the following are for the AABB tree.
abut__boxtree* abut__boxtree_make(const abut_context* context, const abut__tree* tree);
void abut__boxtree_destroy(abut__boxtree* boxtree);
void abut__boxtree_seek(abut__boxtree* boxtree, const abut__kinetic_segment* segment, float part);
void abut__boxtree_mend(abut__boxtree* boxtree, const abut__kinetic_segment* segment,
                        const uint64_t* blocks);
abut__boxtree* abut__boxtree_descend(const abut__boxtree* before, const abut__tree* tree,
                                     const abut__descent* descent);
void abut__boxtree_mend_edit(abut__boxtree* boxtree, const abut__kinetic_segment* segment,
                             const abut__descent* descent);
void abut__boxtree_forget(abut__boxtree* boxtree);
// False: no memory.
bool abut__boxtree_measure(const abut__boxtree* boxtree, uint32_t vertex_count,
                           abut__kinetic_measures* out);

#endif
