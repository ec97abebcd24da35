// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// The bounded deformation tree of a modal shape: James, Pai, "BD-Tree: Output-Sensitive Collision
// Detection for Reduced Deformable Models", 2004. Each child of a node is bounded by the box
//
//   centre(q) = c + sum_j m_j q_j        half(q) = e + sum_j h_j |q_j|
//
// for any coordinates q, without reading its vertices. c and e are the middle and half width of the
// rest positions under the child, m_j and h_j those of the displacements of field j, per axis; e
// and h are rounded up. (The paper uses spheres around means; boxes around middles are tighter.) A
// node does not list fields that move nothing under it. The rows of a block have the same form and
// evaluate its vertices.
//
// When the coordinates change by dq, vertex i moves at most |U_i| |dq|, where |U_i| is the
// Frobenius norm of its displacements (the paper uses the spectral norm). So a bound of an earlier
// state can be widened by that instead of being computed anew, at a cost that does not depend on
// the number of fields. This widening does not shrink with the node, so it helps only at the top of
// the tree and for small steps.
#ifndef ABUT_BOUND_BDTREE_H
#define ABUT_BOUND_BDTREE_H

#include "base/offset.h"
#include "mesh/fields.h"
#include "simd/layout.h"
#include "tree/tree.h"

// Where the rows of a node or a block are: see abut__modal_lanes.
typedef struct abut__bd_part {
    size_t data;
    uint32_t first_field;
    uint32_t field_count;
} abut__bd_part;

typedef struct abut__bdtree {
    const abut_context* context;
    uint32_t node_count;
    uint32_t block_count;
    uint32_t field_count;
    abut__bd_part* nodes;   // rows: centre x y z, half x y z, eight children each
    abut__bd_part* blocks;  // rows: x of all vertices, then y, then z, padded at the end only
    double* root;           // rows of the box of the whole shape (ABUT__MODAL_BOX): one for the
                            // rest, one per field
    float* node_data;
    size_t node_floats;
    float (*sway)[ABUT__FAN];  // per node and child: the greatest |U_i| below it, rounded up
    float* block_data;
    size_t block_floats;
    abut__uint32s fields;  // lists of fields
} abut__bdtree;

// What nodes bound: positions, or only the displacements by the fields. Blocks always have
// positions.
typedef enum abut__bd_what { ABUT__BD_POSITIONS, ABUT__BD_MOVES } abut__bd_what;

// NULL: no memory.
abut__bdtree* abut__bdtree_make(const abut_context* context, const abut__tree* tree,
                                const abut_mesh* mesh, const abut__fields* fields,
                                abut__bd_what what);
void abut__bdtree_free(abut__bdtree* bdtree);

static inline abut__modal_lanes abut__bdtree_node(const abut__bdtree* bdtree, uint32_t node) {
    const abut__bd_part* part = &bdtree->nodes[node];
    return (abut__modal_lanes){ABUT__AT(bdtree->node_data, part->data),
                               ABUT__AT(bdtree->fields.data, part->first_field), part->field_count};
}
static inline abut__modal_lanes abut__bdtree_block(const abut__bdtree* bdtree, uint32_t block) {
    const abut__bd_part* part = &bdtree->blocks[block];
    return (abut__modal_lanes){ABUT__AT(bdtree->block_data, part->data),
                               ABUT__AT(bdtree->fields.data, part->first_field), part->field_count};
}

#endif
