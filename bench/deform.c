// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Deforms all vertices: see deform.h. Positions are one long row of numbers, cut into chunks that
// stay in registers while all fields are added. The fields of a chunk are contiguous, so memory is
// read once, in order.
#include "bench/deform.h"

#include "bench/bench.h"
#include "bench/rivals.h"

#include <stdlib.h>

struct deformer {
    const rivals* rival;
    size_t chunks;
    uint32_t fields;
    float* rows;  // per chunk: the rest positions, then every field
    float* q;
    float* out;
};

deformer* deformer_create(const double* rest, const float* fields, uint32_t vertices,
                          uint32_t field_count) {
    deformer* d = bench_alloc(1, sizeof *d);
    const size_t numbers = 3 * (size_t)vertices;
    d->rival = rivals_chosen();
    const size_t chunk = d->rival->chunk;
    d->chunks = (numbers + 2 * chunk - 1) / (2 * chunk) * 2;
    d->fields = field_count;
    d->rows = bench_alloc_floats(d->chunks * chunk * (field_count + 1));
    d->q = bench_alloc(field_count + 1, sizeof *d->q);
    d->out = bench_alloc_floats(d->chunks * chunk);
    for (size_t i = 0; i < numbers; ++i) {
        float* row = d->rows + i / chunk * chunk * (field_count + 1) + i % chunk;
        row[0] = (float)rest[i];
        for (uint32_t j = 0; j < field_count; ++j) {
            row[chunk * (j + 1)] = fields[j * numbers + i];
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
    d->rival->deform(d->rows, d->q, d->fields, d->out, d->chunks);
    return d->out;
}
