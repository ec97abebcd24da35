// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Computes the principal components of an animation: see reduce.h. Let D be the displacements from
// the mean, a column for each sampled frame. The eigenvectors V of the Gram matrix D^T D give the
// fields D V, which are orthogonal. The coordinates of a frame are its projections on them.
#include "cli/reduce.h"

#include "cli/message.h"
#include "scenes/eigen.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// number of evenly spaced frames that determine the fields: eigenvectors take cubic time in it
enum { MOST_SAMPLES = 200 };
// singular values below this fraction of the largest are rounding errors, as the Gram matrix
// squares them
#define LEAST_SINGULAR 1e-7

typedef struct analysis {
    const double* frames;
    size_t frame_count;
    size_t numbers;  // per frame
    size_t sample_count;
    double* mean;
    double* sample;   // displacements, frame after frame
    double* vectors;  // of the Gram matrix; component i of vector j at i * sample_count + j
    double* values;   // ascending
} analysis;

static double dot(const double* x, const double* y, size_t n) {
    double sum = 0;
    for (size_t i = 0; i < n; ++i) {
        sum += x[i] * y[i];
    }
    return sum;
}

static void find_mean(analysis* a) {
    a->mean = allocate(a->numbers, sizeof *a->mean);
    for (size_t f = 0; f < a->frame_count; ++f) {
        for (size_t i = 0; i < a->numbers; ++i) {
            a->mean[i] += a->frames[f * a->numbers + i] / (double)a->frame_count;
        }
    }
    for (size_t i = 0; i < a->numbers; ++i) {
        a->mean[i] = (double)(float)a->mean[i];  // as stored
    }
}

static void take_sample(analysis* a) {
    a->sample_count = a->frame_count < MOST_SAMPLES ? a->frame_count : MOST_SAMPLES;
    a->sample = allocate(a->sample_count, a->numbers * sizeof *a->sample);
    for (size_t k = 0; k < a->sample_count; ++k) {
        const size_t f = a->sample_count == 1 ? 0
                                              : k * (a->frame_count - 1) / (a->sample_count - 1);
        for (size_t i = 0; i < a->numbers; ++i) {
            a->sample[k * a->numbers + i] = a->frames[f * a->numbers + i] - a->mean[i];
        }
    }
}

static void analyse(analysis* a) {
    const size_t n = a->sample_count;
    double* gram = allocate(n, n * sizeof *gram);
    a->values = allocate(n, sizeof *a->values);
    a->vectors = allocate(n, n * sizeof *a->vectors);
    for (size_t i = 0; i < n; ++i) {
        for (size_t k = 0; k <= i; ++k) {
            gram[i * n + k] = gram[k * n + i] = dot(a->sample + i * a->numbers,
                                                    a->sample + k * a->numbers, a->numbers);
        }
    }
    scene__eigen(gram, (uint32_t)n, a->values, a->vectors);
    free(gram);
}

// makes field j and its coordinates in all frames, scaled to magnitude 1 at most
static void make_field(const analysis* a, size_t j, double* field, reduced* out) {
    const size_t n = a->sample_count;
    memset(field, 0, a->numbers * sizeof *field);
    for (size_t k = 0; k < n; ++k) {
        const double weight = a->vectors[k * n + (n - 1 - j)];
        for (size_t i = 0; i < a->numbers; ++i) {
            field[i] += weight * a->sample[k * a->numbers + i];
        }
    }
    const double length_sq = dot(field, field, a->numbers);
    double* q = allocate(a->frame_count, sizeof *q);
    const double mean = dot(a->mean, field, a->numbers);
    double most = 0;
    for (size_t f = 0; f < a->frame_count; ++f) {
        q[f] = (dot(a->frames + f * a->numbers, field, a->numbers) - mean) / length_sq;
        most = fmax(most, fabs(q[f]));
    }
    most = most > 0 ? most : 1;
    for (size_t f = 0; f < a->frame_count; ++f) {
        out->coordinates[f * out->field_count + j] = (float)(q[f] / most);
    }
    for (size_t i = 0; i < a->numbers; ++i) {
        out->fields[j * a->numbers + i] = (float)(field[i] * most);
    }
    free(q);
}

// measures the largest distance of a vertex from its original, with the stored floats
static void measure(const analysis* a, reduced* out) {
    for (size_t f = 0; f < a->frame_count; ++f) {
        for (size_t v = 0; v < a->numbers; v += 3) {
            double distance_sq = 0;
            for (size_t k = v; k < v + 3; ++k) {
                double x = (double)out->rest[k];
                for (size_t j = 0; j < out->field_count; ++j) {
                    x += (double)out->fields[j * a->numbers + k] *
                         (double)out->coordinates[f * out->field_count + j];
                }
                const double d = x - a->frames[f * a->numbers + k];
                distance_sq += d * d;
            }
            if (sqrt(distance_sq) > out->distance) {
                out->distance = sqrt(distance_sq);
                out->worst_frame = f;
            }
        }
    }
}

void reduce(const double* frames, size_t frame_count, size_t vertex_count, size_t most_fields,
            reduced* out) {
    analysis a = {.frames = frames, .frame_count = frame_count, .numbers = 3 * vertex_count};
    *out = (reduced){0};
    find_mean(&a);
    take_sample(&a);
    analyse(&a);
    const size_t n = a.sample_count;
    const double least = LEAST_SINGULAR * LEAST_SINGULAR * a.values[n - 1];
    while (out->field_count < most_fields && out->field_count < n && a.values[n - 1] > 0 &&
           a.values[n - 1 - out->field_count] > least) {
        ++out->field_count;
    }
    out->rest = allocate(a.numbers, sizeof *out->rest);
    out->fields = allocate(out->field_count + 1, a.numbers * sizeof *out->fields);
    out->coordinates = allocate(frame_count, (out->field_count + 1) * sizeof *out->coordinates);
    double* field = allocate(a.numbers, sizeof *field);
    for (size_t i = 0; i < a.numbers; ++i) {
        out->rest[i] = (float)a.mean[i];
    }
    for (size_t j = 0; j < out->field_count; ++j) {
        make_field(&a, j, field, out);
    }
    measure(&a, out);
    free(field);
    free(a.mean);
    free(a.sample);
    free(a.values);
    free(a.vectors);
}

void reduced_free(reduced* r) {
    free(r->rest);
    free(r->fields);
    free(r->coordinates);
    *r = (reduced){0};
}
