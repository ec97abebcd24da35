// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Kernels of the blend motion: boxes of convex combinations whose weights are limited, after
// Steinemann, Otaduy, Gross, "Efficient Bounds for Point-Based Animations", 2007 (bound/convex.h has
// the formulas), points of blocks, vertices as answers see them, and sums of certificates
// (bound/blend_certificate.h). Compiled once per instruction set. Rounding of boxes and points is covered by the pad of the state (motion/blend.h).
#include <math.h>

#include "simd/kernels.h"
#include "simd/lanes.h"

void ABUT_KERNEL(blend_boxes)(const abut__convex_lanes* lanes, const abut__columns* transforms,
                              const abut__boxes8* moves, float pad, abut__boxes8* out);
void ABUT_KERNEL(blend_boxes_least)(const abut__convex_lanes* lanes,
                                    const abut__columns* transforms, const abut__boxes8* moves,
                                    float pad, abut__boxes8* out);
void ABUT_KERNEL(blend_points)(const abut__blend_lanes* lanes, const abut__columns* transforms,
                               abut__block_points* points);
void ABUT_KERNEL(blend_vertices)(const abut__influences* influences, const double (*transforms)[12],
                                 const uint32_t* ids, size_t count, double (*out)[3]);
bool ABUT_KERNEL(blend_certificate)(const abut__weight_question* question);

// how far a child's rest boxes move, and how much they grow by that
typedef struct move {
    float centre[3];
    float half[3];
} move;

static move move_of(const abut__boxes8* moves, uint32_t k) {
    move m = {{0, 0, 0}, {0, 0, 0}};
    for (int d = 0; d < 3 && moves != NULL; ++d) {
        m.centre[d] = 0.5f * moves->hi[d][k] + 0.5f * moves->lo[d][k];
        m.half[d] = 0.5f * moves->hi[d][k] - 0.5f * moves->lo[d][k];
    }
    return m;
}

// How far the transformed rest box reaches in six directions: x, y, z, nothing, -x, -y, -z, nothing.
static inline f32x8 reach_of(const abut__columns* t, const float* row, const move* m) {
    const f32x4 x = f32x4_load(t->c[0]);
    const f32x4 y = f32x4_load(t->c[1]);
    const f32x4 z = f32x4_load(t->c[2]);
    f32x4 centre = f32x4_load(t->c[3]);
    centre = f32x4_multiply_add(x, f32x4_splat(row[0] + m->centre[0]), centre);
    centre = f32x4_multiply_add(y, f32x4_splat(row[1] + m->centre[1]), centre);
    centre = f32x4_multiply_add(z, f32x4_splat(row[2] + m->centre[2]), centre);
    f32x4 half = f32x4_abs(x) * f32x4_splat(row[4] + m->half[0]);
    half = f32x4_multiply_add(f32x4_abs(y), f32x4_splat(row[5] + m->half[1]), half);
    half = f32x4_multiply_add(f32x4_abs(z), f32x4_splat(row[6] + m->half[2]), half);
    return f32x8_join(half + centre, half - centre);
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

// Sum of l b, plus what is left of the weight at the second greatest b, plus what the greatest may
// take beyond its least weight: the dual bound at L = the second greatest, in six directions.
static f32x8 bound_child(const abut__convex_lanes* lanes, const abut__convex_part* part,
                         const abut__columns* transforms, const move* m) {
    const float* row = lanes->rows + (size_t)ABUT__CONVEX_ROW * part->first;
    const uint32_t* nodes = lanes->nodes + part->first;
    f32x8 greatest = reach_of(&transforms[nodes[0]], row, m);
    if (part->count == 1) {  // its weight is 1
        return greatest;
    }
    f32x8 second = f32x8_splat(-INFINITY);
    f32x8 sum = greatest * f32x8_splat(row[3]);
    f32x8 room = f32x8_splat(row[7]);
    for (uint32_t i = 1; i < part->count; ++i) {
        row += ABUT__CONVEX_ROW;
        const f32x8 reach = reach_of(&transforms[nodes[i]], row, m);
        sum = f32x8_multiply_add(reach, f32x8_splat(row[3]), sum);
        const i32x8 is_greater = (i32x8)(reach > greatest);
        const i32x8 own_room = (i32x8)f32x8_splat(row[7]);
        room = (f32x8)((own_room & is_greater) | ((i32x8)room & ~is_greater));
        second = f32x8_max(second, f32x8_min(greatest, reach));
        greatest = f32x8_max(greatest, reach);
    }
    sum = f32x8_multiply_add(second, f32x8_splat(part->rest), sum);
    return f32x8_multiply_add(room, greatest - second, sum);
}

void ABUT_KERNEL(blend_boxes)(const abut__convex_lanes* lanes, const abut__columns* transforms,
                              const abut__boxes8* moves, float pad, abut__boxes8* out) {
    for (uint32_t k = 0; k < lanes->count; ++k) {
        const move m = move_of(moves, k);
        put_box(bound_child(lanes, &lanes->parts[k], transforms, &m), pad, k, out);
    }
    put_empty(lanes->count, out);
}

// The least L for which the greater ones can take what is left of the weight: the dual's minimum.
// Goes down from the greatest; few can be above it, as each has room.
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
            f32x8_store(reach, reach_of(&transforms[lanes->nodes[part->first + i]], row, m));
            const float b = reach[direction];
            sum += first ? row[3] * b : 0;
            if (b < above && b >= level) {
                room = b > level ? row[7] : room + row[7];
                level = b;
            }
        }
        if (level == -INFINITY) {  // rounding has left a little that nobody takes
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
        const move m = move_of(moves, k);
        float reach[8] = {0};
        for (uint32_t d = 0; d < 3; ++d) {
            reach[d] = least_bound(lanes, &lanes->parts[k], transforms, &m, d);
            reach[4 + d] = least_bound(lanes, &lanes->parts[k], transforms, &m, 4 + d);
        }
        put_box(f32x8_load(reach), pad, k, out);
    }
    put_empty(lanes->count, out);
}

