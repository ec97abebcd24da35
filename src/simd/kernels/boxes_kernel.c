// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Kernels on boxes: of blocks and their triangles from positions, turned boxes, overlap masks.
// Compiled once per instruction set.
#include <float.h>
#include <math.h>

#include "simd/kernels.h"
#include "simd/pick_table.h"
#include "simd/source_lanes.h"

// Gathers four vertices at a time and transposes them, in whole groups of 16, because ids are
// padded. The sums detect numbers that are not finite: see below. There are four, so that none waits
// for another.
#define DEFINE_GATHER(name, load)                                                              \
    static bool name(const abut__block* block, abut__source source, abut__block_points* out) { \
        const uint32_t count = (block->vertex_count + 15) & ~15u;                              \
        const source_origin origin = origin_of(&source);                                       \
        f32x4 sums[4] = {{0}, {0}, {0}, {0}};                                                  \
        for (uint32_t k = 0; k < count; k += 4) {                                              \
            f32x4 p[4];                                                                        \
            for (uint32_t i = 0; i < 4; ++i) {                                                 \
                p[i] = load(source.data + block->vertex[k + i] * source.stride, &origin);      \
                sums[i] += p[i];                                                               \
            }                                                                                  \
            f32x4_transpose(p);                                                                \
            for (int d = 0; d < 3; ++d) {                                                      \
                f32x4_store(out->xyz[d] + k, p[d]);                                            \
            }                                                                                  \
        }                                                                                      \
        const f32x4 sum = (sums[0] + sums[1]) + (sums[2] + sums[3]);                           \
        return fabsf((sum[0] + sum[1]) + sum[2]) <= FLT_MAX;                                   \
    }
DEFINE_GATHER(gather_float, load3_float)
DEFINE_GATHER(gather_double, load3_double)

// Tests each number, because sums, and conversions to float, may overflow for finite doubles.
static bool all_finite(const abut__block* block, abut__source source) {
    for (uint32_t k = 0; k < block->vertex_count; ++k) {
        const char* place = source.data + block->vertex[k] * source.stride;
        for (int d = 0; d < 3; ++d) {
            const double x = source.is_double ? ((const double*)(const void*)place)[d]
                                              : (double)((const float*)(const void*)place)[d];
            if (!(fabs(x) <= DBL_MAX)) {
                return false;
            }
        }
    }
    return true;
}

bool ABUT_KERNEL(gather_points)(const abut__block* block, abut__source source,
                                abut__block_points* out) {
    const bool sound = source.is_double ? gather_double(block, source, out)
                                        : gather_float(block, source, out);
    return sound || all_finite(block, source);
}

// Handles both sources in one loop: if points were stored separately and reloaded as longer
// vectors, the loads would stall on the stores.
#define DEFINE_BETWEEN(name, load_a, load_b)                                                \
    static bool name(const abut__block* block, const abut__source source[2], float part,    \
                     abut__block_points* out) {                                             \
        const uint32_t count = (block->vertex_count + 15) & ~15u;                           \
        const source_origin origin[2] = {origin_of(&source[0]), origin_of(&source[1])};     \
        const f32x4 s = f32x4_splat(part);                                                  \
        const f32x4 r = f32x4_splat(1 - part);                                              \
        f32x4 sum = {0, 0, 0, 0};                                                           \
        for (uint32_t k = 0; k < count; k += 4) {                                           \
            f32x4 p[4];                                                                     \
            for (uint32_t i = 0; i < 4; ++i) {                                              \
                const size_t id = block->vertex[k + i];                                     \
                const f32x4 a = load_a(source[0].data + id * source[0].stride, &origin[0]); \
                const f32x4 b = load_b(source[1].data + id * source[1].stride, &origin[1]); \
                sum += a;                                                                   \
                sum += b;                                                                   \
                p[i] = a * r + b * s;                                                       \
            }                                                                               \
            f32x4_transpose(p);                                                             \
            for (int d = 0; d < 3; ++d) {                                                   \
                f32x4_store(out->xyz[d] + k, p[d]);                                         \
            }                                                                               \
        }                                                                                   \
        return fabsf((sum[0] + sum[1]) + sum[2]) <= FLT_MAX;                                \
    }
