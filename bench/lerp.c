// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Interpolates all vertices: see lerp.h. Two loads, a difference, a fused product and sum, and a
// store for sixteen numbers, four times in a row. The cache limits the speed, not the arithmetic.
#include "bench/lerp.h"

#include "bench/bench.h"

#include <stdlib.h>
#include <string.h>

typedef float lane16 __attribute__((vector_size(64)));
enum { CHUNK = 64, LANES = CHUNK / 16 };

static size_t chunks_of(size_t count) {
    return (count + CHUNK - 1) / CHUNK;
}

float* lerp_alloc(size_t count) {
    const size_t bytes = (chunks_of(count) + 1) * CHUNK * sizeof(float);
    float* memory = aligned_alloc(64, bytes);
    if (memory == NULL) {
        bench_die("out of memory");
    }
    return memset(memory, 0, bytes);
}

void lerp_run(const float* before, const float* after, float part, float* out, size_t count) {
    const lane16* a = (const lane16*)(const void*)before;
    const lane16* b = (const lane16*)(const void*)after;
    lane16* to = (lane16*)(void*)out;
    const size_t chunks = chunks_of(count);
    for (size_t c = 0; c < chunks; ++c, a += LANES, b += LANES, to += LANES) {
        for (int k = 0; k < LANES; ++k) {
            to[k] = a[k] + (b[k] - a[k]) * part;
        }
    }
}

void lerp_move(float* xyz, const float* velocity, size_t count) {
    lane16* to = (lane16*)(void*)xyz;
    const lane16* by = (const lane16*)(const void*)velocity;
    const size_t chunks = chunks_of(count);
    for (size_t c = 0; c < chunks; ++c, to += LANES, by += LANES) {
        for (int k = 0; k < LANES; ++k) {
            to[k] += by[k];
        }
    }
}
