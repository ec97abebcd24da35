// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Computes boxes from stretches of packed positions: the main cost of a refit. Compiled once per
// instruction set.
#include <float.h>
#include <math.h>

#include "simd/kernels.h"
#include "simd/lanes.h"

typedef struct sixteen {
    floats part[FLOAT_PARTS];
} sixteen;

// Parts of two stretches that are loaded together. All four of SSE2 would not fit its registers; on
// AVX2, parts that are loaded one by one are loaded twice, which costs a tenth of a refit.
#define AT_ONCE (FLOAT_PARTS > 2 ? 1 : FLOAT_PARTS)

// Minima and maxima ignore numbers that are not finite, but a sum of products does not, and it
// takes half as long as a sum. It may overflow for finite numbers, and it includes numbers next to
// the stretches. So if it is not finite, the caller must test the numbers themselves.
static bool is_finite(sixteen sum) {
    float all = 0;
    for (int i = 0; i < FLOAT_PARTS; ++i) {
        float lanes[FLOAT_LANES];
        floats_store(lanes, sum.part[i]);
        for (int k = 0; k < FLOAT_LANES; ++k) {
            all += lanes[k];
        }
    }
    return fabsf(all) <= FLT_MAX;
}

// In each lane, 8 x the number of the first stretch that has the least number there, and minus that
// for the greatest one.
typedef struct marked {
    sixteen lower;
    sixteen upper;
} marked;

// Finds where the extreme vertices of a block are.
static inline void find_places(const marked* marks, const sixteen* lo, const sixteen* hi, f32x8 box,
                               abut__side_places* places) {
    static const float position[16] = {0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 3, 3, 4, 4, 4, 5};
    sixteen least;
    sixteen greatest;
    sixteen lower;
    sixteen upper;
    floats_repeat_box(box, least.part, greatest.part);
    LANES_UNROLL for (int i = 0; i < FLOAT_PARTS; ++i) {
        const floats at = floats_load(position + i * FLOAT_LANES);
        lower.part[i] = floats_pick_less(least.part[i], lo->part[i], floats_splat(248),
                                         marks->lower.part[i] + at);
        upper.part[i] = floats_pick_less(hi->part[i], greatest.part[i], floats_splat(-248),
                                         marks->upper.part[i] - at);
    }
    float found[8];
    f32x8_store(found, floats_box_of_five(lower.part, upper.part));
    for (uint32_t side = 0; side < 6; ++side) {
        places->of[side] = (uint8_t)(int32_t)fabsf(found[side]);
    }
    places->of[6] = places->of[7] = 0;
}

static inline void mark_part(marked* marks, const sixteen* lo, const sixteen* hi, floats p,
                             floats mark, int part, uint32_t spare) {
    marks->lower.part[part] = floats_mark_less(marks->lower.part[part], p, lo->part[part], mark,
                                               part, spare);
    marks->upper.part[part] = floats_mark_less(marks->upper.part[part], hi->part[part], p, -mark,
                                               part, spare);
}

