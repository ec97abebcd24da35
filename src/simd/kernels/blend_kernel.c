// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Kernels of the blend motion: boxes of convex combinations with bounded weights, after Steinemann,
// Otaduy, Gross, "Efficient Bounds for Point-Based Animations", 2007 (bound/convex.h has the
// formulas), points of blocks, exact vertices, and sums of certificates
// (bound/blend_certificate.h). Compiled once per instruction set. The pad of the state
// (motion/blend.h) covers the rounding of boxes and points.
#include <math.h>

#include "simd/kernels.h"
#include "simd/lanes.h"

static inline f64x4 f64x4_magnitude(f64x4 a) {
    typedef int64_t i64x4 __attribute__((vector_size(32)));
    return (f64x4)((i64x4)a & INT64_MAX);
}

static inline f64x4 f64x4_greater(f64x4 a, f64x4 b) {
#if defined(__AVX2__)
    return (f64x4)_mm256_max_pd((__m256d)a, (__m256d)b);
#else
    typedef int64_t i64x4 __attribute__((vector_size(32)));
    const i64x4 is_greater = (i64x4)(a > b);
    return (f64x4)(((i64x4)a & is_greater) | ((i64x4)b & ~is_greater));
#endif
}

static inline f64x4 load_row(const void* transforms, bool is_float, size_t first) {
    return is_float ? f64x4_load4_float((const float*)transforms + first)
                    : f64x4_load((const double*)transforms + first);
}

static inline __attribute__((always_inline)) void copy_columns(const void* transforms,
                                                               bool is_float, uint32_t count,
                                                               double (*copy)[12],
                                                               abut__columns* out,
                                                               abut__transforms_most* most) {
    f64x4 greatest[3] = {f64x4_splat(0), f64x4_splat(0), f64x4_splat(0)};
    // 0 unless some number is not finite; three sums, because one would wait for each addition
    f64x4 not_finite[3] = {f64x4_splat(0), f64x4_splat(0), f64x4_splat(0)};
    for (uint32_t j = 0; j < count; ++j) {
        f32x4 column[4];
        for (size_t d = 0; d < 3; ++d) {
            const size_t first = 12 * (size_t)j + 4 * d;
            const f64x4 row = load_row(transforms, is_float, first);
            column[d] = is_float ? f32x4_load4_float((const float*)transforms + first)
                                 : f64x4_to_float(row);
            f64x4_store(copy[j] + 4 * d, row);
            greatest[d] = f64x4_greater(f64x4_magnitude(row), greatest[d]);
            not_finite[d] += row * 0;
        }
        column[3] = f32x4_splat(0);
        f32x4_transpose(column);
        for (int c = 0; c < 4; ++c) {
            f32x4_store(out[j].c[c], column[c]);
        }
    }
    double sum[4];
    f64x4_store(sum, (not_finite[0] + not_finite[1]) + not_finite[2]);
    most->finite = sum[0] == 0 && sum[1] == 0 && sum[2] == 0 && sum[3] == 0;
    for (int d = 0; d < 3; ++d) {
        f64x4_store(most->number + 4 * (size_t)d, greatest[d]);
    }
}

void ABUT_KERNEL(blend_columns)(const void* transforms, bool is_float, uint32_t count,
                                double (*copy)[12], abut__columns* out,
                                abut__transforms_most* most) {
    if (is_float) {
        copy_columns(transforms, true, count, copy, out, most);
    } else {
        copy_columns(transforms, false, count, copy, out, most);
    }
}

// The motion of a child's rest boxes: a translation and a growth.
typedef struct move {
    float centre[3];
    float half[3];
} move;

static move move_of(const abut__boxes8* moves, uint32_t k) {
    move m;
    for (int d = 0; d < 3; ++d) {
        m.centre[d] = 0.5f * moves->hi[d][k] + 0.5f * moves->lo[d][k];
        m.half[d] = 0.5f * moves->hi[d][k] - 0.5f * moves->lo[d][k];
    }
    return m;
}

