// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Simulation nodes of point-based bodies: sampled throughout a solid, with weights by which the
// vertices of a surface follow them.

#ifndef ABUT_SCENES_NODES_H
#define ABUT_SCENES_NODES_H

#include "scenes/solid.h"

typedef struct node_cloud {
    uint32_t count;
    double* place;  ///< xyz of every node, ascending in z
} node_cloud;

/// Distributes so many nodes evenly over the inside of a solid. `fine` as in solid.h. False on
/// failure.
bool scene__sample_nodes(scene* s, const solid* body, double fine, uint32_t count,
                         node_cloud* nodes);

/// Computes weights of the vertices of a surface: a kernel of finite support around every node, and
/// all kernels that reach a vertex scaled to the sum 1. A kernel reaches its node's neighbours. If
/// `influences` is not 0, kernels are instead so large at each vertex that this many reach it.
/// False on failure.
bool scene__node_weights(scene* s, const node_cloud* nodes, const scene_mesh* mesh,
                         uint32_t influences, scene_weights* weights);

/// A motion of space: moves the point x and computes its derivatives, j[d][e] = d moved[d] / d
/// x[e].
typedef void (*node_motion)(const void* user, double x[3], double j[3][3]);

/// Computes the affine transforms of nodes under a motion: each is the motion to first order at its
/// node, so with displacements u = moved - x it is [grad u^T + I | u - grad u^T x].
void scene__node_transforms(const node_cloud* nodes, node_motion motion, const void* user,
                            double* transforms);

#endif  // ABUT_SCENES_NODES_H
