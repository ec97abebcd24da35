// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Boxes of modal nodes by rows with slopes (bound/bdtree.h), which shrink where a body folds up.
// Compiled once per instruction set. The pad of the state (motion/modal.h) covers rounding.
#include "simd/kernels.h"
#include "simd/lanes.h"

// Per axis: the centre, the half width of what the slope leaves, and the slope.
typedef struct sums {
    f32x8 centre[3];
    f32x8 half[3];
    f32x8 slope[3];
} sums;

static inline void add_row(sums* s, const float* row, float q) {
    const f32x8 plain = f32x8_splat(q);
    const f32x8 size = f32x8_splat(q < 0 ? -q : q);
    for (size_t d = 0; d < 3; ++d) {
        s->centre[d] = f32x8_multiply_add(f32x8_load(row + 8 * d), plain, s->centre[d]);
        s->half[d] = f32x8_multiply_add(f32x8_load(row + 8 * (3 + d)), size, s->half[d]);
        s->slope[d] = f32x8_multiply_add(f32x8_load(row + 8 * (6 + d)), plain, s->slope[d]);
    }
}

void ABUT_KERNEL(sloped_boxes)(const abut__modal_lanes* lanes, const double* coordinates, float pad,
                               abut__boxes8* out) {
    const float* row = lanes->data;
    sums s = {{{0}}, {{0}}, {{0}}};
    f32x8 rest[3];
    for (size_t d = 0; d < 3; ++d) {
        s.centre[d] = f32x8_load(row + 8 * d);
        rest[d] = f32x8_load(row + 8 * (3 + d));
        s.slope[d] = f32x8_load(row + 8 * (6 + d));
    }
    for (uint32_t k = 0; k < lanes->field_count; ++k) {
        row += (size_t)ABUT__SLOPED_ROWS * ABUT__FAN;
        const float q = (float)coordinates[lanes->fields[k]];
        if (q != 0) {
            add_row(&s, row, q);
        }
    }
    for (size_t d = 0; d < 3; ++d) {
        const f32x8 slope = f32x8_max(s.slope[d], -s.slope[d]);
        const f32x8 half = rest[d] * slope + s.half[d] + pad;
        f32x8_store(out->lo[d], s.centre[d] - half);
        f32x8_store(out->hi[d], s.centre[d] + half);
    }
}