// Computes how far the transformed rest box reaches in six directions: x, y, z, unused, -x, -y, -z,
// unused.
static inline f32x8 reach_of(const abut__columns* t, const float centre[3], const float half[3]) {
    const f32x4 x = f32x4_load4_float(t->c[0]);
    const f32x4 y = f32x4_load4_float(t->c[1]);
    const f32x4 z = f32x4_load4_float(t->c[2]);
    f32x4 middle = f32x4_load4_float(t->c[3]);
    middle = f32x4_multiply_add(x, f32x4_splat(centre[0]), middle);
    middle = f32x4_multiply_add(y, f32x4_splat(centre[1]), middle);
    middle = f32x4_multiply_add(z, f32x4_splat(centre[2]), middle);
    f32x4 half_width = f32x4_abs(x) * f32x4_splat(half[0]);
    half_width = f32x4_multiply_add(f32x4_abs(y), f32x4_splat(half[1]), half_width);
    half_width = f32x4_multiply_add(f32x4_abs(z), f32x4_splat(half[2]), half_width);
    return f32x8_join(half_width + middle, half_width - middle);
}

static inline f32x8 moved_reach_of(const abut__columns* t, const float* row, const move* m) {
    if (m == NULL) {
        return reach_of(t, row, row + 4);
    }
    const float centre[3] = {row[0] + m->centre[0], row[1] + m->centre[1], row[2] + m->centre[2]};
    const float half[3] = {row[4] + m->half[0], row[5] + m->half[1], row[6] + m->half[2]};
    return reach_of(t, centre, half);
}

static void put_box(f32x8 reach, float pad, uint32_t k, abut__boxes8* out) {
    float far[8];
    f32x8_store(far, reach + f32x8_splat(pad));
    for (int d = 0; d < 3; ++d) {
        out->hi[d][k] = far[d];
        out->lo[d][k] = -far[4 + d];
    }
}

static void put_empty(uint32_t count, abut__boxes8* out) {
    for (uint32_t k = count; k < ABUT__FAN; ++k) {
        for (int d = 0; d < 3; ++d) {
            out->lo[d][k] = INFINITY;
            out->hi[d][k] = -INFINITY;
        }
    }
}

// A summary of some influences. In six directions: the greatest reach, the weight it may have
// beyond its least weight, and the second greatest reach.
typedef struct leaders {
    f32x8 greatest;
    f32x8 room;
    f32x8 second;
} leaders;

// Returns `room` where reach > greatest, else `before`.
static inline f32x8 choose_room(f32x8 reach, f32x8 greatest, float room, f32x8 before) {
#if defined(__AVX512VL__)
    const __mmask8 mask = _mm256_cmp_ps_mask((__m256)reach, (__m256)greatest, _CMP_GT_OQ);
    return (f32x8)_mm256_mask_mov_ps((__m256)before, mask, _mm256_set1_ps(room));
#elif defined(__AVX2__)
    const __m256 mask = _mm256_cmp_ps((__m256)reach, (__m256)greatest, _CMP_GT_OQ);
    return (f32x8)_mm256_blendv_ps((__m256)before, _mm256_set1_ps(room), mask);
#else
    const i32x8 mask = (i32x8)(reach > greatest);
    return (f32x8)(((i32x8)f32x8_splat(room) & mask) | ((i32x8)before & ~mask));
#endif
}

static inline void add_reach(leaders* l, f32x8 reach, float room) {
    l->room = choose_room(reach, l->greatest, room, l->room);
    l->second = f32x8_max(l->second, f32x8_min(l->greatest, reach));
    l->greatest = f32x8_max(l->greatest, reach);
}

