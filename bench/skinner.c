// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Skins all vertices: see skinner.h. The twelve numbers of a transform fit one register, so an
// influence is one fused operation; four vertices are finished together.
#include "bench/skinner.h"

#include "bench/bench.h"
#include "bench/deform.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef float lane16 __attribute__((vector_size(64)));
typedef float lane16u __attribute__((vector_size(64), aligned(4)));
typedef int index16 __attribute__((vector_size(64)));

struct skinner {
    const scene_body* body;
    deformer* moves;  // of the rest positions; NULL without fields
    float* rest;
    lane16* transforms;
    float* out;
};

static void* aligned(size_t bytes) {
    void* memory = aligned_alloc(64, (bytes + 127) / 64 * 64);
    if (memory == NULL) {
        bench_die("out of memory");
    }
    return memset(memory, 0, (bytes + 127) / 64 * 64);
}

skinner* skinner_create(const scene_body* body) {
    skinner* s = bench_alloc(1, sizeof *s);
    const size_t numbers = 3 * (size_t)body->vertex_count;
    s->body = body;
    s->rest = aligned((numbers + 16) * sizeof(float));
    s->out = aligned((numbers + 32) * sizeof(float));
    s->transforms = aligned(body->node_count * sizeof(lane16));
    for (size_t i = 0; i < numbers; ++i) {
        s->rest[i] = (float)body->rest[i];
    }
    if (body->field_count > 0) {
        s->moves = deformer_create(body->rest, body->fields, body->vertex_count, body->field_count);
    }
    return s;
}

void skinner_destroy(skinner* s) {
    if (s != NULL) {
        deformer_destroy(s->moves);
        free(s->rest);
        free(s->out);
        free(s->transforms);
        free(s);
    }
}

// Returns the sum of a vertex's transforms times its position: products in groups of four, one per
// axis.
static inline lane16 products(const skinner* s, const float* rest, uint32_t vertex) {
    const scene_body* b = s->body;
    lane16 m = {0};
    for (uint32_t i = b->weight_first[vertex]; i < b->weight_first[vertex + 1]; ++i) {
        m += s->transforms[b->weight_nodes[i]] * b->weights[i];
    }
    const float x = rest[3 * (size_t)vertex];
    const float y = rest[3 * (size_t)vertex + 1];
    const float z = rest[3 * (size_t)vertex + 2];
    return m * (lane16){x, y, z, 1, x, y, z, 1, x, y, z, 1};
}

// Combines four vertices: transposes and adds the groups, then puts them in order.
static inline lane16 four_positions(const lane16 p[4]) {
    static const index16 low = {0, 16, 1, 17, 4, 20, 5, 21, 8, 24, 9, 25, 12, 28, 13, 29};
    static const index16 high = {2, 18, 3, 19, 6, 22, 7, 23, 10, 26, 11, 27, 14, 30, 15, 31};
    static const index16 first = {0, 1, 16, 17, 4, 5, 20, 21, 8, 9, 24, 25, 12, 13, 28, 29};
    static const index16 second = {2, 3, 18, 19, 6, 7, 22, 23, 10, 11, 26, 27, 14, 15, 30, 31};
    static const index16 order = {0, 4, 8, 1, 5, 9, 2, 6, 10, 3, 7, 11, 12, 13, 14, 15};
    const lane16 a = __builtin_shuffle(p[0], p[1], low) + __builtin_shuffle(p[0], p[1], high);
    const lane16 b = __builtin_shuffle(p[2], p[3], low) + __builtin_shuffle(p[2], p[3], high);
    const lane16 sum = __builtin_shuffle(a, b, first) + __builtin_shuffle(a, b, second);
    return __builtin_shuffle(sum, order);
}

const float* skinner_run(skinner* s, const double* transforms, const double* q) {
    const scene_body* b = s->body;
    for (uint32_t j = 0; j < b->node_count; ++j) {
        for (int e = 0; e < 12; ++e) {
            s->transforms[j][e] = (float)transforms[12 * (size_t)j + (size_t)e];
        }
    }
    const float* rest = s->moves != NULL ? deformer_run(s->moves, q) : s->rest;
    const uint32_t count = b->vertex_count;
    for (uint32_t v = 0; v < count; v += 4) {
        lane16 p[4];
        for (uint32_t k = 0; k < 4; ++k) {
            p[k] = products(s, rest, v + k < count ? v + k : count - 1);
        }
        *(lane16u*)(void*)(s->out + 3 * (size_t)v) = four_positions(p);
    }
    return s->out;
}

static inline lane16 choose(index16 mask, lane16 a, lane16 b) {
    return (lane16)(((index16)a & mask) | ((index16)b & ~mask));
}

void skinner_box(const skinner* s, float lo[3], float hi[3]) {
    const size_t numbers = 3 * (size_t)s->body->vertex_count;
    lane16 least[3];
    lane16 most[3];
    for (int k = 0; k < 3; ++k) {
        for (int i = 0; i < 16; ++i) {
            least[k][i] = INFINITY;
            most[k][i] = -INFINITY;
        }
    }
    const lane16* row = (const lane16*)(const void*)s->out;
    size_t at = 0;
    for (; at + 48 <= numbers; at += 48, row += 3) {
        for (int k = 0; k < 3; ++k) {
            least[k] = choose(row[k] < least[k], row[k], least[k]);
            most[k] = choose(row[k] > most[k], row[k], most[k]);
        }
    }
    for (int d = 0; d < 3; ++d) {
        lo[d] = INFINITY;
        hi[d] = -INFINITY;
    }
    for (int i = 0; i < 48; ++i) {
        lo[i % 3] = fminf(lo[i % 3], least[i / 16][i % 16]);
        hi[i % 3] = fmaxf(hi[i % 3], most[i / 16][i % 16]);
    }
    for (; at < numbers; ++at) {
        lo[at % 3] = fminf(lo[at % 3], s->out[at]);
        hi[at % 3] = fmaxf(hi[at % 3], s->out[at]);
    }
}
