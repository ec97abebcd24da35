// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// A coarse elastic model of a solid: cubic cells that cover it, with masses at their corners and
// springs along edges and diagonals. The fine surface is embedded in the cells.

#ifndef ABUT_SCENES_LATTICE_H
#define ABUT_SCENES_LATTICE_H

#include "scenes/solid.h"

typedef struct lattice_spring {
    uint32_t a;  // nodes
    uint32_t b;
    double stiffness;
    double direction[3];  // unit
} lattice_spring;

typedef struct lattice {
    uint32_t node_count;
    double* place;  // xyz of every node
    double* mass;
    bool* held;  // nodes that are fixed
    bool any_held;
    uint32_t spring_count;
    lattice_spring* springs;

    // the cells
    double cell;
    double origin[3];
    uint32_t n[3];      // cells along each axis
    size_t step[3];     // between grid points
    uint32_t* node_at;  // node + 1 of every grid point, or 0
} lattice;

typedef struct lattice_def {
    double cell;  ///< side of the cells
    double fine;  ///< of the surface, see solid.h
    double mass;  ///< of the whole
    /// NULL, or returns which places are fixed.
    bool (*held)(const double p[3]);
} lattice_def;

/// Makes the lattice of a solid and of all vertices of its surface. The mass of a cell is
/// proportional to its solid fraction. False on failure.
bool scene__lattice(scene* s, const solid* body, const scene_mesh* mesh, const lattice_def* def,
                    lattice* out);

/// Computes the corners of the cell at `p` and their trilinear weights. `p` must lie in a cell, as
/// every vertex of the surface does.
void scene__lattice_embed(const lattice* l, const double p[3], uint32_t nodes[8],
                          double weights[8]);

#endif  // ABUT_SCENES_LATTICE_H
