// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Plastic chairs that fall to the ground and come to rest in a pile: 3601 of them in James, Pai,
// "BD-Tree: Output-Sensitive Collision Detection for Reduced Deformable Models", 2004, section 4.
#ifndef DYNAMICS_PILE_H
#define DYNAMICS_PILE_H

#include "dynamics/swarm.h"

typedef struct pile_def {
    uint32_t bodies;      ///< [125]
    uint32_t triangles;   ///< of a chair, approximately [17914]
    uint32_t fields;      ///< modes of a chair, at most MODAL_MOST [10]
    uint32_t level;       ///< of the contact proxies [10]
    uint32_t seed;        ///< of positions and rotations [1]
    double stiffness;     ///< of contacts: contact_law.frequency [90]
    uint32_t rounds;      ///< contact_law.rounds [4]
    double pitch;         ///< factor of the frequencies of the modes [5]
    double strain_limit;  ///< see modal_model [0.08]
    swarm_manner manner;
    const abut_context_def* context;  ///< tasks and instruction set; may be NULL
    swarm_ranks* ranks;               ///< that share the chairs; NULL: this process has all
} pile_def;
pile_def pile_def_default(void);

typedef struct pile pile;

/// Creates chairs in the air, in layers. pile_destroy() frees everything.
abut_status pile_create(const pile_def* def, pile** made, abut_error* error);
void pile_destroy(pile* p);
/// Continues from states that another pile of the same def had after `work`.
void pile_restore(pile* p, const modal_body* states, const swarm_work* work);
/// One step of 1/150 second.
abut_status pile_step(pile* p, abut_error* error);

/// Returns the bodies, with their states and the costs of steps.
const swarm* pile_swarm(const pile* p);
/// Bytes of the library per chair that has moved but touched nothing yet, without shared data.
double pile_bytes_per_body(const pile* p);

/// Costs of collision processing (setting states and finding contacts) on the same frames.
typedef struct pile_cost {
    uint32_t frames;
    uint64_t contacts[SWARM_MANNERS];       ///< of proxies, per frame
    uint64_t at_rest[SWARM_MANNERS];        ///< those that proxies with their radii at rest have
    uint64_t pairs[SWARM_MANNERS];          ///< of triangles, per frame
    double proxies_seconds[SWARM_MANNERS];  ///< per frame: median over repetitions
    double exact_seconds[SWARM_MANNERS];    ///< the same with abut_collide_all()
} pile_cost;

/// Simulates a deformable pile for `steps` steps and records `frames` states from the last third.
/// Then measures all manners on these, in `repetitions` turns, in processor time.
abut_status pile_measure(const pile_def* def, uint32_t steps, uint32_t frames, uint32_t repetitions,
                         pile_cost* cost, abut_error* error);

#endif
