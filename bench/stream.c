// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Reads numbers: see stream.h. Compiled for this processor; eight sums hide the latency of
// additions.
#include "bench/stream.h"

typedef float lane16 __attribute__((vector_size(64), aligned(4), may_alias));

enum { SUMS = 8 };

float stream_sum(const float* numbers, size_t count) {
    lane16 sum[SUMS] = {{0}};
    const lane16* row = (const lane16*)(const void*)numbers;
    const lane16* const end = row + count / 16;
    for (; end - row >= SUMS; row += SUMS) {
        for (int k = 0; k < SUMS; ++k) {
            sum[k] += row[k];
        }
    }
    for (; row < end; ++row) {
        sum[0] += *row;
    }
    float total = 0;
    for (int k = 0; k < SUMS; ++k) {
        for (int i = 0; i < 16; ++i) {
            total += sum[k][i];
        }
    }
    return total;
}
