// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// The state of the free motion, and how bodies fill it.
#ifndef ABUT_MOTION_FREE_H
#define ABUT_MOTION_FREE_H

#include "bound/refit.h"
#include "motion/motion.h"

typedef struct abut__free_state {
    bool borrowed;
    abut__source source;  // own copy, the caller's array, or the mesh's rest positions
    uint32_t count;
    ABUT__VECTOR(char) copy;  // the bytes of floats or doubles
    abut__beside beside;      // tasks that begin may run beside its own
    abut__refit_boxes refit;
    uint32_t refit_nodes;  // room in refit.boxes
    bool has_normals;
    abut__boxes8* normals;   // per node: boxes of its children's unit normals
    uint32_t normals_nodes;  // room in it
} abut__free_state;

// Lets a state see the caller's positions.
void abut__free_borrow(abut__free_state* state, abut_positions positions);

// Copies positions into the state's own memory and checks them, in tasks that run beside those of
// `begin`: start, then begin, then finish, which says whether all were finite.
abut_status abut__free_copy_start(const abut_context* context, abut__free_state* state,
                                  abut_positions positions, abut__copying* copying,
                                  abut_error* error);
abut_status abut__free_copy_finish(abut__free_state* state, abut__copying* copying,
                                   abut_error* error);

#endif