// Sums l b, plus the remaining weight at the second greatest b, plus what the greatest may take
// beyond its least weight: the dual bound at L = the second greatest, in six directions. Even and
// odd influences are summed separately, so that two chains of operations overlap.
static inline f32x8 bound_child(const abut__convex_lanes* lanes, const abut__convex_part* part,
                                const abut__columns* transforms, const move* m) {
    const float* row = lanes->rows + (size_t)ABUT__CONVEX_ROW * part->first;
    const uint32_t* nodes = lanes->nodes + part->first;
    if (part->count == 1) {  // its weight is 1
        return moved_reach_of(&transforms[nodes[0]], row, m);
    }
    const f32x8 lowest = f32x8_splat(-INFINITY);
    leaders l[2] = {{lowest, lowest, lowest}, {lowest, lowest, lowest}};
    f32x8 sum[2] = {f32x8_splat(0), f32x8_splat(0)};
    uint32_t i = 0;
    for (; i + 2 <= part->count; i += 2, row += (size_t)2 * ABUT__CONVEX_ROW) {
        const float* next = row + ABUT__CONVEX_ROW;
        const f32x8 a = moved_reach_of(&transforms[nodes[i]], row, m);
        const f32x8 b = moved_reach_of(&transforms[nodes[i + 1]], next, m);
        sum[0] = f32x8_multiply_add(a, f32x8_splat(row[3]), sum[0]);
        sum[1] = f32x8_multiply_add(b, f32x8_splat(next[3]), sum[1]);
        add_reach(&l[0], a, row[7]);
        add_reach(&l[1], b, next[7]);
    }
    if (i < part->count) {
        const f32x8 a = moved_reach_of(&transforms[nodes[i]], row, m);
        sum[0] = f32x8_multiply_add(a, f32x8_splat(row[3]), sum[0]);
        add_reach(&l[0], a, row[7]);
    }
    const i32x8 other = (i32x8)(l[1].greatest > l[0].greatest);
    const f32x8 room = (f32x8)(((i32x8)l[1].room & other) | ((i32x8)l[0].room & ~other));
    const f32x8 second = f32x8_max(f32x8_max(l[0].second, l[1].second),
                                   f32x8_min(l[0].greatest, l[1].greatest));
    const f32x8 greatest = f32x8_max(l[0].greatest, l[1].greatest);
    const f32x8 all = f32x8_multiply_add(second, f32x8_splat(part->rest), sum[0] + sum[1]);
    return f32x8_multiply_add(room, greatest - second, all);
}

void ABUT_KERNEL(blend_boxes)(const abut__convex_lanes* lanes, const abut__columns* transforms,
                              const abut__boxes8* moves, float pad, abut__boxes8* out) {
    for (uint32_t k = 0; k < lanes->count && moves == NULL; ++k) {
        put_box(bound_child(lanes, &lanes->parts[k], transforms, NULL), pad, k, out);
    }
    for (uint32_t k = 0; k < lanes->count && moves != NULL; ++k) {
        const move m = move_of(moves, k);
        put_box(bound_child(lanes, &lanes->parts[k], transforms, &m), pad, k, out);
    }
    put_empty(lanes->count, out);
}

// Finds the least L at which the greater ones can take the remaining weight: the dual's minimum. It
// descends from the greatest; few are above L, because each has room.
static float least_bound(const abut__convex_lanes* lanes, const abut__convex_part* part,
                         const abut__columns* transforms, const move* m, uint32_t direction) {
    const float* rows = lanes->rows + (size_t)ABUT__CONVEX_ROW * part->first;
    float above = INFINITY;
    float sum = 0;
    float left = part->rest;
    float taken = 0;
    float level = -INFINITY;
    for (bool first = true; left > 0 || first; first = false) {
        float room = 0;
        level = -INFINITY;
        for (uint32_t i = 0; i < part->count; ++i) {
            const float* row = rows + (size_t)ABUT__CONVEX_ROW * i;
            float reach[8];
            f32x8_store(reach, moved_reach_of(&transforms[lanes->nodes[part->first + i]], row, m));
            const float b = reach[direction];
            sum += first ? row[3] * b : 0;
            if (b < above && b >= level) {
                room = b > level ? row[7] : room + row[7];
                level = b;
            }
        }
        if (level == -INFINITY) {  // rounding has left a little weight over
            taken += left * above;
            break;
        }
        const float part_of = room < left ? room : left;
        taken += part_of * level;
        left -= part_of;
        above = level;
    }
    return sum + taken;
}

