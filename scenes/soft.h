// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Several point-based bodies that are simulated together: some nodes of each are held and follow a
// prescribed motion, the others follow by inertia, weight and elasticity, and nodes of different
// bodies push each other apart. Based on: Mueller, Keiser, Nealen, Pauly, Gross, Alexa, "Point Based
// Animation of Elastic, Plastic and Melting Objects" (2004).

#ifndef ABUT_SCENES_SOFT_H
#define ABUT_SCENES_SOFT_H

#include "scenes/elastic.h"

/// Bodies that share one surface, its nodes and its material.
typedef struct soft_def {
    const meshless* body;
    elastic_def material;
    uint32_t count;   ///< of bodies
    double duration;  ///< of the whole motion, in the simulation's time
    double weight;    ///< acceleration towards -z
    double drag;      ///< fraction of the speed that is lost per unit of time
    double push;      ///< stiffness of contact, relative to that of the material
    /// Returns the depth of a point at rest below the surface.
    double (*depth)(const void* user, const double x[3]);
    /// Held are the nodes where this is positive, at rest, and the node where it is greatest.
    double (*grip)(const void* user, const double x[3]);
    /// Moves a point at rest as prescribed at a time from 0 to 1. All nodes start so.
    void (*drive)(const void* user, uint32_t body, double time, double x[3]);
    const void* user;
} soft_def;

/// Simulates all frames. Returns the displacements of all nodes of all bodies, frame by frame; NULL
/// on failure. They are finite for any material, because speeds are limited.
double* scene__soft_motion(scene* s, const soft_def* def);

/// Returns the number of nodes to make: as wished, if each gets at least so many vertices of the mesh.
uint32_t scene__soft_nodes(const scene_mesh* mesh, uint32_t wished, uint32_t vertices);

#endif  // ABUT_SCENES_SOFT_H
