// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Sets the state of flight bodies: their time, and plans of their own.
#include "abut/body.h"
#include "body/world.h"
#include "motion/flight.h"

abut_status abut_body_set_time(abut_scene* scene, abut_body_id body, double time,
                               abut_error* error) {
    return abut__body_set(scene, body, &abut__flight_time, &time, error);
}

abut_status abut_body_set_plans(abut_scene* scene, abut_body_id body, const abut_plans* plans,
                                abut_error* error) {
    return abut__body_set(scene, body, &abut__flight_plans, (void*)plans, error);
}
