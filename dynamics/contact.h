// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Penalty forces of contacts: a spring and a damper along the normal (Kelvin-Voigt) that push and
// never pull, and Coulomb friction across. Each contact is integrated implicitly, one after the
// other, so that stiff contacts of light modes stay stable at steps of 1/150 second.
// After the penalty law of James, Pai, "BD-Tree" (2004), section 4; the implicit spring is that of
// Catto, "Soft Constraints", 2011.
#ifndef DYNAMICS_CONTACT_H
#define DYNAMICS_CONTACT_H

#include "dynamics/modal_body.h"

/// In the place of a second body: something that does not give.
#define CONTACT_FIXED UINT32_MAX

typedef struct modal_contact {
    uint32_t body[2];
    uint32_t proxy[2];
    double point[3];
    double normal[3];   ///< unit, from the second to the first
    double depth;       ///< of the overlap
    double surface[3];  ///< velocity of what does not give
    // of the solver
    double give;  ///< of both bodies along the normal
    double push;  ///< impulse so far
    double drag[3];
} modal_contact;

typedef struct contact_law {
    double frequency;   ///< of the spring with one body's mass, per second (angular)
    double damping;     ///< 1: critical for that mass
    double friction;    ///< Coulomb's coefficient
    double most_speed;  ///< overlaps are pushed apart no faster
    uint32_t rounds;    ///< over all contacts in a step
} contact_law;

/// Changes velocities of the bodies, all of one model, by the contacts' forces in a step.
void contact_solve(const contact_law* law, const modal_model* model, modal_body* bodies,
                   modal_contact* contacts, size_t count);

#endif
