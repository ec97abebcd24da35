// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// A rigid body that also vibrates in a few modes: p -> R (p + sum_j U_j q_j) + t, with a velocity,
// a spin and a rate for every mode. Impulses act at contact proxies. Semi-implicit Euler, modes
// damped and limited in strain. Based on: James, Pai, "BD-Tree: Output-Sensitive Collision Detection
// for Reduced Deformable Models", 2004, section 4 (chairs and fish).
#ifndef DYNAMICS_MODAL_BODY_H
#define DYNAMICS_MODAL_BODY_H

#include <abut/abut.h>

#include "scenes/scenes.h"

/// The most modes a body may have.
#define MODAL_MOST 16

/// A contact proxy in the rest pose.
typedef struct modal_proxy {
    double centre[3];
    double radius;    ///< that contacts see; the library's grows with the deformation
    uint32_t vertex;  ///< whose displacement is taken for that of the proxy
} modal_proxy;

/// What all instances of one thing share.
typedef struct modal_model {
    abut_shape* shape;
    const scene_body* from;
    double scale;          ///< of the shape against `from`
    uint32_t field_count;  ///< of the shape
    uint32_t mode_count;   ///< those of them that vibrate: all or none
    double mass;
    double inertia[3][3];
    double inertia_inverse[3][3];
    double frequency_sq[MODAL_MOST];
    double mode_mass[MODAL_MOST];
    /// The rate that an impulse of 1 gives a mode by the end of a step: its own spring and damper
    /// have answered by then, or stiff modes would gain energy from contacts.
    double mode_give[MODAL_MOST];
    double reach[MODAL_MOST];  ///< how far a coordinate of 1 moves any vertex
    double damping;            ///< of every mode, 1 being critical
    double step_seconds;       ///< of all steps
    /// Strain limit: no vertex moves farther than this, for q is scaled down so that the sum of
    /// |q_j| reach_j stays below it.
    double strain_limit;
    double radius;  ///< around the origin, at rest
    uint32_t proxy_count;
    modal_proxy* proxies;
    float* u;  ///< field j at proxy p: u[(p * field_count + j) * 3 + axis]
} modal_model;

/// How a model is made from a body of a scene.
typedef struct modal_model_def {
    const scene_body* from;  ///< has `dynamics`; must outlive the model
    double scale;            ///< of all lengths; masses follow with its cube
    uint32_t proxy_level;
    bool fields;   ///< false: the shape has none
    bool vibrate;  ///< false: coordinates stay 0
    double pitch;  ///< factor of all frequencies
    double damping;
    double strain_limit;
    double step_seconds;
} modal_model_def;

/// Makes a model and its shape; modal_model_free() after a failure, too.
abut_status modal_model_make(modal_model* model, abut_context* context, const modal_model_def* def,
                             abut_error* error);
void modal_model_free(modal_model* model);

/// One instance.
typedef struct modal_body {
    abut_frame frame;
    double velocity[3];
    double spin[3];        ///< angular velocity, world axes
    double give[3][3];     ///< inverse inertia, world axes
    double q[MODAL_MOST];  ///< modal coordinates, and how fast they change
    double rate[MODAL_MOST];
} modal_body;

/// At rest in `frame`.
modal_body modal_body_at(const modal_model* model, const abut_frame* frame);

/// Where the centre of a proxy is in the world, moved as its vertex is.
void modal_body_place(const modal_model* model, const modal_body* body, uint32_t proxy,
                      double centre[3]);
/// The velocity of a proxy's matter at a world point.
void modal_body_velocity(const modal_model* model, const modal_body* body, uint32_t proxy,
                         const double point[3], double velocity[3]);
/// How much velocity along a unit direction an impulse of 1 along it gives at the point.
double modal_body_give(const modal_model* model, const modal_body* body, uint32_t proxy,
                       const double point[3], const double direction[3]);
/// Gives it `size` times `direction` there: momentum, spin, and U^T f for the modes.
void modal_body_push(const modal_model* model, modal_body* body, uint32_t proxy,
                     const double point[3], const double direction[3], double size);

/// New velocities after a step of gravity (along -z) and of the modes' own springs.
void modal_body_accelerate(const modal_model* model, modal_body* body, double gravity);
/// New places after a step of the present velocities, the strain limit kept.
void modal_body_move(const modal_model* model, modal_body* body);

/// Kinetic energy, rigid and of the modes; and what is stored: by height above 0 and by the modes.
double modal_body_kinetic(const modal_model* model, const modal_body* body);
double modal_body_stored(const modal_model* model, const modal_body* body, double gravity);

#endif
