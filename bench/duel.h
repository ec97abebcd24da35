// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// A duel over a scene of reduced deformation: modal and blend bodies, given coordinates and
// transforms, against free ones that are given all positions, deformed as fast as can be; both asked
// the same query.
#ifndef BENCH_DUEL_H
#define BENCH_DUEL_H

#include "bench/bench.h"
#include "scenes/scenes.h"

typedef struct duel {
    bool self;            ///< the first body within itself; else all pairs of bodies
    bool bounces;         ///< the last body turns back where it first touches
    uint32_t copies;      ///< of the last body: see reduced.h
    double swing;         ///< the scene's coordinates times this
    uint32_t check_step;  ///< answers of every so many frames are compared; 0: of none
    double budget_ms;     ///< no further repetition, after the third, when so much has been spent
} duel;

typedef struct duel_outcome {
    double ours_ms;  ///< a frame
    double other_ms;
    bool same_answer;
    abut_counters counters;  ///< of abut, all frames
    uint32_t blocks;         ///< of the first body's tree
    double first_ms;         ///< the first query, with all that is made only once
} duel_outcome;

duel_outcome duel_run(const scene* s, const duel* d, bool quick);

/// An outcome as a row of a report.
bench_row duel_row(const char* name, const char* other, const duel_outcome* out);

#endif
