// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Depths of balls deep in each other, and of a ball wholly inside another, over finding the pairs.
#include "bench/hard.h"

#include "bench/ball.h"
#include "bench/couple.h"

static bool measure(ball balls[2], const bench_options* options, bench_row* row,
                    bench_report* report) {
    vector_mesh mesh[2];
    couple c;
    for (int k = 0; k < 2; ++k) {
        mesh[k] = (vector_mesh){balls[k].xyz, balls[k].triangles, balls[k].vertex_count,
                                balls[k].triangle_count};
    }
    couple_open(&c, mesh);
    const couple_cost cost = couple_measure(&c, options->quick, row);
    bench_report_note(report,
                      "%s: %zu pairs in %zu region%s; depth %.4g, at least %.4g; the first time "
                      "%.3f ms.",
                      row->name, cost.pairs, cost.regions, cost.regions == 1 ? "" : "s", cost.depth,
                      cost.lower, cost.first_ms);
    row->same_answer = row->same_answer && cost.regions == 1;
    couple_close(&c);
    ball_free(&balls[0]);
    ball_free(&balls[1]);
    return true;
}

bool hard_deep(const bench_options* options, bench_row* row, bench_report* report) {
    const double at[2][3] = {{0, 0, 0}, {0.48, 0.36, 0}};
    ball balls[2] = {ball_make(1, at[0], 0, 200, 101), ball_make(1, at[1], 0.4, 200, 101)};
    return measure(balls, options, row, report);
}

bool hard_inside(const bench_options* options, bench_row* row, bench_report* report) {
    const double at[2][3] = {{0, 0, 0}, {0.1, 0.17, 0.05}};
    ball balls[2] = {ball_make(1, at[0], 0, 280, 140), ball_make(0.4, at[1], 0.4, 280, 140)};
    return measure(balls, options, row, report);
}
