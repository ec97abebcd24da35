// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// The box of a whole blend body, compared in time and tightness with the box of all its skinned
// vertices.
#ifndef BENCH_ROOT_H
#define BENCH_ROOT_H

#include "bench/bench.h"

typedef struct root_outcome {
    double ours_us;     ///< the box, once the state is set
    double set_us;      ///< setting the state
    double optimal_us;  ///< skinning all vertices and their box
    double mean_ratio;  ///< our radius over the best one, averaged over the frames
    double worst_ratio;
    bool holds;  ///< our box contains the best one in every frame
} root_outcome;

/// Measures the scene 'brain' in this size.
root_outcome root_measure(uint32_t triangles, uint32_t nodes, const bench_options* options);

#endif