// `places` may be NULL, and is known to be where this is inlined.
static inline __attribute__((always_inline)) bool bound_all(const abut__stretch* stretches,
                                                            const uint32_t* first, uint32_t count,
                                                            const float* xyz, abut__box3* boxes,
                                                            abut__side_places* places) {
    sixteen sum = {0};
    for (uint32_t b = 0; b < count; ++b) {
        const abut__stretch* end = stretches + first[b + 1];
        sixteen lo;
        sixteen hi;
        sixteen part = {0};  // of the sum: one chain of additions would be too long
        marked marks = {0};
        floats mark = floats_splat(0);
        for (int i = 0; i < FLOAT_PARTS; ++i) {
            lo.part[i] = floats_splat(INFINITY);
            hi.part[i] = floats_splat(-INFINITY);
        }
        for (const abut__stretch* s = stretches + first[b]; s < end; s += 2) {
            // the last numbers: the first are mostly in the same cache line or an earlier one
            __builtin_prefetch(xyz + abut__stretch_first(s[ABUT__STRETCH_AHEAD]) + 14);
            __builtin_prefetch(xyz + abut__stretch_first(s[ABUT__STRETCH_AHEAD + 1]) + 14);
            const float* at[2] = {xyz + abut__stretch_first(s[0]), xyz + abut__stretch_first(s[1])};
            const uint32_t spare[2] = {abut__stretch_spare(s[0]), abut__stretch_spare(s[1])};
            LANES_UNROLL for (int i = 0; i < FLOAT_PARTS; i += AT_ONCE) {
                floats p[2][AT_ONCE];
                LANES_UNROLL for (int k = 0; k < AT_ONCE; ++k) {
                    p[0][k] = floats_load(at[0] + (i + k) * FLOAT_LANES);
                    p[1][k] = floats_load(at[1] + (i + k) * FLOAT_LANES);
                }
                LANES_UNROLL for (int k = 0; k < AT_ONCE; ++k) {
                    if (places != NULL) {
                        mark_part(&marks, &lo, &hi, p[0][k], mark, i + k, spare[0]);
                    }
                    floats_grow(&lo.part[i + k], &hi.part[i + k], p[0][k], i + k, spare[0]);
                }
                LANES_UNROLL for (int k = 0; k < AT_ONCE; ++k) {
                    if (places != NULL) {
                        mark_part(&marks, &lo, &hi, p[1][k], mark + 8, i + k, spare[1]);
                    }
                    floats_grow(&lo.part[i + k], &hi.part[i + k], p[1][k], i + k, spare[1]);
                    part.part[i + k] = floats_multiply_add(p[0][k], p[1][k], part.part[i + k]);
                }
            }
            mark += 16;
        }
        for (int i = 0; i < FLOAT_PARTS; ++i) {
            sum.part[i] += part.part[i];
        }
        const f32x8 six = floats_box_of_five(lo.part, hi.part);
        float box[8];
        f32x8_store(box, six);
        memcpy(&boxes[b], box, sizeof boxes[b]);
        if (places != NULL) {
            find_places(&marks, &lo, &hi, six, &places[b]);
        }
    }
    return is_finite(sum);
}

bool ABUT_KERNEL(stretch_bounds)(const abut__stretch* stretches, const uint32_t* first,
                                 uint32_t count, const float* xyz, abut__box3* boxes) {
    return bound_all(stretches, first, count, xyz, boxes, NULL);
}

bool ABUT_KERNEL(stretch_places)(const abut__stretch* stretches, const uint32_t* first,
                                 uint32_t count, const float* xyz, abut__box3* boxes,
                                 abut__side_places* places) {
    return bound_all(stretches, first, count, xyz, boxes, places);
}

// Replaces the lanes from `count` on.
static f32x8 first_lanes(const float* lanes, const int32_t* out, float other) {
    i32x8 replace;
    memcpy(&replace, out, sizeof replace);
    return (f32x8)((~replace & (i32x8)f32x8_load(lanes)) | (replace & (i32x8)f32x8_splat(other)));
}

void ABUT_KERNEL(node_bounds)(abut__boxes8* boxes, uint32_t count, abut__box3* box) {
    static const int32_t window[16] = {0, 0, 0, 0, 0, 0, 0, 0, -1, -1, -1, -1, -1, -1, -1, -1};
    f32x4 lo[4];
    f32x4 hi[4];
    for (int d = 0; d < 3; ++d) {
        const f32x8 l = first_lanes(boxes->lo[d], window + 8 - count, INFINITY);
        const f32x8 h = first_lanes(boxes->hi[d], window + 8 - count, -INFINITY);
        f32x8_store(boxes->lo[d], l);
        f32x8_store(boxes->hi[d], h);
        f32x4 half[2];
        f32x8_part(l, half);
        lo[d] = f32x4_min(half[0], half[1]);
        f32x8_part(h, half);
        hi[d] = f32x4_max(half[0], half[1]);
    }
    lo[3] = lo[2];
    hi[3] = hi[2];
    f32x4_transpose(lo);
    f32x4_transpose(hi);
    const f32x4 least = f32x4_min(f32x4_min(lo[0], lo[1]), f32x4_min(lo[2], lo[3]));
    const f32x4 most = f32x4_max(f32x4_max(hi[0], hi[1]), f32x4_max(hi[2], hi[3]));
    for (int d = 0; d < 3; ++d) {
        box->lo[d] = least[d];
        box->hi[d] = most[d];
    }
}
