// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Computes the distances of sixteen pairs of triangles at once: the search of
// simd/distance_search.h in lanes.
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
#include "simd/distance_search.h"

// Returns the longest side of the box around both triangles.
static inline number extent_of(const number p[3][3], const number q[3][3]) {
    number extent = (number){0};
    for (int k = 0; k < 3; ++k) {
        const number lo_p = least(least(p[0][k], p[1][k]), p[2][k]);
        const number hi_p = greatest(greatest(p[0][k], p[1][k]), p[2][k]);
        const number lo_q = least(least(q[0][k], q[1][k]), q[2][k]);
        const number hi_q = greatest(greatest(q[0][k], q[1][k]), q[2][k]);
        extent = greatest(extent, greatest(hi_p, hi_q) - least(lo_p, lo_q));
    }
    return extent;
}

// Returns the lanes that are decided.
static inline uint32_t measure(const abut__triangle_batch* batch, int first, abut__distances* out) {
    number p[3][3];
    number q[3][3];
    for (int i = 0; i < 3; ++i) {
        for (int k = 0; k < 3; ++k) {
            p[i][k] = doubles_load(&batch->corner[i][k][first]);
            q[i][k] = doubles_load(&batch->corner[i + 3][k][first]);
        }
    }
    const number extent = extent_of((const number(*)[3])p, (const number(*)[3])q);
    const number zero = (number){0};
    const uint32_t usual = doubles_le(zero + 0x1p-900, extent) & doubles_le(extent, zero + 0x1p900);
    // the power of two at or below the extent, and its inverse: exponents sum to twice the bias
    const longs unit = (longs)extent & 0x7ff0000000000000;
    const longs inverse = 0x7fe0000000000000 - unit;
    for (int i = 0; i < 3; ++i) {
        for (int k = 0; k < 3; ++k) {
            p[i][k] *= (number)inverse;
            q[i][k] *= (number)inverse;
        }
    }
    closest_points found;
    number doubt;
    const number distance = search_distance((const number(*)[3])p, (const number(*)[3])q, &found,
                                            &doubt);
    doubles_store(out->distance + first, distance * (number)unit);
    doubles_store(out->s + first, found.s);
    doubles_store(out->t + first, found.t);
    doubles_store(out->feature + first, found.feature);
    return usual & doubles_le(doubt, zero);
}

void ABUT_KERNEL(triangles_distance)(const abut__triangle_batch* batch, uint32_t valid,
                                     abut__distances* out) {
    out->open = valid;
    for (int first = 0; first < 16; first += DOUBLE_LANES) {
        if ((valid >> first & ((1u << DOUBLE_LANES) - 1)) != 0) {
            out->open &= ~(measure(batch, first, out) << first);
        }
    }
}
