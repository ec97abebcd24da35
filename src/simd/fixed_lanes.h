// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Vectors of four and eight lanes, for positions and for the children of a node: see lanes.h.
#ifndef ABUT_SIMD_FIXED_LANES_H
#define ABUT_SIMD_FIXED_LANES_H

#include <stdint.h>
#include <string.h>
#if defined(__AVX2__) || defined(__SSE2__)
#include <immintrin.h>
#elif defined(__wasm_simd128__)
#include <wasm_simd128.h>
#elif defined(__ARM_NEON)
#include <arm_neon.h>
#endif

typedef float f32x4 __attribute__((vector_size(16)));
typedef float f32x8 __attribute__((vector_size(32)));
typedef double f64x4 __attribute__((vector_size(32)));
typedef int32_t i32x4 __attribute__((vector_size(16)));
typedef int32_t i32x8 __attribute__((vector_size(32)));

// Loads and stores need no alignment; splat repeats one value.
#define LANES_DEFINE_BASIC(type, scalar)                 \
    static inline type type##_load(const scalar* p) {    \
        type v;                                          \
        memcpy(&v, p, sizeof v);                         \
        return v;                                        \
    }                                                    \
    static inline void type##_store(scalar* p, type v) { \
        memcpy(p, &v, sizeof v);                         \
    }                                                    \
    static inline type type##_splat(scalar x) {          \
        return x - (type){0}; /* x, and -0 stays -0 */   \
    }
LANES_DEFINE_BASIC(f32x4, float)
LANES_DEFINE_BASIC(f32x8, float)
LANES_DEFINE_BASIC(f64x4, double)
#undef LANES_DEFINE_BASIC

static inline f32x8 f32x8_sqrt(f32x8 a) {
#if defined(__AVX2__)
    return (f32x8)_mm256_sqrt_ps((__m256)a);
#else
    for (int k = 0; k < 8; ++k) {
        a[k] = __builtin_sqrtf(a[k]);
    }
    return a;
#endif
}

#if defined(__ARM_NEON)
// A bit for each lane, which has all its bits set or none.
static inline uint32_t neon_bits(uint32x4_t lanes) {
    const uint32x4_t bit = {1, 2, 4, 8};
    return vaddvq_u32(vandq_u32(lanes, bit));
}
static inline uint32_t neon_bits2(uint64x2_t lanes) {
    const uint64x2_t bit = {1, 2};
    return (uint32_t)vaddvq_u64(vandq_u64(lanes, bit));
}
#endif

// Comparisons: bit k of the result is a[k] <= b[k] (false if unordered).
static inline uint32_t f32x8_le(f32x8 a, f32x8 b) {
#if defined(__AVX512VL__)
    return _mm256_cmp_ps_mask((__m256)a, (__m256)b, _CMP_LE_OQ);
#elif defined(__AVX2__)
    return (uint32_t)_mm256_movemask_ps(_mm256_cmp_ps((__m256)a, (__m256)b, _CMP_LE_OQ));
#elif defined(__SSE2__)
    __m128 x[2];
    __m128 y[2];
    memcpy(x, &a, sizeof a);
    memcpy(y, &b, sizeof b);
    const int low = _mm_movemask_ps(_mm_cmple_ps(x[0], y[0]));
    const int high = _mm_movemask_ps(_mm_cmple_ps(x[1], y[1]));
    return (uint32_t)(low | high << 4);
#elif defined(__wasm_simd128__)
    v128_t x[2];
    v128_t y[2];
    memcpy(x, &a, sizeof a);
    memcpy(y, &b, sizeof b);
    return wasm_i32x4_bitmask(wasm_f32x4_le(x[0], y[0])) |
           wasm_i32x4_bitmask(wasm_f32x4_le(x[1], y[1])) << 4;
#elif defined(__ARM_NEON)
    float32x4_t x[2];
    float32x4_t y[2];
    memcpy(x, &a, sizeof a);
    memcpy(y, &b, sizeof b);
    return neon_bits(vcleq_f32(x[0], y[0])) | neon_bits(vcleq_f32(x[1], y[1])) << 4;
#else
    uint32_t mask = 0;
    for (int k = 0; k < 8; ++k) {
        mask |= (uint32_t)(a[k] <= b[k]) << k;
    }
    return mask;
#endif
}
// The same for a[k] < b[k].
static inline uint32_t f32x8_lt(f32x8 a, f32x8 b) {
#if defined(__AVX512VL__)
    return _mm256_cmp_ps_mask((__m256)a, (__m256)b, _CMP_LT_OQ);
#elif defined(__AVX2__)
    return (uint32_t)_mm256_movemask_ps(_mm256_cmp_ps((__m256)a, (__m256)b, _CMP_LT_OQ));
#elif defined(__SSE2__)
    __m128 x[2];
    __m128 y[2];
    memcpy(x, &a, sizeof a);
    memcpy(y, &b, sizeof b);
    const int low = _mm_movemask_ps(_mm_cmplt_ps(x[0], y[0]));
    const int high = _mm_movemask_ps(_mm_cmplt_ps(x[1], y[1]));
    return (uint32_t)(low | high << 4);
#elif defined(__wasm_simd128__)
    v128_t x[2];
    v128_t y[2];
    memcpy(x, &a, sizeof a);
    memcpy(y, &b, sizeof b);
    return wasm_i32x4_bitmask(wasm_f32x4_lt(x[0], y[0])) |
           wasm_i32x4_bitmask(wasm_f32x4_lt(x[1], y[1])) << 4;
#elif defined(__ARM_NEON)
    float32x4_t x[2];
    float32x4_t y[2];
    memcpy(x, &a, sizeof a);
    memcpy(y, &b, sizeof b);
    return neon_bits(vcltq_f32(x[0], y[0])) | neon_bits(vcltq_f32(x[1], y[1])) << 4;
#else
    uint32_t mask = 0;
    for (int k = 0; k < 8; ++k) {
        mask |= (uint32_t)(a[k] < b[k]) << k;
    }
    return mask;
#endif
}

