// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// A trial of proximity queries: peers update and answer on every frame of a scene, alternately, and
// their distances are compared with those of the first.
#ifndef BENCH_NEAR_TRIAL_H
#define BENCH_NEAR_TRIAL_H

#include "bench/bench.h"
#include "bench/near.h"
#include "scenes/scenes.h"

typedef struct near_setup {
    near_question question;
    const char* scene;
    uint32_t triangles;
    uint32_t frames;  ///< 0: the scene's own number
    uint32_t step;    ///< every step-th frame is used,
    uint32_t first;   ///< from this one on,
    uint32_t most;    ///< and at most this many; 0: all
} near_setup;

enum { NEAR_MOST_PEERS = 8 };

typedef struct near_entry {
    const near_kind* kind;
    double* update_ms;  ///< [frame]: medians
    double* ask_ms;
    uint64_t* tests;   ///< [frame]; 0 if not counted
    uint64_t pairs;    ///< of all frames, see near_kind; 0 if not counted
    uint64_t bounded;  ///< likewise
    uint32_t wrong_frames;
    double worst_error;  ///< of a distance, relative to the size of the scene
} near_entry;

typedef struct near_trial {
    scene* scene;
    uint32_t frame_count;
    uint32_t* frames;  ///< of the scene
    near_entry entries[NEAR_MOST_PEERS];
    uint32_t entry_count;
} near_trial;

/// Runs a trial; the first kind gives the reference. `cells` is for Voronoi culling; 0: automatic.
near_trial* near_trial_run(const near_setup* setup, const near_kind* const* kinds, uint32_t count,
                           uint32_t cells, const bench_options* options);
void near_trial_destroy(near_trial* t);

/// Returns the median over all frames, of update and query together.
double near_trial_ms(const near_trial* t, const near_entry* entry);
/// Returns the sum over all frames.
uint64_t near_trial_tests(const near_trial* t, const near_entry* entry);

#endif
