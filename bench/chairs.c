// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// The chairs: a step of rigid ones over a step of deformable ones. That takes dynamics, which this
// build does not have; the row is listed so that its name is known.
#include "bench/chairs.h"

void bench_chairs(const bench_options* options, bench_report* report, double at_least, double aim) {
    (void)options;
    bench_report_note(report,
                      "%s: not measured, it needs the dynamics; at least %.3g, aim %.3g, paper 0.5 "
                      "(1.1 s against 2.1 s a step).",
                      BENCH_CHAIRS_NAME, at_least, aim);
}
