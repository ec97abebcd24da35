// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// The list of motions: one line each.
#include "motion/blend.h"
#include "motion/flight.h"
#include "motion/free.h"
#include "motion/modal.h"

const abut__motion* abut__motion_of(abut_motion id) {
    static const abut__motion* const all[] = {
        &abut__free_motion,
        &abut__modal_motion,
        &abut__blend_motion,
        &abut__flight_motion,
    };
    for (size_t i = 0; i < sizeof all / sizeof all[0]; ++i) {
        if (all[i]->id == id) {
            return all[i];
        }
    }
    return NULL;
}
