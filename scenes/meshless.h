// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Point-based bodies: nodes inside a surface, each with a spherical support, and a surface that
// follows them. From displacements of nodes, moving least squares give the gradient at every node,
// and so an affine transform per node. All searches are brute force over all nodes: simple, and an
// oracle for faster methods. Based on: Mueller, Keiser, Nealen, Pauly, Gross, Alexa, "Point Based
// Animation of Elastic, Plastic and Melting Objects" (2004); Steinemann, Otaduy, Gross, "Efficient
// Bounds for Point-Based Animations" (2007).

#ifndef ABUT_SCENES_MESHLESS_H
#define ABUT_SCENES_MESHLESS_H

#include "scenes/scenes_internal.h"

/// The scene owns the arrays.
typedef struct meshless {
    uint32_t node_count;
    double* place;  ///< xyz of every node at rest
    double* reach;  ///< radius of its support
    /// The nodes within the support of node i: first[i] .. first[i + 1] - 1, ascending, without i.
    uint32_t* first;
    uint32_t* neighbours;
    /// A vector for each of them: the gradient of u at i is the sum of (u_j - u_i) slope^T.
    double* slopes;
} meshless;

/// The region where nodes may be.
typedef struct meshless_region {
    bool (*inside)(const void* user, const double p[3]);
    const void* user;
    double low[3];  ///< a box around it
    double high[3];
} meshless_region;

/// Distributes about `count` nodes evenly over a region and the surface of `mesh` (the first of
/// them as far apart as possible), with supports that contain some 10 to 25 others each and
/// together reach every vertex. `seed` shifts them. False on failure.
bool scene__meshless(scene* s, const meshless_region* region, const scene_mesh* mesh,
                     uint32_t count, uint32_t seed, meshless* out);

/// Finds neighbours and slopes for given places and supports. Where all neighbours lie in a plane
/// or on a line, the gradient is the least one that fits.
bool scene__meshless_connect(scene* s, meshless* m);

/// Computes the gradient of displacements at a node: gradient[a][b] is the derivative of u_a along
/// axis b.
void scene__meshless_gradient(const meshless* m, const double* u, uint32_t node,
                              double gradient[3][3]);

/// Computes the transforms of all nodes, three rows of four each: A = gradient + 1,
/// t = u - gradient x.
void scene__meshless_transforms(const meshless* m, const double* u, double* transforms);

/// Returns the kernel of a node at a distance r, at most the radius of its support h.
double scene__meshless_kernel(double r_sq, double h);

/// Computes the weights of all vertices: kernels of the nodes that reach it, normalized to the sum
/// 1.
bool scene__meshless_weights(scene* s, const meshless* m, const scene_mesh* mesh,
                             scene_weights* weights);

#endif  // ABUT_SCENES_MESHLESS_H
