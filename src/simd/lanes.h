// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Lanes: vectors for all kernels. The types are the compiler's own vector types, so + - * / work on
// them and one source compiles for every instruction set. Intrinsics are used only here and in
// fixed_lanes.h and pick_table.h, and only where compilers do badly without: minima, comparisons
// that give a bit mask, and gathers. The plain loops are the reference; both give the same bits.
#ifndef ABUT_SIMD_LANES_H
#define ABUT_SIMD_LANES_H

#include "simd/fixed_lanes.h"

// Names a function of this instruction set: ABUT_KERNEL(block_bounds) -> abut__block_bounds_avx2.
// Every file in simd/kernels is compiled once per set with ABUT_ISA defined.
#define ABUT_JOIN_(name, isa) abut__##name##_##isa
#define ABUT_JOIN(name, isa) ABUT_JOIN_(name, isa)
#define ABUT_KERNEL(name) ABUT_JOIN(name, ABUT_ISA)

// `floats` and `doubles` are as wide as a register. Kernels handle sixteen lanes in steps of
// FLOAT_LANES or DOUBLE_LANES, because compilers keep wider vectors in memory. The lanes of a step
// do not depend on those of another, so the bits are the same for every width.
#if defined(__AVX512F__)
#define FLOAT_LANES 16
#elif defined(__AVX2__)
#define FLOAT_LANES 8
#else
#define FLOAT_LANES 4
#endif
#define DOUBLE_LANES (FLOAT_LANES / 2)
#define FLOAT_PARTS (16 / FLOAT_LANES)        // vectors of sixteen lanes
#define FLOAT_BITS ((1u << FLOAT_LANES) - 1)  // a bit for each lane
#define DOUBLE_BITS ((1u << DOUBLE_LANES) - 1)
typedef float floats __attribute__((vector_size(4 * FLOAT_LANES)));
typedef int32_t ints __attribute__((vector_size(4 * FLOAT_LANES)));
typedef double doubles __attribute__((vector_size(8 * DOUBLE_LANES)));
typedef int64_t longs __attribute__((vector_size(8 * DOUBLE_LANES)));

// Goes before a loop over an array of vectors. gcc then unrolls it early enough to keep the vectors
// in registers; clang does so by itself, and too late if told to.
#if defined(__clang__)
#define LANES_UNROLL
#else
#define LANES_UNROLL _Pragma("GCC unroll 16")
#endif

