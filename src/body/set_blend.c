// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Sets the state of blend bodies: the transforms of their nodes, and coordinates of their fields.
#include "abut/blend.h"
#include "body/world.h"
#include "motion/blend.h"

abut_status abut_body_set_transforms(abut_scene* scene, abut_body_id body,
                                     abut_transforms transforms, const double* coordinates,
                                     size_t coordinate_count, abut_error* error) {
    abut__blend_input input = {transforms, coordinates, coordinate_count};
    return abut__body_set(scene, body, &abut__blend_transforms, &input, error);
}
