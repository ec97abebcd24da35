// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Rays and boxes: slab tests of eight children or of the lanes of a block. abut__ray_lanes (layout.h)
// has the ray's origin grown by a pad for all rounding errors here; query/cast_aim.c has the proof.
// No operation is fused, because the order of near boxes decides what is visited.
#include "simd/kernels.h"
#include "simd/lanes.h"
#include "simd/layout.h"

uint32_t ABUT_KERNEL(ray_boxes)(const abut__boxes8* boxes, const abut__ray_lanes* ray, float limit,
                                float near[ABUT__FAN]) {
    const float* sides = &boxes->lo[0][0];  // lower sides, and then the upper ones
    f32x8 first = f32x8_splat(0);
    f32x8 last = f32x8_splat(limit);
    for (int d = 0; d < 3; ++d) {
        const f32x8 a = f32x8_load(sides + ray->near_side[d] * ABUT__FAN);
        const f32x8 b = f32x8_load(sides + ray->far_side[d] * ABUT__FAN);
        first = f32x8_max((a - ray->near_o[d]) * ray->inverse[d], first);
        last = f32x8_min((b - ray->far_o[d]) * ray->inverse[d], last);
    }
    f32x8_store(near, first);
    return f32x8_le(first, last);
}

uint64_t ABUT_KERNEL(ray_block)(const abut__block_boxes* boxes, const abut__ray_lanes* ray,
                                float limit) {
    const float* sides = &boxes->lo[0][0];
    uint64_t mask = 0;
    for (uint32_t k = 0; k < ABUT__BLOCK_TRIANGLES; k += FLOAT_LANES) {
        floats first = floats_splat(0);
        floats last = floats_splat(limit);
        for (int d = 0; d < 3; ++d) {
            const floats a = floats_load(sides + ray->near_side[d] * ABUT__BLOCK_TRIANGLES + k);
            const floats b = floats_load(sides + ray->far_side[d] * ABUT__BLOCK_TRIANGLES + k);
            first = floats_max((a - ray->near_o[d]) * ray->inverse[d], first);
            last = floats_min((b - ray->far_o[d]) * ray->inverse[d], last);
        }
        mask |= (uint64_t)floats_le(first, last) << k;
    }
    return mask;
}
