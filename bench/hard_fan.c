// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// A fan within itself: all its triangles share a vertex, so their boxes overlap there and no pair
// counts. Compared with a cloth by the time for each triangle.
#include "bench/hard.h"

#include "bench/trial_rows.h"

#include <stdio.h>

static const trial_setup fan = {"fan 10k", "fan", 10000, 30, 3, ASK_SELF, CLOCK_CPU};
static const trial_setup cloth = {"self cloth16k", "tablecloth", 16200, 40, 2, ASK_SELF, CLOCK_CPU};

// Milliseconds for a thousand triangles.
static double thousand_ms(const trial* t) {
    double ms;
    (void)trial_median_frame(t, &t->entries[0], &ms);
    return 1000 * ms / t->scene->meshes[0].triangle_count;
}

bool hard_fan(const bench_options* options, bench_row* row, bench_report* report) {
    const peer_kind* ours = peer_find("abut");
    trial* t = trial_run(&fan, &ours, 1, options);
    trial* other = trial_run(&cloth, &ours, 1, options);
    (void)report;
    row->ours_ms = thousand_ms(t);
    row->other_ms = thousand_ms(other);
    row->ratio = row->other_ms / row->ours_ms;
    row->same_answer = t->pairs == 0;
    snprintf(row->other, sizeof row->other, "cloth16k, ms for 1000 triangles");
    trial_destroy(t);
    trial_destroy(other);
    return true;
}
