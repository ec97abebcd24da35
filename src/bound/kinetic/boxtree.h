// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// The kinetic BoxTree of Weller, Zachmann, "Kinetic Bounding Volume Hierarchies for Deformable
// Objects", 2006: a binary tree whose nodes (splits) have only two planes across one axis, the
// upper end of one child and the lower end of the other. A box is the root's box, cut by the planes
// above. There are far fewer events than in the kinetic AABB tree. But an axis that is not split
// above a block is not bounded at all, so boxes are much wider.
//
// Splits halve the children of each node of a shape's tree along the axis of widest spread; leaves
// are blocks. The splits of a node have consecutive numbers, after those of its parent. When the
// halves of a split overlap too much, or are spread along another axis, the children of its node
// are split again by their present positions. The other nodes keep their splits (the paper leaves
// this to future work). Every step checks some of the nodes in turn, and splits none twice, so it
// terminates.
//
// A change of a plane propagates to the planes above that hold the same vertex, as between nodes of
// the AABB tree. See planes.h.
//
// The pad. Lines are read as floats and evaluated in double. A plane is off by the rounding of
// vertices, boxes and the part to float, and by the tolerance of 16 u S within which a vertex counts
// as extreme. That is less than for the AABB tree, so its pad suffices (aabb.h).
#ifndef ABUT_BOUND_KINETIC_BOXTREE_H
#define ABUT_BOUND_KINETIC_BOXTREE_H

#include "bound/kinetic/aabb.h"
#include "bound/kinetic/heap.h"
#include "bound/kinetic/line.h"

typedef struct abut__plane {
    abut__line line;
    uint32_t from;   // the vertex that it holds; ABUT__NONE: none yet
    uint32_t rival;  // the vertex that overtakes it
} abut__plane;

typedef struct abut__boxtree_split {
    abut__ref child[2];  // splits, or blocks
    uint32_t parent;     // ABUT__NONE: the root
    uint32_t axis;
    uint32_t node;         // the node of the shape's tree whose children it splits
    uint8_t lanes[2];      // those of its halves, a bit each
    double allowed;        // allowed overlap of the halves
    abut__plane plane[2];  // the upper end of the first child, the lower end of the second
} abut__boxtree_split;

typedef struct abut__boxtree {
    const abut_context* context;
    const abut__tree* tree;
    abut__kinetic_segment segment;  // in the direction of time
    uint32_t key[2];                // its keyframes; ABUT__NONE: none
    float extent;                   // the greatest since the last start
    double tolerance;
    bool back;             // time runs backwards
    bool has_splits;       // the splits are made
    bool edited;           // splits come from another tree; what the edit changed must still be
                           // repaired
    uint32_t split_count;  // number of blocks minus 1
    uint32_t block_count;
    uint32_t node_count;
    double part;
    uint32_t next_check;  // the next node to check for degradation
    abut__boxtree_split* splits;
    uint32_t* block_parent;  // per block: its split
    uint32_t* first;         // per node: its first split
    abut__ref* top;          // per node: the split, or block, that represents it
    uint64_t* marks;         // a bit per plane; all are 0 between calls
    abut__heap heap;         // of planes, two per split
    abut__kinetic_counts counts;
} abut__boxtree;

// Starts at the beginning of a segment, whose vertices must be finite, and whose boxes must remain
// valid. False: no memory.
bool abut__boxtree_init(abut__boxtree* boxtree, const abut_context* context, const abut__tree* tree,
                        const abut__kinetic_segment* segment);
void abut__boxtree_free(abut__boxtree* boxtree);
// Handles all events up to a part, which must not be before the last. Then splits some degraded
// nodes again.
void abut__boxtree_go(abut__boxtree* boxtree, double part);
// Returns the box of a block at the present part, without the pad: the root's box cut by the planes
// above.
abut__box3 abut__boxtree_box(const abut__boxtree* boxtree, uint32_t block, abut__box3 root);
// Computes the boxes of a node's children, likewise.
void abut__boxtree_bound(const abut__boxtree* boxtree, uint32_t node, abut__box3 root,
                         abut__boxes8* out);

// The interface as a bound of bodies, like abut__kinetic_make() and the following for the AABB
// tree.
abut__boxtree* abut__boxtree_make(const abut_context* context, const abut__tree* tree);
void abut__boxtree_destroy(abut__boxtree* boxtree);
void abut__boxtree_seek(abut__boxtree* boxtree, const abut__kinetic_segment* segment, float part);
void abut__boxtree_update(abut__boxtree* boxtree, const abut__kinetic_segment* segment,
                          const uint64_t* blocks);
abut__boxtree* abut__boxtree_descend(const abut__boxtree* before, const abut__tree* tree,
                                     const abut__descent* descent);
void abut__boxtree_update_edited(abut__boxtree* boxtree, const abut__kinetic_segment* segment,
                                 const abut__descent* descent);
void abut__boxtree_forget(abut__boxtree* boxtree);
// False: no memory.
bool abut__boxtree_measure(const abut__boxtree* boxtree, uint32_t vertex_count,
                           abut__kinetic_measures* out);

#endif
