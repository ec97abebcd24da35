// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Many bodies of one modal model in a scene of the library: contacts of their proxies, penalty
// forces, and the cost of each part of a step. Based on: James, Pai, "BD-Tree: Output-Sensitive
// Collision Detection for Reduced Deformable Models", 2004, sections 3.4 and 4.
#ifndef DYNAMICS_SWARM_H
#define DYNAMICS_SWARM_H

#include "dynamics/ranks.h"

/// How the library represents the bodies.
typedef enum swarm_manner {
    SWARM_DEFORMABLE = 0,
    SWARM_RIGID,      ///< shapes without fields
    SWARM_REDUNDANT,  ///< rigid, but with fields, whose coordinates are all set to 0 in every step
    SWARM_MANNERS,
} swarm_manner;

/// "deformable", and so on.
const char* swarm_manner_name(swarm_manner manner);

typedef struct swarm_def {
    const abut_context_def* context;  ///< tasks and instruction set; may be NULL
    swarm_ranks* ranks;               ///< that share the bodies; NULL: this process has all
    const scene_body* from;
    double scale;
    swarm_manner manner;
    uint32_t proxy_level;
    double pitch;         ///< factor of all frequencies of the modes
    double damping;       ///< of the modes, 1: critical
    double strain_limit;  ///< see modal_model
    double gravity;
    double air;  ///< air drag: the fraction of velocity lost per second
    double step_seconds;
    contact_law law;
} swarm_def;
/// Steps of 1/150 second, and defaults that suit bodies of a metre.
swarm_def swarm_def_default(void);

/// Seconds by the clock, and of processor time of all threads.
typedef struct swarm_time {
    double clock;
    double processor;
} swarm_time;

/// Costs of the steps so far.
typedef struct swarm_work {
    uint32_t steps;
    swarm_time update;   ///< setting frames and coordinates
    swarm_time collide;  ///< the library's query
    swarm_time solve;    ///< forces and motion
    uint64_t contacts;   ///< pairs of proxies that the library found
    uint64_t pushes;     ///< contacts that got a force, including those with the ground and other
                         ///< obstacles
    uint64_t between;    ///< those of them between two bodies
    uint64_t sphere_tests;
    uint64_t spheres_updated;
} swarm_work;

typedef struct swarm {
    swarm_def def;
    abut_context* context;
    abut_scene* scene;
    abut_proxies_result* result;
    abut_collide_result* exact;  ///< of tests that compare with triangles
    modal_model model;
    uint32_t count;
    uint32_t capacity;
    uint32_t first;  ///< bodies of this rank: first to end - 1
    uint32_t end;
    modal_body* bodies;  ///< of all ranks; only those of this one are set
    abut_body_id* ids;   ///< numbered like the bodies, and like bodies in results
    double* energies;    ///< of the bodies of this rank; NULL without ranks
    modal_contact* contacts;
    size_t contact_count;
    size_t contact_capacity;
    size_t bytes;       ///< currently allocated by the library
    size_t most_bytes;  ///< greatest value of `bytes`
    bool shared;        ///< by the ranks: what holds the bodies is open
    swarm_work work;
} swarm;

/// Opens an empty swarm, which must stay at its address. Call swarm_close() after a failure, too.
abut_status swarm_open(swarm* s, const swarm_def* def, uint32_t capacity, abut_error* error);
void swarm_close(swarm* s);
/// Adds a body with its modes at rest; at most `capacity` of them.
abut_status swarm_add(swarm* s, const abut_frame* frame, const double velocity[3],
                      abut_error* error);

/// Returns ABUT_OK if `status` is that on all ranks, and an error otherwise. Without ranks: `status`.
abut_status swarm_agree(const swarm* s, abut_status status, abut_error* error);
/// Gives the shape of a model to the ranks, once.
abut_status swarm_give(swarm_ranks* ranks, modal_model* model, abut_error* error);
/// Whether this process prints: it has all contacts.
bool swarm_leads(const swarm* s);
/// Adds up the bytes of the library on all ranks, and their greatest sums.
uint64_t swarm_bytes(const swarm* s);
uint64_t swarm_most_bytes(const swarm* s);

/// Puts all bodies into states that another swarm of the same model had after `work`. The next
/// steps then give the same bits as in that swarm.
void swarm_restore(swarm* s, const modal_body* states, const swarm_work* work);

/// Measures the bytes of the library per body that has moved but touched nothing. `before` is
/// swarm.bytes before the bodies were added.
abut_status swarm_measure(swarm* s, size_t before, double* bytes, abut_error* error);
/// Returns the size of a body's state: a frame, and the coordinates of this step and the previous
/// one.
size_t swarm_state_bytes(const swarm* s);

// A step consists of these four, in this order. Add contacts with other things between the last
// two.
/// Applies gravity and the springs of the modes.
void swarm_accelerate(swarm* s);
/// Passes all states to the library.
abut_status swarm_update(swarm* s, abut_error* error);
/// Finds contacts between the bodies. `found` gets all contacts of the library, including those
/// with bodies of the scene that are not part of the swarm.
abut_status swarm_collide(swarm* s, const abut_proxy_pair** found, size_t* count,
                          abut_error* error);
/// Applies the forces of all contacts, then moves the bodies. `touched`: all contacts were added.
abut_status swarm_solve(swarm* s, bool touched, abut_error* error);

/// Adds a contact for swarm_solve(). False: no memory.
bool swarm_touch(swarm* s, const modal_contact* contact);
/// Adds contacts with the ground at a height. False: no memory.
bool swarm_touch_ground(swarm* s, double height);

/// Energies and depths of all bodies. All ranks must ask; energies are right on the leading one.
double swarm_kinetic(const swarm* s);
double swarm_stored(const swarm* s);
/// Returns the greatest depth of a proxy's centre below `height`; 0 if none is below.
double swarm_deepest(const swarm* s, double height);

/// Returns number `index` of stream `seed`, uniform in [low, high).
double swarm_random(uint32_t seed, uint32_t index, double low, double high);
/// Computes a uniformly distributed rotation from the numbers `index` to `index` + 2.
void swarm_random_turn(uint32_t seed, uint32_t index, double r[3][3]);

/// Seconds of a monotonic clock.
double swarm_clock(void);
/// Both clocks now, and the time since `start`, which is added to `sum`.
swarm_time swarm_now(void);
void swarm_add_time(swarm_time* sum, swarm_time start);
/// Seconds of processor time of this process.
double swarm_clock_cpu(void);

#endif
