// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// The bounded deformation tree of a modal shape: James, Pai, "BD-Tree: Output-Sensitive Collision
// Detection for Reduced Deformable Models", 2004. A child of a node is bounded by
//
//   centre(q) = c + sum_j m_j q_j        half(q) = e + sum_j h_j |q_j|
//
// whatever the coordinates q are, in any order, without a look at its vertices: c and e are middle
// and half of the rest positions under the child, m_j and h_j those of field j, axis by axis, h
// rounded up. (The paper has spheres round means; boxes round middles are tighter.) A field that
// moves nothing under a node is not listed there. The same rows evaluate the vertices of a block.
//
// When coordinates change by dq, no vertex i moves farther than |U_i| |dq|, |U_i| the Frobenius norm
// of its displacements (the paper has the spectral one): a bound known for an earlier state can be
// widened by that instead of worked out anew, whatever the number of fields. It does not get smaller
// with the node, so it is of use for the top of the tree and for small steps only.
//
// The boxes may have axes of their own: rows of a rotation by which vertices and fields are turned
// before their intervals are taken.
#ifndef ABUT_BOUND_BDTREE_H
#define ABUT_BOUND_BDTREE_H

#include "base/offset.h"
#include "mesh/fields.h"
#include "simd/layout.h"
#include "tree/tree.h"

// where the rows of a node or a block are: see abut__modal_lanes
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
    double* root;           // rows of the box of everything (ABUT__MODAL_BOX), one for every field
    float* node_data;
    size_t node_floats;
    float (*sway)[ABUT__FAN];  // per node and child: the greatest |U_i| below it, rounded up
    float* block_data;
    size_t block_floats;
    abut__uint32s fields;  // lists of fields
} abut__bdtree;

// What nodes bound: positions, or only how the fields move them (blocks always have positions).
typedef enum abut__bd_what { ABUT__BD_POSITIONS, ABUT__BD_MOVES } abut__bd_what;

// `axes` is NULL for the shape's own. NULL: no memory
abut__bdtree* abut__bdtree_make(const abut_context* context, const abut__tree* tree,
                                const abut_mesh* mesh, const abut__fields* fields,
                                abut__bd_what what, const double (*axes)[3]);
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
