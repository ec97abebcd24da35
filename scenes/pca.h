// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Compresses an animation to a few displacement fields by principal component analysis, as James
// and Pai did with the curtain of "BD-Tree: Output-Sensitive Collision Detection for Reduced
// Deformable Models" (2004).

#ifndef ABUT_SCENES_PCA_H
#define ABUT_SCENES_PCA_H

#include "scenes/scenes_internal.h"

/// An animation over the time from 0 to 1.
typedef struct pca_motion {
    uint32_t vertex_count;
    /// Writes how far each of `count` vertices is from its place at rest.
    void (*displace)(const void* user, double time, const uint32_t* vertices, uint32_t count,
                     double* xyz);
    const void* user;
} pca_motion;

typedef struct pca_def {
    uint32_t fields;   ///< fields wanted
    uint32_t times;    ///< instants, evenly spaced, that the analysis looks at
    uint32_t samples;  ///< at most so many vertices decide what the principal components are
} pca_def;

/// Makes `fields->count` fields, at most as many as wanted and as the motion has, and for every
/// frame of the scene its coordinates (count numbers a frame): the frame projected on the fields.
/// Fields come in order of importance, scaled so that no instant looked at has a coordinate beyond
/// 1 and some have 1. False on failure.
bool scene__pca(scene* s, const pca_motion* motion, const pca_def* def, scene_fields* fields,
                double** coordinates);

#endif  // ABUT_SCENES_PCA_H
