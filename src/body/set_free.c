// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Sets the state of free bodies: positions of all vertices, copied or borrowed.
#include "abut/body.h"
#include "body/world.h"
#include "motion/free.h"

abut_status abut_body_set_positions(abut_scene* scene, abut_body_id body, abut_positions positions,
                                    abut_error* error) {
    abut__free_input input = {.positions = positions};
    return abut__body_set(scene, body, &abut__free_positions, &input, error);
}

abut_status abut_body_borrow_positions(abut_scene* scene, abut_body_id body,
                                       abut_positions positions, abut_error* error) {
    abut__free_input input = {.positions = positions};
    return abut__body_set(scene, body, &abut__free_borrowed, &input, error);
}

abut_status abut_body_borrow_step(abut_scene* scene, abut_body_id body, abut_positions from,
                                  abut_positions to, abut_error* error) {
    abut__free_input first = {.positions = from, .next = &to};
    abut__free_input second = {.positions = to};
    const abut_status status = abut__body_set(scene, body, &abut__free_borrowed_step, &first,
                                              error);
    return status == ABUT_OK
               ? abut__body_set(scene, body, &abut__free_borrowed_step, &second, error)
               : status;
}
