// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// The rival of flight bodies: interpolating all vertices between two keyframes, as fast as a user
// could write it. Float throughout, fused operations, all the registers the processor has.
#ifndef BENCH_LERP_H
#define BENCH_LERP_H

#include <stddef.h>

/// Zeroed memory for `count` floats, aligned and rounded up to what lerp_run() takes; free() it.
float* lerp_alloc(size_t count);

/// out = before + part (after - before). All three come from lerp_alloc() for `count` floats.
void lerp_run(const float* before, const float* after, float part, float* out, size_t count);

/// xyz += velocity. Both come from lerp_alloc() for `count` floats.
void lerp_move(float* xyz, const float* velocity, size_t count);

#endif
