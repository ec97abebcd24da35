// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// The figure that walks: see walker.h.

#include "scenes/walker.h"

#include <math.h>

#define SOLE 0.004  // depth of the feet in the ground

// ---- the figure
//
// It stands on z = 0 with its arms held out, looks towards +y, and its left side is that of x > 0.

#define ARM_X 0.64278760968653933  // direction of the arms at rest, 40 degrees from hanging down
#define ARM_Z 0.76604444311897804

#define SIDE(x, base)                                                                            \
    {CHEST, {x * 0.030, 0.00, 1.395}, {x * 0.150, -0.01, 1.405}, {0.080, 0.072}},                \
        {base + COLLAR, {x * 0.180, -0.01, 1.400}, {x * 0.355, -0.01, 1.191}, {0.060, 0.046}},   \
        {base + UPPER_ARM, {x * 0.365, -0.01, 1.180}, {x * 0.520, 0.00, 0.995}, {0.048, 0.033}}, \
        {base + FOREARM, {x * 0.535, 0.00, 0.977}, {x * 0.595, 0.00, 0.905}, {0.036, 0.030}},    \
        {PELVIS, {x * 0.095, 0.00, 0.910}, {x * 0.112, 0.01, 0.530}, {0.094, 0.062}},            \
        {base + THIGH, {x * 0.115, 0.01, 0.490}, {x * 0.130, -0.02, 0.130}, {0.062, 0.042}},     \
        {base + SHIN, {x * 0.130, -0.02, 0.085}, {x * 0.140, 0.09, 0.036}, {0.048, 0.034}}, {    \
        base + FOOT, {x * 0.140, 0.11, 0.030}, {x * 0.145, 0.16, 0.027}, {                       \
            0.030, 0.027                                                                         \
        }                                                                                        \
    }

const skeleton_bone walker_bones[BONES] = {
    {PELVIS, {0.0, 0.00, 0.95}, {0.0, 0.00, 1.00}, {0.130, 0.125}},
    {PELVIS, {0.0, 0.00, 1.04}, {0.0, 0.01, 1.09}, {0.120, 0.115}},
    {LOINS, {0.0, 0.01, 1.13}, {0.0, 0.01, 1.19}, {0.115, 0.120}},
    {WAIST, {0.0, 0.01, 1.23}, {0.0, 0.00, 1.34}, {0.128, 0.122}},
    {CHEST, {0.0, 0.00, 1.44}, {0.0, 0.01, 1.52}, {0.058, 0.055}},
    {NECK, {0.0, 0.02, 1.57}, {0.0, 0.03, 1.65}, {0.085, 0.095}},
    SIDE(1.0, LEFT_SIDE),
    SIDE(-1.0, RIGHT_SIDE),
};

const skeleton walker_skeleton = {BONES, walker_bones, 0.07};

static double walker_value(const double p[3], double fine) {
    const double side[3] = {fabs(p[0]), p[1], p[2]};  // by symmetry, the bones of one side suffice
    double value = skeleton_flesh(&walker_bones[0], side, fine);
    for (uint32_t b = 1; b < RIGHT_SIDE; ++b) {
        value = solid_join(value, skeleton_flesh(&walker_bones[b], side, fine), 0.03);
    }
    static const double nose[2][3] = {{0.0, 0.11, 1.63}, {0.0, 0.13, 1.60}};
    static const double heel[2][3] = {{0.13, -0.035, 0.07}, {0.13, -0.045, 0.045}};
    const double thin = solid_thin(0.015, fine);
    value = solid_join(value, solid_bar(side, nose[0], nose[1], thin, thin), 0.02);
    return solid_join(value, solid_bar(side, heel[0], heel[1], 0.045, 0.043), 0.03);
}

const solid walker_flesh = {walker_value, {-0.65, -0.17, -0.01}, {0.65, 0.21, 1.77}};

// ---- the gait

typedef double turns[BONES][3][3];

// A rotation about it lifts hanging limbs to the front.
static const double across[3] = {1.0, 0.0, 0.0};
static const double forward[3] = {0.0, 1.0, 0.0};
static const double up[3] = {0.0, 0.0, 1.0};

// From 0 to 1: a bump where the sine is positive.
static double bump(double angle) {
    const double s = fmax(sin(angle), 0.0);
    return s * s;
}

