// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Rows that compare entries of trials: a suite lists its trials and its rows, and each trial runs
// once for all rows that name it.
#ifndef BENCH_TRIAL_ROWS_H
#define BENCH_TRIAL_ROWS_H

#include "bench/trial.h"

/// The frame that a row shows, of abut's frames and of the peer's.
typedef enum trial_frame { FRAME_MEDIAN, FRAME_WORST } trial_frame;

enum { TRIAL_MOST_OTHERS = 4 };

typedef struct trial_row {
    const char* name;
    double at_least;
    double aim;
    uint32_t setup;  ///< the number of the trial
    trial_frame frame;
    const char* ours;
    const char* others[TRIAL_MOST_OTHERS];  ///< then NULL; the row shows the fastest
} trial_row;

typedef struct trial_rows {
    const trial_setup* setups;
    uint32_t setup_count;
    const trial_row* rows;
    size_t row_count;
} trial_rows;

/// Calls `fn` for the name of every row.
void trial_rows_list(const trial_rows* all, bench_list_fn fn, void* user);
/// Runs the trials of the wanted rows, and adds these in their order. A row whose peer is missing
/// becomes a note.
void trial_rows_run(const trial_rows* all, const bench_options* options, const regex_t* wanted,
                    bench_report* report);
/// Makes a row of two entries of a trial, with the name of the other one, without floors.
bench_row trial_rows_compare(const trial* t, trial_frame frame, const trial_entry* ours,
                             const trial_entry* other);

#endif
