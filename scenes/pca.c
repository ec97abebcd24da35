// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Principal components: see pca.h. With D the displacements, a column per instant, the eigenvectors
// V of the Gram matrix D^T D give the fields D V. The Gram matrix is summed over a sample of the
// vertices, so a fine surface costs one pass over its motion and no memory for it.

#include "scenes/pca.h"

#include <math.h>
#include <string.h>

#include "scenes/eigen.h"

// Smaller singular values, relative to the largest, are rounding errors: a Gram matrix has their
// squares.
#define LEAST_SINGULAR 1e-7

typedef struct analysis {
    scene scratch;  // owns temporary memory
    const pca_motion* motion;
    const pca_def* def;
    uint32_t count;            // resulting number of fields
    uint32_t sample_count;     // vertices
    uint32_t* sample;          // their numbers
    double* displacement;      // of the sample, instant by instant
    double* weights;           // of instant k in field j: [k * count + j]
    double* sample_fields;     // field by field
    double* sample_fields_sq;  // their squared norms
} analysis;

static double instant(const pca_def* def, uint32_t k) {
    return def->times > 1 ? (double)k / (double)(def->times - 1) : 1.0;
}

static double dot(const double* x, const double* y, size_t n) {
    double sum = 0.0;
    for (size_t i = 0; i < n; ++i) {
        sum += x[i] * y[i];
    }
    return sum;
}

// Chooses one vertex from each of equally large runs, at random, because a regular choice would
// alias on a grid.
static bool choose_sample(analysis* a) {
    const uint32_t all = a->motion->vertex_count;
    a->sample_count = all < a->def->samples ? all : a->def->samples;
    a->sample = scene__alloc(&a->scratch, a->sample_count, sizeof *a->sample);
    if (a->scratch.failed) {
        return false;
    }
    for (uint32_t i = 0; i < a->sample_count; ++i) {
        const uint64_t from = (uint64_t)i * all / a->sample_count;
        const uint64_t to = (uint64_t)(i + 1) * all / a->sample_count;
        a->sample[i] = (uint32_t)(from + (uint64_t)(scene__random(1, i) * (double)(to - from)));
    }
    return true;
}

static bool sample_motion(analysis* a) {
    const size_t numbers = 3 * (size_t)a->sample_count;
    a->displacement = scene__alloc(&a->scratch, numbers, a->def->times * sizeof *a->displacement);
    if (a->scratch.failed) {
        return false;
    }
    for (uint32_t k = 0; k < a->def->times; ++k) {
        a->motion->displace(a->motion->user, instant(a->def, k), a->sample, a->sample_count,
                            a->displacement + k * numbers);
    }
    return true;
}

static void gram_matrix(const analysis* a, double* gram) {
    const size_t times = a->def->times;
    const size_t numbers = 3 * (size_t)a->sample_count;
    for (size_t i = 0; i < times; ++i) {
        for (size_t k = 0; k <= i; ++k) {
            gram[i * times + k] = gram[k * times + i] = dot(a->displacement + i * numbers,
                                                            a->displacement + k * numbers, numbers);
        }
    }
}

// Computes the weight of every instant in a field, so that its largest coordinate is 1: D = (D v)
// v^T has the coordinates v / max|v| with the field D v max|v|.
static bool choose_weights(analysis* a) {
    const size_t n = a->def->times;
    double* gram = scene__alloc(&a->scratch, n, n * sizeof *gram);
    double* values = scene__alloc(&a->scratch, n, sizeof *values);
    double* vectors = scene__alloc(&a->scratch, n, n * sizeof *vectors);
    a->weights = scene__alloc(&a->scratch, n, SCENE_MOST_FIELDS * sizeof *a->weights);
    if (a->scratch.failed) {
        return false;
    }
    gram_matrix(a, gram);
    scene__eigen(gram, (uint32_t)n, values, vectors);
    const double least = LEAST_SINGULAR * LEAST_SINGULAR * values[n - 1];
    while (a->count < a->def->fields && a->count < n && values[n - 1 - a->count] > least) {
        a->count += 1;
    }
    for (uint32_t j = 0; j < a->count; ++j) {
        const double* v = vectors + (n - 1 - j);  // every n-th number
        double most = 0.0;
        for (size_t k = 0; k < n; ++k) {
            most = fmax(most, fabs(v[k * n]));
        }
        for (size_t k = 0; k < n; ++k) {
            a->weights[k * a->count + j] = v[k * n] * most;
        }
    }
    return true;
}

