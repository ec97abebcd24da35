// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// The box of a whole blend body, against the box of all its skinned vertices: how fast, how tight.
#ifndef BENCH_ROOT_H
#define BENCH_ROOT_H

#include "bench/bench.h"

typedef struct root_outcome {
    double ours_us;     ///< the box, when the state is set
    double set_us;      ///< setting the state
    double optimal_us;  ///< skinning all vertices and their box
    double mean_ratio;  ///< our radius over the best one, over the frames
    double worst_ratio;
    bool holds;  ///< our box holds the best one in every frame
} root_outcome;

/// The scene 'brain' in this size.
root_outcome root_measure(uint32_t triangles, uint32_t nodes, const bench_options* options);

#endif
