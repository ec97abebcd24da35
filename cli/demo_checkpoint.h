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

/// The costs of one frame.
typedef struct frame_cost {
    double time;
    swarm_work work;  ///< of all steps
    double kinetic;
} frame_cost;

typedef struct checkpoint {
    uint32_t kind;  ///< index in dynamics_kinds
    uint32_t bodies;
    uint32_t triangles;
    uint32_t seed;
    uint32_t frames[SWARM_MANNERS];  ///< number of completed frames
    swarm_work work[SWARM_MANNERS];
    uint32_t room;                      ///< of `costs`: at least frames[SWARM_DEFORMABLE]
    frame_cost* costs;                  ///< of the deformable bodies, frame by frame
    modal_body* states[SWARM_MANNERS];  ///< NULL before the first frame is completed
} checkpoint;

/// Reads a file into `c`, whose costs get room for at least `room` frames. False after an error
/// message. checkpoint_free() frees it in any case.
bool checkpoint_read(checkpoint* c, const char* path, uint32_t room);
/// Opens a file for checkpoint_save(): `fresh` refuses an existing one. NULL after an error message.
FILE* checkpoint_open(const char* path, bool fresh);
/// Replaces the file by a new checkpoint at once. False after an error message.
bool checkpoint_save(const checkpoint* c, FILE* file);
void checkpoint_free(checkpoint* c);

#endif
