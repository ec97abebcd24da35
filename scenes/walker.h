// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// A skinned figure and its gait. It stands on z = 0 with its arms held out, looks towards +y, and
// its left side is at x > 0.

#ifndef ABUT_SCENES_WALKER_H
#define ABUT_SCENES_WALKER_H

#include "scenes/skeleton.h"

#define WALKER_STRIDE 1.45  ///< metres per pair of steps

enum { PELVIS, LOINS, WAIST, CHEST, NECK, HEAD, LEFT_SIDE };
enum { COLLAR, UPPER_ARM, FOREARM, HAND, THIGH, SHIN, FOOT, TOES, SIDE_BONES };
enum { RIGHT_SIDE = LEFT_SIDE + SIDE_BONES, BONES = RIGHT_SIDE + SIDE_BONES };

extern const skeleton_bone walker_bones[BONES];
extern const skeleton walker_skeleton;
extern const solid walker_flesh;

typedef struct walker_pose {
    double step;     ///< phase of the gait: 2 pi is a pair of steps
    double effort;   ///< 0: at ease, 1: high knees and bent arms
    double wide;     ///< factor of all swings; 1 is usual
    double forward;  ///< distance walked
} walker_pose;

/// Computes the transforms of all bones, with the feet on the ground.
void walker_transforms(const walker_pose* pose, double* transforms);

#endif  // ABUT_SCENES_WALKER_H
