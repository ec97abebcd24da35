// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Tests certificates of the blend motion, sixteen at once in float. bound/blend_certificate.h has
// the formulas, bound/blend_groups.h their rounding errors. Nothing is fused, because the lanes
// that hold are counted, and counters must be the same with all instruction sets.
#include "simd/kernels.h"
#include "simd/lanes.h"

// The sums of all lanes so far.
typedef struct sums {
    f32x16 reference[9];  // T_m'
    f32x16 b[9];
    f32x16 limit;
    f32x16 moves;  // |G| + g
    f32x16 most;   // U
    f32x16 size;   // upper bound of |T_m'|
    float steps;   // sum of the magnitudes added to T_m'
    float terms;   // of rows, likewise
    float norms;
    bool moved;
} sums;

static inline f32x16 dot3(const f32x16* a, const f32x16* b, int step) {
    return a[0] * b[0] + a[step] * b[step] + a[2 * step] * b[2 * step];
}

static inline void add_steps(const abut__weight_questions* q, sums* s) {
    for (size_t i = 0; i < 9; ++i) {
        s->reference[i] = f32x16_splat((float)q->reference[i / 3 * 4 + i % 3]);
    }
    s->steps = 0;
    for (uint32_t k = 0; k < q->step_count; ++k) {
        const double* own = q->transforms[q->steps[k].node];
        const double* parent = q->transforms[q->frame->parent[q->steps[k].node]];
        float magnitudes[3] = {0, 0, 0};  // three independent chains of additions
        for (size_t i = 0; i < 9; ++i) {
            const size_t at = i / 3 * 4 + i % 3;
            const float d = (float)(own[at] - parent[at]);
            s->reference[i] += f32x16_keep(f32x16_splat(d), q->steps[k].lanes, 0);
            magnitudes[i % 3] += d < 0 ? -d : d;
        }
        s->steps += magnitudes[0] + magnitudes[1] + magnitudes[2];
    }
    const f32x16* r = s->reference;
    s->size = f32x16_sqrt(dot3(r, r, 1) + dot3(r + 3, r + 3, 1) + dot3(r + 6, r + 6, 1));
}

// Adds the fields that move the rest positions, and computes B = T_m' (1 + G).
static inline void add_moves(const abut__weight_questions* q, sums* s) {
    f32x16 map[9] = {{0}};
    f32x16 limit = {0};
    f32x16 norm = {0};
    f32x16 most = {0};
    s->moved = false;
    for (uint32_t k = 0; k < q->move_count; ++k) {
        const abut__move_lanes* row = &q->moves[k];
        const float coordinate = (float)q->coordinates[row->field];
        if (q->coordinates[row->field] == 0) {
            continue;
        }
        const f32x16 magnitude = f32x16_abs(f32x16_splat(coordinate));
        const float by = coordinate * row->map_step;
        for (int i = 0; i < 9; ++i) {
            map[i] += by * f32x16_load_int16(row->map[i]);
        }
        limit += magnitude * f32x16_load(row->limit);
        norm += magnitude * f32x16_load(row->norm);
        most += magnitude * f32x16_load(row->most);
        s->moved = true;
    }
    for (int i = 0; i < 9; ++i) {
        s->b[i] = s->reference[i];
        if (s->moved) {
            const f32x16* r = s->reference + i / 3 * 3;
            s->b[i] += r[0] * map[i % 3] + r[1] * map[3 + i % 3] + r[2] * map[6 + i % 3];
        }
    }
    s->limit = s->size * limit;
    s->moves = norm + limit;
    s->most = most;
}

// D_b' and D_b(origin) of a row.
typedef struct difference {
    float map[9];
    float at[3];
    float far;  // upper bound of |D_b(o)| for all lanes
} difference;

static inline difference difference_of(const abut__weight_questions* q,
                                       const abut__weight_lanes* row, float norm) {
    const double* own = q->transforms[row->node];
    const double* parent = q->transforms[q->frame->parent[row->node]];
    difference out;
    out.far = norm * row->spread;
    for (size_t r = 0; r < 3; ++r) {
        const double d[4] = {own[4 * r] - parent[4 * r], own[4 * r + 1] - parent[4 * r + 1],
                             own[4 * r + 2] - parent[4 * r + 2],
                             own[4 * r + 3] - parent[4 * r + 3]};
        const double at =
            ((d[0] * row->origin[0] + d[1] * row->origin[1]) + d[2] * row->origin[2]) + d[3];
        out.map[3 * r] = (float)d[0];
        out.map[3 * r + 1] = (float)d[1];
        out.map[3 * r + 2] = (float)d[2];
        out.at[r] = (float)at;
        out.far += out.at[r] < 0 ? -out.at[r] : out.at[r];
    }
    return out;
}

