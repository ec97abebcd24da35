// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Rays and boxes: slab tests of eight children or of the lanes of a block, by one ray or by a pack of
// rays. abut__ray_lanes (layout.h) has the ray's origin grown by a pad for all rounding errors here;
// query/cast_aim.c has the proof. Rays and triangles: a test in float that only drops what a ray
// misses. No operation is fused, because the order of near boxes decides what is visited.
#include "simd/kernels.h"
#include "simd/lanes.h"
#include "simd/layout.h"
#include "simd/pick_table.h"

// Returns the boxes that the ray meets, and where it enters all of them.
static inline uint32_t meet_boxes(const abut__boxes8* boxes, const abut__ray_lanes* ray,
                                  float limit, f32x8* near) {
    const float* sides = &boxes->lo[0][0];  // lower sides, and then the upper ones
    f32x8 first = f32x8_splat(0);
    f32x8 last = f32x8_splat(limit);
    for (int d = 0; d < 3; ++d) {
        const f32x8 a = f32x8_load(sides + ray->near_side[d] * ABUT__FAN);
        const f32x8 b = f32x8_load(sides + ray->far_side[d] * ABUT__FAN);
        first = f32x8_max((a - ray->near_o[d]) * ray->inverse[d], first);
        last = f32x8_min((b - ray->far_o[d]) * ray->inverse[d], last);
    }
    *near = first;
    return f32x8_le(first, last);
}

uint32_t ABUT_KERNEL(ray_boxes)(const abut__boxes8* boxes, const abut__ray_lanes* ray, float limit,
                                float near[ABUT__FAN]) {
    f32x8 first;
    const uint32_t mask = meet_boxes(boxes, ray, limit, &first);
    f32x8_store(near, first);
    return mask;
}

// Writes the children of a node in a mask, from `end` on. There is no branch for each of them, because it
// would be hard to predict. Returns the new end.
static inline uint32_t append_visits(uint32_t ray, f32x8 refs, f32x8 near, uint32_t mask,
                                     abut__ray_visits* to, uint32_t end) {
    for (uint32_t k = 0; k < ABUT__FAN; ++k) {
        to->ray[end + k] = ray;
    }
    f32x8_store_lanes(to->ref + end, refs, mask);
    f32x8_store_lanes(to->near + end, near, mask);
    return end + (uint32_t)__builtin_popcount(mask);
}

#define WAVE_AHEAD 4u  // visits between the prefetch of a node and its use

