// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Convex weights of a mesh: how much every vertex follows each node. They are sorted by node,
// without zeros, each node once.
#ifndef ABUT_MESH_WEIGHTS_H
#define ABUT_MESH_WEIGHTS_H

#include "abut/blend.h"
#include "mesh/mesh.h"

#define ABUT__NODES_MOST 65535u

// Immutable, shared by shapes.
typedef struct abut__weights {
    abut_context* context;
    atomic_uint holders;
    uint32_t node_count;
    uint32_t vertex_count;
    abut_scalar scalar;
    size_t* first;    // per vertex: its first influence; one more at the end
    uint32_t* nodes;  // per influence
    void* values;     // per influence, of type `scalar`
    size_t room;      // for influences
    uint32_t most;    // greatest number of influences of a vertex
    double defect;    // upper bound of |sum - 1| over all vertices
} abut__weights;

abut_status abut__weights_make(abut_context* context, uint32_t vertex_count,
                               const abut_weights* given, abut__weights** out, abut_error* error);
// Edits weights: makes a copy with more vertices, other weights and more nodes. If nothing changes,
// it returns the same weights with one more reference.
abut_status abut__weights_edit(abut__weights* weights, const abut_blend_edit_def* edit,
                               abut__weights** out, abut_error* error);
// Allocates weights, with room for influences, that have none yet. NULL: no memory.
abut__weights* abut__weights_reserve(abut_context* context, size_t node_count,
                                     uint32_t vertex_count, abut_scalar scalar, size_t room);
// Computes the bounds over all vertices, `most` and `defect`.
void abut__weights_measure(abut__weights* made);
void abut__weights_hold(abut__weights* weights);
void abut__weights_release(abut__weights* weights);

static inline double abut__weight(const abut__weights* weights, size_t influence) {
    return weights->scalar == ABUT_SCALAR_F64 ? ((const double*)weights->values)[influence]
                                              : (double)((const float*)weights->values)[influence];
}

// Tells whether two vertices follow the same nodes with the same weights; hashes the weights of
// one.
bool abut__weights_equal(const abut__weights* weights, uint32_t a, uint32_t b);
uint64_t abut__weights_hash(const abut__weights* weights, uint32_t vertex, uint64_t hash);

#endif
