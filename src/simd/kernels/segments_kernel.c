// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Computes the distances of sixteen pairs of segments at once: the search of
// simd/segment_search.h in lanes.
#include <math.h>

#include "simd/kernels.h"
#include "simd/lanes.h"

typedef doubles number;
static inline number least(number a, number b) {
    return doubles_min(a, b);
}
static inline number greatest(number a, number b) {
    return doubles_max(a, b);
}
static inline number root(number a) {
    return doubles_sqrt(a);
}
static inline number pick_less(number a, number b, number x, number y) {
    return doubles_pick_less(a, b, x, y);
}
#include "simd/segment_search.h"

// Returns the lanes that are decided.
static inline uint32_t measure(const abut__segment_batch* batch, int first, abut__distances* out) {
    number end[4][3];
    number extent = (number){0};
    for (int k = 0; k < 3; ++k) {
        for (int i = 0; i < 4; ++i) {
            end[i][k] = doubles_load(&batch->end[i][k][first]);
        }
        const number lo = least(least(end[0][k], end[1][k]), least(end[2][k], end[3][k]));
        const number hi = greatest(greatest(end[0][k], end[1][k]), greatest(end[2][k], end[3][k]));
        extent = greatest(extent, hi - lo);
    }
    const number zero = (number){0};
    const uint32_t usual = doubles_le(zero + 0x1p-900, extent) & doubles_le(extent, zero + 0x1p900);
    // the power of two at or below the extent, and its inverse: exponents sum to twice the bias
    const longs unit = (longs)extent & 0x7ff0000000000000;
    const longs inverse = 0x7fe0000000000000 - unit;
    for (int i = 0; i < 4; ++i) {
        for (int k = 0; k < 3; ++k) {
            end[i][k] *= (number)inverse;
        }
    }
    closest_points found;
    number doubt;
    const number distance = search_segments((const number(*)[3])end, (const number(*)[3])(end + 2),
                                            &found, &doubt);
    doubles_store(out->distance + first, distance * (number)unit);
    doubles_store(out->s + first, found.s);
    doubles_store(out->t + first, found.t);
    return usual & doubles_le(doubt, zero);
}

void ABUT_KERNEL(measure_segments)(const abut__segment_batch* batch, uint32_t valid,
                                   abut__distances* out) {
    out->open = valid;
    for (int first = 0; first < 16; first += DOUBLE_LANES) {
        if ((valid >> first & DOUBLE_BITS) != 0) {
            out->open &= ~(measure(batch, first, out) << first);
        }
    }
}
