// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// The least that looking at numbers can cost: reading them.
#ifndef BENCH_STREAM_H
#define BENCH_STREAM_H

#include <stddef.h>

/// The sum of `count` floats, a multiple of 32, in their order by all the registers there are.
float stream_sum(const float* numbers, size_t count);

#endif
