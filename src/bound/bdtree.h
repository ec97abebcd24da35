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
// Slopes. These boxes only grow with |q|, also where the surface folds up. So a field may have a
// slope s_j per axis. With y_i = p_i - c a vertex is at c + y_i + sum_j U_ij q_j, and
//
//   half(q) = e |1 + sum_j s_j q_j| + sum_j h_j |q_j|
//
// where m_j and h_j are the middle and half width of U_ij - s_j y_i. Slopes are those of straight
// lines fitted to the displacements over y_i, if h_j becomes clearly less thereby and e |s_j| + h_j
// hardly more than h_j without a slope. A node has slopes only if a child gains by them.
//
// Sways. When the coordinates change by dq, vertex i moves at most |U_i| |dq|, where |U_i| is the
// spectral norm of its displacements, and along an axis at most the norm of that row of U_i times
// |dq|. So a bound of an earlier state can be widened by that instead of being computed anew, at a
// cost that does not depend on the number of fields. This widening does not shrink with the node,
// so it helps only for small steps.
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

// Widening pays where computing bounds again costs more: with many fields.
#define ABUT__FIELDS_TO_WIDEN 32u

// Per child of a node: the greatest sway of a vertex below it, in all and along each axis, rounded
// up.
typedef struct abut__sways {
    float all[ABUT__FAN];
    float axis[3][ABUT__FAN];
} abut__sways;

typedef struct abut__bdtree {
    const abut_context* context;
    uint32_t node_count;
    uint32_t block_count;
    uint32_t field_count;
    abut__bd_part*
        nodes;     // rows: centre x y z, half x y z, perhaps slope x y z, eight children each
    bool* sloped;  // per node: whether its rows have slopes
    abut__bd_part* blocks;  // rows: x of all vertices, then y, then z, padded at the end only
    double* root_slopes;    // three for each row of the root; NULL: it has none
    double* root;           // rows of the box of the whole shape (ABUT__MODAL_BOX): one for the
                            // rest, one per field
    float* node_data;
    size_t node_floats;
    ABUT__VECTOR(float) sloped_data;  // of nodes with slopes
    abut__sways* sways;               // per node
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
    const float* data = bdtree->sloped[node] ? bdtree->sloped_data.data : bdtree->node_data;
    return (abut__modal_lanes){ABUT__AT(data, part->data),
                               ABUT__AT(bdtree->fields.data, part->first_field), part->field_count};
}
static inline bool abut__bdtree_is_sloped(const abut__bdtree* bdtree, uint32_t node) {
    return bdtree->sloped[node];
}
static inline abut__modal_lanes abut__bdtree_block(const abut__bdtree* bdtree, uint32_t block) {
    const abut__bd_part* part = &bdtree->blocks[block];
    return (abut__modal_lanes){ABUT__AT(bdtree->block_data, part->data),
                               ABUT__AT(bdtree->fields.data, part->first_field), part->field_count};
}

#endif
