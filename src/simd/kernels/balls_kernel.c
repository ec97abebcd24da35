// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Kernels on eight balls at a time. Compiled once per instruction set.
#include <math.h>

#include "simd/kernels.h"
#include "simd/lanes.h"

#define EIGHTS (ABUT__FAN / EIGHT_LANES)

// A row of the rotation maps a ball of radius r to an interval whose half length is its norm times
// r. Unused balls stay empty: their radius is -INFINITY and their centre 0.
void ABUT_KERNEL(ball_boxes)(const abut__balls8* balls, const abut__turn* turn, float pad,
                             abut__boxes8* out) {
    eight c[3][EIGHTS];
    eight radius[EIGHTS];
    LANES_UNROLL
    for (int k = 0; k < EIGHTS; ++k) {
        c[0][k] = EIGHT(load)(balls->c[0] + k * EIGHT_LANES);
        c[1][k] = EIGHT(load)(balls->c[1] + k * EIGHT_LANES);
        c[2][k] = EIGHT(load)(balls->c[2] + k * EIGHT_LANES);
        radius[k] = EIGHT(load)(balls->r + k * EIGHT_LANES) + EIGHT(splat)(pad);
    }
    LANES_UNROLL
    for (int d = 0; d < 3; ++d) {
        const float* r = turn != NULL ? turn->r[d] : NULL;
        const float norm = turn != NULL ? sqrtf((r[0] * r[0] + r[1] * r[1]) + r[2] * r[2]) : 1;
        LANES_UNROLL
        for (int k = 0; k < EIGHTS; ++k) {
            eight centre = c[d][k];
            eight half = radius[k];
            if (turn != NULL) {
                centre = (r[0] * c[0][k] + r[1] * c[1][k]) + r[2] * c[2][k];
                half = norm * radius[k] + turn->pad;
            }
            EIGHT(store)(out->lo[d] + k * EIGHT_LANES, centre - half);
            EIGHT(store)(out->hi[d] + k * EIGHT_LANES, centre + half);
        }
    }
}

#define DOUBLE_STEPS (ABUT__FAN / DOUBLE_LANES)

void ABUT_KERNEL(place_balls)(const abut__balls8* balls, const abut__placing* placing, double grow,
                              abut__world_balls* out) {
    doubles c[3][DOUBLE_STEPS];
    LANES_UNROLL
    for (int k = 0; k < DOUBLE_STEPS; ++k) {
        c[0][k] = doubles_load_float(balls->c[0] + k * DOUBLE_LANES);
        c[1][k] = doubles_load_float(balls->c[1] + k * DOUBLE_LANES);
        c[2][k] = doubles_load_float(balls->c[2] + k * DOUBLE_LANES);
        const doubles radius = doubles_load_float(balls->r + k * DOUBLE_LANES);
        doubles_store(out->r + k * DOUBLE_LANES, radius * placing->stretch + grow);
    }
    LANES_UNROLL
    for (int d = 0; d < 3; ++d) {
        const double r[3] = {placing->r[d][0], placing->r[d][1], placing->r[d][2]};
        const double t = placing->t[d];
        LANES_UNROLL
        for (int k = 0; k < DOUBLE_STEPS; ++k) {
            doubles_store(out->c[d] + k * DOUBLE_LANES,
                          ((r[0] * c[0][k] + r[1] * c[1][k]) + r[2] * c[2][k]) + t);
        }
    }
}

// The factor covers the rounding of squares and sums, here and in the exact distance.
void ABUT_KERNEL(overlap_balls)(const abut__world_balls* a, uint32_t count_a,
                                const abut__world_balls* b, uint32_t count_b, double margin,
                                uint8_t* rows) {
    doubles c[3][DOUBLE_STEPS];
    doubles radius[DOUBLE_STEPS];
    LANES_UNROLL
    for (int k = 0; k < DOUBLE_STEPS; ++k) {
        c[0][k] = doubles_load(b->c[0] + k * DOUBLE_LANES);
        c[1][k] = doubles_load(b->c[1] + k * DOUBLE_LANES);
        c[2][k] = doubles_load(b->c[2] + k * DOUBLE_LANES);
        radius[k] = doubles_load(b->r + k * DOUBLE_LANES) + margin;
    }
    const uint32_t valid = (1u << count_b) - 1;
    for (uint32_t i = 0; i < count_a; ++i) {
        uint32_t apart = 0;
        LANES_UNROLL
        for (int k = 0; k < DOUBLE_STEPS; ++k) {
            const doubles dx = c[0][k] - a->c[0][i];
            const doubles dy = c[1][k] - a->c[1][i];
            const doubles dz = c[2][k] - a->c[2][i];
            const doubles reach = radius[k] + a->r[i];
            const doubles distance_sq = (dx * dx + dy * dy) + dz * dz;
            apart |= doubles_lt(reach * reach * (1 + 0x1p-47), distance_sq) << k * DOUBLE_LANES;
        }
        rows[i] = (uint8_t)(valid & ~apart);
    }
}
