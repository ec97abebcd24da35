// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// A busy machine: see busy.h.
#include "bench/busy.h"

#include "bench/spin.h"
#include "bench/trial_rows.h"

#include <stdio.h>

const char busy_row_name[] = "2 threads vs 1, busy machine";

static const trial_setup setups[] = {
    {"self cloth64k beside other programs", "tablecloth", 64082, 40, 4, ASK_SELF, CLOCK_WALL},
    {"blobs160k beside other programs", "blobs", 162000, 30, 3, ASK_COLLIDE, CLOCK_WALL},
};
enum { SETUPS = sizeof setups / sizeof *setups };

static bench_row measure(const trial_setup* setup, const bench_options* options,
                         bench_report* report) {
    const peer_kind* kinds[] = {peer_find("abut, 1 thread"), peer_find("abut, 2 threads")};
    spin* others = spin_start(2);
    trial* t = trial_run(setup, kinds, 2, options);
    spin_stop(others);
    trial_judge(t, report);
    const bench_row row = trial_rows_compare(t, FRAME_MEDIAN, &t->entries[1], &t->entries[0]);
    bench_report_note(report, "%s: %s %.3f ms by 2 threads, %.3f ms by one.", busy_row_name,
                      setup->name, row.ours_ms, row.other_ms);
    trial_destroy(t);
    return row;
}

void busy_run(const bench_options* options, bench_report* report, double at_least, double aim) {
    bench_row worse = measure(&setups[0], options, report);
    for (int s = 1; s < SETUPS; ++s) {
        const bool same = worse.same_answer;
        const bench_row row = measure(&setups[s], options, report);
        worse = row.ratio < worse.ratio ? row : worse;
        worse.same_answer = same && row.same_answer;
    }
    worse.at_least = at_least;
    worse.aim = aim;
    snprintf(worse.name, sizeof worse.name, "%s", busy_row_name);
    bench_report_add(report, &worse);
}
