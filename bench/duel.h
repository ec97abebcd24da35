// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// A duel over a scene of reduced deformation: modal and blend bodies, which get coordinates and
// transforms, against free ones, which get all positions, deformed as fast as possible. Both run
// the same query.
#ifndef BENCH_DUEL_H
#define BENCH_DUEL_H

#include "bench/bench.h"
#include "scenes/scenes.h"

typedef struct duel {
    bool self;            ///< pairs within the first body; else between all bodies
    bool bounces;         ///< the last body reverses where it first touches
    uint32_t copies;      ///< of the last body: see reduced.h
    double swing;         ///< the scene's coordinates times this
    uint32_t check_step;  ///< step of frames whose answers are compared; 0: none
    double budget_ms;     ///< no further repetition, after the third, once this time is spent
} duel;

typedef struct duel_outcome {
    double ours_ms;  ///< per frame
    double other_ms;
    bool same_answer;
    abut_counters counters;  ///< of abut, all frames
    uint32_t blocks;         ///< of the first body's tree
    double first_ms;         ///< the first query, with all one-time work
} duel_outcome;

duel_outcome duel_run(const scene* s, const duel* d, bool quick);

/// Converts an outcome to a row of a report.
bench_row duel_row(const char* name, const char* other, const duel_outcome* out);

#endif
