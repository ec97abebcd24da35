// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Checkpoints of the demos of dynamics: the whole state of a simulation in a file, so that a later
// run can go on from there with the same bits. A file has 64-bit words, least byte first: a head,
// the costs so far, the bodies of each manner, and a hash of all that.
#ifndef CLI_DEMO_CHECKPOINT_H
#define CLI_DEMO_CHECKPOINT_H

#include "dynamics/swarm.h"

#include <stdio.h>

enum { STEPS_PER_FRAME = 5 };

/// The costs of one step, and what was there after it.
typedef struct step_cost {
    swarm_work work;  ///< of this step alone
    uint64_t bytes;   ///< memory of the library
    double kinetic;   ///< energy
    double stored;    ///< the same
} step_cost;

typedef struct checkpoint {
    uint32_t kind;  ///< index in dynamics_kinds
    uint32_t bodies;
    uint32_t triangles;
    uint32_t seed;
    uint32_t bridge;                 ///< triangles of the bridge; 0: there is none
    uint32_t frames[SWARM_MANNERS];  ///< number of completed frames
    swarm_work work[SWARM_MANNERS];
    uint32_t room[SWARM_MANNERS];       ///< of `costs`, in frames
    step_cost* costs[SWARM_MANNERS];    ///< step by step
    modal_body* states[SWARM_MANNERS];  ///< NULL before the first frame is completed
} checkpoint;

/// Returns the place for the costs of the next frame: STEPS_PER_FRAME steps.
step_cost* checkpoint_next(checkpoint* c, swarm_manner manner);
/// Reads a file into `c`. False after an error message. checkpoint_free() frees it in any case.
bool checkpoint_read(checkpoint* c, const char* path);
/// Opens a file for checkpoint_save(): `fresh` refuses an existing one. NULL after an error message.
FILE* checkpoint_open(const char* path, bool fresh);
/// Replaces the file by a new checkpoint at once. False after an error message.
bool checkpoint_save(const checkpoint* c, FILE* file);
void checkpoint_free(checkpoint* c);

#endif