#if defined(__AVX2__) && !defined(__AVX512VL__)
// The places of the lanes in a mask of four, one after the other.
static const int32_t f32x4_places[16][4] = {
    {0}, {0},    {1},    {0, 1},    {2},    {0, 2},    {1, 2},    {0, 1, 2},
    {3}, {0, 3}, {1, 3}, {0, 1, 3}, {2, 3}, {0, 2, 3}, {1, 2, 3}, {0, 1, 2, 3},
};
#endif
// Stores the lanes of a mask one after the other. Eight numbers are written.
static inline void f32x8_store_lanes(void* place, f32x8 a, uint32_t mask) {
#if defined(__AVX512VL__)
    _mm256_storeu_ps(place, _mm256_maskz_compress_ps((__mmask8)mask, (__m256)a));
#elif defined(__AVX2__)
    for (int h = 0; h < 2; ++h) {
        const __m128 part = h == 0 ? _mm256_castps256_ps128((__m256)a)
                                   : _mm256_extractf128_ps((__m256)a, 1);
        const __m128i places = _mm_loadu_si128(
            (const __m128i*)(const void*)f32x4_places[mask >> 4 * h & 15]);
        _mm_storeu_ps((float*)place + (h == 0 ? 0 : __builtin_popcount(mask & 15)),
                      _mm_permutevar_ps(part, places));
    }
#else
    uint32_t words[8];
    memcpy(words, &a, sizeof words);
    for (uint32_t k = 0, end = 0; k < 8; end += mask >> k & 1, ++k) {
        memcpy((char*)place + 4 * end, &words[k], sizeof words[k]);
    }
#endif
}

// Returns the sign bits of eight words.
static inline uint32_t f32x8_signs(f32x8 a) {
#if defined(__AVX2__)
    return (uint32_t)_mm256_movemask_ps((__m256)a);
#else
    uint32_t words[8];
    uint32_t mask = 0;
    memcpy(words, &a, sizeof words);
    for (uint32_t k = 0; k < 8; ++k) {
        mask |= words[k] >> 31 << k;
    }
    return mask;
#endif
}

