// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Convex weights of a mesh: how much every vertex follows each node. Sorted by node, without zeros,
// every node once.
#ifndef ABUT_MESH_WEIGHTS_H
#define ABUT_MESH_WEIGHTS_H

#include "abut/shape.h"
#include "mesh/mesh.h"

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
    uint32_t most;    // influences of a vertex
    double defect;    // how much a sum differs from 1, at most
} abut__weights;

abut_status abut__weights_make(abut_context* context, uint32_t vertex_count,
                               const abut_weights* given, abut__weights** out, abut_error* error);
// What an edit makes of weights: a copy with more vertices, other weights and more nodes, or, if it
// changes nothing, the same ones, held once more.
abut_status abut__weights_edit(abut__weights* weights, const abut_shape_edit_def* edit,
                               abut__weights** out, abut_error* error);
void abut__weights_hold(abut__weights* weights);
void abut__weights_release(abut__weights* weights);

static inline double abut__weight(const abut__weights* weights, size_t influence) {
    return weights->scalar == ABUT_FLOAT64 ? ((const double*)weights->values)[influence]
                                           : (double)((const float*)weights->values)[influence];
}

// Whether two vertices follow the same nodes by the same weights, and a hash of how one does.
bool abut__weights_equal(const abut__weights* weights, uint32_t a, uint32_t b);
uint64_t abut__weights_hash(const abut__weights* weights, uint32_t vertex, uint64_t hash);

#endif
