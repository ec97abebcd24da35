// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// What the clothes of the walking figure share: the random data of a garment, the figure under it,
// and the bones that the cloth follows. A garment's own data begin with a `garment`.

#ifndef ABUT_SCENES_GARMENT_H
#define ABUT_SCENES_GARMENT_H

#include "scenes/walker.h"

typedef double bone_transforms[BONES][3][4];

typedef struct garment {
    double phase;    ///< of the gait at the first frame
    double wide;     ///< factor of all swings
    double warp[3];  ///< phases of irregular folds
} garment;

/// A height, and the half axes of the cloth there, across and along the walking direction.
typedef struct garment_cut {
    double height;
    double axes[2];
} garment_cut;

/// A tube of cloth: rings of vertices along it, each with so many segments.
typedef struct garment_tube {
    uint32_t rings;
    uint32_t segments;
} garment_tube;

/// Chooses the cells of a tube: `round` around per cell along.
garment_tube garment_tube_of(double triangles, double round);

/// Computes the half axes at height `z` from `count` cuts, which ascend.
void garment_axes(const garment_cut* cuts, size_t count, double z, double axes[2]);

/// Computes the transform that is `t` of the way from `a` to `b`.
void garment_mix(const double a[3][4], const double b[3][4], double t, double out[3][4]);

void garment_apply(const double transform[3][4], const double point[3], double out[3]);

/// Computes the trunk's motion at a height at rest, between the bones below and above it.
void garment_follow_trunk(bone_transforms bones, double z, double out[3][4]);

/// Computes the bones of a frame, and those `lag` earlier in the phase of the gait.
/// Returns the phase of the gait.
double garment_bones(const scene* s, uint32_t frame, double lag, bone_transforms now,
                     bone_transforms before);

/// Sets the bones of the figure at rest.
void garment_rest(bone_transforms still);

/// Draws the random data of a garment.
void garment_draw(garment* data, uint32_t seed);

/// Adds the cloth as a body called `name`, then the figure with a quarter as many triangles,
/// because the cloth hides much of it. `data` begins with a `garment`.
void garment_add(scene* s, const scene_wish* wish, const char* name, const scene_mesh* cloth,
                 void* data);

#endif  // ABUT_SCENES_GARMENT_H