typedef float any_floats __attribute__((vector_size(4 * FLOAT_LANES), aligned(4), may_alias));
static inline ints ints_load(const int32_t* p) {
    ints v;
    memcpy(&v, p, sizeof v);
    return v;
}
static inline floats floats_load(const float* p) {
    return *(const any_floats*)(const void*)p;
}
static inline void floats_store(float* p, floats v) {
    *(any_floats*)(void*)p = v;
}
static inline floats floats_splat(float x) {
    return x - (floats){0};  // x, and -0 stays -0
}
static inline floats floats_abs(floats a) {
    return (floats)((ints)a & INT32_MAX);
}
// Least and greatest: the second wins if unordered.
static inline floats floats_min(floats a, floats b) {
#if defined(__AVX512F__)
    return (floats)_mm512_min_ps((__m512)a, (__m512)b);
#elif defined(__AVX2__)
    return (floats)_mm256_min_ps((__m256)a, (__m256)b);
#else
    return f32x4_min(a, b);
#endif
}
static inline floats floats_max(floats a, floats b) {
#if defined(__AVX512F__)
    return (floats)_mm512_max_ps((__m512)a, (__m512)b);
#elif defined(__AVX2__)
    return (floats)_mm256_max_ps((__m256)a, (__m256)b);
#else
    return f32x4_max(a, b);
#endif
}
static inline floats floats_sqrt(floats a) {
#if defined(__AVX512F__)
    return (floats)_mm512_sqrt_ps((__m512)a);
#elif defined(__AVX2__)
    return (floats)_mm256_sqrt_ps((__m256)a);
#elif defined(__SSE2__)
    return (floats)_mm_sqrt_ps((__m128)a);
#elif defined(__wasm_simd128__)
    return (floats)wasm_f32x4_sqrt((v128_t)a);
#elif defined(__ARM_NEON)
    return (floats)vsqrtq_f32((float32x4_t)a);
#else
    for (int k = 0; k < FLOAT_LANES; ++k) {
        a[k] = __builtin_sqrtf(a[k]);
    }
    return a;
#endif
}
// a b + c, fused if the instruction set can: only where this cannot change a result.
static inline floats floats_multiply_add(floats a, floats b, floats c) {
#if defined(__AVX512F__)
    return (floats)_mm512_fmadd_ps((__m512)a, (__m512)b, (__m512)c);
#elif defined(__FMA__)
    return (floats)_mm256_fmadd_ps((__m256)a, (__m256)b, (__m256)c);
#elif defined(__ARM_NEON)
    return (floats)vfmaq_f32((float32x4_t)c, (float32x4_t)a, (float32x4_t)b);
#else
    return a * b + c;
#endif
}
// a < b ? x : y in each lane.
static inline floats floats_pick_less(floats a, floats b, floats x, floats y) {
#if defined(__AVX512F__)
    const __mmask16 less = _mm512_cmp_ps_mask((__m512)a, (__m512)b, _CMP_LT_OQ);
    return (floats)_mm512_mask_blend_ps(less, (__m512)y, (__m512)x);
#elif defined(__AVX2__)
    const __m256 less = _mm256_cmp_ps((__m256)a, (__m256)b, _CMP_LT_OQ);
    return (floats)_mm256_blendv_ps((__m256)y, (__m256)x, less);
#elif defined(__wasm_simd128__)
    return (floats)wasm_v128_bitselect((v128_t)x, (v128_t)y, (v128_t)(a < b));
#elif defined(__ARM_NEON)
    return (floats)vbslq_f32((uint32x4_t)(a < b), (float32x4_t)x, (float32x4_t)y);
#else
    const ints less = (ints)(a < b);
    return (floats)(((ints)x & less) | ((ints)y & ~less));
#endif
}
// Loads p[3 i[k]], for coordinates of packed positions.
static inline floats floats_gather3(const float* p, const uint32_t* i) {
#if defined(__AVX512F__)
    const __m512i at = _mm512_loadu_si512(i);
    return (floats)_mm512_i32gather_ps(_mm512_add_epi32(at, _mm512_add_epi32(at, at)), p, 4);
#elif defined(__AVX2__)
    const __m256i at = _mm256_loadu_si256((const void*)i);
    return (floats)_mm256_i32gather_ps(p, _mm256_add_epi32(at, _mm256_add_epi32(at, at)), 4);
#else
    return (floats){p[3 * (size_t)i[0]], p[3 * (size_t)i[1]], p[3 * (size_t)i[2]],
                    p[3 * (size_t)i[3]]};
#endif
}
// Loads four numbers of each row, from `at` on; lane k of column j is number j of row k.
static inline void floats_load_columns(const float* const rows[FLOAT_LANES], int at,
                                       floats column[4]) {
#if FLOAT_LANES == 4
    for (int k = 0; k < 4; ++k) {
        column[k] = f32x4_load(rows[k] + at);
    }
    f32x4_transpose(column);
#elif FLOAT_LANES == 8
    for (int k = 0; k < 4; ++k) {
        column[k] = f32x8_join(f32x4_load(rows[k] + at), f32x4_load(rows[k + 4] + at));
    }
    f32x8_transpose(column);
#else
    __m512 r[4];
    for (int k = 0; k < 4; ++k) {
        r[k] = _mm512_castps128_ps512(_mm_loadu_ps(rows[k] + at));
        r[k] = _mm512_insertf32x4(r[k], _mm_loadu_ps(rows[k + 4] + at), 1);
        r[k] = _mm512_insertf32x4(r[k], _mm_loadu_ps(rows[k + 8] + at), 2);
        r[k] = _mm512_insertf32x4(r[k], _mm_loadu_ps(rows[k + 12] + at), 3);
    }
    const __m512d a = (__m512d)_mm512_unpacklo_ps(r[0], r[1]);
    const __m512d b = (__m512d)_mm512_unpacklo_ps(r[2], r[3]);
    const __m512d c = (__m512d)_mm512_unpackhi_ps(r[0], r[1]);
    const __m512d d = (__m512d)_mm512_unpackhi_ps(r[2], r[3]);
    column[0] = (floats)_mm512_unpacklo_pd(a, b);
    column[1] = (floats)_mm512_unpackhi_pd(a, b);
    column[2] = (floats)_mm512_unpacklo_pd(c, d);
    column[3] = (floats)_mm512_unpackhi_pd(c, d);
#endif
}
// Bit k of the result is a[k] <= b[k] (false if unordered).
static inline uint32_t floats_le(floats a, floats b) {
#if defined(__AVX512F__)
    return _mm512_cmp_ps_mask((__m512)a, (__m512)b, _CMP_LE_OQ);
#elif defined(__AVX2__)
    return (uint32_t)_mm256_movemask_ps(_mm256_cmp_ps((__m256)a, (__m256)b, _CMP_LE_OQ));
#elif defined(__SSE2__)
    return (uint32_t)_mm_movemask_ps(_mm_cmple_ps((__m128)a, (__m128)b));
#elif defined(__wasm_simd128__)
    return wasm_i32x4_bitmask(wasm_f32x4_le((v128_t)a, (v128_t)b));
#elif defined(__ARM_NEON)
    return neon_bits((uint32x4_t)(a <= b));
#else
    uint32_t mask = 0;
    for (int k = 0; k < FLOAT_LANES; ++k) {
        mask |= (uint32_t)(a[k] <= b[k]) << k;
    }
    return mask;
#endif
}
// The same for a[k] < b[k].
static inline uint32_t floats_lt(floats a, floats b) {
#if defined(__AVX512F__)
    return _mm512_cmp_ps_mask((__m512)a, (__m512)b, _CMP_LT_OQ);
#elif defined(__AVX2__)
    return (uint32_t)_mm256_movemask_ps(_mm256_cmp_ps((__m256)a, (__m256)b, _CMP_LT_OQ));
#elif defined(__SSE2__)
    return (uint32_t)_mm_movemask_ps(_mm_cmplt_ps((__m128)a, (__m128)b));
#elif defined(__wasm_simd128__)
    return wasm_i32x4_bitmask(wasm_f32x4_lt((v128_t)a, (v128_t)b));
#elif defined(__ARM_NEON)
    return neon_bits((uint32x4_t)(a < b));
#else
    uint32_t mask = 0;
    for (int k = 0; k < FLOAT_LANES; ++k) {
        mask |= (uint32_t)(a[k] < b[k]) << k;
    }
    return mask;
#endif
}
// A truth value for each lane: a bit with AVX-512, otherwise all or no bits of the lane. Both take &
// and |, and only the result of several comparisons need become a bit mask.
#if defined(__AVX512F__)
typedef __mmask16 flags;
#else
typedef ints flags;
#endif
static inline flags floats_le_flags(floats a, floats b) {
#if defined(__AVX512F__)
    return _mm512_cmp_ps_mask((__m512)a, (__m512)b, _CMP_LE_OQ);
#else
    return (flags)(a <= b);
#endif
}
static inline flags floats_lt_flags(floats a, floats b) {
#if defined(__AVX512F__)
    return _mm512_cmp_ps_mask((__m512)a, (__m512)b, _CMP_LT_OQ);
#else
    return (flags)(a < b);
#endif
}
static inline uint32_t flags_bits(flags a) {
#if defined(__AVX512F__)
    return a;
#elif defined(__AVX2__)
    return (uint32_t)_mm256_movemask_ps((__m256)a);
#elif defined(__SSE2__)
    return (uint32_t)_mm_movemask_ps((__m128)a);
#elif defined(__wasm_simd128__)
    return wasm_i32x4_bitmask((v128_t)a);
#elif defined(__ARM_NEON)
    return neon_bits((uint32x4_t)a);
#else
    uint32_t bits = 0;
    for (int k = 0; k < FLOAT_LANES; ++k) {
        bits |= (uint32_t)(a[k] & 1) << k;
    }
    return bits;
#endif
}
// The least and the greatest of all lanes, none of which is NaN.
static inline float floats_least(floats a) {
#if defined(__AVX512F__)
    return _mm512_reduce_min_ps((__m512)a);
#else
#if FLOAT_LANES == 8
    f32x4 half[2];
    f32x8_part(a, half);
    const f32x4 four = f32x4_min(half[0], half[1]);
#else
    const f32x4 four = a;
#endif
    const f32x4 two = f32x4_min(four, __builtin_shufflevector(four, four, 2, 3, 2, 3));
    return f32x4_min(two, __builtin_shufflevector(two, two, 1, 1, 1, 1))[0];
#endif
}
static inline float floats_greatest(floats a) {
#if defined(__AVX512F__)
    return _mm512_reduce_max_ps((__m512)a);
#else
#if FLOAT_LANES == 8
    f32x4 half[2];
    f32x8_part(a, half);
    const f32x4 four = f32x4_max(half[0], half[1]);
#else
    const f32x4 four = a;
#endif
    const f32x4 two = f32x4_max(four, __builtin_shufflevector(four, four, 2, 3, 2, 3));
    return f32x4_max(two, __builtin_shufflevector(two, two, 1, 1, 1, 1))[0];
#endif
}
// Converts FLOAT_LANES integers.
static inline floats floats_load_int16(const int16_t* p) {
#if defined(__AVX512F__)
    return (floats)_mm512_cvtepi32_ps(_mm512_cvtepi16_epi32(_mm256_loadu_si256((const void*)p)));
#elif defined(__AVX2__)
    return (floats)_mm256_cvtepi32_ps(_mm256_cvtepi16_epi32(_mm_loadu_si128((const void*)p)));
#elif defined(__SSE2__)
    const __m128i v = _mm_loadl_epi64((const void*)p);
    return (floats)_mm_cvtepi32_ps(_mm_srai_epi32(_mm_unpacklo_epi16(v, v), 16));
#elif defined(__wasm_simd128__)
    return (floats)wasm_f32x4_convert_i32x4(wasm_i32x4_load16x4(p));
#elif defined(__ARM_NEON)
    return (floats)vcvtq_f32_s32(vmovl_s16(vld1_s16(p)));
#else
    typedef int16_t shorts __attribute__((vector_size(2 * FLOAT_LANES)));
    shorts v;
    memcpy(&v, p, sizeof v);
    return __builtin_convertvector(v, floats);
#endif
}
// a <= b ? x : y in each lane.
static inline floats floats_pick_le(floats a, floats b, floats x, floats y) {
#if defined(__AVX512F__)
    const __mmask16 le = _mm512_cmp_ps_mask((__m512)a, (__m512)b, _CMP_LE_OQ);
    return (floats)_mm512_mask_blend_ps(le, (__m512)y, (__m512)x);
#elif defined(__AVX2__)
    const __m256 le = _mm256_cmp_ps((__m256)a, (__m256)b, _CMP_LE_OQ);
    return (floats)_mm256_blendv_ps((__m256)y, (__m256)x, le);
#elif defined(__wasm_simd128__)
    return (floats)wasm_v128_bitselect((v128_t)x, (v128_t)y, (v128_t)(a <= b));
#elif defined(__ARM_NEON)
    return (floats)vbslq_f32((uint32x4_t)(a <= b), (float32x4_t)x, (float32x4_t)y);
#else
    const ints le = (ints)(a <= b);
    return (floats)(((ints)x & le) | ((ints)y & ~le));
#endif
}
// Replaces lanes whose bit is not set by another number.
static inline floats floats_keep(floats a, uint32_t lanes, float other) {
#if defined(__AVX512F__)
    return (floats)_mm512_mask_blend_ps((__mmask16)lanes, _mm512_set1_ps(other), (__m512)a);
#elif defined(__AVX2__)
    const __m256i bit = _mm256_setr_epi32(1, 2, 4, 8, 16, 32, 64, 128);
    const __m256i set = _mm256_and_si256(_mm256_set1_epi32((int32_t)lanes), bit);
    const __m256 kept = (__m256)_mm256_cmpeq_epi32(set, bit);
    return (floats)_mm256_blendv_ps(_mm256_set1_ps(other), (__m256)a, kept);
#else
    const ints bit = {1, 2, 4, 8};
    const ints kept = (ints)((((int32_t)lanes - (ints){0}) & bit) == bit);
    return (floats)(((ints)a & kept) | ((ints)floats_splat(other) & ~kept));
#endif
}
// At most eight floats in one register, for nodes of eight children.
#if FLOAT_LANES >= 8
#define EIGHT_LANES 8
typedef f32x8 eight;
#define EIGHT(name) f32x8_##name
#else
#define EIGHT_LANES 4
typedef f32x4 eight;
#define EIGHT(name) f32x4_##name
#endif

