// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Two boxes, moved by frames: see boxes.h.
#include "bench/boxes.h"

#include "bench/rigid.h"

#include <stdio.h>

const char boxes_row_name[] = "two boxes vs FCL";

#ifdef BENCH_HAVE_FCL

enum { FRAMES = 1000, ROUNDS = 15 };

static const uint32_t faces[12][3] = {{0, 2, 1}, {1, 2, 3}, {4, 5, 6}, {5, 7, 6},
                                      {0, 1, 4}, {1, 5, 4}, {2, 6, 3}, {3, 6, 7},
                                      {0, 4, 2}, {2, 4, 6}, {1, 3, 5}, {3, 7, 5}};

static void make_rest(double rest[24]) {
    for (int v = 0; v < 8; ++v) {
        rest[3 * v] = (v & 1) != 0 ? 0.5 : -0.5;
        rest[3 * v + 1] = (v & 2) != 0 ? 0.4 : -0.4;
        rest[3 * v + 2] = (v & 4) != 0 ? 0.3 : -0.3;
    }
}

// The mean of all frames, since a frame is too short for the clock.
void boxes_run(const bench_options* options, bench_report* report) {
    double ms[2][ROUNDS];
    double rest[24];
    const near_mesh box = {8, 12, &faces[0][0], rest, true};
    bench_row row = {.at_least = 1, .aim = 3};
    make_rest(rest);
    rigid* r = rigid_create((const near_mesh[2]){box, box}, NEAR_RSS, 1, FRAMES);
    (void)options;
    row.same_answer = rigid_agree(r, 1e-9);
    for (int round = 0; round < ROUNDS; ++round) {
        const double start = bench_now(CLOCK_CPU);
        for (uint32_t f = 0; f < FRAMES; ++f) {
            (void)rigid_ask_abut(r, f);
        }
        const double middle = bench_now(CLOCK_CPU);
        for (uint32_t f = 0; f < FRAMES; ++f) {
            (void)rigid_ask_fcl(r, f);
        }
        ms[0][round] = (middle - start) / FRAMES;
        ms[1][round] = (bench_now(CLOCK_CPU) - middle) / FRAMES;
    }
    row.ours_ms = bench_median(ms[0], ROUNDS);
    row.other_ms = bench_median(ms[1], ROUNDS);
    row.ratio = row.other_ms / row.ours_ms;
    snprintf(row.name, sizeof row.name, "%s", boxes_row_name);
    snprintf(row.other, sizeof row.other, "FCL RSS");
    bench_report_add(report, &row);
    rigid_destroy(r);
}

#else

void boxes_run(const bench_options* options, bench_report* report) {
    (void)options;
    bench_report_note(report, "%s: left out, FCL is not built in.", boxes_row_name);
}

#endif
