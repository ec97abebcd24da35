// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// The smallest proximity query: two boxes of twelve triangles that tumble past each other.
#ifndef BENCH_BOXES_H
#define BENCH_BOXES_H

#include "bench/bench.h"

extern const char boxes_row_name[];

/// Measures the row, or notes why it is left out.
void boxes_run(const bench_options* options, bench_report* report);

#endif
