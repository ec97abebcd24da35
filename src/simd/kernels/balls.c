// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Kernels on eight balls at a time. Compiled once per instruction set.
#include <math.h>

#include "simd/kernels.h"
#include "simd/lanes.h"

void ABUT_KERNEL(ball_boxes)(const abut__balls8* balls, const abut__turn* turn, float pad,
                             abut__boxes8* out);

// A row of the rotation carries a ball of radius r to an interval of half its norm times r. Balls
// that are not there stay empty: their radius is -INFINITY, and their centre 0.
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
