// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// The demand for proofs: see demand.h.
#include "motion/demand.h"

#define FAILURES_MOST 5

abut__demand abut__demand_take(const abut_shape* shape, const abut__state* state,
                               abut__usage* usage, bool had) {
    const uint32_t queries = abut__usage_take(&usage->self_queries);
    const bool asked = queries > 0;
    const bool gained = abut__usage_take(&usage->proven) > 0;
    if (had && asked && !gained) {
        usage->failures = (uint8_t)(usage->failures < FAILURES_MOST ? usage->failures + 1
                                                                    : FAILURES_MOST);
        usage->pause = (uint8_t)(1u << usage->failures);
    } else if (gained) {
        usage->failures = 0;
    }
    if (state->bare || !asked) {  // another thread may be making the tree now
        return (abut__demand){false, false, 0};
    }
    const bool enough = shape->tree.block_count >= ABUT__CONTOUR_BLOCKS_LEAST;
    if (enough && usage->pause > 0) {
        --usage->pause;
        return (abut__demand){true, false, queries};
    }
    return (abut__demand){true, enough, queries};
}
