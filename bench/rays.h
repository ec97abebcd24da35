// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// The suite "rays": questions of rays, points and features. Its rows are in groups, a file each.
#ifndef BENCH_RAYS_H
#define BENCH_RAYS_H

#include "bench/bench.h"

typedef struct rays_spec {
    const char* name;
    double at_least;
    double aim;
    /// Fills a row. False: it cannot be measured here, and a note says why.
    bool (*measure)(const bench_options* options, bench_row* row, bench_report* report);
    /// The row is an answer of abut alone: a wrong one is counted as such.
    bool ours_alone;
} rays_spec;

/// Rows of one file; the last has no name.
extern const rays_spec rays_static_rows[];
extern const rays_spec rays_moving_rows[];
extern const rays_spec rays_points_rows[];
extern const rays_spec rays_features_rows[];

#endif
