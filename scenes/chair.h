// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// A chair with its vibration modes, for scenes with one chair or many.

#ifndef ABUT_SCENES_CHAIR_H
#define ABUT_SCENES_CHAIR_H

#include "scenes/scenes_internal.h"

/// In metres, z up, its back towards -y; the origin is the centre of mass.
typedef struct chair_model {
    scene_mesh mesh;
    scene_fields fields;  ///< with dynamics: seconds and kilograms
    double height;        ///< of the centre of mass above the ground when standing
} chair_model;

/// Makes one closed surface of about so many triangles, with so many modes. False on failure.
bool scene__chair(scene* s, uint32_t triangles, uint32_t fields, chair_model* model);

#endif  // ABUT_SCENES_CHAIR_H
