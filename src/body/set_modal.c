// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Sets the state of modal bodies: their coordinates.
#include "abut/modal.h"
#include "body/world.h"
#include "motion/modal.h"

abut_status abut_body_set_coordinates(abut_scene* scene, abut_body_id body,
                                      const double* coordinates, size_t count, abut_error* error) {
    abut__modal_input input = {.coordinates = coordinates, .count = count};
    return abut__body_set(scene, body, &abut__modal_coordinates, &input, error);
}
