// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Lanes: fixed-width vectors for all kernels. The types are the compiler's own vector types, so + -
// * / work on them and one source compiles for every instruction set: a 16-lane vector becomes one
// AVX-512 register, two AVX registers, or four of SSE2 or NEON. Intrinsics are used only here, and
// only where compilers do badly without: minima, comparisons that give a bit mask, and gathers. The
// plain loops are the reference; both give the same bits.
#ifndef ABUT_SIMD_LANES_H
#define ABUT_SIMD_LANES_H

#include <stdint.h>
#include <string.h>
#if defined(__AVX2__) || defined(__SSE2__)
#include <immintrin.h>
#endif

// Names a function of this instruction set: ABUT_KERNEL(block_bounds) -> abut__block_bounds_avx2.
// Every file in simd/kernels is compiled once per set with ABUT_ISA defined.
#define ABUT_JOIN_(name, isa) abut__##name##_##isa
#define ABUT_JOIN(name, isa) ABUT_JOIN_(name, isa)
#define ABUT_KERNEL(name) ABUT_JOIN(name, ABUT_ISA)

typedef float f32x4 __attribute__((vector_size(16)));
typedef float f32x8 __attribute__((vector_size(32)));
typedef float f32x16 __attribute__((vector_size(64)));
typedef double f64x4 __attribute__((vector_size(32)));
typedef double f64x8 __attribute__((vector_size(64)));
typedef int32_t i32x4 __attribute__((vector_size(16)));
typedef int32_t i32x8 __attribute__((vector_size(32)));
typedef int32_t i32x16 __attribute__((vector_size(64)));
typedef int64_t i64x8 __attribute__((vector_size(64)));

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
LANES_DEFINE_BASIC(f32x16, float)
LANES_DEFINE_BASIC(f64x4, double)
LANES_DEFINE_BASIC(f64x8, double)
#undef LANES_DEFINE_BASIC

static inline f64x8 f64x8_widen(f32x8 a) {
#if defined(__AVX512F__)
    return (f64x8)_mm512_cvtps_pd((__m256)a);
#else
    return __builtin_convertvector(a, f64x8);
#endif
}

// Least and greatest: a < b ? a : b and a > b ? a : b, so the second wins if unordered.
static inline f64x8 f64x8_max(f64x8 a, f64x8 b) {
#if defined(__AVX512F__)
    return (f64x8)_mm512_max_pd((__m512d)a, (__m512d)b);
#elif defined(__AVX2__)
    __m256d x[2];
    __m256d y[2];
    memcpy(x, &a, sizeof a);
    memcpy(y, &b, sizeof b);
    x[0] = _mm256_max_pd(x[0], y[0]);
    x[1] = _mm256_max_pd(x[1], y[1]);
    memcpy(&a, x, sizeof a);
    return a;
#elif defined(__SSE2__)
    __m128d x[4];
    __m128d y[4];
    memcpy(x, &a, sizeof a);
    memcpy(y, &b, sizeof b);
    for (int k = 0; k < 4; ++k) {
        x[k] = _mm_max_pd(x[k], y[k]);
    }
    memcpy(&a, x, sizeof a);
    return a;
#else
    f64x8 r;
    for (int k = 0; k < 8; ++k) {
        r[k] = a[k] > b[k] ? a[k] : b[k];
    }
    return r;
#endif
}
static inline f64x8 f64x8_min(f64x8 a, f64x8 b) {
#if defined(__AVX512F__)
    return (f64x8)_mm512_min_pd((__m512d)a, (__m512d)b);
#elif defined(__AVX2__)
    __m256d x[2];
    __m256d y[2];
    memcpy(x, &a, sizeof a);
    memcpy(y, &b, sizeof b);
    x[0] = _mm256_min_pd(x[0], y[0]);
    x[1] = _mm256_min_pd(x[1], y[1]);
    memcpy(&a, x, sizeof a);
    return a;
#elif defined(__SSE2__)
    __m128d x[4];
    __m128d y[4];
    memcpy(x, &a, sizeof a);
    memcpy(y, &b, sizeof b);
    for (int k = 0; k < 4; ++k) {
        x[k] = _mm_min_pd(x[k], y[k]);
    }
    memcpy(&a, x, sizeof a);
    return a;
#else
    f64x8 r;
    for (int k = 0; k < 8; ++k) {
        r[k] = a[k] < b[k] ? a[k] : b[k];
    }
    return r;
#endif
}

