// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// How near boxes are: what prunes a search for the closest triangles. Squares of distances are sums of
// three squares of gaps, each rounded: at most 6 units of 2^-24 off, which whoever compares them
// allows for. Boxes are grown, by the shift, for what their own numbers are off.
#include <math.h>

#include "simd/lanes.h"
#include "simd/layout.h"

void ABUT_KERNEL(distance_nodes)(const abut__boxes8* a, uint32_t count_a, const abut__boxes8* b,
                                 const abut__shift* shift, float out[ABUT__FAN][ABUT__FAN]);
void ABUT_KERNEL(distance_box)(const abut__box3* box, const abut__boxes8* b, float out[ABUT__FAN]);
void ABUT_KERNEL(near_rows)(const abut__block_boxes* a, uint64_t lanes_a,
                            const abut__block_boxes* b, uint64_t lanes_b, const abut__shift* shift,
                            const float limits[ABUT__BLOCK_TRIANGLES],
                            uint64_t rows[ABUT__BLOCK_TRIANGLES]);
uint32_t ABUT_KERNEL(closest_lane)(const abut__block_boxes* boxes, uint64_t lanes,
                                   const abut__box3* box);

static inline f32x8 distances_sq(const abut__box3* box, const f32x8 lo[3], const f32x8 hi[3]) {
    const f32x8 zero = {0};
    f32x8 sum = zero;
    for (int d = 0; d < 3; ++d) {
        const f32x8 gap = f32x8_max(f32x8_max(lo[d] - box->hi[d], box->lo[d] - hi[d]), zero);
        sum += gap * gap;
    }
    return sum;
}

void ABUT_KERNEL(distance_box)(const abut__box3* box, const abut__boxes8* b, float out[ABUT__FAN]) {
    f32x8 lo[3];
    f32x8 hi[3];
    for (int d = 0; d < 3; ++d) {
        lo[d] = f32x8_load(b->lo[d]);
        hi[d] = f32x8_load(b->hi[d]);
    }
    f32x8_store(out, distances_sq(box, lo, hi));
}

void ABUT_KERNEL(distance_nodes)(const abut__boxes8* a, uint32_t count_a, const abut__boxes8* b,
                                 const abut__shift* shift, float out[ABUT__FAN][ABUT__FAN]) {
    f32x8 lo[3];
    f32x8 hi[3];
    for (int d = 0; d < 3; ++d) {
        lo[d] = f32x8_load(b->lo[d]);
        hi[d] = f32x8_load(b->hi[d]);
    }
    for (uint32_t i = 0; i < count_a; ++i) {
        abut__box3 box;
        for (int d = 0; d < 3; ++d) {
            box.lo[d] = a->lo[d][i] + shift->lo[d];
            box.hi[d] = a->hi[d][i] + shift->hi[d];
        }
        f32x8_store(out[i], distances_sq(&box, lo, hi));
    }
}

// lanes of one group that may be as near to a box as the limit says
static inline uint32_t near_group(const abut__block_boxes* boxes, uint32_t group,
                                  const abut__box3* box, float limit) {
    const f32x16 zero = {0};
    f32x16 sum = zero;
    for (int d = 0; d < 3; ++d) {
        const f32x16 lo = f32x16_load(boxes->lo[d] + 16 * group);
        const f32x16 hi = f32x16_load(boxes->hi[d] + 16 * group);
        const f32x16 gap = f32x16_max(f32x16_max(lo - box->hi[d], box->lo[d] - hi), zero);
        sum += gap * gap;
    }
    return f32x16_le(sum, f32x16_splat(limit));
}

static inline uint64_t near_lanes(const abut__block_boxes* boxes, uint64_t lanes,
                                  const abut__box3* box, float limit) {
    uint64_t mask = 0;
    for (uint32_t g = 0; g < 3; ++g) {
        if ((lanes >> (16 * g) & 0xffff) != 0) {
            mask |= (uint64_t)near_group(boxes, g, box, limit) << (16 * g);
        }
    }
    return mask & lanes;
}

void ABUT_KERNEL(near_rows)(const abut__block_boxes* a, uint64_t lanes_a,
                            const abut__block_boxes* b, uint64_t lanes_b, const abut__shift* shift,
                            const float limits[ABUT__BLOCK_TRIANGLES],
                            uint64_t rows[ABUT__BLOCK_TRIANGLES]) {
    for (uint64_t left = lanes_a; left != 0; left &= left - 1) {
        const uint32_t i = (uint32_t)__builtin_ctzll(left);
        abut__box3 box;
        for (int d = 0; d < 3; ++d) {
            box.lo[d] = a->lo[d][i] + shift->lo[d];
            box.hi[d] = a->hi[d][i] + shift->hi[d];
        }
        rows[i] = near_lanes(b, lanes_b, &box, limits[i]);
    }
}

uint32_t ABUT_KERNEL(closest_lane)(const abut__block_boxes* boxes, uint64_t lanes,
                                   const abut__box3* box) {
    uint32_t best = (uint32_t)__builtin_ctzll(lanes);
    float least = INFINITY;
    for (uint32_t g = 0; g < 3; ++g) {
        const uint32_t group = lanes >> (16 * g) & 0xffff;
        if (group == 0) {
            continue;
        }
        f32x16 sum = {0};
        for (int d = 0; d < 3; ++d) {
            const f32x16 lo = f32x16_load(boxes->lo[d] + 16 * g);
            const f32x16 hi = f32x16_load(boxes->hi[d] + 16 * g);
            const f32x16 way = (lo + hi) - (box->lo[d] + box->hi[d]);
            sum += way * way;
        }
        sum = f32x16_keep(sum, group, INFINITY);
        const float nearest = f32x16_least(sum);
        if (nearest < least) {
            least = nearest;
            best = 16 * g + (uint32_t)__builtin_ctz(f32x16_le(sum, f32x16_splat(nearest)) & group);
        }
    }
    return best;
}
