// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// A rigid body that also vibrates in a few modes: p -> R (p + sum_j U_j q_j) + t, with a velocity,
// a spin and a rate for every mode. Impulses act at contact proxies. Integration is semi-implicit
// Euler; modes are damped and limited in strain. Based on: James, Pai, "BD-Tree: Output-Sensitive
// Collision Detection for Reduced Deformable Models", 2004, section 4 (chairs and fish).
#ifndef DYNAMICS_MODAL_BODY_H
#define DYNAMICS_MODAL_BODY_H

#include <abut/abut.h>

#include "scenes/scenes.h"

/// The greatest number of modes of a body.
#define MODAL_MOST 16

/// A contact proxy in the rest pose.
typedef struct modal_proxy {
    double centre[3];
    double radius;    ///< for contacts; unlike the library's it does not grow with the deformation
    uint32_t vertex;  ///< the proxy moves with this vertex
} modal_proxy;

/// The data that all instances share.
typedef struct modal_model {
    abut_shape* shape;
    bool given_away;  ///< something else destroys the shape
    const scene_body* from;
    double scale;          ///< of the shape relative to `from`
    uint32_t field_count;  ///< of the shape
    uint32_t mode_count;   ///< number of vibrating fields: all or none
    double mass;
    double inertia[3][3];
    double inertia_inverse[3][3];
    double frequency_sq[MODAL_MOST];
    double mode_mass[MODAL_MOST];
    /// The rate that an impulse of 1 gives a mode by the end of a step, when its own spring and
    /// damper have responded. Otherwise stiff modes would gain energy from contacts.
    double mode_give[MODAL_MOST];
    double reach[MODAL_MOST];  ///< greatest displacement of a vertex by a coordinate of 1
    double damping;            ///< of every mode; 1 is critical
    double step_seconds;       ///< of a step
    /// Strain limit: the greatest displacement of a vertex. q is scaled down so that the sum of
    /// |q_j| reach_j stays below it.
    double strain_limit;
    double radius;  ///< around the origin, at rest
    uint32_t proxy_count;
    modal_proxy* proxies;
    float* u;  ///< field j at proxy p: u[(p * field_count + j) * 3 + axis]
} modal_model;

/// The parameters of a model that is made from a body of a scene.
typedef struct modal_model_def {
    const scene_body* from;  ///< must have `dynamics` and outlive the model
    double scale;            ///< of all lengths; masses scale with its cube
    uint32_t proxy_level;
    bool fields;   ///< false: the shape gets none
    bool vibrate;  ///< false: coordinates stay 0
    double pitch;  ///< factor of all frequencies
    double damping;
    double strain_limit;
    double step_seconds;
} modal_model_def;

/// Makes a model and its shape. Call modal_model_free() after a failure, too.
abut_status modal_model_make(modal_model* model, abut_context* context, const modal_model_def* def,
                             abut_error* error);
void modal_model_free(modal_model* model);

/// One instance.
typedef struct modal_body {
    abut_frame frame;
    double velocity[3];
    double spin[3];        ///< angular velocity, world axes
    double give[3][3];     ///< inverse inertia, world axes
    double q[MODAL_MOST];  ///< modal coordinates, and their rates
    double rate[MODAL_MOST];
} modal_body;

/// Returns a body at rest in `frame`.
modal_body modal_body_at(const modal_model* model, const abut_frame* frame);

/// Computes the centre of a proxy in the world, displaced like its vertex.
void modal_body_place(const modal_model* model, const modal_body* body, uint32_t proxy,
                      double centre[3]);
/// Computes the velocity of a proxy's material at a world point.
void modal_body_velocity(const modal_model* model, const modal_body* body, uint32_t proxy,
                         const double point[3], double velocity[3]);
/// Returns the velocity along a unit direction that an impulse of 1 along it causes at the point.
double modal_body_give(const modal_model* model, const modal_body* body, uint32_t proxy,
                       const double point[3], const double direction[3]);
/// Applies the impulse `size` times `direction` there: to velocity, spin, and U^T f to the modes.
void modal_body_push(const modal_model* model, modal_body* body, uint32_t proxy,
                     const double point[3], const double direction[3], double size);

/// Updates the velocities for a step of gravity (along -z) and of the modes' own springs.
void modal_body_accelerate(const modal_model* model, modal_body* body, double gravity);
/// Moves the body by a step of its velocities, within the strain limit.
void modal_body_move(const modal_model* model, modal_body* body);

/// Kinetic energy, rigid and of the modes; and potential energy, of height above 0 and of the
/// modes.
double modal_body_kinetic(const modal_model* model, const modal_body* body);
double modal_body_stored(const modal_model* model, const modal_body* body, double gravity);

#endif