// Loads x, y, z of one position as float, and 0; reads nothing beyond them.
static inline f32x4 f32x4_load3_float(const float* p) {
#if defined(__AVX512VL__)
    return (f32x4)_mm_maskz_loadu_ps(7, p);
#elif defined(__wasm_simd128__)
    return (f32x4)wasm_v128_load32_lane(p + 2, wasm_v128_load64_zero(p), 2);
#elif defined(__ARM_NEON)
    return (f32x4)vcombine_f32(vld1_f32(p), vld1_lane_f32(p + 2, vdup_n_f32(0), 0));
#else
    return (f32x4){p[0], p[1], p[2], 0};
#endif
}
static inline f32x4 f32x4_load3_double(const double* p) {
#if defined(__AVX512VL__)
    return (f32x4)_mm256_cvtpd_ps(_mm256_maskz_loadu_pd(7, p));
#else
    return (f32x4){(float)p[0], (float)p[1], (float)p[2], 0};
#endif
}
static inline f32x4 f32x4_min(f32x4 a, f32x4 b) {
#if defined(__SSE2__)
    return (f32x4)_mm_min_ps((__m128)a, (__m128)b);
#elif defined(__wasm_simd128__)
    return (f32x4)wasm_f32x4_pmin((v128_t)b, (v128_t)a);  // a < b ? a : b, unlike its min
#elif defined(__ARM_NEON)
    return (f32x4)vbslq_f32(vcltq_f32((float32x4_t)a, (float32x4_t)b), (float32x4_t)a,
                            (float32x4_t)b);
#else
    f32x4 r;
    for (int k = 0; k < 4; ++k) {
        r[k] = a[k] < b[k] ? a[k] : b[k];
    }
    return r;
#endif
}
static inline f32x4 f32x4_max(f32x4 a, f32x4 b) {
#if defined(__SSE2__)
    return (f32x4)_mm_max_ps((__m128)a, (__m128)b);
#elif defined(__wasm_simd128__)
    return (f32x4)wasm_f32x4_pmax((v128_t)b, (v128_t)a);
#elif defined(__ARM_NEON)
    return (f32x4)vbslq_f32(vcgtq_f32((float32x4_t)a, (float32x4_t)b), (float32x4_t)a,
                            (float32x4_t)b);
#else
    f32x4 r;
    for (int k = 0; k < 4; ++k) {
        r[k] = a[k] > b[k] ? a[k] : b[k];
    }
    return r;
#endif
}

// The same with the next number instead of 0; that number must be readable.
static inline f32x4 f32x4_load4_float(const float* p) {
    f32x4 v;
    memcpy(&v, p, sizeof v);
    return v;
}
static inline f32x4 f32x4_load4_double(const double* p) {
#if defined(__AVX2__)
    return (f32x4)_mm256_cvtpd_ps(_mm256_loadu_pd(p));
#else
    return (f32x4){(float)p[0], (float)p[1], (float)p[2], (float)p[3]};
#endif
}

// Joins two quarters, and splits them again.
static inline f32x8 f32x8_join(f32x4 a, f32x4 b) {
#if defined(__AVX2__)
    return (f32x8)_mm256_insertf128_ps(_mm256_castps128_ps256((__m128)a), (__m128)b, 1);
#else
    const f32x4 both[2] = {a, b};
    f32x8 r;
    memcpy(&r, both, sizeof r);
    return r;
#endif
}
static inline void f32x8_part(f32x8 a, f32x4 out[2]) {
    memcpy(out, &a, sizeof a);
}
static inline f32x8 f32x8_min(f32x8 a, f32x8 b) {
#if defined(__AVX2__)
    return (f32x8)_mm256_min_ps((__m256)a, (__m256)b);
#else
    f32x4 x[2];
    f32x4 y[2];
    f32x8_part(a, x);
    f32x8_part(b, y);
    return f32x8_join(f32x4_min(x[0], y[0]), f32x4_min(x[1], y[1]));
#endif
}
static inline f32x8 f32x8_max(f32x8 a, f32x8 b) {
#if defined(__AVX2__)
    return (f32x8)_mm256_max_ps((__m256)a, (__m256)b);
#else
    f32x4 x[2];
    f32x4 y[2];
    f32x8_part(a, x);
    f32x8_part(b, y);
    return f32x8_join(f32x4_max(x[0], y[0]), f32x4_max(x[1], y[1]));
#endif
}

// a * b + c, fused if the instruction set can.
static inline f32x4 f32x4_multiply_add(f32x4 a, f32x4 b, f32x4 c) {
#if defined(__FMA__)
    return (f32x4)_mm_fmadd_ps((__m128)a, (__m128)b, (__m128)c);
#elif defined(__ARM_NEON)
    return (f32x4)vfmaq_f32((float32x4_t)c, (float32x4_t)a, (float32x4_t)b);
#else
    return a * b + c;
#endif
}
static inline f32x8 f32x8_multiply_add(f32x8 a, f32x8 b, f32x8 c) {
#if defined(__FMA__)
    return (f32x8)_mm256_fmadd_ps((__m256)a, (__m256)b, (__m256)c);
#else
    return a * b + c;
#endif
}

