// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Sets the state of flight bodies: their time, and plans of their own.
#include "abut/flight.h"
#include "body/world.h"
#include "motion/flight.h"

abut_status abut_body_set_time(abut_scene* scene, abut_body_id body, double time,
                               abut_error* error) {
    return abut__body_set(scene, body, &abut__flight_time, &time, error);
}

abut_plans_def abut_plans_def_default(void) {
    abut_plans_def def;
    memset(&def, 0, sizeof def);
    def.cookie = ABUT__COOKIE + ABUT__KIND_PLANS;
    return def;
}

abut_status abut_body_set_plans(abut_scene* scene, abut_body_id body, const abut_plans_def* plans,
                                abut_error* error) {
    const abut_status status = plans != NULL ? abut__check_kind(plans->cookie, ABUT__KIND_PLANS,
                                                                "plans", error)
                                             : ABUT_OK;
    if (status != ABUT_OK) {
        return status;
    }
    // plans mark the blocks that they change, so that the body needs its tree
    const abut__body* found = abut__scene_body(scene, body);
    if (plans != NULL && found != NULL && found->shape->motion == &abut__flight_motion &&
        !abut__body_ready(found)) {
        return abut__blame_body(error, body, abut__fail_memory(error));
    }
    return abut__body_set(scene, body, &abut__flight_plans, (void*)plans, error);
}
