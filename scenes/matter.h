// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Soft bodies that fall, pile up and push each other aside, simulated once, when a scene is made.
// Every body is a set of balls that is pulled back to its shape, as rotated, stretched and sheared
// to fit the balls. Based on: Mueller, Heidelberger, Teschner, Gross, "Meshless Deformations Based
// on Shape Matching" (2005).

#ifndef ABUT_SCENES_MATTER_H
#define ABUT_SCENES_MATTER_H

#include "scenes/scenes_internal.h"

/// The pose of a body: world = m rest + t.
typedef struct matter_pose {
    double m[3][3];
    double t[3];
} matter_pose;

typedef struct matter_body {
    uint32_t first;  // its first ball
    uint32_t count;
    bool present;
    double impact;  // sum of pushes, since the caller set it to 0
    matter_pose pose;
    double turn[4];       // quaternion of the rotation in the pose
    double spread[3][3];  // inverse of the second moments of the rest places
    double own_spread;    // contribution of the balls' size to them
} matter_body;

/// Returns the distance from p to the fixed objects, and the direction away from them.
typedef double (*matter_wall)(const void* user, const double p[3], double away[3]);

typedef struct matter {
    uint32_t body_count;
    matter_body* bodies;
    uint32_t ball_count;
    uint32_t* owner;
    double* rest;
    double* at;
    double* before;
    double* speed;
    double* weight;
    double radius;    // of the balls
    double gravity;   // along -z
    double softness;  // 0: rigid, up to 1: freely sheared and stretched
    matter_wall wall;
    const void* wall_user;
    // Balls by cells of a grid, with memory reused between steps.
    uint32_t bin_count;
    uint32_t* bin_first;
    uint32_t* bin_ball;
    size_t pair_count;  // of balls that are near each other
    size_t pair_room;
    uint32_t (*pairs)[2];
} matter;

/// Allocates memory for so many bodies and balls. False on failure.
bool scene__matter_alloc(scene* s, matter* m, uint32_t bodies, uint32_t balls);
/// Adds a body at rest with its balls at `places`, transformed by `pose`. Bodies that appear later
/// are added absent.
void scene__matter_add(matter* m, const double* places, uint32_t count, const matter_pose* pose,
                       bool present);
/// Lets an absent body take over the place and motion of a body that vanishes. Both have the same
/// rest coordinates.
void scene__matter_replace(matter* m, uint32_t from, uint32_t to);
/// Computes one time step.
void scene__matter_step(matter* m, double step);

/// Writes `count` vertices moved by a pose.
void scene__matter_move(const matter_pose* pose, const double* rest, size_t count, double* xyz);

#endif  // ABUT_SCENES_MATTER_H
