// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Deforms all vertices: see deform.h. Positions are one long row of numbers, cut into chunks that
// stay in registers while all fields are added. The fields of a chunk are contiguous, so memory is
// read once, in order.
#include "bench/deform.h"

#include "bench/bench.h"

#include <stdlib.h>
#include <string.h>

enum { CHUNK = 64 };
typedef float lane16 __attribute__((vector_size(64)));
enum { LANES = CHUNK / 16 };

struct deformer {
    size_t chunks;
    uint32_t fields;
    float* rows;  // per chunk: the rest positions, then every field
    float* q;
    float* out;
};

static float* aligned_floats(size_t count) {
    float* memory = aligned_alloc(64, (count * sizeof(float) + 127) / 64 * 64);
    if (memory == NULL) {
        bench_die("out of memory");
    }
    memset(memory, 0, (count * sizeof(float) + 127) / 64 * 64);
    return memory;
}

deformer* deformer_create(const double* rest, const float* fields, uint32_t vertices,
                          uint32_t field_count) {
    deformer* d = bench_alloc(1, sizeof *d);
    const size_t numbers = 3 * (size_t)vertices;
    d->chunks = (numbers + CHUNK - 1) / CHUNK;
    d->fields = field_count;
    d->rows = aligned_floats(d->chunks * CHUNK * (field_count + 1));
    d->q = bench_alloc(field_count + 1, sizeof *d->q);
    d->out = aligned_floats(d->chunks * CHUNK + 16);
    for (size_t i = 0; i < numbers; ++i) {
        float* row = d->rows + i / CHUNK * CHUNK * (field_count + 1) + i % CHUNK;
        row[0] = (float)rest[i];
        for (uint32_t j = 0; j < field_count; ++j) {
            row[(size_t)CHUNK * (j + 1)] = fields[j * numbers + i];
        }
    }
    return d;
}

void deformer_destroy(deformer* d) {
    if (d != NULL) {
        free(d->rows);
        free(d->q);
        free(d->out);
        free(d);
    }
}

const float* deformer_run(deformer* d, const double* q) {
    for (uint32_t j = 0; j < d->fields; ++j) {
        d->q[j] = (float)q[j];
    }
    const lane16* row = (const lane16*)(const void*)d->rows;
    lane16* out = (lane16*)(void*)d->out;
    for (size_t c = 0; c < d->chunks; ++c) {
        lane16 sum[LANES];
        for (int k = 0; k < LANES; ++k) {
            sum[k] = row[k];
        }
        row += LANES;
        for (uint32_t j = 0; j < d->fields; ++j, row += LANES) {
            for (int k = 0; k < LANES; ++k) {
                sum[k] += row[k] * d->q[j];
            }
        }
        for (int k = 0; k < LANES; ++k) {
            *out++ = sum[k];
        }
    }
    return d->out;
}
