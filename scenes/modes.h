// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Vibration modes: the lowest eigenvectors of a lattice of springs, and displacement fields of a
// surface made from them.

#ifndef ABUT_SCENES_MODES_H
#define ABUT_SCENES_MODES_H

#include "scenes/lattice.h"

/// Finds the `count` lowest modes of a lattice without rigid motions: K x = value M x, with x^T
/// M x = 1 and values in ascending order. Component d of node i in mode j is
/// shapes[(j * node_count + i) * 3 + d]. Returns the number of modes, which is less if the lattice
/// has fewer, and 0 on failure.
uint32_t scene__modes(scene* s, const lattice* l, uint32_t count, double* values, double* shapes);

/// Computes y = K x, that is, the spring forces.
void scene__lattice_apply(const lattice* l, const double* x, double* y);

typedef struct modes_def {
    uint32_t count;
    double frequency;  ///< angular frequency of the lowest mode, which determines the stiffness
    /// Greatest displacement of the surface by a coordinate of 1 in the lowest mode. Higher modes
    /// have as much energy at 1, so they move less.
    double reach;
} modes_def;

/// Makes fields of `mesh` from the modes of its lattice. If nothing is fixed, it first shifts the
/// mesh so that the centre of mass is at the origin. False on failure.
bool scene__modal_fields(scene* s, const lattice* l, scene_mesh* mesh, const modes_def* def,
                         scene_fields* fields);

/// A body defined by its solid, with modes of its own lattice.
typedef struct modal_solid {
    solid body;
    double cell;  ///< of the lattice; enlarged if the surface is coarser
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
    double amplitude;  ///< largest coordinate; the smallest is 60 % of it
} vibration;
void scene__vibrate(const scene_dynamics* dynamics, uint32_t count, const vibration* v, double time,
                    double* q);

#endif  // ABUT_SCENES_MODES_H