typedef double any_doubles __attribute__((vector_size(8 * DOUBLE_LANES), aligned(8), may_alias));
static inline doubles doubles_load(const double* p) {
    return *(const any_doubles*)(const void*)p;
}
static inline void doubles_store(double* p, doubles v) {
    *(any_doubles*)(void*)p = v;
}
static inline doubles doubles_splat(double x) {
    return x - (doubles){0};
}
// Converts DOUBLE_LANES floats.
static inline doubles doubles_load_float(const float* p) {
#if defined(__AVX512F__)
    return (doubles)_mm512_cvtps_pd(_mm256_loadu_ps(p));
#elif defined(__AVX2__)
    return (doubles)_mm256_cvtps_pd(_mm_loadu_ps(p));
#elif defined(__wasm_simd128__)
    return (doubles)wasm_f64x2_promote_low_f32x4(wasm_v128_load64_zero(p));
#elif defined(__ARM_NEON)
    return (doubles)vcvt_f64_f32(vld1_f32(p));
#else
    return (doubles){(double)p[0], (double)p[1]};
#endif
}
// Rounds to DOUBLE_LANES floats.
static inline void doubles_store_float(float* p, doubles x) {
#if defined(__AVX512F__)
    _mm256_storeu_ps(p, _mm512_cvtpd_ps((__m512d)x));
#elif defined(__AVX2__)
    _mm_storeu_ps(p, _mm256_cvtpd_ps((__m256d)x));
#else
    for (size_t lane = 0; lane < DOUBLE_LANES; ++lane) {
        p[lane] = (float)x[lane];
    }
#endif
}
// Loads four numbers of each row, from `at` on; lane k of column j is number j of row k.
static inline void doubles_load_columns(const double* const rows[DOUBLE_LANES], int at,
                                        doubles column[4]) {
#if defined(__AVX512F__)
    f64x4 low[4];
    f64x4 high[4];
    for (int k = 0; k < 4; ++k) {
        low[k] = f64x4_load(rows[k] + at);
        high[k] = f64x4_load(rows[k + 4] + at);
    }
    f64x4_transpose(low);
    f64x4_transpose(high);
    for (int j = 0; j < 4; ++j) {
        column[j] = __builtin_shufflevector(low[j], high[j], 0, 1, 2, 3, 4, 5, 6, 7);
    }
#elif defined(__AVX2__)
    for (int k = 0; k < 4; ++k) {
        column[k] = f64x4_load(rows[k] + at);
    }
    f64x4_transpose(column);
#else
    for (int j = 0; j < 4; ++j) {
        column[j] = (doubles){rows[0][at + j], rows[1][at + j]};
    }
#endif
}
static inline doubles doubles_abs(doubles a) {
    return (doubles)((longs)a & INT64_MAX);
}
// a < b ? x : y in each lane.
static inline doubles doubles_pick_less(doubles a, doubles b, doubles x, doubles y) {
#if defined(__AVX512F__)
    const __mmask8 less = _mm512_cmp_pd_mask((__m512d)a, (__m512d)b, _CMP_LT_OQ);
    return (doubles)_mm512_mask_blend_pd(less, (__m512d)y, (__m512d)x);
#elif defined(__AVX2__)
    const __m256d less = _mm256_cmp_pd((__m256d)a, (__m256d)b, _CMP_LT_OQ);
    return (doubles)_mm256_blendv_pd((__m256d)y, (__m256d)x, less);
#elif defined(__wasm_simd128__)
    return (doubles)wasm_v128_bitselect((v128_t)x, (v128_t)y, (v128_t)(a < b));
#elif defined(__ARM_NEON)
    return (doubles)vbslq_f64((uint64x2_t)(a < b), (float64x2_t)x, (float64x2_t)y);
#else
    const longs less = (longs)(a < b);
    return (doubles)(((longs)x & less) | ((longs)y & ~less));
#endif
}
// Least and greatest: the second wins if unordered.
static inline doubles doubles_min(doubles a, doubles b) {
#if defined(__AVX512F__)
    return (doubles)_mm512_min_pd((__m512d)a, (__m512d)b);
#elif defined(__AVX2__)
    return (doubles)_mm256_min_pd((__m256d)a, (__m256d)b);
#elif defined(__SSE2__)
    return (doubles)_mm_min_pd((__m128d)a, (__m128d)b);
#elif defined(__wasm_simd128__)
    return (doubles)wasm_f64x2_pmin((v128_t)b, (v128_t)a);
#else
    return doubles_pick_less(a, b, a, b);
#endif
}
static inline doubles doubles_max(doubles a, doubles b) {
#if defined(__AVX512F__)
    return (doubles)_mm512_max_pd((__m512d)a, (__m512d)b);
#elif defined(__AVX2__)
    return (doubles)_mm256_max_pd((__m256d)a, (__m256d)b);
#elif defined(__SSE2__)
    return (doubles)_mm_max_pd((__m128d)a, (__m128d)b);
#elif defined(__wasm_simd128__)
    return (doubles)wasm_f64x2_pmax((v128_t)b, (v128_t)a);
#else
    return doubles_pick_less(b, a, a, b);
#endif
}
static inline doubles doubles_sqrt(doubles a) {
#if defined(__AVX512F__)
    return (doubles)_mm512_sqrt_pd((__m512d)a);
#elif defined(__AVX2__)
    return (doubles)_mm256_sqrt_pd((__m256d)a);
#elif defined(__SSE2__)
    return (doubles)_mm_sqrt_pd((__m128d)a);
#elif defined(__wasm_simd128__)
    return (doubles)wasm_f64x2_sqrt((v128_t)a);
#elif defined(__ARM_NEON)
    return (doubles)vsqrtq_f64((float64x2_t)a);
#else
    return (doubles){__builtin_sqrt(a[0]), __builtin_sqrt(a[1])};
#endif
}
// Bit k of the result is a[k] <= b[k] (false if unordered).
static inline uint32_t doubles_le(doubles a, doubles b) {
#if defined(__AVX512F__)
    return _mm512_cmp_pd_mask((__m512d)a, (__m512d)b, _CMP_LE_OQ);
#elif defined(__AVX2__)
    return (uint32_t)_mm256_movemask_pd(_mm256_cmp_pd((__m256d)a, (__m256d)b, _CMP_LE_OQ));
#elif defined(__SSE2__)
    return (uint32_t)_mm_movemask_pd(_mm_cmple_pd((__m128d)a, (__m128d)b));
#elif defined(__wasm_simd128__)
    return wasm_i64x2_bitmask(wasm_f64x2_le((v128_t)a, (v128_t)b));
#elif defined(__ARM_NEON)
    return neon_bits2((uint64x2_t)(a <= b));
#else
    return (uint32_t)(a[0] <= b[0]) | (uint32_t)(a[1] <= b[1]) << 1;
#endif
}
// The same for a[k] < b[k].
static inline uint32_t doubles_lt(doubles a, doubles b) {
#if defined(__AVX512F__)
    return _mm512_cmp_pd_mask((__m512d)a, (__m512d)b, _CMP_LT_OQ);
#elif defined(__AVX2__)
    return (uint32_t)_mm256_movemask_pd(_mm256_cmp_pd((__m256d)a, (__m256d)b, _CMP_LT_OQ));
#elif defined(__SSE2__)
    return (uint32_t)_mm_movemask_pd(_mm_cmplt_pd((__m128d)a, (__m128d)b));
#elif defined(__wasm_simd128__)
    return wasm_i64x2_bitmask(wasm_f64x2_lt((v128_t)a, (v128_t)b));
#elif defined(__ARM_NEON)
    return neon_bits2((uint64x2_t)(a < b));
#else
    return (uint32_t)(a[0] < b[0]) | (uint32_t)(a[1] < b[1]) << 1;
#endif
}

