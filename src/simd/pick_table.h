// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// A table of 64 points, from which kernels pick the corners of triangles.
#ifndef ABUT_SIMD_PICK_TABLE_H
#define ABUT_SIMD_PICK_TABLE_H

#include "simd/lanes.h"

// AVX-512 permutes the rows of an axis; the other sets load whole points and
// transpose them, which takes a third of the loads of one number each.
typedef struct pick_table {
#if FLOAT_LANES == 16
    float xyz[3][64];
#else
    _Alignas(16) float at[64][4];
#endif
} pick_table;

#if FLOAT_LANES < 16
// Transposes each four lanes of four vectors: lane 4 q + i of r[j] becomes lane 4 q + j of r[i].
static inline void floats_transpose4(floats r[4]) {
#if FLOAT_LANES == 8
    f32x8_transpose(r);
#else
    f32x4_transpose(r);
#endif
}
#endif

// Sets FLOAT_LANES points from k on, given as lanes.
static inline void pick_table_put(pick_table* table, uint32_t k, const floats p[3]) {
#if FLOAT_LANES == 16
    for (int d = 0; d < 3; ++d) {
        floats_store(table->xyz[d] + k, p[d]);
    }
#else
    floats r[4] = {p[0], p[1], p[2], {0}};
    floats_transpose4(r);
    for (uint32_t i = 0; i < 4; ++i) {
        f32x4 part[FLOAT_LANES / 4];
        memcpy(part, &r[i], sizeof part);
        for (uint32_t q = 0; q < FLOAT_LANES / 4; ++q) {
            f32x4_store(table->at[k + 4 * q + i], part[q]);
        }
    }
#endif
}
// Sets four points from k on, given as rows.
static inline void pick_table_put4(pick_table* table, uint32_t k, const f32x4 p[4]) {
#if FLOAT_LANES == 16
    f32x4 r[4] = {p[0], p[1], p[2], p[3]};
    f32x4_transpose(r);
    for (int d = 0; d < 3; ++d) {
        f32x4_store(table->xyz[d] + k, r[d]);
    }
#else
    for (uint32_t i = 0; i < 4; ++i) {
        f32x4_store(table->at[k + i], p[i]);
    }
#endif
}
// Must follow the last point: permutations read all 64. `count` is a multiple of 16.
static inline void pick_table_end(pick_table* table, uint32_t count) {
#if FLOAT_LANES == 16
    for (uint32_t k = count; k < 64; k += 16) {
        pick_table_put(table, k, (floats[3]){{0}});
    }
#else
    (void)table;
    (void)count;
#endif
}
// Gets x, y, z of the points at FLOAT_LANES indices.
static inline void pick_table_get(const pick_table* table, const uint8_t* index, floats out[3]) {
#if FLOAT_LANES == 16
    const __m512i at = _mm512_cvtepu8_epi32(_mm_loadu_si128((const __m128i*)(const void*)index));
    const __mmask16 upper = _mm512_test_epi32_mask(at, _mm512_set1_epi32(32));
    for (int d = 0; d < 3; ++d) {
        const float* t = table->xyz[d];
        const __m512 low = _mm512_permutex2var_ps(_mm512_loadu_ps(t), at, _mm512_loadu_ps(t + 16));
        const __m512 high = _mm512_permutex2var_ps(_mm512_loadu_ps(t + 32), at,
                                                   _mm512_loadu_ps(t + 48));
        out[d] = (floats)_mm512_mask_blend_ps(upper, low, high);
    }
#else
    floats r[4];
    for (int i = 0; i < 4; ++i) {
#if FLOAT_LANES == 8
        r[i] = f32x8_join(f32x4_load(table->at[index[i]]), f32x4_load(table->at[index[4 + i]]));
#else
        r[i] = f32x4_load(table->at[index[i]]);
#endif
    }
    floats_transpose4(r);
    for (int d = 0; d < 3; ++d) {
        out[d] = r[d];
    }
#endif
}

#endif