void ABUT_KERNEL(blend_boxes_least)(const abut__convex_lanes* lanes,
                                    const abut__columns* transforms, const abut__boxes8* moves,
                                    float pad, abut__boxes8* out) {
    for (uint32_t k = 0; k < lanes->count; ++k) {
        const move by = moves != NULL ? move_of(moves, k) : (move){0};
        const move* m = moves != NULL ? &by : NULL;
        float reach[8] = {0};
        for (uint32_t d = 0; d < 3; ++d) {
            reach[d] = least_bound(lanes, &lanes->parts[k], transforms, m, d);
            reach[4 + d] = least_bound(lanes, &lanes->parts[k], transforms, m, 4 + d);
        }
        put_box(f32x8_load(reach), pad, k, out);
    }
    put_empty(lanes->count, out);
}

// Blends the vertices in the lanes from k on: first their transforms, then the points.
static inline void blend_lanes_at(const abut__blend_lanes* lanes, const abut__columns* transforms,
                                  uint32_t k, const abut__block_points* rest,
                                  abut__block_points* points) {
    const uint32_t group = k / ABUT__GROUP;
    floats m[4][3];
    for (int c = 0; c < 4; ++c) {
        for (int d = 0; d < 3; ++d) {
            m[c][d] = floats_splat(0);
        }
    }
    const float* weights = lanes->weights + k % ABUT__GROUP;
    for (uint32_t i = lanes->first[group]; i < lanes->first[group + 1]; ++i) {
        const abut__columns* t = &transforms[lanes->nodes[i]];
        const floats weight = floats_load(weights + (size_t)ABUT__GROUP * i);
        for (int c = 0; c < 4; ++c) {
            for (int d = 0; d < 3; ++d) {
                m[c][d] = floats_multiply_add(weight, floats_splat(t->c[c][d]), m[c][d]);
            }
        }
    }
    const floats x = floats_load(rest->xyz[0] + k);
    const floats y = floats_load(rest->xyz[1] + k);
    const floats z = floats_load(rest->xyz[2] + k);
    for (int d = 0; d < 3; ++d) {
        floats sum = floats_multiply_add(m[0][d], x, m[3][d]);
        sum = floats_multiply_add(m[1][d], y, sum);
        floats_store(points->xyz[d] + k, floats_multiply_add(m[2][d], z, sum));
    }
}

// Lanes beyond the last vertex repeat the first, as its id does.
void ABUT_KERNEL(blend_points)(const abut__blend_lanes* lanes, const abut__columns* transforms,
                               const abut__block_points* rest, abut__block_points* points) {
    for (uint32_t k = 0; k < lanes->vertex_count; k += FLOAT_LANES) {
        blend_lanes_at(lanes, transforms, k, rest, points);
    }
    const uint32_t groups = (lanes->vertex_count + ABUT__GROUP - 1) / ABUT__GROUP;
    for (uint32_t v = lanes->vertex_count; v < ABUT__GROUP * groups; ++v) {
        for (int d = 0; d < 3; ++d) {
            points->xyz[d][v] = points->xyz[d][0];
        }
    }
}

void ABUT_KERNEL(blend_moves)(const abut__blend_moves* moves, size_t first, size_t end,
                              float* out) {
    const uint32_t count = moves->count;
    for (size_t i = first; i < end; i += 16) {
        floats sum[FLOAT_PARTS];
        LANES_UNROLL
        for (uint32_t k = 0; k < FLOAT_PARTS; ++k) {
            sum[k] = floats_load(moves->rest + i + k * FLOAT_LANES);
        }
        for (uint32_t j = 0; j < count; ++j) {
            LANES_UNROLL
            for (uint32_t k = 0; k < FLOAT_PARTS; ++k) {
                sum[k] += floats_load(moves->by[j] + i + k * FLOAT_LANES) * moves->q[j];
            }
        }
        LANES_UNROLL
        for (uint32_t k = 0; k < FLOAT_PARTS; ++k) {
            floats_store(out + i + k * FLOAT_LANES, sum[k]);
        }
    }
}