// Magnitudes: the sign bit cleared.
static inline f32x16 f32x16_abs(f32x16 a) {
    return (f32x16)((i32x16)a & 0x7fffffff);
}
static inline f64x8 f64x8_abs(f64x8 a) {
    return (f64x8)((i64x8)a & 0x7fffffffffffffff);
}

static inline f32x16 f32x16_load_int16(const int16_t* p) {
#if defined(__AVX512F__)
    return (f32x16)_mm512_cvtepi32_ps(_mm512_cvtepi16_epi32(_mm256_loadu_si256((const void*)p)));
#else
    typedef int16_t i16x16 __attribute__((vector_size(32)));
    i16x16 v;
    memcpy(&v, p, sizeof v);
    return __builtin_convertvector(v, f32x16);
#endif
}

static inline f32x16 f32x16_sqrt(f32x16 a) {
#if defined(__AVX512F__)
    return (f32x16)_mm512_sqrt_ps((__m512)a);
#elif defined(__AVX2__)
    __m256 x[2];
    memcpy(x, &a, sizeof a);
    x[0] = _mm256_sqrt_ps(x[0]);
    x[1] = _mm256_sqrt_ps(x[1]);
    memcpy(&a, x, sizeof a);
    return a;
#else
    for (int k = 0; k < 16; ++k) {
        a[k] = __builtin_sqrtf(a[k]);
    }
    return a;
#endif
}

// Comparisons: bit k of the result is a[k] <= b[k] (false if unordered).
static inline uint32_t f32x8_le(f32x8 a, f32x8 b) {
#if defined(__AVX512VL__)
    return _mm256_cmp_ps_mask((__m256)a, (__m256)b, _CMP_LE_OQ);
#elif defined(__AVX2__)
    return (uint32_t)_mm256_movemask_ps(_mm256_cmp_ps((__m256)a, (__m256)b, _CMP_LE_OQ));
#else
    uint32_t mask = 0;
    for (int k = 0; k < 8; ++k) {
        mask |= (uint32_t)(a[k] <= b[k]) << k;
    }
    return mask;
#endif
}
static inline uint32_t f32x16_le(f32x16 a, f32x16 b) {
#if defined(__AVX512F__)
    return _mm512_cmp_ps_mask((__m512)a, (__m512)b, _CMP_LE_OQ);
#else
    f32x8 halves[2][2];
    memcpy(halves[0], &a, sizeof a);
    memcpy(halves[1], &b, sizeof b);
    return f32x8_le(halves[0][0], halves[1][0]) | f32x8_le(halves[0][1], halves[1][1]) << 8;
#endif
}
// The same for a[k] < b[k].
static inline uint32_t f32x8_lt(f32x8 a, f32x8 b) {
#if defined(__AVX512VL__)
    return _mm256_cmp_ps_mask((__m256)a, (__m256)b, _CMP_LT_OQ);
#elif defined(__AVX2__)
    return (uint32_t)_mm256_movemask_ps(_mm256_cmp_ps((__m256)a, (__m256)b, _CMP_LT_OQ));
#else
    uint32_t mask = 0;
    for (int k = 0; k < 8; ++k) {
        mask |= (uint32_t)(a[k] < b[k]) << k;
    }
    return mask;
#endif
}
static inline uint32_t f32x16_lt(f32x16 a, f32x16 b) {
#if defined(__AVX512F__)
    return _mm512_cmp_ps_mask((__m512)a, (__m512)b, _CMP_LT_OQ);
#else
    f32x8 halves[2][2];
    memcpy(halves[0], &a, sizeof a);
    memcpy(halves[1], &b, sizeof b);
    return f32x8_lt(halves[0][0], halves[1][0]) | f32x8_lt(halves[0][1], halves[1][1]) << 8;
#endif
}
static inline uint32_t f64x8_lt(f64x8 a, f64x8 b) {
#if defined(__AVX512F__)
    return _mm512_cmp_pd_mask((__m512d)a, (__m512d)b, _CMP_LT_OQ);
#elif defined(__AVX2__)
    __m256d x[2];
    __m256d y[2];
    memcpy(x, &a, sizeof a);
    memcpy(y, &b, sizeof b);
    const int low = _mm256_movemask_pd(_mm256_cmp_pd(x[0], y[0], _CMP_LT_OQ));
    const int high = _mm256_movemask_pd(_mm256_cmp_pd(x[1], y[1], _CMP_LT_OQ));
    return (uint32_t)(low | high << 4);
#else
    uint32_t mask = 0;
    for (int k = 0; k < 8; ++k) {
        mask |= (uint32_t)(a[k] < b[k]) << k;
    }
    return mask;
#endif
}