// Rotation first about `axis`, then about `then`.
static void turn_twice(const double axis[3], double angle, const double then[3], double then_angle,
                       double r[3][3]) {
    double first[3][3];
    double second[3][3];
    scene__rotation(axis, angle, first);
    scene__rotation(then, then_angle, second);
    for (int d = 0; d < 3; ++d) {
        for (int e = 0; e < 3; ++e) {
            r[d][e] = second[d][0] * first[0][e] + second[d][1] * first[1][e] +
                      second[d][2] * first[2][e];
        }
    }
}

// `step` is the phase of this leg: it swings to the front while the sine rises.
static void pose_leg(uint32_t side, double step, double effort, double wide, turns r) {
    const double hip = wide * 0.42 * sin(step) + 0.05 + 0.75 * effort * bump(step + 0.3);
    const double knee = 0.12 + wide * 0.75 * bump(step + 1.3) + 1.75 * effort * bump(step + 0.5);
    const double sole = fmin(fmax(knee - hip, -0.45), 0.5);
    scene__rotation(across, hip, r[side + THIGH]);
    scene__rotation(across, -knee, r[side + SHIN]);
    scene__rotation(across, sole, r[side + FOOT]);
    scene__rotation(across, 0.5 * bump(step + 3.6), r[side + TOES]);
}

// Arms are lowered to the sides, then swing opposite to the legs.
static void pose_arm(uint32_t side, double step, double effort, double wide, turns r) {
    const double sign = side == LEFT_SIDE ? 1.0 : -1.0;
    const double swing = -wide * (0.40 + 0.25 * effort) * sin(step) - 0.05;
    const double elbow = 0.30 - 0.15 * sin(step) + effort * (1.35 - 0.85 * sin(step));
    const double hinge[3] = {ARM_Z, 0.0, sign * ARM_X};
    turn_twice(forward, sign * (0.56 - 0.06 * effort), across, swing, r[side + UPPER_ARM]);
    scene__rotation(hinge, elbow, r[side + FOREARM]);
    scene__rotation(hinge, 0.2 + 0.1 * sin(step), r[side + HAND]);
    scene__rotation(up, -0.08 * sin(step) * sign, r[side + COLLAR]);
}

static void pose_trunk(double step, double effort, turns r) {
    turn_twice(up, 0.10 * sin(step), forward, 0.04 * cos(step), r[PELVIS]);
    turn_twice(up, -0.08 * sin(step), across, -0.03 - 0.05 * effort, r[LOINS]);
    turn_twice(up, -0.08 * sin(step), forward, -0.04 * cos(step), r[WAIST]);
    turn_twice(up, -0.06 * sin(step), across, -0.02, r[CHEST]);
    scene__rotation(up, 0.06 * sin(step), r[NECK]);
    scene__rotation(across, 0.05 + 0.02 * sin(2.0 * step), r[HEAD]);
}

// Returns the lowest point of both soles.
static double lowest_sole(const double* transforms) {
    static const double points[3][3] = {
        {0.130, -0.045, 0.002}, {0.140, 0.09, 0.002}, {0.145, 0.16, 0.000}};
    double lowest = INFINITY;
    for (uint32_t i = 0; i < 6; ++i) {
        const double* p = points[i / 2];
        const double x = i % 2 == 0 ? p[0] : -p[0];
        const uint32_t side = i % 2 == 0 ? LEFT_SIDE : RIGHT_SIDE;
        const uint32_t bone = side + (i / 2 == 2 ? TOES : FOOT);
        const double* row = transforms + 12 * (size_t)bone + 8;
        lowest = fmin(lowest, row[0] * x + row[1] * p[1] + row[2] * p[2] + row[3]);
    }
    return lowest;
}

void walker_transforms(const walker_pose* pose, double* transforms) {
    double shift[3] = {0.0, pose->forward, 0.0};
    turns r;
    pose_trunk(pose->step, pose->effort, r);
    for (uint32_t i = 0; i < 2; ++i) {
        const uint32_t side = i == 0 ? LEFT_SIDE : RIGHT_SIDE;
        const double own = pose->step + SCENE_PI * (double)i;
        pose_leg(side, own, pose->effort, pose->wide, r);
        pose_arm(side, own, pose->effort, pose->wide, r);
    }
    skeleton_transforms(&walker_skeleton, (const double(*)[3][3])r, shift, transforms);
    shift[2] = -SOLE - lowest_sole(transforms);
    for (uint32_t b = 0; b < BONES; ++b) {
        transforms[12 * (size_t)b + 11] += shift[2];
    }
}