// The least and the greatest of sixteen lanes.
static inline float floats_least16(const floats a[FLOAT_PARTS]) {
    floats v[FLOAT_PARTS];
    memcpy(v, a, sizeof v);
    for (int half = FLOAT_PARTS / 2; half > 0; half /= 2) {
        for (int k = 0; k < half; ++k) {
            v[k] = floats_min(v[k], v[k + half]);
        }
    }
    return floats_least(v[0]);
}
static inline float floats_greatest16(const floats a[FLOAT_PARTS]) {
    floats v[FLOAT_PARTS];
    memcpy(v, a, sizeof v);
    for (int half = FLOAT_PARTS / 2; half > 0; half /= 2) {
        for (int k = 0; k < half; ++k) {
            v[k] = floats_max(v[k], v[k + half]);
        }
    }
    return floats_greatest(v[0]);
}

// Lane k is one of four numbers, at the index places[k] < 4.
static inline floats floats_pick4(const float* p, const int32_t places[FLOAT_LANES]) {
#if defined(__AVX512F__)
    return (floats)_mm512_permutevar_ps(_mm512_broadcast_f32x4(_mm_loadu_ps(p)),
                                        _mm512_loadu_si512(places));
#elif defined(__AVX2__)
    return (floats)_mm256_permutevar_ps(_mm256_broadcast_ps((const __m128*)(const void*)p),
                                        _mm256_loadu_si256((const __m256i*)(const void*)places));
#else
    return (floats){p[places[0]], p[places[1]], p[places[2]], p[places[3]]};
#endif
}

