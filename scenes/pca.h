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
    /// Writes the displacement of each of `count` vertices from its rest position.
    void (*displace)(const void* user, double time, const uint32_t* vertices, uint32_t count,
                     double* xyz);
    const void* user;
} pca_motion;

typedef struct pca_def {
    uint32_t fields;   ///< number of fields wanted
    uint32_t times;    ///< evenly spaced instants for the analysis
    uint32_t samples;  ///< greatest number of vertices that determine the principal components
} pca_def;

/// Makes `fields->count` fields, at most as many as wanted and as the motion has, and for every
/// frame of the scene its coordinates (count numbers per frame): the projection of the frame on the
/// fields. Fields come in order of importance, scaled so that the greatest coordinate over all
/// instants is 1. False on failure.
bool scene__pca(scene* s, const pca_motion* motion, const pca_def* def, scene_fields* fields,
                double** coordinates);

#endif  // ABUT_SCENES_PCA_H