// The least and the greatest of all lanes.
static inline float f32x16_least(f32x16 a) {
#if defined(__AVX512F__)
    return _mm512_reduce_min_ps((__m512)a);
#else
    float v[16];
    f32x16_store(v, a);
    for (int half = 8; half > 0; half /= 2) {
        for (int k = 0; k < half; ++k) {
            v[k] = v[k] < v[k + half] ? v[k] : v[k + half];
        }
    }
    return v[0];
#endif
}
static inline float f32x16_greatest(f32x16 a) {
#if defined(__AVX512F__)
    return _mm512_reduce_max_ps((__m512)a);
#else
    float v[16];
    f32x16_store(v, a);
    for (int half = 8; half > 0; half /= 2) {
        for (int k = 0; k < half; ++k) {
            v[k] = v[k] > v[k + half] ? v[k] : v[k + half];
        }
    }
    return v[0];
#endif
}

// Sixteen indices in a table of 64, for repeated picks.
typedef struct lane_places {
#if defined(__AVX512F__)
    __m512i at;
    __mmask16 upper;
#else
    const uint8_t* at;
#endif
} lane_places;
static inline lane_places lane_places_load(const uint8_t index[16]) {
#if defined(__AVX512F__)
    const __m512i at = _mm512_cvtepu8_epi32(_mm_loadu_si128((const __m128i*)(const void*)index));
    return (lane_places){at, _mm512_test_epi32_mask(at, _mm512_set1_epi32(32))};
#else
    return (lane_places){index};
#endif
}
// Lane k of the result is the table entry at index k.
static inline f32x16 f32x16_pick64(const f32x16 table[4], lane_places places) {
#if defined(__AVX512F__)
    const __m512 low = _mm512_permutex2var_ps((__m512)table[0], places.at, (__m512)table[1]);
    const __m512 high = _mm512_permutex2var_ps((__m512)table[2], places.at, (__m512)table[3]);
    return (f32x16)_mm512_mask_blend_ps(places.upper, low, high);
#else
    const float* entries = (const float*)(const void*)table;
    f32x16 r;
    for (int k = 0; k < 16; ++k) {
        r[k] = entries[places.at[k]];
    }
    return r;
#endif
}
// Replaces lanes whose bit is not set by another number.
static inline f32x16 f32x16_keep(f32x16 a, uint32_t lanes, float other) {
#if defined(__AVX512F__)
    return (f32x16)_mm512_mask_blend_ps((__mmask16)lanes, _mm512_set1_ps(other), (__m512)a);
#else
    for (uint32_t k = 0; k < 16 && lanes != 0xffff; ++k) {
        a[k] = (lanes >> k & 1) != 0 ? a[k] : other;
    }
    return a;
#endif
}