bool ABUT_KERNEL(ray_wave)(const abut__boxes8* boxes, const abut__node* nodes,
                           const abut__wave_ray* rays, const abut__ray_visits* from,
                           abut__ray_visits* to_nodes, abut__ray_visits* to_blocks,
                           uint64_t* boxes_tested) {
    const uint32_t count = from->count;
    uint32_t node_end = to_nodes->count;
    uint32_t block_end = to_blocks->count;
    uint32_t tested = 0;
    bool room = true;
    for (uint32_t i = 0; i < count && room; ++i) {
        const abut__node* node = &nodes[from->ref[i]];
        const abut__wave_ray* ray = &rays[from->ray[i]];
        const uint32_t ahead = from->ref[i + WAVE_AHEAD < count ? i + WAVE_AHEAD : i];
        __builtin_prefetch(&nodes[ahead]);
        for (size_t line = 0; line < sizeof *boxes; line += 64) {
            __builtin_prefetch((const char*)&boxes[ahead] + line);
        }
        f32x8 refs;  // moved only
        f32x8 near;
        memcpy(&refs, node->child, sizeof refs);
        const uint32_t mask = meet_boxes(&boxes[from->ref[i]], &ray->lanes, ray->limit, &near) &
                              ((1u << node->count) - 1);
        const uint32_t blocks = f32x8_signs(refs);
        node_end = append_visits(from->ray[i], refs, near, mask & ~blocks, to_nodes, node_end);
        block_end = append_visits(from->ray[i], refs, near, mask & blocks, to_blocks, block_end);
        tested += node->count;
        room = node_end <= ABUT__WAVE && block_end <= ABUT__WAVE;
    }
    to_nodes->count = node_end;
    to_blocks->count = block_end;
    *boxes_tested += tested;
    return room;
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

// Rounding preserves order, so a bound of the operands gives a bound of what ray_boxes() computes.
uint32_t ABUT_KERNEL(pack_boxes)(const abut__boxes8* boxes, const abut__ray_pack* pack, float limit,
                                 float near[ABUT__FAN]) {
    const float* sides = &boxes->lo[0][0];
    f32x8 first = f32x8_splat(0);
    f32x8 last = f32x8_splat(limit);
    for (int d = 0; d < 3; ++d) {
        const f32x8 a = f32x8_load(sides + pack->near_side[d] * ABUT__FAN) - pack->first_o[d];
        const f32x8 b = f32x8_load(sides + pack->far_side[d] * ABUT__FAN) - pack->last_o[d];
        first = f32x8_max(f32x8_min(a * pack->least[d], a * pack->most[d]), first);
        last = f32x8_min(f32x8_max(b * pack->least[d], b * pack->most[d]), last);
    }
    f32x8_store(near, first);
    return f32x8_le(first, last);
}

uint32_t ABUT_KERNEL(pack_box)(const abut__ray_pack* pack, const abut__box3* box) {
    const float* sides = box->lo;
    uint32_t mask = 0;
    for (uint32_t k = 0; k < ABUT__PACK; k += FLOAT_LANES) {
        floats first = floats_splat(0);
        floats last = floats_load(pack->limit + k);
        for (int d = 0; d < 3; ++d) {
            const float a = sides[pack->near_side[d]];
            const float b = sides[pack->far_side[d]];
            const floats inverse = floats_load(pack->inverse[d] + k);
            first = floats_max((a - floats_load(pack->near_o[d] + k)) * inverse, first);
            last = floats_min((b - floats_load(pack->far_o[d] + k)) * inverse, last);
        }
        mask |= floats_le(first, last) << k;
    }
    return mask;
}

// Sheared coordinates of a corner have the ray at 0. The line of the ray misses a triangle if the
// origin is to the left of one of its edges there and to the right of another. With coordinates of at
// most m, each off by e, the product of two is off by e (2 m + e). Rounding of a difference of two
// products adds 4 u m m, u = 2^-24, which is at most e m, because m is at most four times the greatest
// coordinate of corners and of the origin, and e at least 16 u times that. So the difference of two
// products is off by less than 8 e (m + e).
static inline uint32_t cross_origin(const floats x[3], const floats y[3], float error) {
    floats most = {0};
    for (int c = 0; c < 3; ++c) {
        most = floats_max(floats_max(floats_abs(x[c]), floats_abs(y[c])), most);
    }
    const floats a = x[1] * y[2] - x[2] * y[1];
    const floats b = x[2] * y[0] - x[0] * y[2];
    const floats c = x[0] * y[1] - x[1] * y[0];
    const floats bound = (most + error) * (8 * error);
    const uint32_t left = floats_lt(bound, floats_max(floats_max(a, b), c));
    const uint32_t right = floats_lt(floats_min(floats_min(a, b), c), -bound);
    return ~(left & right) & FLOAT_BITS;
}

// Computes sheared coordinates of points, given in the order of the ray's axes.
static inline void shear(const float* const p[3], const abut__ray_shear* ray, uint32_t k, floats* x,
                         floats* y) {
    const floats z = floats_load(p[2] + k) - ray->o[2];
    *x = (floats_load(p[0] + k) - ray->o[0]) - z * ray->slope[0];
    *y = (floats_load(p[1] + k) - ray->o[1]) - z * ray->slope[1];
}

uint32_t ABUT_KERNEL(ray_triangles)(const abut__ray_corners* triangles, const abut__ray_shear* ray,
                                    uint32_t valid) {
    uint32_t mask = 0;
    for (uint32_t k = 0; k < 16 && valid >> k != 0; k += FLOAT_LANES) {
        floats x[3];
        floats y[3];
        for (int c = 0; c < 3; ++c) {
            const float* const p[3] = {triangles->corner[c][0], triangles->corner[c][1],
                                       triangles->corner[c][2]};
            shear(p, ray, k, &x[c], &y[c]);
        }
        mask |= cross_origin(x, y, ray->error) << k;
    }
    return mask & valid;
}

// Tests the triangles of a block, whose vertices are in a table of sheared coordinates.
static inline uint64_t cross_block(const abut__block* block, const pick_table* table, float error) {
    uint64_t mask = 0;
    for (uint32_t k = 0; k < block->triangle_count; k += FLOAT_LANES) {
        floats x[3];
        floats y[3];
        for (int c = 0; c < 3; ++c) {
            floats corner[3];
            pick_table_get(table, block->corner[c] + k, corner);
            x[c] = corner[0];
            y[c] = corner[1];
        }
        mask |= (uint64_t)cross_origin(x, y, error) << k;
    }
    return mask & block->valid;
}

uint64_t ABUT_KERNEL(ray_points)(const abut__block* block, const abut__block_points* points,
                                 const abut__ray_shear* ray) {
    const float* const p[3] = {points->xyz[ray->axis[0]], points->xyz[ray->axis[1]],
                               points->xyz[ray->axis[2]]};
    const uint32_t count = (block->vertex_count + 15) & ~15u;
    pick_table table;
    for (uint32_t k = 0; k < count; k += FLOAT_LANES) {
        floats sheared[3] = {{0}};
        shear(p, ray, k, &sheared[0], &sheared[1]);
        pick_table_put(&table, k, sheared);
    }
    pick_table_end(&table, count);
    return cross_block(block, &table, ray->error);
}

// Coordinates stay in registers: stored as vectors of four, they could not be loaded as longer ones
// without a wait.
static inline __attribute__((always_inline)) uint64_t cross_source(const abut__block* block,
                                                                   const abut__source* source,
                                                                   size_t stride,
                                                                   const abut__ray_shear* ray,
                                                                   float error) {
    const uint32_t count = (block->vertex_count + 15) & ~15u;
    pick_table table;
    for (uint32_t k = 0; k < count; k += FLOAT_LANES) {
        const float* rows[FLOAT_LANES];
        floats axes[4];
        float numbers[3][FLOAT_LANES];
        for (uint32_t i = 0; i < FLOAT_LANES; ++i) {
            rows[i] = (const float*)(const void*)(source->data + block->vertex[k + i] * stride);
        }
        floats_load_columns(rows, 0, axes);
        for (int d = 0; d < 3; ++d) {
            floats_store(numbers[d], axes[d] - source->origin[d]);
        }
        const float* const p[3] = {numbers[ray->axis[0]], numbers[ray->axis[1]],
                                   numbers[ray->axis[2]]};
        floats sheared[3] = {{0}};
        shear(p, ray, 0, &sheared[0], &sheared[1]);
        pick_table_put(&table, k, sheared);
    }
    pick_table_end(&table, count);
    return cross_block(block, &table, error);
}

// Packed positions are found without multiplications.
uint64_t ABUT_KERNEL(ray_source)(const abut__block* block, const abut__source* source,
                                 const abut__ray_shear* ray, float more) {
    const float error = ray->error + more;
    return source->stride == 3 * sizeof(float)
               ? cross_source(block, source, 3 * sizeof(float), ray, error)
               : cross_source(block, source, source->stride, ray, error);
}

void ABUT_KERNEL(spread_corners)(const abut__block* block, const abut__block_points* points,
                                 abut__block_corners* out) {
    const uint32_t count = (block->vertex_count + 15) & ~15u;
    pick_table table;
    for (uint32_t k = 0; k < count; k += FLOAT_LANES) {
        const floats p[3] = {floats_load(points->xyz[0] + k), floats_load(points->xyz[1] + k),
                             floats_load(points->xyz[2] + k)};
        pick_table_put(&table, k, p);
    }
    pick_table_end(&table, count);
    for (uint32_t k = 0; k < ABUT__BLOCK_TRIANGLES; k += FLOAT_LANES) {
        for (int c = 0; c < 3; ++c) {
            floats corner[3];
            pick_table_get(&table, block->corner[c] + k, corner);
            for (int d = 0; d < 3; ++d) {
                floats_store(out->corner[c][d] + k, corner[d]);
            }
        }
    }
}

uint64_t ABUT_KERNEL(ray_corners)(const abut__block_corners* corners, const abut__ray_shear* ray,
                                  uint64_t lanes) {
    uint64_t mask = 0;
    for (uint32_t k = 0; k < ABUT__BLOCK_TRIANGLES; k += FLOAT_LANES) {
        if ((lanes >> k & FLOAT_BITS) == 0) {
            continue;
        }
        floats x[3];
        floats y[3];
        for (int c = 0; c < 3; ++c) {
            const float* const p[3] = {corners->corner[c][ray->axis[0]],
                                       corners->corner[c][ray->axis[1]],
                                       corners->corner[c][ray->axis[2]]};
            shear(p, ray, k, &x[c], &y[c]);
        }
        mask |= (uint64_t)cross_origin(x, y, ray->error) << k;
    }
    return mask & lanes;
}
