// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Point-based bodies: nodes inside a surface, each with a spherical support, and a surface that
// follows them. This file distributes the nodes and chooses their supports; transforms and weights
// are those of the library (abut/mls.h). Based on: Mueller, Keiser, Nealen, Pauly, Gross, Alexa,
// "Point Based Animation of Elastic, Plastic and Melting Objects" (2004); Steinemann, Otaduy, Gross,
// "Efficient Bounds for Point-Based Animations" (2007).

#ifndef ABUT_SCENES_MESHLESS_H
#define ABUT_SCENES_MESHLESS_H

#include <abut/mls.h>

#include "scenes/scenes_internal.h"

/// The scene owns all of it.
typedef struct meshless {
    uint32_t node_count;
    double* place;  ///< xyz of every node at rest
    double* reach;  ///< radius of its support
    const abut_mls* mls;
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

/// Computes the transforms of all nodes for displacements u, three rows of four each. False if a
/// number is not finite.
bool scene__meshless_transforms(const meshless* m, const double* u, double* transforms);

/// Computes the weights of all vertices. False on failure.
bool scene__meshless_weights(scene* s, const meshless* m, const scene_mesh* mesh,
                             scene_weights* weights);

#endif  // ABUT_SCENES_MESHLESS_H
