// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Elastic motion of a point-based body: the strain at every node comes from the gradient of the
// displacements, the stress is linear in it, and forces are the negative gradient of the energy. So
// they sum to zero, have no torque, and vanish for translations and rotations of the body. Based
// on: Mueller, Keiser, Nealen, Pauly, Gross, Alexa, "Point Based Animation of Elastic, Plastic and
// Melting Objects" (2004).

#ifndef ABUT_SCENES_ELASTIC_H
#define ABUT_SCENES_ELASTIC_H

#include "scenes/meshless.h"

typedef struct elastic_def {
    double density;
    double stretch;  ///< Lame's first constant
    double shear;    ///< and the second
    double volume;   ///< resists a change of volume, and prevents inversion
    double damping;  ///< fraction of the relative speed of neighbours that is lost per unit of time
} elastic_def;

/// The scene owns the arrays. u and v may be changed between steps.
typedef struct elastic {
    const meshless* body;
    elastic_def def;
    /// The nodes within the support of node i: first[i] .. first[i + 1] - 1, ascending, without i.
    uint32_t* first;
    uint32_t* neighbours;
    /// A vector for each of them: the gradient of u at i is the sum of (u_j - u_i) slope^T.
    double* slopes;
    double* mass;
    double* volume;
    bool* held;          ///< nodes that do not move; initially none
    double* u;           ///< displacements, initially 0
    double* v;           ///< velocities, initially 0
    double* force;       ///< memory for a step
    double* transforms;  ///< the same
    double step;         ///< duration of a step, small enough to be stable
} elastic;

/// Makes a body at rest. False on failure.
bool scene__elastic(scene* s, const meshless* body, const elastic_def* def, elastic* out);

/// Computes the elastic forces for displacements u, without damping; returns the energy. It
/// is infinite, and the forces are 0, if a displacement or a gradient is not finite.
double scene__elastic_forces(const elastic* e, const double* u, double* force);

double scene__elastic_kinetic(const elastic* e);

/// Computes one time step under external forces (NULL: none): first velocities, then displacements.
/// False, without any change, if the energy is not finite.
bool scene__elastic_step(elastic* e, const double* outer);

#endif  // ABUT_SCENES_ELASTIC_H
