// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Vibration modes: the lowest eigenvectors of a lattice of springs, and displacement fields of a
// surface made from them.

#ifndef ABUT_SCENES_MODES_H
#define ABUT_SCENES_MODES_H

#include "scenes/lattice.h"

/// Finds the `count` lowest modes of a lattice, rigid motions left out: K x = value M x, with
/// x^T M x = 1 and values in ascending order. Component d of node i in mode j is
/// shapes[(j * node_count + i) * 3 + d]. Fewer if the lattice has fewer; returns how many, and 0 on
/// failure.
uint32_t scene__modes(scene* s, const lattice* l, uint32_t count, double* values, double* shapes);

/// y = K x, and by another name the forces of the springs.
void scene__lattice_apply(const lattice* l, const double* x, double* y);

typedef struct modes_def {
    uint32_t count;
    double frequency;  ///< angular frequency that the lowest mode gets, by choice of the stiffness
    /// How far a coordinate of 1 moves the surface at most in the lowest mode. Higher ones have as
    /// much energy at 1, so they move less.
    double reach;
} modes_def;

/// Makes fields of `mesh` from the modes of its lattice. If nothing is held, the mesh is first
/// shifted so that the centre of mass is its origin. False on failure.
bool scene__modal_fields(scene* s, const lattice* l, scene_mesh* mesh, const modes_def* def,
                         scene_fields* fields);

/// A body by its solid, with modes of its own lattice.
typedef struct modal_solid {
    solid body;
    double cell;  ///< of the lattice; larger where the surface is coarser than that
    double mass;
    bool (*held)(const double p[3]);  ///< may be NULL
    double frequency;                 ///< see modes_def
    double reach;
} modal_solid;

/// Makes surface and fields. False on failure.
bool scene__modal_solid(scene* s, const modal_solid* def, uint32_t triangles, uint32_t count,
                        scene_mesh* mesh, scene_fields* fields);

/// Free vibration in all modes, with phases that depend on the seed.
typedef struct vibration {
    uint32_t seed;
    double amplitude;  ///< largest coordinate; 60 % of it the smallest
} vibration;
void scene__vibrate(const scene_dynamics* dynamics, uint32_t count, const vibration* v, double time,
                    double* q);

#endif  // ABUT_SCENES_MODES_H