// Bit k of the result: a[k] and b[k] have the same bits.
static inline uint32_t floats_same_bits(floats a, floats b) {
#if defined(__AVX512F__)
    return _mm512_cmpeq_epi32_mask((__m512i)a, (__m512i)b);
#elif defined(__AVX2__)
    return (uint32_t)_mm256_movemask_ps((__m256)_mm256_cmpeq_epi32((__m256i)a, (__m256i)b));
#elif defined(__SSE2__)
    return (uint32_t)_mm_movemask_ps((__m128)_mm_cmpeq_epi32((__m128i)a, (__m128i)b));
#elif defined(__wasm_simd128__)
    return wasm_i32x4_bitmask(wasm_i32x4_eq((v128_t)a, (v128_t)b));
#elif defined(__ARM_NEON)
    return neon_bits((uint32x4_t)((ints)a == (ints)b));
#else
    uint32_t mask = 0;
    for (int k = 0; k < FLOAT_LANES; ++k) {
        mask |= (uint32_t)(((ints)a)[k] == ((ints)b)[k]) << k;
    }
    return mask;
#endif
}

#if FLOAT_LANES < 16
// From `spare` on: all bits in the last `spare` of sixteen lanes.
static const int32_t floats_spare_window[32] = {
    [16] = -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1,
};
#endif

