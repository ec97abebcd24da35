// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Kernels on eight balls at a time. Compiled once per instruction set.
#include <math.h>

#include "simd/kernels.h"
#include "simd/lanes.h"

// A row of the rotation maps a ball of radius r to an interval whose half length is its norm times
// r. Unused balls stay empty: their radius is -INFINITY and their centre 0.
void ABUT_KERNEL(ball_boxes)(const abut__balls8* balls, const abut__turn* turn, float pad,
                             abut__boxes8* out) {
    const f32x8 radius = f32x8_load(balls->r) + f32x8_splat(pad);
    f32x8 c[3];
    for (int d = 0; d < 3; ++d) {
        c[d] = f32x8_load(balls->c[d]);
    }
    for (int d = 0; d < 3; ++d) {
        f32x8 centre = c[d];
        f32x8 half = radius;
        if (turn != NULL) {
            const float* r = turn->r[d];
            const float norm = sqrtf((r[0] * r[0] + r[1] * r[1]) + r[2] * r[2]);
            centre = (r[0] * c[0] + r[1] * c[1]) + r[2] * c[2];
            half = norm * radius + turn->pad;
        }
        f32x8_store(out->lo[d], centre - half);
        f32x8_store(out->hi[d], centre + half);
    }
}

void ABUT_KERNEL(place_balls)(const abut__balls8* balls, const abut__placing* placing, double grow,
                              abut__world_balls* out) {
    f64x8 c[3];
    for (int d = 0; d < 3; ++d) {
        c[d] = __builtin_convertvector(f32x8_load(balls->c[d]), f64x8);
    }
    for (int d = 0; d < 3; ++d) {
        const double* r = placing->r[d];
        f64x8_store(out->c[d], ((r[0] * c[0] + r[1] * c[1]) + r[2] * c[2]) + placing->t[d]);
    }
    const f64x8 radius = __builtin_convertvector(f32x8_load(balls->r), f64x8);
    f64x8_store(out->r, radius * placing->stretch + grow);
}

// The factor covers the rounding of squares and sums, here and in the exact distance.
void ABUT_KERNEL(overlap_balls)(const abut__world_balls* a, uint32_t count_a,
                                const abut__world_balls* b, uint32_t count_b, double margin,
                                uint8_t* rows) {
    const f64x8 x = f64x8_load(b->c[0]);
    const f64x8 y = f64x8_load(b->c[1]);
    const f64x8 z = f64x8_load(b->c[2]);
    const f64x8 radius = f64x8_load(b->r) + margin;
    const uint32_t valid = (1u << count_b) - 1;
    for (uint32_t i = 0; i < count_a; ++i) {
        const f64x8 dx = x - a->c[0][i];
        const f64x8 dy = y - a->c[1][i];
        const f64x8 dz = z - a->c[2][i];
        const f64x8 reach = radius + a->r[i];
        const f64x8 distance_sq = (dx * dx + dy * dy) + dz * dz;
        rows[i] = (uint8_t)(valid & ~f64x8_lt(reach * reach * (1 + 0x1p-47), distance_sq));
    }
}
