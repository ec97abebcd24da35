// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Many falling chairs, deformable against rigid.
#ifndef BENCH_CHAIRS_H
#define BENCH_CHAIRS_H

#include "bench/bench.h"

#define BENCH_CHAIRS_NAME "chairs rigid/deformable"

/// Measures the row and adds it, or notes why not.
void bench_chairs(const bench_options* options, bench_report* report, double at_least, double aim);

#endif
