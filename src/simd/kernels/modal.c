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
void ABUT_KERNEL(modal_exact)(const abut__modal_lanes* lanes, uint32_t groups,
                              const double* coordinates, abut__block_exact* out);

#define BOX_ROWS 3u  // of sixteen numbers: centre x and y, centre z and half x, half y and z

// centre + sum of fields' centres x q, half extents + sum of fields' half extents x |q|
void ABUT_KERNEL(modal_boxes)(const abut__modal_lanes* lanes, const float* coordinates, float pad,
                              abut__boxes8* out) {
    static const i32x16 upper_magnitude = {-1,        -1,        -1,        -1,
                                           -1,        -1,        -1,        -1,
                                           INT32_MAX, INT32_MAX, INT32_MAX, INT32_MAX,
                                           INT32_MAX, INT32_MAX, INT32_MAX, INT32_MAX};
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
        sum[1] += f32x16_load(row + 16) * (f32x16)((i32x16)plain & upper_magnitude);
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

// eight vertices at a time; a field that does not move one of them adds nothing to it
void ABUT_KERNEL(modal_exact)(const abut__modal_lanes* lanes, uint32_t groups,
                              const double* coordinates, abut__block_exact* out) {
    const size_t field_stride = (size_t)groups * 48;
    for (uint32_t half = 0; half < 2 * groups; ++half) {
        const float* row = lanes->data + (size_t)(half / 2) * 48 + 8 * (half % 2);
        double(*points)[3] = out->xyz + (size_t)half * 8;
        double lane[3][8];
        for (int d = 0; d < 3; ++d) {
            for (int k = 0; k < 8; ++k) {
                lane[d][k] = points[k][d];
            }
        }
        f64x8 sum[3] = {f64x8_load(lane[0]), f64x8_load(lane[1]), f64x8_load(lane[2])};
        for (uint32_t k = 0; k < lanes->field_count; ++k) {
            row += field_stride;
            const double q = coordinates[lanes->fields[k]];
            if (q == 0) {
                continue;
            }
            const f64x8 weight = f64x8_splat(q);
            for (int d = 0; d < 3; ++d) {
                sum[d] += f64x8_widen(f32x8_load(row + 16 * d)) * weight;
            }
        }
        for (int d = 0; d < 3; ++d) {
            f64x8_store(lane[d], sum[d]);
            for (int k = 0; k < 8; ++k) {
                points[k][d] = lane[d][k];
            }
        }
    }
}