// Of a part of sixteen numbers: lo = min(p, lo) and hi = max(p, hi) in all lanes, except in those
// that are among the last `spare` of the sixteen.
static inline void floats_grow(floats* lo, floats* hi, floats p, int part, uint32_t spare) {
#if defined(__AVX512F__)
    (void)part;
    const __mmask16 in = (__mmask16)(0xffffu >> spare);
    *lo = (floats)_mm512_mask_min_ps((__m512)*lo, in, (__m512)p, (__m512)*lo);
    *hi = (floats)_mm512_mask_max_ps((__m512)*hi, in, (__m512)p, (__m512)*hi);
#else
    // setting all bits makes a NaN, and minima and maxima ignore NaN
    const floats q = (floats)((ints)p |
                              ints_load(floats_spare_window + spare + part * FLOAT_LANES));
    *lo = floats_min(q, *lo);
    *hi = floats_max(q, *hi);
#endif
}

// Of a part of sixteen numbers: replaces `marks` in the lanes where a < b, except in those that are
// among the last `spare` of the sixteen.
static inline floats floats_mark_less(floats marks, floats a, floats b, floats mark, int part,
                                      uint32_t spare) {
#if defined(__AVX512F__)
    (void)part;
    const __mmask16 in = (__mmask16)(0xffffu >> spare);
    const __mmask16 less = _mm512_mask_cmp_ps_mask(in, (__m512)a, (__m512)b, _CMP_LT_OQ);
    return (floats)_mm512_mask_blend_ps(less, (__m512)marks, (__m512)mark);
#else
    const ints less = (ints)(a < b) & ~ints_load(floats_spare_window + spare + part * FLOAT_LANES);
#if defined(__AVX2__)
    return (floats)_mm256_blendv_ps((__m256)marks, (__m256)mark, (__m256)less);
#else
    return (floats)(((ints)marks & ~less) | ((ints)mark & less));
#endif
#endif
}

