// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Many bodies of one modal model in a scene of the library: contacts of their proxies, penalty
// forces, and what each part of a step costs. Based on: James, Pai, "BD-Tree: Output-Sensitive
// Collision Detection for Reduced Deformable Models", 2004, sections 3.4 and 4.
#ifndef DYNAMICS_SWARM_H
#define DYNAMICS_SWARM_H

#include "dynamics/contact.h"

/// How the bodies are taken.
typedef enum swarm_manner {
    SWARM_DEFORMABLE = 0,
    SWARM_RIGID,      ///< shapes without fields
    SWARM_REDUNDANT,  ///< rigid, but with the fields: all coordinates are set, to 0, in every step
    SWARM_MANNERS,
} swarm_manner;

/// "deformable", and so on.
const char* swarm_manner_name(swarm_manner manner);

typedef struct swarm_def {
    const abut_context_def* context;  ///< tasks and instruction set; may be NULL
    const scene_body* from;
    double scale;
    swarm_manner manner;
    uint32_t proxy_level;
    double pitch;         ///< factor of all frequencies of the modes
    double damping;       ///< of the modes, 1: critical
    double strain_limit;  ///< see modal_model
    double gravity;
    double air;  ///< drag of the air: the part of a velocity that it takes in a second
    double step_seconds;
    contact_law law;
} swarm_def;
/// Steps of 1/150 second, and what goes well with bodies of a metre.
swarm_def swarm_def_default(void);

/// What steps cost so far.
typedef struct swarm_work {
    uint32_t steps;
    double update_seconds;   ///< setting frames and coordinates
    double collide_seconds;  ///< the library's query
    double solve_seconds;    ///< forces and motion
    uint64_t contacts;       ///< pairs of proxies that the library found
    uint64_t pushes;         ///< contacts that got a force, with ground and the like
    uint64_t sphere_tests;
    uint64_t spheres_updated;
} swarm_work;

typedef struct swarm {
    swarm_def def;
    abut_context* context;
    abut_scene* scene;
    abut_result* result;
    modal_model model;
    uint32_t count;
    uint32_t capacity;
    modal_body* bodies;
    abut_body_id* ids;  ///< numbered as the bodies, and as results have them
    modal_contact* contacts;
    size_t contact_count;
    size_t contact_capacity;
    size_t bytes;       ///< that the library holds
    size_t most_bytes;  ///< that it ever held
    swarm_work work;
} swarm;

/// Opens an empty one; swarm_close() after a failure, too. It must stay where it is.
abut_status swarm_open(swarm* s, const swarm_def* def, uint32_t capacity, abut_error* error);
void swarm_close(swarm* s);
/// Adds a body at rest in its modes; at most `capacity` of them.
abut_status swarm_add(swarm* s, const abut_frame* frame, const double velocity[3],
                      abut_error* error);

/// Bytes of the library for each body that has moved but that nothing has touched. `before` is
/// swarm.bytes before the bodies were added.
abut_status swarm_measure(swarm* s, size_t before, double* bytes, abut_error* error);
/// Those of them that are its state: a frame, and coordinates of this step and the one before.
size_t swarm_state_bytes(const swarm* s);

// A step is these four, in this order; contacts with other things come between the last two.
/// Gravity and springs.
void swarm_accelerate(swarm* s);
/// Hands all states to the library.
abut_status swarm_update(swarm* s, abut_error* error);
/// Finds contacts between the bodies: `found` has all that the library found, also with bodies of
/// its scene that are not the swarm's.
abut_status swarm_collide(swarm* s, const abut_proxy_contact** found, size_t* count);
/// Forces of all contacts, then motion.
void swarm_solve(swarm* s);

/// Adds a contact for swarm_solve(). False: no memory.
bool swarm_touch(swarm* s, const modal_contact* contact);
/// Adds contacts with the ground at a height. False: no memory.
bool swarm_touch_ground(swarm* s, double height);

double swarm_kinetic(const swarm* s);
double swarm_stored(const swarm* s);
/// The greatest distance that a proxy's centre is below `height`, 0 if none is.
double swarm_deepest(const swarm* s, double height);

/// Number `index` of stream `seed`, uniform in [low, high).
double swarm_random(uint32_t seed, uint32_t index, double low, double high);
/// A turn, any as likely as any other, of the numbers `index` to `index` + 2.
void swarm_random_turn(uint32_t seed, uint32_t index, double r[3][3]);

/// Seconds of a clock that only goes forward.
double swarm_clock(void);
/// Seconds that the processor worked for this process.
double swarm_clock_cpu(void);

#endif
