// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Demos in which bodies push each other: a pile of chairs, and a shoal of fish on a bridge.
#ifndef CLI_DEMO_DYNAMICS_H
#define CLI_DEMO_DYNAMICS_H

#include <stdbool.h>
#include <stdint.h>

struct swarm_ranks;

typedef struct dynamics_kind {
    const char* name;
    const char* about;  ///< one sentence for --list
    uint32_t default_bodies;
    uint32_t default_triangles;  ///< of a body
    uint32_t fields;             ///< of a body
    uint32_t default_frames;
} dynamics_kind;

enum { DYNAMICS_CHAIRS, DYNAMICS_SHOAL, DYNAMICS_KINDS };
extern const dynamics_kind dynamics_kinds[DYNAMICS_KINDS];

/// The options; 0 and NULL are the defaults.
typedef struct dynamics_ask {
    uint32_t kind;  ///< index in dynamics_kinds
    uint32_t bodies;
    uint32_t triangles;
    uint32_t frames;
    uint32_t bridge;  ///< triangles of the bridge of 'shoal'
    uint32_t seed;
    uint32_t threads;
    const char* json;
    const char* csv;  ///< a row for every step
    const char* snapshot;
    const char* checkpoint;  ///< a new file for checkpoints
    const char* resume;      ///< a checkpoint to go on from, which is then replaced
} dynamics_ask;

/// Lets later demos share their bodies among ranks; only the leading one has outputs. NULL ends that.
void dynamics_share(struct swarm_ranks* ranks);
/// Runs a demo and prints its result; returns the command's exit code.
int dynamics_demo(const dynamics_ask* ask);

#endif
