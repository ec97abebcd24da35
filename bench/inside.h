// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Self queries of the first body of a scene, if it is not free: against a free body that gets the
// same states as positions, and after a cut against the first query. One thread.
#ifndef BENCH_INSIDE_H
#define BENCH_INSIDE_H

#include "bench/bench.h"
#include "scenes/scenes.h"

typedef struct inside_outcome {
    double ours_ms;  ///< per frame: new state and query
    double other_ms;
    bool same_answer;
    uint32_t frames;
    abut_counters counters;        ///< of ours, all frames of a round
    abut_counters other_counters;  ///< likewise
} inside_outcome;

/// The frames of the scene are keyframes, and every segment between two of them has `steps` frames,
/// the first of them at the keyframe. The free body borrows positions that were interpolated
/// outside of the measurement. In every round the shapes are new.
inside_outcome inside_cache(const scene* s, uint32_t steps, bool quick);

/// The body follows nodes; the free body borrows what a plain loop has skinned, which is measured.
inside_outcome inside_blend(const scene* s, bool quick);

/// The query after a cut of one triangle (ours), and the first query of the body (the other), both
/// with a new state and with the making of missing certificates. The body follows nodes or fields.
inside_outcome inside_cut(const scene* s, bool quick);

/// The rows of self queries, by suite: "kinetic" and "bounds". They list and run as a suite does.
void inside_list(const char* suite,
                 void (*fn)(void* user, const char* name, double at_least, double aim), void* user);
void inside_run(const char* suite, const bench_options* options, const regex_t* wanted,
                bench_report* report);

#endif
