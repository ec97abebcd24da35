// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Sweeps of whole scenes, for the suite "sweep".
#ifndef BENCH_SWEEP_SCENES_H
#define BENCH_SWEEP_SCENES_H

#include "bench/bench.h"

typedef struct sweep_scene {
    const char* name;
    double at_least;
    double aim;
    const char* scene;  ///< with a cloth
    uint32_t triangles;
    bool within;  ///< in rows of contact intervals: within the cloth, not with other bodies
    void (*measure)(const struct sweep_scene* row, const bench_options* options,
                    bench_report* report);
} sweep_scene;

extern const sweep_scene sweep_scenes[];
/// Measures a row of trees against Voronoi culling on whole scenes: see sweep_culling.c.
void sweep_measure_culling(const sweep_scene* row, const bench_options* options,
                           bench_report* report);
/// Measures a row of contact intervals against sweeps: see sweep_intervals.c.
void sweep_measure_intervals(const sweep_scene* row, const bench_options* options,
                             bench_report* report);
extern const size_t sweep_scene_count;

#endif
