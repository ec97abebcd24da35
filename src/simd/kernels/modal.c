// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Kernels of the modal motion: sums of rows of numbers, weighted by coordinates. Compiled once per
// instruction set. Rounding is covered by the pad of the state (motion/modal.c). A coordinate that
// is 0 costs nothing.
#include "simd/kernels.h"
#include "simd/lanes.h"

void ABUT_KERNEL(modal_boxes)(const abut__modal_lanes* lanes, const float* coordinates, float pad,
                              abut__boxes8* out);
void ABUT_KERNEL(modal_points)(const abut__modal_lanes* lanes, uint32_t groups,
                               const float* coordinates, abut__block_points* out);
void ABUT_KERNEL(modal_balls)(const abut__modal_lanes* lanes, const float* coordinates,
                              abut__balls8* out);

#define BOX_ROWS 3u  // of sixteen numbers: centre x and y, centre z and half x, half y and z

#define BALL_ROWS 2u  // centre x and y, centre z and radius

static const i32x16 upper_magnitude = {-1,        -1,        -1,        -1,
                                       -1,        -1,        -1,        -1,
                                       INT32_MAX, INT32_MAX, INT32_MAX, INT32_MAX,
                                       INT32_MAX, INT32_MAX, INT32_MAX, INT32_MAX};

// q in the lower half, |q| in the upper one
static inline f32x16 half_magnitude(f32x16 plain) {
    return (f32x16)((i32x16)plain & upper_magnitude);
}

// centre + sum of fields' centres x q, half extents + sum of fields' half extents x |q|
void ABUT_KERNEL(modal_boxes)(const abut__modal_lanes* lanes, const float* coordinates, float pad,
                              abut__boxes8* out) {
    const float* row = lanes->data;
    f32x16 sum[BOX_ROWS];
    for (uint32_t r = 0; r < BOX_ROWS; ++r) {
        sum[r] = f32x16_load(row + 16 * r);
    }
    for (uint32_t k = 0; k < lanes->field_count; ++k) {
        row += 16 * BOX_ROWS;
        const float q = coordinates[lanes->fields[k]];
        if (q == 0) {
            continue;
        }
        const f32x16 plain = f32x16_splat(q);
        sum[0] += f32x16_load(row) * plain;
        sum[1] += f32x16_load(row + 16) * half_magnitude(plain);
        sum[2] += f32x16_load(row + 32) * f32x16_abs(plain);
    }
    float c[3][ABUT__FAN];
    float h[3][ABUT__FAN];
    f32x16 rows[BOX_ROWS] = {sum[0], sum[1], sum[2]};
    memcpy(c, rows, sizeof c);
    memcpy(h, (const char*)rows + sizeof c, sizeof h);
    for (int d = 0; d < 3; ++d) {
        const f32x8 centre = f32x8_load(c[d]);
        const f32x8 half = f32x8_load(h[d]) + f32x8_splat(pad);
        f32x8_store(out->lo[d], centre - half);
        f32x8_store(out->hi[d], centre + half);
    }
}

// groups of sixteen points: rows x, y, z of each group in turn
void ABUT_KERNEL(modal_points)(const abut__modal_lanes* lanes, uint32_t groups,
                               const float* coordinates, abut__block_points* out) {
    const size_t field_stride = (size_t)groups * 48;
    for (uint32_t g = 0; g < groups; ++g) {
        const float* row = lanes->data + (size_t)g * 48;
        f32x16 x = f32x16_load(row);
        f32x16 y = f32x16_load(row + 16);
        f32x16 z = f32x16_load(row + 32);
        for (uint32_t k = 0; k < lanes->field_count; ++k) {
            row += field_stride;
            const float q = coordinates[lanes->fields[k]];
            if (q == 0) {
                continue;
            }
            const f32x16 weight = f32x16_splat(q);
            x += f32x16_load(row) * weight;
            y += f32x16_load(row + 16) * weight;
            z += f32x16_load(row + 32) * weight;
        }
        f32x16_store(out->xyz[0] + (size_t)g * 16, x);
        f32x16_store(out->xyz[1] + (size_t)g * 16, y);
        f32x16_store(out->xyz[2] + (size_t)g * 16, z);
    }
}

// centre + sum of fields' centres x q, radius + sum of fields' radii x |q|
void ABUT_KERNEL(modal_balls)(const abut__modal_lanes* lanes, const float* coordinates,
                              abut__balls8* out) {
    const float* row = lanes->data;
    f32x16 sum[BALL_ROWS] = {f32x16_load(row), f32x16_load(row + 16)};
    for (uint32_t k = 0; k < lanes->field_count; ++k) {
        row += 16 * BALL_ROWS;
        const float q = coordinates[lanes->fields[k]];
        if (q == 0) {
            continue;
        }
        const f32x16 plain = f32x16_splat(q);
        sum[0] += f32x16_load(row) * plain;
        sum[1] += f32x16_load(row + 16) * half_magnitude(plain);
    }
    memcpy(out, sum, sizeof *out);
}
