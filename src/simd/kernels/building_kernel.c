// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Kernels of the tree builder: boxes of triangles, their Morton codes, and the sizes of the
// triangles of a block. Compiled once per instruction set.
#include "simd/kernels.h"
#include "simd/source_lanes.h"

static f32x4 clamped(f32x4 x, f32x4 limit) {
    return f32x4_max(f32x4_min(x, limit), -limit);
}

#define DEFINE_BOXES(name, load)                                                           \
    static abut__box4 name(const uint32_t* triangles, const uint32_t* ids, uint32_t count, \
                           abut__source source, f32x4 limit, abut__box4* out) {            \
        const source_origin origin = origin_of(&source);                                   \
        f32x4 low = limit + limit;                                                         \
        f32x4 high = -low;                                                                 \
        for (uint32_t i = 0; i < count; ++i) {                                             \
            const uint32_t* corner = triangles + 3 * (size_t)ids[i];                       \
            f32x4 p[3];                                                                    \
            for (int c = 0; c < 3; ++c) {                                                  \
                p[c] = load(source.data + corner[c] * source.stride, &origin);             \
            }                                                                              \
            const f32x4 lo = clamped(f32x4_min(f32x4_min(p[0], p[1]), p[2]), limit);       \
            const f32x4 hi = clamped(f32x4_max(f32x4_max(p[0], p[1]), p[2]), limit);       \
            f32x4_store(out[i].lo, lo);                                                    \
            f32x4_store(out[i].hi, hi);                                                    \
            low = f32x4_min(low, lo + hi);                                                 \
            high = f32x4_max(high, lo + hi);                                               \
        }                                                                                  \
        abut__box4 around;                                                                 \
        f32x4_store(around.lo, low);                                                       \
        f32x4_store(around.hi, high);                                                      \
        return around;                                                                     \
    }
DEFINE_BOXES(boxes_float, load3_float)
DEFINE_BOXES(boxes_double, load3_double)

abut__box4 ABUT_KERNEL(triangle_boxes)(const uint32_t* triangles, const uint32_t* ids,
                                       uint32_t count, abut__source source, float limit,
                                       abut__box4* out) {
    const f32x4 limits = {limit, limit, limit, limit};
    return source.is_double ? boxes_double(triangles, ids, count, source, limits, out)
                            : boxes_float(triangles, ids, count, source, limits, out);
}

// Spreads the bits of ten-bit numbers to every third bit.
static i32x4 spread(i32x4 x) {
    x = (x | x << 16) & 0x030000ff;
    x = (x | x << 8) & 0x0300f00f;
    x = (x | x << 4) & 0x030c30c3;
    x = (x | x << 2) & 0x09249249;
    return x;
}

void ABUT_KERNEL(morton_codes)(const abut__box4* boxes, const uint32_t* ids, uint32_t count,
                               const abut__grid* grid, uint64_t* out) {
    const float most = ABUT__GRID_CELLS - 1;
    const f32x4 last = {most, most, most, most};
    const f32x4 zero = {0, 0, 0, 0};
    const f32x4 low = f32x4_load4_float(grid->low);
    for (uint32_t i = 0; i < count; ++i) {
        const f32x4 twice = f32x4_load4_float(boxes[i].lo) + f32x4_load4_float(boxes[i].hi);
        const f32x4 cell = f32x4_min(f32x4_max((twice - low) * grid->scale, zero), last);
        const i32x4 bits = spread(__builtin_convertvector(cell, i32x4));
        const uint32_t code = (uint32_t)(bits[0] | bits[1] << 1 | bits[2] << 2);
        out[i] = (uint64_t)code << 32 | ids[i];
    }
}

// Returns the squared sums of sides of some boxes, in double to avoid overflow; 0 for empty ones.
static doubles costs_of(const abut__block_boxes* boxes, uint32_t first) {
    doubles sides = {0};
    for (int d = 0; d < 3; ++d) {
        sides += doubles_load_float(boxes->hi[d] + first) -
                 doubles_load_float(boxes->lo[d] + first);
    }
    sides = doubles_max(sides, (doubles){0});
    return sides * sides;
}

double ABUT_KERNEL(measure_block)(const abut__block_boxes* boxes, abut__box3* box) {
    for (int d = 0; d < 3; ++d) {
        floats lo = floats_load(boxes->lo[d]);
        floats hi = floats_load(boxes->hi[d]);
        for (uint32_t k = FLOAT_LANES; k < ABUT__BLOCK_TRIANGLES; k += FLOAT_LANES) {
            lo = floats_min(lo, floats_load(boxes->lo[d] + k));
            hi = floats_max(hi, floats_load(boxes->hi[d] + k));
        }
        box->lo[d] = floats_least(lo);
        box->hi[d] = floats_greatest(hi);
    }
    double costs[8];  // the same sums for every width
    for (uint32_t i = 0; i < 8; i += DOUBLE_LANES) {
        doubles sum = {0};
        for (uint32_t k = i; k < ABUT__BLOCK_TRIANGLES; k += 8) {
            sum += costs_of(boxes, k);
        }
        doubles_store(costs + i, sum);
    }
    return ((costs[0] + costs[1]) + (costs[2] + costs[3])) +
           ((costs[4] + costs[5]) + (costs[6] + costs[7]));
}
