// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Soft bodies that fall, pile up and push each other aside: simulated once, when a scene is made.
// Every body is a cloud of balls that is drawn back to its shape, turned, stretched and sheared as
// the balls are. Based on: Mueller, Heidelberger, Teschner, Gross, "Meshless Deformations Based on
// Shape Matching" (2005).

#ifndef ABUT_SCENES_MATTER_H
#define ABUT_SCENES_MATTER_H

#include "scenes/scenes_internal.h"

/// Where a body is: world = m rest + t.
typedef struct matter_pose {
    double m[3][3];
    double t[3];
} matter_pose;

typedef struct matter_body {
    uint32_t first;  // of its balls
    uint32_t count;
    bool present;
    double impact;  // how much it was pushed, since the caller set it to 0
    matter_pose pose;
    double turn[4];       // quaternion of the rotation in the pose
    double spread[3][3];  // second moments of the rest places, inverted
    double own_spread;    // what the size of the balls adds to them
} matter_body;

/// Distance from p to what does not move, and the direction away from it.
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
    double softness;  // 0: rigid, up to 1: sheared and stretched at will
    matter_wall wall;
    const void* wall_user;
    // balls by cells of a grid, kept between steps
    uint32_t bin_count;
    uint32_t* bin_first;
    uint32_t* bin_ball;
    size_t pair_count;  // of balls that are near each other
    size_t pair_room;
    uint32_t (*pairs)[2];
} matter;

/// Room for so many bodies and balls. False on failure.
bool scene__matter_alloc(scene* s, matter* m, uint32_t bodies, uint32_t balls);
/// Adds a body at rest with its balls at `places`, turned and shifted as `pose` says. Bodies that
/// come later are added absent.
void scene__matter_add(matter* m, const double* places, uint32_t count, const matter_pose* pose,
                       bool present);
/// Lets an absent body take over place and motion from one that vanishes: both have the same rest
/// coordinates.
void scene__matter_replace(matter* m, uint32_t from, uint32_t to);
/// One step of time.
void scene__matter_step(matter* m, double step);

/// Writes `count` vertices moved by a pose.
void scene__matter_move(const matter_pose* pose, const double* rest, size_t count, double* xyz);

#endif  // ABUT_SCENES_MATTER_H