static void add_instant(const analysis* a, uint32_t k, const double* xyz, size_t numbers,
                        double* fields) {
    for (uint32_t j = 0; j < a->count; ++j) {
        const double weight = a->weights[(size_t)k * a->count + j];
        double* field = fields + j * numbers;
        for (size_t i = 0; i < numbers; ++i) {
            field[i] += weight * xyz[i];
        }
    }
}

static bool make_sample_fields(analysis* a) {
    const size_t numbers = 3 * (size_t)a->sample_count;
    a->sample_fields = scene__alloc(&a->scratch, numbers,
                                    (a->count + 1) * sizeof *a->sample_fields);
    a->sample_fields_sq = scene__alloc(&a->scratch, a->count + 1, sizeof *a->sample_fields_sq);
    if (a->scratch.failed) {
        return false;
    }
    for (uint32_t k = 0; k < a->def->times; ++k) {
        add_instant(a, k, a->displacement + k * numbers, numbers, a->sample_fields);
    }
    for (uint32_t j = 0; j < a->count; ++j) {
        const double* field = a->sample_fields + j * numbers;
        a->sample_fields_sq[j] = dot(field, field, numbers);
    }
    return true;
}

// Processes all vertices, a few at a time.
#define CHUNK 256

static bool make_fields(scene* s, analysis* a, scene_fields* fields) {
    const uint32_t all = a->motion->vertex_count;
    *fields = (scene_fields){.count = a->count};
    fields->values = scene__alloc(s, all, 3 * (a->count + 1) * sizeof *fields->values);
    double* sums = scene__alloc(&a->scratch, CHUNK, 3 * (a->count + 1) * sizeof *sums);
    if (s->failed || a->scratch.failed) {
        return false;
    }
    for (uint32_t first = 0; first < all; first += CHUNK) {
        const uint32_t count = all - first < CHUNK ? all - first : CHUNK;
        const size_t numbers = 3 * (size_t)count;
        uint32_t vertices[CHUNK];
        double xyz[3 * CHUNK];
        for (uint32_t i = 0; i < count; ++i) {
            vertices[i] = first + i;
        }
        memset(sums, 0, a->count * numbers * sizeof *sums);
        for (uint32_t k = 0; k < a->def->times; ++k) {
            a->motion->displace(a->motion->user, instant(a->def, k), vertices, count, xyz);
            add_instant(a, k, xyz, numbers, sums);
        }
        for (uint32_t j = 0; j < a->count; ++j) {
            float* to = fields->values + 3 * ((size_t)j * all + first);
            for (size_t i = 0; i < numbers; ++i) {
                to[i] = (float)sums[j * numbers + i];
            }
        }
    }
    return true;
}

// Fields are orthogonal over the sample, so a projection is one product per field.
static bool project_frames(scene* s, analysis* a, double** coordinates) {
    const size_t numbers = 3 * (size_t)a->sample_count;
    double* q = scene__alloc(s, s->frame_count, (a->count + 1) * sizeof *q);
    double* xyz = scene__alloc(&a->scratch, numbers, sizeof *xyz);
    if (s->failed || a->scratch.failed) {
        return false;
    }
    *coordinates = q;
    for (uint32_t frame = 0; frame < s->frame_count; ++frame) {
        a->motion->displace(a->motion->user, scene__time(s, frame), a->sample, a->sample_count,
                            xyz);
        for (uint32_t j = 0; j < a->count; ++j) {
            *q++ = dot(xyz, a->sample_fields + j * numbers, numbers) / a->sample_fields_sq[j];
        }
    }
    return true;
}

bool scene__pca(scene* s, const pca_motion* motion, const pca_def* def, scene_fields* fields,
                double** coordinates) {
    analysis a = {.motion = motion, .def = def};
    const bool done = choose_sample(&a) && sample_motion(&a) && choose_weights(&a) &&
                      make_sample_fields(&a) && make_fields(s, &a, fields) &&
                      project_frames(s, &a, coordinates);
    scene__free_all(&a.scratch);
    s->failed = s->failed || !done;
    return done;
}
