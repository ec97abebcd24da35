// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Penalty forces of contacts: a spring and a damper along the normal (Kelvin-Voigt) that push but
// never pull, and Coulomb friction across. Contacts are integrated implicitly, one after the other,
// so that stiff contacts of light modes stay stable at steps of 1/150 second. Follows the penalty
// law of James, Pai, "BD-Tree" (2004), section 4; the implicit spring is that of Catto, "Soft
// Constraints", 2011.
#ifndef DYNAMICS_CONTACT_H
#define DYNAMICS_CONTACT_H

#include "dynamics/modal_body.h"

/// In place of a second body: an obstacle that does not yield.
#define CONTACT_FIXED UINT32_MAX

typedef struct modal_contact {
    uint32_t body[2];
    uint32_t proxy[2];
    double point[3];
    double normal[3];   ///< unit, from the second to the first
    double depth;       ///< of overlap
    double surface[3];  ///< velocity of the obstacle
    // Data of the solver:
    double give;  ///< inverse effective mass of both bodies along the normal
    double push;  ///< normal impulse so far
    double drag[3];
} modal_contact;

typedef struct contact_law {
    double frequency;   ///< of the spring with one body's mass, per second (angular)
    double damping;     ///< 1: critical for that mass
    double friction;    ///< Coulomb's coefficient
    double most_speed;  ///< greatest speed at which an overlap is corrected
    uint32_t rounds;    ///< passes over all contacts per step
} contact_law;

/// Changes the velocities of the bodies, all of one model, by the contact forces of a step.
void contact_solve(const contact_law* law, const modal_model* model, modal_body* bodies,
                   modal_contact* contacts, size_t count);

#endif