// The blended transform of a vertex: four columns of four numbers. Members instead of an array,
// which compilers would keep in memory.
typedef struct blended {
    floats a;
#if FLOAT_LANES <= 8
    floats b;
#endif
#if FLOAT_LANES == 4
    floats c;
    floats d;
#endif
} blended;

static inline void add_influence(blended* m, const abut__columns* transforms,
                                 const abut__blend_influence* from) {
    const float* t = transforms[from->node].c[0];
    const floats weight = floats_splat(from->weight);
    m->a = floats_multiply_add(floats_load(t), weight, m->a);
#if FLOAT_LANES <= 8
    m->b = floats_multiply_add(floats_load(t + FLOAT_LANES), weight, m->b);
#endif
#if FLOAT_LANES == 4
    m->c = floats_multiply_add(floats_load(t + 8), weight, m->c);
    m->d = floats_multiply_add(floats_load(t + 12), weight, m->d);
#endif
}

static inline void put_point(const blended* m, const float* rest, float* out) {
#if FLOAT_LANES == 16
    const f32x4 column[4] = {__builtin_shufflevector(m->a, m->a, 0, 1, 2, 3),
                             __builtin_shufflevector(m->a, m->a, 4, 5, 6, 7),
                             __builtin_shufflevector(m->a, m->a, 8, 9, 10, 11),
                             __builtin_shufflevector(m->a, m->a, 12, 13, 14, 15)};
#elif FLOAT_LANES == 8
    const f32x4 column[4] = {__builtin_shufflevector(m->a, m->a, 0, 1, 2, 3),
                             __builtin_shufflevector(m->a, m->a, 4, 5, 6, 7),
                             __builtin_shufflevector(m->b, m->b, 0, 1, 2, 3),
                             __builtin_shufflevector(m->b, m->b, 4, 5, 6, 7)};
#else
    const f32x4 column[4] = {m->a, m->b, m->c, m->d};
#endif
    const f32x4 p = f32x4_load4_float(rest);
    const f32x4 x = __builtin_shufflevector(p, p, 0, 0, 0, 0);
    const f32x4 y = __builtin_shufflevector(p, p, 1, 1, 1, 1);
    const f32x4 z = __builtin_shufflevector(p, p, 2, 2, 2, 2);
    const f32x4 done = f32x4_multiply_add(column[0], x, column[3]) +
                       f32x4_multiply_add(column[1], y, column[2] * z);
    typedef float pair __attribute__((vector_size(8)));
    const pair first = __builtin_shufflevector(done, done, 0, 1);
    const float last = done[2];
    memcpy(out, &first, sizeof first);
    memcpy(out + 2, &last, sizeof last);
}

// Two vertices at once, because sums of one would wait for each other.
void ABUT_KERNEL(blend_order)(const abut__blend_order* order, const abut__columns* transforms,
                              const float* rest, float* out) {
    const abut__blend_influence* from = order->influences;
    const uint32_t* vertices = order->vertices;
    for (uint32_t r = 0; r < order->run_count; ++r) {
        const uint32_t k = order->runs[r].influences;
        uint32_t left = order->runs[r].vertices;
        for (; left >= 2; left -= 2, from += 2 * (size_t)k, vertices += 2) {
            blended m = {0};
            blended n = {0};
            for (uint32_t i = 0; i < k; ++i) {
                add_influence(&m, transforms, &from[i]);
                add_influence(&n, transforms, &from[k + i]);
            }
            put_point(&m, rest + 3 * (size_t)vertices[0], out + 3 * (size_t)vertices[0]);
            put_point(&n, rest + 3 * (size_t)vertices[1], out + 3 * (size_t)vertices[1]);
        }
        for (; left > 0; left -= 1, from += k, vertices += 1) {
            blended m = {0};
            for (uint32_t i = 0; i < k; ++i) {
                add_influence(&m, transforms, &from[i]);
            }
            put_point(&m, rest + 3 * (size_t)vertices[0], out + 3 * (size_t)vertices[0]);
        }
    }
}

