// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Two threads against one while two other processes use the processors.
#ifndef BENCH_BUSY_H
#define BENCH_BUSY_H

#include "bench/bench.h"

extern const char busy_row_name[];

/// Measures the row and adds it: the worse of two trials.
void busy_run(const bench_options* options, bench_report* report, double at_least, double aim);

#endif
