// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// A trial: several peers run the same query on every frame of the same scene, alternately, and
// their answers are compared with abut's.
#ifndef BENCH_TRIAL_H
#define BENCH_TRIAL_H

#include "bench/bench.h"
#include "bench/moving.h"
#include "bench/pairs.h"

typedef enum trial_question {
    ASK_UPDATE,   ///< set new positions only
    ASK_COLLIDE,  ///< set them, then find all pairs between bodies
    ASK_SELF,     ///< set them, then find all pairs within body 0
    ASK_BUILD,    ///< rebuild the tree of body 0
} trial_question;

typedef struct trial_setup {
    const char* name;  ///< for messages
    const char* scene;
    uint32_t triangles;
    uint32_t frames;  ///< 0: the scene's own number
    uint32_t step;    ///< every step-th frame is used
    trial_question question;
    bench_clock clock;
} trial_setup;

enum { MOST_PEERS = 16 };

/// The results of one peer.
typedef struct trial_entry {
    const peer_kind* kind;
    double* ms;               ///< [frame]: median over the repetitions
    abut_counters* counters;  ///< [frame]; NULL if it has none
    uint32_t wrong_frames;    ///< frames on which it differs from the first entry
    uint32_t first_wrong;     ///< the first of them
    size_t missing;           ///< pairs over all frames
    size_t extra;
    pairs_difference example;  ///< on that frame
} trial_entry;

typedef struct trial {
    const trial_setup* setup;
    moving* scene;
    size_t pairs;         ///< found by the first entry over all frames
    size_t* frame_pairs;  ///< [frame]: the same by frame
    trial_entry entries[MOST_PEERS];
    uint32_t entry_count;
} trial;

/// Runs a trial. The first kind is abut and gives the reference.
trial* trial_run(const trial_setup* setup, const peer_kind* const* kinds, uint32_t kind_count,
                 const bench_options* options);
void trial_destroy(trial* t);

/// The entry of this name; NULL if it was not in the trial.
const trial_entry* trial_find(const trial* t, const char* name);
/// Returns the frame with the median time, or with the greatest; `ms` receives the time.
uint32_t trial_median_frame(const trial* t, const trial_entry* entry, double* ms);
uint32_t trial_worst_frame(const trial* t, const trial_entry* entry, double* ms);

/// Notes which peers differed and where, and which was right by an exact test.
void trial_judge(const trial* t, bench_report* report);

#endif