static inline void add_row(const abut__weight_lanes* row, const difference* d, float norm,
                           sums* s) {
    f32x16 map[9];
    f32x16 slope[3];
    f32x16 offset[3];
    for (int i = 0; i < 9; ++i) {
        map[i] = f32x16_load_int16(row->map[i]);
    }
    for (int e = 0; e < 3; ++e) {
        slope[e] = row->slope_step * f32x16_load_int16(row->slope[e]);
        offset[e] = row->offset_step * f32x16_load_int16(row->offset[e]);
    }
    f32x16 distance_sq = {0};
    for (size_t r = 0; r < 3; ++r) {
        const float* own = d->map + 3 * r;
        const f32x16 at = own[0] * offset[0] + own[1] * offset[1] + own[2] * offset[2] + d->at[r];
        const float by[3] = {own[0] * row->map_step, own[1] * row->map_step,
                             own[2] * row->map_step};
        for (size_t e = 0; e < 3; ++e) {
            s->b[3 * r + e] += by[0] * map[e] + by[1] * map[3 + e] + by[2] * map[6 + e] +
                               at * slope[e];
        }
        distance_sq += at * at;
    }
    const f32x16 slope_limit = f32x16_load(row->slope_limit);
    f32x16 limit = f32x16_load(row->limit);
    if (s->moved) {
        const f32x16 steep = f32x16_sqrt(dot3(slope, slope, 1)) + slope_limit;
        limit += f32x16_keep(s->moves + s->most * steep, row->lanes, 0);
    }
    s->limit += norm * limit + f32x16_sqrt(distance_sq) * slope_limit;
    s->terms += norm * row->steep + d->far * row->steepest;
    s->norms += norm;
}

// Tells whether the least singular value of B is above a limit, by leading minors of B^T B -
// square. `square` is the squared limit plus the rounding error of B^T B.
static inline uint32_t singular_values_above(const f32x16 b[9], f32x16 trace, f32x16 limit) {
    const f32x16 square = limit * limit + trace * 0x1p-20f;
    const f32x16 x = dot3(b, b, 3) - square;
    const f32x16 y = dot3(b + 1, b + 1, 3) - square;
    const f32x16 z = dot3(b + 2, b + 2, 3) - square;
    const f32x16 xy = dot3(b, b + 1, 3);
    const f32x16 xz = dot3(b, b + 2, 3);
    const f32x16 yz = dot3(b + 1, b + 2, 3);
    const f32x16 product = x * y;
    const f32x16 second = product - xy * xy;
    const f32x16 third = second * z - (x * yz - xy * xz) * yz + (xy * yz - y * xz) * xz;
    const f32x16 least = trace * 0x1p-21f;
    return f32x16_le(least, x) & f32x16_le(least, y) & f32x16_le(least, z) &
           f32x16_le(yz * yz, y * z * 2) & f32x16_le(xz * xz, x * z * 2) &
           f32x16_le(product * 0x1p-20f, second) & f32x16_le(product * z * 0x1p-16f, third);
}

abut__certificate_verdict ABUT_KERNEL(blend_certificates)(const abut__weight_questions* questions) {
    const abut__weight_questions* q = questions;
    sums s;
    s.terms = s.norms = 0;
    add_steps(q, &s);
    add_moves(q, &s);
    for (uint32_t k = 0; k < q->row_count; ++k) {
        const difference d = difference_of(q, &q->rows[k], q->norms[k]);
        add_row(&q->rows[k], &d, q->norms[k], &s);
    }
    const float lost = 0x1p-22f * (float)(4 * q->row_count + q->step_count + q->move_count + 32);
    const f32x16 terms = (s.size + s.steps) * (s.moves + 1) + s.terms;
    const f32x16 limit = (s.limit + q->rounding * f32x16_load(q->inverse_gap)) * (1 + lost) +
                         terms * lost + 0x1p-24f;
    const f32x16 trace = dot3(s.b, s.b, 1) + dot3(s.b + 3, s.b + 3, 1) + dot3(s.b + 6, s.b + 6, 1);
    const f32x16 large = f32x16_splat(0x1p20f);
    const uint32_t sound = f32x16_le(f32x16_splat(0x1p-20f), trace) & f32x16_le(trace, large) &
                           f32x16_le(terms, large) & f32x16_le(s.most, large) &
                           f32x16_le(s.moves, large) & f32x16_le(f32x16_splat(s.norms), large);
    const uint32_t yes = sound & singular_values_above(s.b, trace, limit);
    // a rounding error that is not small may have decided the lane: it stays undecided
    const f32x16 part = terms * (lost * 0x1p9f);
    const uint32_t sure = sound & f32x16_le(part * part, trace) &
                          f32x16_le(limit, f32x16_splat(0x1p60f));
    return (abut__certificate_verdict){yes, sure & ~yes};
}
