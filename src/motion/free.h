// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// The state of the free motion, and how bodies fill it.
#ifndef ABUT_MOTION_FREE_H
#define ABUT_MOTION_FREE_H

#include "bound/refit.h"
#include "motion/motion.h"

typedef struct abut__free_state {
    abut__stored stored;
    bool borrowed;
    uint32_t count;  // of positions: a copy, the caller's array, or the mesh's rest positions
    ABUT__VECTOR(char) copy;  // the bytes of floats or doubles
    abut__beside beside;      // tasks that `begin` may run together with its own
    abut__refit_boxes refit;
    uint32_t refit_nodes;  // capacity of refit.boxes
    bool has_normals;
    abut__boxes8* normals;   // per node: boxes of its children's unit normals
    uint32_t normals_nodes;  // capacity of it
} abut__free_state;

static inline abut__free_state* abut__free_state_of(const abut__state* state) {
    return state->own;
}

extern const abut__motion abut__free_motion;

// Positions for a state.
typedef struct abut__free_input {
    abut_positions positions;
    const abut_positions* next;  // NULL, or those that will be set after these: checked, too
    abut__copying copying;
} abut__free_input;

extern const abut__input abut__free_positions;      // copied
extern const abut__input abut__free_borrowed;       // until the next state
extern const abut__input abut__free_borrowed_step;  // until the state after the next

// Whether positions can be a state of the shape; `what` names the shape in messages.
abut_status abut__free_fits(const abut_shape* shape, abut_positions positions, const char* what,
                            abut_error* error);

// Copies positions into the state's own memory and checks them, in tasks that run together with
// those of `begin`. Call start, then begin, then finish, which fails unless all were finite.
abut_status abut__free_copy_start(const abut_context* context, abut__state* state,
                                  abut_positions positions, abut__copying* copying,
                                  abut_error* error);
abut_status abut__free_copy_finish(abut__state* state, abut__copying* copying, abut_error* error);

#endif
