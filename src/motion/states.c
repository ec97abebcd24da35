// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Manages the data that a motion keeps in a state, by its own table or as plain bytes.
#include "base/memory.h"
#include "motion/motion.h"

bool abut__state_reserve(const abut_shape* shape, abut__state* state) {
    const abut__motion* motion = shape->motion;
    if (motion->states != NULL) {
        return motion->states->reserve(shape, state);
    }
    if (state->own == NULL) {
        state->own = abut__alloc_zero(shape->context, 1, motion->state_size);
    }
    return state->own != NULL || motion->state_size == 0;
}

void abut__state_release(const abut_shape* shape, abut__state* state) {
    const abut__motion* motion = shape->motion;
    if (motion->states != NULL) {
        motion->states->release(shape->context, state);
    } else {
        abut__free(shape->context, state->own, 1, motion->state_size);
    }
    memset(state, 0, sizeof *state);
}

void abut__state_rest(const abut_shape* shape, abut__state* state) {
    const abut__motion* motion = shape->motion;
    if (motion->states != NULL) {
        motion->states->rest(shape, state);
    } else if (motion->state_size > 0) {
        memset(state->own, 0, motion->state_size);
    }
}

abut_status abut__state_carry(const abut_shape* shape, abut__state* state, const abut_shape* before,
                              const abut__state* from, abut_error* error) {
    const abut__motion* motion = shape->motion;
    if (motion->states != NULL) {
        return motion->states->carry(shape, state, before, from, error);
    }
    if (motion->state_size > 0) {
        memcpy(state->own, from->own, motion->state_size);
    }
    return ABUT_OK;
}