// sixteen vertices: their transforms first, then the points
static inline void blend_group(const abut__blend_lanes* lanes, const abut__columns* transforms,
                               uint32_t group, abut__block_points* points) {
    f32x16 m[4][3];
    for (int c = 0; c < 4; ++c) {
        for (int d = 0; d < 3; ++d) {
            m[c][d] = f32x16_splat(0);
        }
    }
    for (uint32_t i = lanes->first[group]; i < lanes->first[group + 1]; ++i) {
        const abut__columns* t = &transforms[lanes->nodes[i]];
        const f32x16 weight = f32x16_load(lanes->weights + (size_t)ABUT__GROUP * i);
        for (int c = 0; c < 4; ++c) {
            for (int d = 0; d < 3; ++d) {
                m[c][d] = f32x16_multiply_add(weight, f32x16_splat(t->c[c][d]), m[c][d]);
            }
        }
    }
    const size_t at = (size_t)ABUT__GROUP * group;
    const f32x16 x = f32x16_load(points->xyz[0] + at);
    const f32x16 y = f32x16_load(points->xyz[1] + at);
    const f32x16 z = f32x16_load(points->xyz[2] + at);
    for (int d = 0; d < 3; ++d) {
        f32x16 sum = f32x16_multiply_add(m[0][d], x, m[3][d]);
        sum = f32x16_multiply_add(m[1][d], y, sum);
        f32x16_store(points->xyz[d] + at, f32x16_multiply_add(m[2][d], z, sum));
    }
}

// lanes beyond the last vertex repeat the first, as its id does
void ABUT_KERNEL(blend_points)(const abut__blend_lanes* lanes, const abut__columns* transforms,
                               abut__block_points* points) {
    const uint32_t groups = (lanes->vertex_count + ABUT__GROUP - 1) / ABUT__GROUP;
    for (uint32_t g = 0; g < groups; ++g) {
        blend_group(lanes, transforms, g, points);
    }
    for (uint32_t v = lanes->vertex_count; v < ABUT__GROUP * groups; ++v) {
        for (int d = 0; d < 3; ++d) {
            points->xyz[d][v] = points->xyz[d][0];
        }
    }
}

static inline double weight_of(const abut__influences* influences, size_t i) {
    return influences->is_double ? ((const double*)influences->values)[i]
                                 : (double)((const float*)influences->values)[i];
}

void ABUT_KERNEL(blend_vertices)(const abut__influences* influences, const double (*transforms)[12],
                                 const uint32_t* ids, size_t count, double (*out)[3]) {
    for (size_t v = 0; v < count; ++v) {
        const size_t id = ids != NULL ? ids[v] : v;
        size_t i = influences->first[id];
        const double* t = transforms[influences->nodes[i]];
        const f64x4 first = f64x4_splat(weight_of(influences, i));
        f64x4 m[3] = {first * f64x4_load(t), first * f64x4_load(t + 4), first * f64x4_load(t + 8)};
        for (++i; i < influences->first[id + 1]; ++i) {
            t = transforms[influences->nodes[i]];
            const f64x4 weight = f64x4_splat(weight_of(influences, i));
            m[0] += weight * f64x4_load(t);
            m[1] += weight * f64x4_load(t + 4);
            m[2] += weight * f64x4_load(t + 8);
        }
        const double p[3] = {out[v][0], out[v][1], out[v][2]};
        for (int d = 0; d < 3; ++d) {
            double row[4];
            f64x4_store(row, m[d]);
            out[v][d] = ((row[0] * p[0] + row[1] * p[1]) + row[2] * p[2]) + row[3];
        }
    }
}

// ---- certificates

static inline double sum_of(f64x4 a) {
    return (a[0] + a[2]) + (a[1] + a[3]);
}
static inline f64x4 row_of(const f64x4 m[4], f64x4 by, double last) {
    return ((m[0] * by[0] + m[1] * by[1]) + m[2] * by[2]) + m[3] * last;
}

// What sigma(B) must be above, so far, and the terms of B by their magnitudes.
typedef struct limits {
    double limit;
    double terms;
} limits;

static inline void add_limits(const abut__weight_question* q, const abut__weight_row* row,
                              double norm, double way, limits* sum) {
    const double slope = (double)row->slope_limit;
    double more = 0;
    if (q->moved) {
        const double h[3] = {(double)row->slope[0], (double)row->slope[1], (double)row->slope[2]};
        more = q->moves[0] + q->moves[1] * (sqrt(h[0] * h[0] + h[1] * h[1] + h[2] * h[2]) + slope);
    }
    sum->terms += norm * q->frame->steepest[0] + way * q->frame->steepest[1];
    sum->limit += norm * ((double)row->limit + more) + way * slope;
}

// Whether the least singular value is above the limit, by leading minors of B^T B - limit^2: all are
// positive if, and only if, all eigenvalues are. With entries of at most t = trace, rounding takes less
// than 1e-13 t from the first, 1e-13 t^2 from the second, 1e-13 t^3 from the third; where that might
// underflow nothing is said.
static inline bool stretches_all(const f64x4 b[3], double limit) {
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
        const double way = sqrt(at[0] * at[0] + at[1] * at[1] + at[2] * at[2]);
        add_limits(q, row, (double)q->norms[k], way, &sum);
    }
    return stretches_all(b, sum.limit * (1 + 1e-12) + q->slack + 1e-13 * sum.terms);
}