DEFINE_BETWEEN(between_floats, load3_float, load3_float)
DEFINE_BETWEEN(between_doubles, load3_double, load3_double)
DEFINE_BETWEEN(from_float_to_double, load3_float, load3_double)
DEFINE_BETWEEN(from_double_to_float, load3_double, load3_float)

bool ABUT_KERNEL(gather_between)(const abut__block* block, const abut__source source[2], float part,
                                 abut__block_points* out) {
    const bool sound = source[0].is_double
                           ? (source[1].is_double ? between_doubles
                                                  : from_double_to_float)(block, source, part, out)
                           : (source[1].is_double ? from_float_to_double
                                                  : between_floats)(block, source, part, out);
    return sound || (all_finite(block, source[0]) && all_finite(block, source[1]));
}

// Minima and maxima ignore NaN, sums do not: a block whose coordinates have a finite sum is finite.
// The others (sums may also overflow) are tested number by number.
typedef struct running_box {
    f32x8 lo;
    f32x8 hi;
    f32x8 sum;
} running_box;

static void grow(running_box* box, f32x8 p) {
    box->lo = f32x8_min(box->lo, p);
    box->hi = f32x8_max(box->hi, p);
    box->sum += p;
}

static running_box merged(const running_box* a, const running_box* b) {
    return (running_box){f32x8_min(a->lo, b->lo), f32x8_max(a->hi, b->hi), a->sum + b->sum};
}

static bool store_running(const running_box* box, abut__box3* out) {
    f32x4 lo[2];
    f32x4 hi[2];
    f32x4 sum[2];
    f32x8_part(box->lo, lo);
    f32x8_part(box->hi, hi);
    f32x8_part(box->sum, sum);
    const f32x4 least = f32x4_min(lo[0], lo[1]);
    const f32x4 most = f32x4_max(hi[0], hi[1]);
    const f32x4 total = sum[0] + sum[1];
    for (int d = 0; d < 3; ++d) {
        out->lo[d] = least[d];
        out->hi[d] = most[d];
    }
    return fabsf((total[0] + total[1]) + total[2]) <= FLT_MAX;
}