static inline double weight_of(const abut__influences* influences, size_t i) {
    return influences->is_double ? ((const double*)influences->values)[i]
                                 : (double)((const float*)influences->values)[i];
}

// The sums of a vertex, and the influences that they still lack.
typedef struct exact_sums {
    f64x4 row[3];
    size_t next;
    size_t end;
} exact_sums;

static inline exact_sums start_sums(const abut__influences* influences,
                                    const double (*transforms)[12], size_t id) {
    exact_sums s = {.next = influences->first[id] + 1, .end = influences->first[id + 1]};
    const double* t = transforms[influences->nodes[s.next - 1]];
    const f64x4 weight = f64x4_splat(weight_of(influences, s.next - 1));
    s.row[0] = weight * f64x4_load(t);
    s.row[1] = weight * f64x4_load(t + 4);
    s.row[2] = weight * f64x4_load(t + 8);
    return s;
}

static inline void add_next(const abut__influences* influences, const double (*transforms)[12],
                            exact_sums* s) {
    const double* t = transforms[influences->nodes[s->next]];
    const f64x4 weight = f64x4_splat(weight_of(influences, s->next++));
    s->row[0] += weight * f64x4_load(t);
    s->row[1] += weight * f64x4_load(t + 4);
    s->row[2] += weight * f64x4_load(t + 8);
}

static inline void end_sums(const abut__influences* influences, const double (*transforms)[12],
                            exact_sums* s, double out[3]) {
    while (s->next < s->end) {
        add_next(influences, transforms, s);
    }
    const double p[3] = {out[0], out[1], out[2]};
    for (size_t d = 0; d < 3; ++d) {
        const f64x4 row = s->row[d];
        out[d] = ((row[0] * p[0] + row[1] * p[1]) + row[2] * p[2]) + row[3];
    }
}

// Two vertices at once, because sums of one would wait for each other.
void ABUT_KERNEL(blend_vertices)(const abut__influences* influences, const double (*transforms)[12],
                                 const uint32_t* ids, size_t count, double (*out)[3]) {
    size_t v = 0;
    for (; v + 2 <= count; v += 2) {
        exact_sums a = start_sums(influences, transforms, ids != NULL ? ids[v] : v);
        exact_sums b = start_sums(influences, transforms, ids != NULL ? ids[v + 1] : v + 1);
        while (a.next < a.end && b.next < b.end) {
            add_next(influences, transforms, &a);
            add_next(influences, transforms, &b);
        }
        end_sums(influences, transforms, &a, out[v]);
        end_sums(influences, transforms, &b, out[v + 1]);
    }
    if (v < count) {
        exact_sums a = start_sums(influences, transforms, ids != NULL ? ids[v] : v);
        end_sums(influences, transforms, &a, out[v]);
    }
}

// ---- certificates

static inline double sum_of(f64x4 a) {
    return (a[0] + a[2]) + (a[1] + a[3]);
}
static inline f64x4 row_of(const f64x4 m[4], f64x4 by, double last) {
    return ((m[0] * by[0] + m[1] * by[1]) + m[2] * by[2]) + m[3] * last;
}

// The lower limit for sigma(B) so far, and the sum of the magnitudes of the terms of B.
typedef struct limits {
    double limit;
    double terms;
} limits;

