// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// The baseline for flight bodies: interpolates all vertices between two keyframes, as fast as a
// user could write it. Float throughout, full width of the instruction set in use.
#ifndef BENCH_LERP_H
#define BENCH_LERP_H

#include <stddef.h>

/// Returns zeroed memory for `count` floats, aligned and padded for lerp_run(); free() it.
float* lerp_alloc(size_t count);

/// out = before + part (after - before). All three come from lerp_alloc() for `count` floats.
void lerp_run(const float* before, const float* after, float part, float* out, size_t count);

/// xyz += velocity. Both come from lerp_alloc() for `count` floats.
void lerp_move(float* xyz, const float* velocity, size_t count);

#endif