// Repeats the first three lanes of six over sixteen, and likewise the last three.
static inline void floats_repeat_box(f32x8 box, floats lo[FLOAT_PARTS], floats hi[FLOAT_PARTS]) {
#if defined(__AVX512F__)
    const __m512i at = _mm512_setr_epi32(0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 2, 0);
    const __m512 six = _mm512_castps256_ps512((__m256)box);
    lo[0] = (floats)_mm512_permutexvar_ps(at, six);
    hi[0] = (floats)_mm512_permutexvar_ps(_mm512_add_epi32(at, _mm512_set1_epi32(3)), six);
#elif defined(__AVX2__)
    const __m256i at[2] = {_mm256_setr_epi32(0, 1, 2, 0, 1, 2, 0, 1),
                           _mm256_setr_epi32(2, 0, 1, 2, 0, 1, 2, 0)};
    for (int i = 0; i < 2; ++i) {
        const __m256i above = _mm256_add_epi32(at[i], _mm256_set1_epi32(3));
        lo[i] = (floats)_mm256_permutevar8x32_ps((__m256)box, at[i]);
        hi[i] = (floats)_mm256_permutevar8x32_ps((__m256)box, above);
    }
#else
    f32x4 half[2];
    f32x8_part(box, half);
    const f32x4 first[2] = {half[0], __builtin_shufflevector(half[0], half[1], 3, 4, 5, 5)};
    floats* const out[2] = {lo, hi};
    for (int h = 0; h < 2; ++h) {
        out[h][0] = __builtin_shufflevector(first[h], first[h], 0, 1, 2, 0);
        out[h][1] = __builtin_shufflevector(first[h], first[h], 1, 2, 0, 1);
        out[h][2] = __builtin_shufflevector(first[h], first[h], 2, 0, 1, 2);
        out[h][3] = out[h][0];
    }
#endif
}