static inline void add_limits(const abut__weight_question* q, const abut__weight_row* row,
                              double norm, double distance, limits* sum) {
    const double slope = (double)row->slope_limit;
    double more = 0;
    if (q->moved) {
        const double h[3] = {(double)row->slope[0], (double)row->slope[1], (double)row->slope[2]};
        more = q->moves[0] + q->moves[1] * (sqrt(h[0] * h[0] + h[1] * h[1] + h[2] * h[2]) + slope);
    }
    sum->terms += norm * q->frame->steepest[0] + distance * q->frame->steepest[1];
    sum->limit += norm * ((double)row->limit + more) + distance * slope;
}

// Tells whether the least singular value is above the limit, by leading minors of B^T B - limit^2:
// all are positive if and only if all eigenvalues are. With entries of at most t = trace, rounding
// subtracts less than 1e-13 t from the first, 1e-13 t^2 from the second, 1e-13 t^3 from the third.
// Returns false where these might underflow.
static inline bool singular_values_above(const f64x4 b[3], double limit) {
    f64x4 s[3];
    for (int i = 0; i < 3; ++i) {
        s[i] = b[0] * b[0][i] + b[1] * b[1][i] + b[2] * b[2][i];
    }
    const double trace = s[0][0] + s[1][1] + s[2][2];
    const double square = limit * limit;
    const double x = s[0][0] - square;
    const double y = s[1][1] - square;
    const double z = s[2][2] - square;
    const double second = x * y - s[0][1] * s[0][1];
    const double third = second * z - (x * s[1][2] - s[0][1] * s[0][2]) * s[1][2] +
                         (s[0][1] * s[1][2] - y * s[0][2]) * s[0][2];
    const double slack = 1e-13 * trace;
    return (trace > 1e-90) & (limit >= 0) & (x > slack) & (second > slack * trace) &
           (third > slack * trace * trace);
}

bool ABUT_KERNEL(blend_certificate)(const abut__weight_question* question) {
    const abut__weight_question* q = question;
    const abut__weight_frame* frame = q->frame;
    const f64x4 reference[3] = {f64x4_load(q->reference), f64x4_load(q->reference + 4),
                                f64x4_load(q->reference + 8)};
    f64x4 b[3] = {reference[0], reference[1], reference[2]};
    const f64x4 squares = b[0] * b[0] + b[1] * b[1] + b[2] * b[2];
    const double size = sqrt(squares[0] + squares[1] + squares[2]);
    limits sum = {0, size};
    if (q->moved) {
        const f64x4 map[4] = {f64x4_load3_double(q->map[0]),
                              f64x4_load3_double(q->map[1]),
                              f64x4_load3_double(q->map[2]),
                              {0}};
        for (int r = 0; r < 3; ++r) {
            b[r] += row_of(map, reference[r], 0);
        }
        sum = (limits){size * q->limit, size * (1 + q->moves[0])};
    }
    for (uint32_t k = 0; k < q->count; ++k) {
        const abut__weight_row* row = &q->rows[k].weight;
        const double* t = q->transforms[row->node];
        const double* parent = q->transforms[frame->parent[row->node]];
        const f64x4 origin = {frame->middle[0] + frame->step * row->origin[0],
                              frame->middle[1] + frame->step * row->origin[1],
                              frame->middle[2] + frame->step * row->origin[2], 1};
        const f64x4 map[4] = {f64x4_load4_float(row->map), f64x4_load4_float(row->map + 3),
                              f64x4_load4_float(row->map + 6), f64x4_load3_float(row->slope)};
        double at[3];
        for (int r = 0; r < 3; ++r) {
            const f64x4 own = f64x4_load(t + 4 * (size_t)r) - f64x4_load(parent + 4 * (size_t)r);
            at[r] = sum_of(own * origin);
            b[r] += row_of(map, own, at[r]);
        }
        const double distance = sqrt(at[0] * at[0] + at[1] * at[1] + at[2] * at[2]);
        add_limits(q, row, (double)q->norms[k], distance, &sum);
    }
    return singular_values_above(b, sum.limit * (1 + 1e-12) + q->slack + 1e-13 * sum.terms);
}