// Loads x, y, z of one position in double, and 0; reads nothing beyond them.
static inline f64x4 f64x4_load3_double(const double* p) {
#if defined(__AVX512VL__)
    return (f64x4)_mm256_maskz_loadu_pd(7, p);
#else
    return (f64x4){p[0], p[1], p[2], 0};
#endif
}
static inline f64x4 f64x4_load3_float(const float* p) {
    return (f64x4){(double)p[0], (double)p[1], (double)p[2], 0};
}
// The same with the next number instead of 0; that number must be readable.
static inline f64x4 f64x4_load4_double(const double* p) {
    f64x4 v;
    memcpy(&v, p, sizeof v);
    return v;
}
static inline f64x4 f64x4_load4_float(const float* p) {
#if defined(__AVX2__)
    return (f64x4)_mm256_cvtps_pd(_mm_loadu_ps(p));
#else
    f32x4 v;
    memcpy(&v, p, sizeof v);
    return __builtin_convertvector(v, f64x4);
#endif
}
// Turns four rows into columns; the fourth is meaningless.
static inline void f64x4_transpose3(f64x4 r[4]) {
    const f64x4 a = __builtin_shufflevector(r[0], r[1], 0, 4, 2, 6);
    const f64x4 b = __builtin_shufflevector(r[2], r[3], 0, 4, 2, 6);
    const f64x4 c = __builtin_shufflevector(r[0], r[1], 1, 5, 3, 7);
    const f64x4 d = __builtin_shufflevector(r[2], r[3], 1, 5, 3, 7);
    r[0] = __builtin_shufflevector(a, b, 0, 1, 4, 5);
    r[1] = __builtin_shufflevector(c, d, 0, 1, 4, 5);
    r[2] = __builtin_shufflevector(a, b, 2, 3, 6, 7);
}
// The same with all four.
static inline void f64x4_transpose(f64x4 r[4]) {
    const f64x4 b = __builtin_shufflevector(r[0], r[1], 1, 5, 3, 7);
    const f64x4 d = __builtin_shufflevector(r[2], r[3], 1, 5, 3, 7);
    f64x4_transpose3(r);
    r[3] = __builtin_shufflevector(b, d, 2, 3, 6, 7);
}
static inline f32x4 f64x4_to_float(f64x4 a) {
    return __builtin_convertvector(a, f32x4);
}
static inline f32x4 f32x4_abs(f32x4 a) {
    return (f32x4)((i32x4)a & 0x7fffffff);
}
// Transposes each four lanes of four vectors: lane 4 q + i of r[j] becomes lane 4 q + j of r[i].
static inline void f32x8_transpose(f32x8 r[4]) {
    const f32x8 a = __builtin_shufflevector(r[0], r[1], 0, 8, 1, 9, 4, 12, 5, 13);
    const f32x8 b = __builtin_shufflevector(r[2], r[3], 0, 8, 1, 9, 4, 12, 5, 13);
    const f32x8 c = __builtin_shufflevector(r[0], r[1], 2, 10, 3, 11, 6, 14, 7, 15);
    const f32x8 d = __builtin_shufflevector(r[2], r[3], 2, 10, 3, 11, 6, 14, 7, 15);
    r[0] = __builtin_shufflevector(a, b, 0, 1, 8, 9, 4, 5, 12, 13);
    r[1] = __builtin_shufflevector(a, b, 2, 3, 10, 11, 6, 7, 14, 15);
    r[2] = __builtin_shufflevector(c, d, 0, 1, 8, 9, 4, 5, 12, 13);
    r[3] = __builtin_shufflevector(c, d, 2, 3, 10, 11, 6, 7, 14, 15);
}
// Turns four rows into four columns.
static inline void f32x4_transpose(f32x4 r[4]) {
    const f32x4 a = __builtin_shufflevector(r[0], r[1], 0, 4, 1, 5);
    const f32x4 b = __builtin_shufflevector(r[2], r[3], 0, 4, 1, 5);
    const f32x4 c = __builtin_shufflevector(r[0], r[1], 2, 6, 3, 7);
    const f32x4 d = __builtin_shufflevector(r[2], r[3], 2, 6, 3, 7);
    r[0] = __builtin_shufflevector(a, b, 0, 1, 4, 5);
    r[1] = __builtin_shufflevector(a, b, 2, 3, 6, 7);
    r[2] = __builtin_shufflevector(c, d, 0, 1, 4, 5);
    r[3] = __builtin_shufflevector(c, d, 2, 3, 6, 7);
}

#endif