// Five positions side by side: the least x, y, z of `lo`, then the greatest of `hi`, in six lanes.
static inline f32x8 floats_box_of_five(const floats* lo, const floats* hi) {
#if defined(__AVX512F__)
    const __m512i first = _mm512_setr_epi32(0, 1, 2, 16, 17, 18, 3, 4, 5, 19, 20, 21, 0, 0, 0, 0);
    const __m512i third = _mm512_setr_epi32(6, 7, 8, 22, 23, 24, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);
    const __m512i l = (__m512i)lo[0];
    const __m512i h = (__m512i)hi[0];
    const __m512 l3 = _mm512_min_ps((__m512)l, (__m512)_mm512_alignr_epi32(l, l, 9));
    const __m512 h3 = _mm512_max_ps((__m512)h, (__m512)_mm512_alignr_epi32(h, h, 9));
    const __m512i two = (__m512i)_mm512_permutex2var_ps(l3, first, h3);
    const __m256 a = _mm512_castps512_ps256((__m512)two);
    const __m256 b = _mm512_castps512_ps256((__m512)_mm512_alignr_epi32(two, two, 6));
    const __m256 c = _mm512_castps512_ps256(_mm512_permutex2var_ps((__m512)l, third, (__m512)h));
    const __m256 least = _mm256_min_ps(_mm256_min_ps(a, b), c);
    const __m256 greatest = _mm256_max_ps(_mm256_max_ps(a, b), c);
    return (f32x8)_mm256_blend_ps(least, greatest, 0x38);
#else
    f32x4 l[4];
    f32x4 h[4];
    memcpy(l, lo, sizeof l);
    memcpy(h, hi, sizeof h);
#define LANES_BOX_OF_FIVE(v, pick)                                          \
    pick(pick(pick(v[0], __builtin_shufflevector(v[2], v[3], 1, 2, 3, 4)),  \
              pick(__builtin_shufflevector(v[0], v[1], 3, 4, 5, 6), v[3])), \
         __builtin_shufflevector(v[1], v[2], 2, 3, 4, 5))
    const f32x4 least = LANES_BOX_OF_FIVE(l, f32x4_min);
    const f32x4 greatest = LANES_BOX_OF_FIVE(h, f32x4_max);
#undef LANES_BOX_OF_FIVE
    return f32x8_join(__builtin_shufflevector(least, greatest, 0, 1, 2, 4),
                      __builtin_shufflevector(greatest, greatest, 1, 2, 3, 3));
#endif
}

#if FLOAT_LANES == 16
// Eight numbers twice; and one number in eight lanes and the next in the other eight.
static inline floats floats_repeat8(const float* p) {
    return (floats)_mm512_broadcast_f32x8(_mm256_loadu_ps(p));
}
static inline floats floats_spread8(const float* p) {
    return (floats)_mm512_mask_broadcastss_ps(_mm512_set1_ps(p[0]), 0xff00, _mm_load_ss(p + 1));
}
#endif

#endif
