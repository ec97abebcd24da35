// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Interpolates all vertices: see lerp.h. The cache limits the speed, not the arithmetic.
#include "bench/lerp.h"

#include "bench/bench.h"
#include "bench/rivals.h"

float* lerp_alloc(size_t count) {
    return bench_alloc_floats(count);
}

void lerp_run(const float* before, const float* after, float part, float* out, size_t count) {
    rivals_chosen()->lerp(before, after, part, out, count);
}

void lerp_move(float* xyz, const float* velocity, size_t count) {
    rivals_chosen()->move(xyz, velocity, count);
}
