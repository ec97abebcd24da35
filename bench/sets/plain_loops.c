// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Loops over vertices as anyone would write them first (see rivals.h): what the compiler makes of
// them is what rivals have to beat. Compiled once per instruction set, and once for this processor.
#include "bench/rivals.h"

static void skin(const plain_skin* s) {
    for (uint32_t v = 0; v < s->vertex_count; ++v) {
        const float* p = s->rest + 3 * (size_t)v;
        float sum[3] = {0, 0, 0};
        for (uint32_t i = s->first[v]; i < s->first[v + 1]; ++i) {
            const float* t = s->transforms + 12 * (size_t)s->nodes[i];
            for (int d = 0; d < 3; ++d) {
                const float* row = t + 4 * d;
                sum[d] += s->weights[i] * (row[0] * p[0] + row[1] * p[1] + row[2] * p[2] + row[3]);
            }
        }
        for (int d = 0; d < 3; ++d) {
            s->out[3 * (size_t)v + (size_t)d] = sum[d];
        }
    }
}

static void deform(const float* restrict rest, const float* restrict fields,
                   const float* restrict q, size_t field_count, float* restrict out, size_t count) {
    for (size_t i = 0; i < count; ++i) {
        out[i] = rest[i];
    }
    for (size_t j = 0; j < field_count; ++j) {
        for (size_t i = 0; i < count; ++i) {
            out[i] += q[j] * fields[j * count + i];
        }
    }
}

static void lerp(const float* restrict a, const float* restrict b, float part, float* restrict out,
                 size_t count) {
    for (size_t i = 0; i < count; ++i) {
        out[i] = a[i] + part * (b[i] - a[i]);
    }
}

static void move(float* restrict xyz, const float* restrict velocity, size_t count) {
    for (size_t i = 0; i < count; ++i) {
        xyz[i] += velocity[i];
    }
}

static void grow(float box[6], const float lo[3], const float hi[3]) {
    for (int d = 0; d < 3; ++d) {
        box[d] = lo[d] < box[d] ? lo[d] : box[d];
        box[d + 3] = hi[d] > box[d + 3] ? hi[d] : box[d + 3];
    }
}

static const float nothing[6] = {__builtin_inff(),  __builtin_inff(),  __builtin_inff(),
                                 -__builtin_inff(), -__builtin_inff(), -__builtin_inff()};

static void box(const float* xyz, size_t vertices, float lo[3], float hi[3]) {
    float all[6];
    __builtin_memcpy(all, nothing, sizeof all);
    for (size_t v = 0; v < vertices; ++v) {
        grow(all, xyz + 3 * v, xyz + 3 * v);
    }
    __builtin_memcpy(lo, all, 3 * sizeof *lo);
    __builtin_memcpy(hi, all + 3, 3 * sizeof *hi);
}

static void refit(const plain_tree* tree, const float* xyz, float (*boxes)[6]) {
    for (uint32_t b = 0; b < tree->leaf_count; ++b) {
        float own[6];
        __builtin_memcpy(own, nothing, sizeof own);
        for (uint32_t i = tree->leaf_first[b]; i < tree->leaf_first[b + 1]; ++i) {
            const float* p = xyz + 3 * (size_t)tree->vertices[i];
            grow(own, p, p);
        }
        __builtin_memcpy(boxes[b], own, sizeof own);
    }
    for (uint32_t n = tree->node_count; n-- > 0;) {
        float own[6];
        __builtin_memcpy(own, nothing, sizeof own);
        for (uint32_t i = tree->node_first[n]; i < tree->node_first[n + 1]; ++i) {
            grow(own, boxes[tree->children[i]], boxes[tree->children[i]] + 3);
        }
        __builtin_memcpy(boxes[tree->leaf_count + n], own, sizeof own);
    }
}

#define JOIN_NAMES(a, b) a##b
#define NAME_OF(set) JOIN_NAMES(plain_loops_, set)
extern const plain_loops NAME_OF(BENCH_SET);
const plain_loops NAME_OF(BENCH_SET) = {skin, deform, lerp, move, box, refit};