// Two positions in a vector, four vectors at a time. Ids are padded with the first one, so extra
// ones may be read: most blocks have 30 to 40, and a constant length costs less than a mispredicted
// loop end.
#define DEFINE_BOUNDS(name, load)                                                          \
    static f32x8 name##_load2(const uint32_t* id, const abut__source* s,                   \
                              const source_origin* origin) {                               \
        return f32x8_join(load(s->data + id[0] * s->stride, origin),                       \
                          load(s->data + id[1] * s->stride, origin));                      \
    }                                                                                      \
    static bool name(const abut__block* block, abut__source source, abut__box3* box) {     \
        const source_origin origin = origin_of(&source);                                   \
        running_box box4[4];                                                               \
        for (int i = 0; i < 4; ++i) {                                                      \
            const f32x8 p = name##_load2(block->vertex + 2 * i, &source, &origin);         \
            box4[i] = (running_box){p, p, p};                                              \
        }                                                                                  \
        for (uint32_t k = 8; k < 40; k += 8) {                                             \
            for (int i = 0; i < 4; ++i) {                                                  \
                grow(&box4[i], name##_load2(block->vertex + k + 2 * i, &source, &origin)); \
            }                                                                              \
        }                                                                                  \
        for (uint32_t k = 40; k < block->vertex_count; k += 8) {                           \
            for (int i = 0; i < 4; ++i) {                                                  \
                grow(&box4[i], name##_load2(block->vertex + k + 2 * i, &source, &origin)); \
            }                                                                              \
        }                                                                                  \
        const running_box a = merged(&box4[0], &box4[1]);                                  \
        const running_box b = merged(&box4[2], &box4[3]);                                  \
        const running_box all = merged(&a, &b);                                            \
        return store_running(&all, box);                                                   \
    }
DEFINE_BOUNDS(bounds_float, load4_float)
DEFINE_BOUNDS(bounds_double, load4_double)
DEFINE_BOUNDS(bounds_float_end, load3_float)
DEFINE_BOUNDS(bounds_double_end, load3_double)

static bool bounds(const abut__block* block, abut__source source, abut__box3* box) {
    if (block->has_last != 0) {
        return source.is_double ? bounds_double_end(block, source, box)
                                : bounds_float_end(block, source, box);
    }
    return source.is_double ? bounds_double(block, source, box) : bounds_float(block, source, box);
}

bool ABUT_KERNEL(block_bounds)(const abut__block* block, abut__source source, abut__box3* box) {
    return bounds(block, source, box) || all_finite(block, source);
}

// Copies numbers. Returns whether all are finite: those that are not have all exponent bits set.
bool ABUT_KERNEL(copy_finite)(const void* from, void* to, size_t count, bool is_double) {
    memcpy(to, from, count * (is_double ? sizeof(double) : sizeof(float)));
    uint64_t bad = 0;
    if (is_double) {
        const uint64_t exponent = UINT64_C(0x7ff0000000000000);
        for (size_t i = 0; i < count; ++i) {
            uint64_t bits;
            memcpy(&bits, (const char*)to + i * sizeof bits, sizeof bits);
            bad |= (uint64_t)((bits & exponent) == exponent);
        }
    } else {
        const uint32_t exponent = 0x7f800000u;
        uint32_t bad32 = 0;
        for (size_t i = 0; i < count; ++i) {
            uint32_t bits;
            memcpy(&bits, (const char*)to + i * sizeof bits, sizeof bits);
            bad32 |= (uint32_t)((bits & exponent) == exponent);
        }
        bad = bad32;
    }
    return bad == 0;
}

// Turns points: a row of the rotation times a point is ((r0 x + r1 y) + r2 z).
static void turn_points(const abut__block_points* points, uint32_t count, const abut__turn* turn,
                        abut__block_points* out) {
    uint32_t k = 0;
    do {  // a block has vertices
        const floats x = floats_load(points->xyz[0] + k);
        const floats y = floats_load(points->xyz[1] + k);
        const floats z = floats_load(points->xyz[2] + k);
        for (int d = 0; d < 3; ++d) {
            const float* r = turn->r[d];
            floats_store(out->xyz[d] + k, (r[0] * x + r[1] * y) + r[2] * z);
        }
        k += FLOAT_LANES;
    } while (k < count);
}

// Computes the box of all points.
static void bound_points(const abut__block_points* points, uint32_t count, float radius,
                         abut__box3* box) {
    for (int d = 0; d < 3; ++d) {
        const float* p = points->xyz[d];
        floats lo[FLOAT_PARTS];
        floats hi[FLOAT_PARTS];
        for (uint32_t i = 0; i < FLOAT_PARTS; ++i) {
            floats four[4];
            for (uint32_t g = 0; g < 4; ++g) {
                four[g] = floats_load(p + (16 * g < count ? 16 * g : 0) + i * FLOAT_LANES);
            }
            lo[i] = floats_min(floats_min(four[0], four[1]), floats_min(four[2], four[3]));
            hi[i] = floats_max(floats_max(four[0], four[1]), floats_max(four[2], four[3]));
        }
        box->lo[d] = floats_least16(lo) - radius;
        box->hi[d] = floats_greatest16(hi) + radius;
    }
}

static void fill_empty(abut__block_boxes* out, uint32_t k) {
    for (int d = 0; d < 3; ++d) {
        floats_store(out->lo[d] + k, floats_splat(INFINITY));
        floats_store(out->hi[d] + k, floats_splat(-INFINITY));
    }
}

// Computes the boxes of the triangles in the lanes from k on.
static void bound_triangles(const abut__block* block, const pick_table* table, uint32_t k,
                            float radius, abut__block_boxes* out) {
    const uint32_t lanes = block->valid >> k & FLOAT_BITS;
    floats p[3][3];
    for (int c = 0; c < 3; ++c) {
        pick_table_get(table, block->corner[c] + k, p[c]);
    }
    for (int d = 0; d < 3; ++d) {
        const floats lo = floats_min(floats_min(p[0][d], p[1][d]), p[2][d]) - radius;
        const floats hi = floats_max(floats_max(p[0][d], p[1][d]), p[2][d]) + radius;
        floats_store(out->lo[d] + k, floats_keep(lo, lanes, INFINITY));
        floats_store(out->hi[d] + k, floats_keep(hi, lanes, -INFINITY));
    }
}

void ABUT_KERNEL(block_boxes)(const abut__block* block, const abut__block_points* points,
                              const abut__turn* turn, float radius, abut__block_boxes* out) {
    const uint32_t count = (block->vertex_count + 15) & ~15u;
    abut__block_points turned;
    if (turn != NULL) {
        turn_points(points, count, turn, &turned);
        points = &turned;
        radius = 1.75f * radius + turn->pad;  // a row of a rotation has at most this sum
    }
    bound_points(points, count, radius, &out->all);
    out->valid = block->valid;
    pick_table table;
    for (uint32_t k = 0; k < count; k += FLOAT_LANES) {
        const floats p[3] = {floats_load(points->xyz[0] + k), floats_load(points->xyz[1] + k),
                             floats_load(points->xyz[2] + k)};
        pick_table_put(&table, k, p);
    }
    pick_table_end(&table, count);
    uint32_t k = 0;
    for (; k < block->triangle_count; k += FLOAT_LANES) {
        bound_triangles(block, &table, k, radius, out);
    }
    for (; k < ABUT__BLOCK_TRIANGLES; k += FLOAT_LANES) {
        fill_empty(out, k);
    }
}

// A box with centre c and half extents e turns into one with centre R c and half extents |R| e.
void ABUT_KERNEL(turn_boxes)(const abut__boxes8* boxes, uint32_t count, const abut__turn* turn,
                             abut__boxes8* out) {
    f32x8 centre[3];
    f32x8 half[3];
    for (int d = 0; d < 3; ++d) {
        const f32x8 lo = f32x8_load(boxes->lo[d]);
        const f32x8 hi = f32x8_load(boxes->hi[d]);
        centre[d] = 0.5f * (lo + hi);
        half[d] = 0.5f * (hi - lo);
    }
    for (int d = 0; d < 3; ++d) {
        const float* r = turn->r[d];
        const f32x8 c = (r[0] * centre[0] + r[1] * centre[1]) + r[2] * centre[2];
        const f32x8 e = (fabsf(r[0]) * half[0] + fabsf(r[1]) * half[1]) + fabsf(r[2]) * half[2] +
                        turn->pad;
        f32x8_store(out->lo[d], c - e);
        f32x8_store(out->hi[d], c + e);
    }
    // the empty boxes of unused lanes became NaN
    for (uint32_t k = count; k < ABUT__FAN; ++k) {
        for (int d = 0; d < 3; ++d) {
            out->lo[d][k] = INFINITY;
            out->hi[d][k] = -INFINITY;
        }
    }
}

uint32_t ABUT_KERNEL(overlap_box)(const abut__boxes8* a, uint32_t count_a, const abut__shift* shift,
                                  const abut__box3* box) {
    uint32_t mask = (1u << count_a) - 1;
    for (int d = 0; d < 3; ++d) {
        const f32x8 lo = f32x8_load(a->lo[d]) + shift->lo[d];
        const f32x8 hi = f32x8_load(a->hi[d]) + shift->hi[d];
        mask &= f32x8_le(lo, f32x8_splat(box->hi[d])) & f32x8_le(f32x8_splat(box->lo[d]), hi);
    }
    return mask;
}

// Compares the squared distance from the centre.
uint32_t ABUT_KERNEL(overlap_sphere)(const abut__boxes8* boxes, uint32_t count,
                                     const abut__shift* shift, const abut__sphere3* sphere) {
    f32x8 sum = {0};
    for (int d = 0; d < 3; ++d) {
        const f32x8 below = (f32x8_load(boxes->lo[d]) + shift->lo[d]) - sphere->c[d];
        const f32x8 above = sphere->c[d] - (f32x8_load(boxes->hi[d]) + shift->hi[d]);
        const f32x8 away = f32x8_max(f32x8_max(below, above), f32x8_splat(0));
        sum += away * away;
    }
    return f32x8_le(sum, f32x8_splat(sphere->square)) & ((1u << count) - 1);
}

void ABUT_KERNEL(overlap_nodes)(const abut__boxes8* a, uint32_t count_a, const abut__boxes8* b,
                                uint32_t count_b, const abut__shift* shift, uint8_t* rows) {
    f32x8 lo_b[3];
    f32x8 hi_b[3];
    abut__boxes8 shifted;
    for (int d = 0; d < 3; ++d) {
        lo_b[d] = f32x8_load(b->lo[d]);
        hi_b[d] = f32x8_load(b->hi[d]);
        f32x8_store(shifted.lo[d], f32x8_load(a->lo[d]) + shift->lo[d]);
        f32x8_store(shifted.hi[d], f32x8_load(a->hi[d]) + shift->hi[d]);
    }
    const uint32_t all = (1u << count_b) - 1;
    for (uint32_t i = 0; i < count_a; ++i) {
        const uint32_t x = f32x8_le(f32x8_splat(shifted.lo[0][i]), hi_b[0]) &
                           f32x8_le(lo_b[0], f32x8_splat(shifted.hi[0][i]));
        const uint32_t y = f32x8_le(f32x8_splat(shifted.lo[1][i]), hi_b[1]) &
                           f32x8_le(lo_b[1], f32x8_splat(shifted.hi[1][i]));
        const uint32_t z = f32x8_le(f32x8_splat(shifted.lo[2][i]), hi_b[2]) &
                           f32x8_le(lo_b[2], f32x8_splat(shifted.hi[2][i]));
        rows[i] = (uint8_t)(all & x & y & z);
    }
}

// Returns the lanes from k on that overlap a box.
static inline uint64_t overlap_at(const abut__block_boxes* boxes, uint32_t k,
                                  const abut__box3* box) {
    flags near[3];
    for (int d = 0; d < 3; ++d) {
        near[d] = floats_le_flags(floats_splat(box->lo[d]), floats_load(boxes->hi[d] + k)) &
                  floats_le_flags(floats_load(boxes->lo[d] + k), floats_splat(box->hi[d]));
    }
    return (uint64_t)flags_bits(near[0] & near[1] & near[2]) << k;
}

// Tests only vectors with a bit in `lanes`; the others cannot change the result.
static uint64_t overlap_lanes(const abut__block_boxes* boxes, uint64_t lanes,
                              const abut__box3* box) {
    uint64_t mask = 0;
    for (uint32_t k = 0; k < ABUT__BLOCK_TRIANGLES; k += FLOAT_LANES) {
        if ((lanes >> k & FLOAT_BITS) != 0) {
            mask |= overlap_at(boxes, k, box);
        }
    }
    return mask & lanes;
}

uint64_t ABUT_KERNEL(clip_block)(const abut__block_boxes* boxes, uint64_t valid,
                                 const abut__shift* shift, const abut__box3* box) {
    uint64_t mask = 0;
    for (uint32_t k = 0; k < ABUT__BLOCK_TRIANGLES; k += FLOAT_LANES) {
        if ((valid >> k & FLOAT_BITS) == 0) {
            continue;
        }
        flags near[3];
        for (int d = 0; d < 3; ++d) {
            const floats lo = floats_load(boxes->lo[d] + k) + shift->lo[d];
            const floats hi = floats_load(boxes->hi[d] + k) + shift->hi[d];
            near[d] = floats_le_flags(lo, floats_splat(box->hi[d])) &
                      floats_le_flags(floats_splat(box->lo[d]), hi);
        }
        mask |= (uint64_t)flags_bits(near[0] & near[1] & near[2]) << k;
    }
    return mask & valid;
}

uint64_t ABUT_KERNEL(clip_sphere)(const abut__block_boxes* boxes, uint64_t valid,
                                  const abut__shift* shift, const abut__sphere3* sphere) {
    uint64_t mask = 0;
    for (uint32_t k = 0; k < ABUT__BLOCK_TRIANGLES; k += FLOAT_LANES) {
        if ((valid >> k & FLOAT_BITS) == 0) {
            continue;
        }
        floats sum = {0};
        for (int d = 0; d < 3; ++d) {
            const floats lo = floats_load(boxes->lo[d] + k) + shift->lo[d];
            const floats hi = floats_load(boxes->hi[d] + k) + shift->hi[d];
            const floats away = floats_max(floats_max(lo - sphere->c[d], sphere->c[d] - hi),
                                           floats_splat(0));
            sum += away * away;
        }
        mask |= (uint64_t)floats_le(sum, floats_splat(sphere->square)) << k;
    }
    return mask & valid;
}

static abut__box3 shifted_lane(const abut__block_boxes* boxes, uint32_t i,
                               const abut__shift* shift) {
    abut__box3 box;
    for (int d = 0; d < 3; ++d) {
        box.lo[d] = boxes->lo[d][i] + shift->lo[d];
        box.hi[d] = boxes->hi[d][i] + shift->hi[d];
    }
    return box;
}

// Appends a row of pairs without its neighbours.
static uint32_t emit_row(uint32_t count, uint32_t i, uint64_t row, uint64_t near,
                         abut__lane_pairs* out) {
    out->near_count += (uint64_t)__builtin_popcountll(row & near);
    for (row &= ~near; row != 0; row &= row - 1) {
        out->lane[count][0] = (uint8_t)i;
        out->lane[count++][1] = (uint8_t)__builtin_ctzll(row);
    }
    return count;
}

// Iterates over the lanes of b: the same pairs, in another order.
static uint32_t pairs_by_second(const abut__block_boxes* a, uint64_t lanes_a,
                                const abut__block_boxes* b, uint64_t lanes_b,
                                const abut__shift* shift, abut__lane_pairs* out) {
    uint32_t count = 0;
    for (uint64_t left = lanes_b; left != 0; left &= left - 1) {
        const uint32_t k = (uint32_t)__builtin_ctzll(left);
        const abut__box3 box = {{b->lo[0][k], b->lo[1][k], b->lo[2][k]},
                                {b->hi[0][k], b->hi[1][k], b->hi[2][k]}};
        uint64_t row = ABUT_KERNEL(clip_block)(a, lanes_a, shift, &box);
        for (; row != 0; row &= row - 1) {
            out->lane[count][0] = (uint8_t)__builtin_ctzll(row);
            out->lane[count++][1] = (uint8_t)k;
        }
    }
    return count;
}

uint32_t ABUT_KERNEL(pairs_between)(const abut__block_boxes* a, uint64_t lanes_a,
                                    const abut__block_boxes* b, uint64_t lanes_b,
                                    const abut__shift* shift, uint64_t near,
                                    const uint64_t* near_masks, abut__lane_pairs* out) {
    uint32_t count = 0;
    out->near_count = 0;
    if (near == 0 && __builtin_popcountll(lanes_b) < __builtin_popcountll(lanes_a)) {
        return pairs_by_second(a, lanes_a, b, lanes_b, shift, out);
    }
    for (uint64_t left = lanes_a; left != 0; left &= left - 1) {
        const uint32_t i = (uint32_t)__builtin_ctzll(left);
        const abut__box3 box = shifted_lane(a, i, shift);
        const uint64_t row = overlap_lanes(b, lanes_b, &box);
        const uint64_t before = near & ((UINT64_C(1) << i) - 1);
        const uint64_t mask = (near >> i & 1) != 0 ? near_masks[__builtin_popcountll(before)] : 0;
        count = emit_row(count, i, row, mask, out);
    }
    return count;
}

uint32_t ABUT_KERNEL(pairs_inside)(const abut__block_boxes* boxes, uint64_t valid,
                                   const uint64_t* later, const abut__shift* shift,
                                   abut__lane_pairs* out) {
    uint32_t count = 0;
    out->near_count = 0;
    for (uint64_t left = valid; left != 0; left &= left - 1) {
        const uint32_t i = (uint32_t)__builtin_ctzll(left);
        const abut__box3 box = shifted_lane(boxes, i, shift);
        const uint64_t row = overlap_lanes(boxes, left & (left - 1), &box);
        count = emit_row(count, i, row, ~later[i], out);
    }
    return count;
}
