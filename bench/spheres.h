// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// The cost of updating the spheres of a modal shape, relative to reading their numbers.
#ifndef BENCH_SPHERES_H
#define BENCH_SPHERES_H

#include "bench/bench.h"

#define BENCH_SPHERES_NAME "sphere update M=12 vs reading its bytes"

/// Measures the row and adds it.
void bench_spheres(const bench_options* options, bench_report* report, double at_least, double aim);

#endif
