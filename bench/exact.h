// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// The exact test of one pair, against a test in double precision.
#ifndef BENCH_EXACT_H
#define BENCH_EXACT_H

#include "bench/bench.h"

#define BENCH_EXACT_NAME "exact test of 1M pairs vs double test"

/// Measures the row and adds it.
void bench_exact(const bench_options* options, bench_report* report);

#endif
