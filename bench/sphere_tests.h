// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// How many nodes a ball thrown at the curtain is compared with: by cubes around the spheres of the
// curtain's nodes, and by the spheres.
#ifndef BENCH_SPHERE_TESTS_H
#define BENCH_SPHERE_TESTS_H

#include "bench/bench.h"

#define BENCH_SPHERE_TESTS_NAME "sphere tests curtain ball, cubes over spheres"

/// Counts both and adds the row, whose numbers are counts, not times.
void bench_sphere_tests(const bench_options* options, bench_report* report, double at_least,
                        double aim);

#endif