// Loads x, y, z of one position as float, and 0; reads nothing beyond them.
static inline f32x4 f32x4_load3_float(const float* p) {
#if defined(__AVX512VL__)
    return (f32x4)_mm_maskz_loadu_ps(7, p);
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
static inline f32x16 f32x16_multiply_add(f32x16 a, f32x16 b, f32x16 c) {
#if defined(__AVX512F__)
    return (f32x16)_mm512_fmadd_ps((__m512)a, (__m512)b, (__m512)c);
#elif defined(__FMA__)
    f32x8 x[2];
    f32x8 y[2];
    f32x8 z[2];
    memcpy(x, &a, sizeof a);
    memcpy(y, &b, sizeof b);
    memcpy(z, &c, sizeof c);
    x[0] = f32x8_multiply_add(x[0], y[0], z[0]);
    x[1] = f32x8_multiply_add(x[1], y[1], z[1]);
    f32x16 sum;
    memcpy(&sum, x, sizeof sum);
    return sum;
#else
    return a * b + c;
#endif
}

static inline f32x16 f32x16_min(f32x16 a, f32x16 b) {
#if defined(__AVX512F__)
    return (f32x16)_mm512_min_ps((__m512)a, (__m512)b);
#else
    f32x8 x[2];
    f32x8 y[2];
    memcpy(x, &a, sizeof a);
    memcpy(y, &b, sizeof b);
    x[0] = f32x8_min(x[0], y[0]);
    x[1] = f32x8_min(x[1], y[1]);
    memcpy(&a, x, sizeof a);
    return a;
#endif
}
static inline f32x16 f32x16_max(f32x16 a, f32x16 b) {
#if defined(__AVX512F__)
    return (f32x16)_mm512_max_ps((__m512)a, (__m512)b);
#else
    f32x8 x[2];
    f32x8 y[2];
    memcpy(x, &a, sizeof a);
    memcpy(y, &b, sizeof b);
    x[0] = f32x8_max(x[0], y[0]);
    x[1] = f32x8_max(x[1], y[1]);
    memcpy(&a, x, sizeof a);
    return a;
#endif
}

// Sixteen lanes in as many registers as needed: compilers handle vectors badly that are wider than
// a register and live through a loop.
#if defined(__AVX512F__)
#define WIDES 1
typedef f32x16 wide;
#define WIDE(name) f32x16_##name
#else
#define WIDES 2
typedef f32x8 wide;
#define WIDE(name) f32x8_##name
#endif
#define WIDE_LANES (16 / WIDES)

// Eight numbers, repeated to fill the vector.
static inline wide wide_repeat(const float* p) {
#if defined(__AVX512F__)
    return (wide)_mm512_broadcast_f32x8(_mm256_loadu_ps(p));
#else
    return f32x8_load(p);
#endif
}

// Lane k is one of four numbers, at the index places[k] < 4.
static inline wide wide_pick4(const float* p, const int32_t places[WIDE_LANES]) {
#if defined(__AVX512F__)
    return (wide)_mm512_permutevar_ps(_mm512_broadcast_f32x4(_mm_loadu_ps(p)),
                                      _mm512_loadu_si512(places));
#elif defined(__AVX2__)
    return (wide)_mm256_permutevar_ps(_mm256_broadcast_ps((const __m128*)(const void*)p),
                                      _mm256_loadu_si256((const __m256i*)(const void*)places));
#else
    wide r;
    for (int k = 0; k < WIDE_LANES; ++k) {
        r[k] = p[places[k]];
    }
    return r;
#endif
}

// Bit k of the result: a[k] and b[k] have the same bits.
static inline uint32_t wide_same_bits(wide a, wide b) {
#if defined(__AVX512F__)
    return _mm512_cmpeq_epi32_mask((__m512i)a, (__m512i)b);
#elif defined(__AVX2__)
    return (uint32_t)_mm256_movemask_ps((__m256)_mm256_cmpeq_epi32((__m256i)a, (__m256i)b));
#else
    uint32_t mask = 0;
    for (int k = 0; k < WIDE_LANES; ++k) {
        mask |= (uint32_t)(((i32x8)a)[k] == ((i32x8)b)[k]) << k;
    }
    return mask;
#endif
}

// One number in eight lanes and, in a vector of sixteen, the next one in the other eight.
static inline wide wide_spread(const float* p) {
#if defined(__AVX512F__)
    return (wide)_mm512_mask_broadcastss_ps(_mm512_set1_ps(p[0]), 0xff00, _mm_load_ss(p + 1));
#else
    return f32x8_splat(p[0]);
#endif
}

// a b + c, rounded once or twice: only for uses where this cannot change the result.
static inline wide wide_multiply_add(wide a, wide b, wide c) {
#if defined(__AVX512F__)
    return (wide)_mm512_fmadd_ps((__m512)a, (__m512)b, (__m512)c);
#elif defined(__FMA__)
    return (wide)_mm256_fmadd_ps((__m256)a, (__m256)b, (__m256)c);
#else
    return a * b + c;
#endif
}

// lo = min(p, lo) and hi = max(p, hi) in all lanes except the last `spare` of sixteen.
static inline void wide_grow(wide* lo, wide* hi, const wide* p, uint32_t spare) {
#if defined(__AVX512F__)
    const __mmask16 in = (__mmask16)(0xffffu >> spare);
    *lo = (wide)_mm512_mask_min_ps((__m512)*lo, in, (__m512)*p, (__m512)*lo);
    *hi = (wide)_mm512_mask_max_ps((__m512)*hi, in, (__m512)*p, (__m512)*hi);
#else
    // setting all bits makes a NaN, and minima and maxima ignore NaN
    static const int32_t window[32] = {
        [16] = -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1,
    };
    typedef int32_t bits __attribute__((vector_size(sizeof(wide))));
    for (int i = 0; i < WIDES; ++i) {
        bits out;
        memcpy(&out, window + spare + i * WIDE_LANES, sizeof out);
        const wide q = (wide)((bits)p[i] | out);
        lo[i] = WIDE(min)(q, lo[i]);
        hi[i] = WIDE(max)(q, hi[i]);
    }
#endif
}

// Five positions side by side: the least x, y, z of `lo`, then the greatest of `hi`, in six lanes.
static inline f32x8 wide_box_of_five(const wide* lo, const wide* hi) {
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
    f32x8_part(lo[0], l);
    f32x8_part(lo[1], l + 2);
    f32x8_part(hi[0], h);
    f32x8_part(hi[1], h + 2);
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
static inline f64x8 f64x8_join(f64x4 low, f64x4 high) {
    return __builtin_shufflevector(low, high, 0, 1, 2, 3, 4, 5, 6, 7);
}
static inline f32x4 f64x4_to_float(f64x4 a) {
    return __builtin_convertvector(a, f32x4);
}
static inline f32x4 f32x4_abs(f32x4 a) {
    return (f32x4)((i32x4)a & 0x7fffffff);
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

// ---- vectors of one register

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
#define FLOAT_BITS ((1u << FLOAT_LANES) - 1)  // a bit for each lane
#define DOUBLE_BITS ((1u << DOUBLE_LANES) - 1)
typedef float floats __attribute__((vector_size(4 * FLOAT_LANES)));
typedef int32_t ints __attribute__((vector_size(4 * FLOAT_LANES)));
typedef double doubles __attribute__((vector_size(8 * DOUBLE_LANES)));
typedef int64_t longs __attribute__((vector_size(8 * DOUBLE_LANES)));

static inline floats floats_load(const float* p) {
    floats v;
    memcpy(&v, p, sizeof v);
    return v;
}
static inline void floats_store(float* p, floats v) {
    memcpy(p, &v, sizeof v);
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
#else
    const ints less = (ints)(a < b);
    return (floats)(((ints)x & less) | ((ints)y & ~less));
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
#else
    uint32_t mask = 0;
    for (int k = 0; k < FLOAT_LANES; ++k) {
        mask |= (uint32_t)(a[k] < b[k]) << k;
    }
    return mask;
#endif
}
// The least and the greatest of all lanes, none of which is NaN.
static inline float floats_least(floats a) {
#if defined(__AVX512F__)
    return _mm512_reduce_min_ps((__m512)a);
#else
    float v[FLOAT_LANES];
    floats_store(v, a);
    for (int half = FLOAT_LANES / 2; half > 0; half /= 2) {
        for (int k = 0; k < half; ++k) {
            v[k] = v[k] < v[k + half] ? v[k] : v[k + half];
        }
    }
    return v[0];
#endif
}
static inline float floats_greatest(floats a) {
#if defined(__AVX512F__)
    return _mm512_reduce_max_ps((__m512)a);
#else
    float v[FLOAT_LANES];
    floats_store(v, a);
    for (int half = FLOAT_LANES / 2; half > 0; half /= 2) {
        for (int k = 0; k < half; ++k) {
            v[k] = v[k] > v[k + half] ? v[k] : v[k + half];
        }
    }
    return v[0];
#endif
}
// Converts FLOAT_LANES integers.
static inline floats floats_load_int16(const int16_t* p) {
#if defined(__AVX512F__)
    return (floats)_mm512_cvtepi32_ps(_mm512_cvtepi16_epi32(_mm256_loadu_si256((const void*)p)));
#elif defined(__AVX2__)
    return (floats)_mm256_cvtepi32_ps(_mm256_cvtepi16_epi32(_mm_loadu_si128((const void*)p)));
#else
    typedef int16_t shorts __attribute__((vector_size(2 * FLOAT_LANES)));
    shorts v;
    memcpy(&v, p, sizeof v);
    return __builtin_convertvector(v, floats);
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
    for (uint32_t k = 0; k < FLOAT_LANES; ++k) {
        a[k] = (lanes >> k & 1) != 0 ? a[k] : other;
    }
    return a;
#endif
}

static inline doubles doubles_load(const double* p) {
    doubles v;
    memcpy(&v, p, sizeof v);
    return v;
}
static inline void doubles_store(double* p, doubles v) {
    memcpy(p, &v, sizeof v);
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
#else
    return (doubles){(double)p[0], (double)p[1]};
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
#else
    return (uint32_t)(a[0] < b[0]) | (uint32_t)(a[1] < b[1]) << 1;
#endif
}

#endif
