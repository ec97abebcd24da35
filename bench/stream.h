// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// A lower bound of the cost of processing numbers: reading them.
#ifndef BENCH_STREAM_H
#define BENCH_STREAM_H

#include <stddef.h>

/// Returns the sum of `count` floats, a multiple of 32, in order and at full SIMD width.
float stream_sum(const float* numbers, size_t count);

#endif
