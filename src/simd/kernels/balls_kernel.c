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
    float norm[3];
    for (int d = 0; d < 3 && turn != NULL; ++d) {
        const float* r = turn->r[d];
        norm[d] = sqrtf((r[0] * r[0] + r[1] * r[1]) + r[2] * r[2]);
    }
    for (int k = 0; k < ABUT__FAN; k += EIGHT_LANES) {
        const eight radius = EIGHT(load)(balls->r + k) + EIGHT(splat)(pad);
        const eight c[3] = {EIGHT(load)(balls->c[0] + k), EIGHT(load)(balls->c[1] + k),
                            EIGHT(load)(balls->c[2] + k)};
        for (int d = 0; d < 3; ++d) {
            eight centre = c[d];
            eight half = radius;
            if (turn != NULL) {
                const float* r = turn->r[d];
                centre = (r[0] * c[0] + r[1] * c[1]) + r[2] * c[2];
                half = norm[d] * radius + turn->pad;
            }
            EIGHT(store)(out->lo[d] + k, centre - half);
            EIGHT(store)(out->hi[d] + k, centre + half);
        }
    }
}

void ABUT_KERNEL(place_balls)(const abut__balls8* balls, const abut__placing* placing, double grow,
                              abut__world_balls* out) {
    for (int k = 0; k < ABUT__FAN; k += DOUBLE_LANES) {
        const doubles x = doubles_load_float(balls->c[0] + k);
        const doubles y = doubles_load_float(balls->c[1] + k);
        const doubles z = doubles_load_float(balls->c[2] + k);
        for (int d = 0; d < 3; ++d) {
            const double* r = placing->r[d];
            doubles_store(out->c[d] + k, ((r[0] * x + r[1] * y) + r[2] * z) + placing->t[d]);
        }
        const doubles radius = doubles_load_float(balls->r + k);
        doubles_store(out->r + k, radius * placing->stretch + grow);
    }
}

// The factor covers the rounding of squares and sums, here and in the exact distance.
void ABUT_KERNEL(overlap_balls)(const abut__world_balls* a, uint32_t count_a,
                                const abut__world_balls* b, uint32_t count_b, double margin,
                                uint8_t* rows) {
    doubles radius[ABUT__FAN / DOUBLE_LANES];
    for (int k = 0; k < ABUT__FAN; k += DOUBLE_LANES) {
        radius[k / DOUBLE_LANES] = doubles_load(b->r + k) + margin;
    }
    const uint32_t valid = (1u << count_b) - 1;
    for (uint32_t i = 0; i < count_a; ++i) {
        uint32_t apart = 0;
        for (int k = 0; k < ABUT__FAN; k += DOUBLE_LANES) {
            const doubles dx = doubles_load(b->c[0] + k) - a->c[0][i];
            const doubles dy = doubles_load(b->c[1] + k) - a->c[1][i];
            const doubles dz = doubles_load(b->c[2] + k) - a->c[2][i];
            const doubles reach = radius[k / DOUBLE_LANES] + a->r[i];
            const doubles distance_sq = (dx * dx + dy * dy) + dz * dz;
            apart |= doubles_lt(reach * reach * (1 + 0x1p-47), distance_sq) << k;
        }
        rows[i] = (uint8_t)(valid & ~apart);
    }
}
