// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// The list of motions.
#include "motion/motion.h"

const abut__motion_ops* abut__motion_ops_of(abut_motion motion) {
    static const abut__motion_ops* const all[] = {
        [ABUT_MOTION_FREE] = &abut__free_ops,
        [ABUT_MOTION_MODAL] = &abut__modal_ops,
        [ABUT_MOTION_BLEND] = &abut__blend_ops,
        [ABUT_MOTION_FLIGHT] = &abut__flight_ops,
    };
    return (size_t)motion < sizeof all / sizeof all[0] ? all[motion] : NULL;
}
