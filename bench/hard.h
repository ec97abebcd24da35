// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Rows of the suite "hard" that are measured on their own. Each call fills the times, the ratio and
// the answer of a row. It returns false after a note that says why the row is left out.
#ifndef BENCH_HARD_H
#define BENCH_HARD_H

#include "bench/bench.h"

/// The time a triangle of a cloth over that of a fan, both within themselves.
bool hard_fan(const bench_options* options, bench_row* row, bench_report* report);
#endif
