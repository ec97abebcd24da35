// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Tests certificates of the blend motion, sixteen at once in float. bound/blend_certificate.h has
// the formulas, bound/blend_groups.h their rounding errors. Nothing is fused, because the lanes
// that hold are counted, and counters must be the same with all instruction sets.
#include "simd/kernels.h"
#include "simd/lanes.h"

// The data of a row that all lanes share: D_b', D_b' in steps of `map`, and D_b(origin).
typedef struct difference {
    float map[9];
    float by[9];
    float at[3];
    float norm;
} difference;

// The data that all lanes share.
typedef struct common {
    float step[ABUT__WEIGHT_ROWS][9];  // differences that are added to T_m'
    difference row[ABUT__WEIGHT_ROWS];
    float steps;  // sum of the magnitudes added to T_m'
    float terms;  // of rows, likewise
    float norms;
    float lost;
} common;

// The sums of some lanes, `first` and following.
typedef struct sums {
    uint32_t first;
    floats reference[9];  // T_m'
    floats b[9];
    floats limit;
    floats moves;  // |G| + g
    floats most;   // U
    floats size;   // upper bound of |T_m'|
    bool moved;
} sums;

static inline floats dot3(const floats* a, const floats* b, int step) {
    return a[0] * b[0] + a[step] * b[step] + a[2 * step] * b[2 * step];
}

static inline void share_steps(const abut__weight_questions* q, common* c) {
    c->steps = 0;
    for (uint32_t k = 0; k < q->step_count; ++k) {
        const double* own = q->transforms[q->steps[k].node];
        const double* parent = q->transforms[q->frame->parent[q->steps[k].node]];
        float magnitudes[3] = {0, 0, 0};  // three independent chains of additions
        for (size_t i = 0; i < 9; ++i) {
            const size_t at = i / 3 * 4 + i % 3;
            const float d = (float)(own[at] - parent[at]);
            c->step[k][i] = d;
            magnitudes[i % 3] += d < 0 ? -d : d;
        }
        c->steps += magnitudes[0] + magnitudes[1] + magnitudes[2];
    }
}

// Returns an upper bound of |D_b(o)| for all lanes.
static inline float share_row(const abut__weight_questions* q, const abut__weight_lanes* row,
                              float norm, difference* out) {
    const double* own = q->transforms[row->node];
    const double* parent = q->transforms[q->frame->parent[row->node]];
    float far = norm * row->spread;
    out->norm = norm;
    for (size_t r = 0; r < 3; ++r) {
        const double d[4] = {own[4 * r] - parent[4 * r], own[4 * r + 1] - parent[4 * r + 1],
                             own[4 * r + 2] - parent[4 * r + 2],
                             own[4 * r + 3] - parent[4 * r + 3]};
        const double at =
            ((d[0] * row->origin[0] + d[1] * row->origin[1]) + d[2] * row->origin[2]) + d[3];
        for (size_t e = 0; e < 3; ++e) {
            out->map[3 * r + e] = (float)d[e];
            out->by[3 * r + e] = (float)d[e] * row->map_step;
        }
        out->at[r] = (float)at;
        far += out->at[r] < 0 ? -out->at[r] : out->at[r];
    }
    return far;
}

static inline void share(const abut__weight_questions* q, common* c) {
    share_steps(q, c);
    c->terms = c->norms = 0;
    for (uint32_t k = 0; k < q->row_count; ++k) {
        const abut__weight_lanes* row = &q->rows[k];
        const float norm = q->norms[k];
        const float far = share_row(q, row, norm, &c->row[k]);
        c->terms += norm * row->steep + far * row->steepest;
        c->norms += norm;
    }
    c->lost = 0x1p-22f * (float)(4 * q->row_count + q->step_count + q->move_count + 32);
}

static inline void add_steps(const abut__weight_questions* q, const common* c, sums* s) {
    floats r[9];
    for (size_t i = 0; i < 9; ++i) {
        r[i] = floats_splat((float)q->reference[i / 3 * 4 + i % 3]);
    }
    for (uint32_t k = 0; k < q->step_count; ++k) {
        const uint32_t lanes = q->steps[k].lanes >> s->first;
        for (size_t i = 0; i < 9; ++i) {
            r[i] += floats_keep(floats_splat(c->step[k][i]), lanes, 0);
        }
    }
    s->size = floats_sqrt(dot3(r, r, 1) + dot3(r + 3, r + 3, 1) + dot3(r + 6, r + 6, 1));
    memcpy(s->reference, r, sizeof r);
}

// Adds the fields that move the rest positions, and computes B = T_m' (1 + G).
static inline void add_moves(const abut__weight_questions* q, sums* s) {
    floats map[9] = {{0}};
    floats limit = {0};
    floats norm = {0};
    floats most = {0};
    s->moved = false;
    for (uint32_t k = 0; k < q->move_count; ++k) {
        const abut__move_lanes* row = &q->moves[k];
        const float coordinate = (float)q->coordinates[row->field];
        if (q->coordinates[row->field] == 0) {
            continue;
        }
        const floats magnitude = floats_abs(floats_splat(coordinate));
        const floats by = floats_splat(coordinate * row->map_step);
        for (int i = 0; i < 9; ++i) {
            map[i] += by * floats_load_int16(row->map[i] + s->first);
        }
        limit += magnitude * floats_load(row->limit + s->first);
        norm += magnitude * floats_load(row->norm + s->first);
        most += magnitude * floats_load(row->most + s->first);
        s->moved = true;
    }
    for (int i = 0; i < 9; ++i) {
        s->b[i] = s->reference[i];
        if (s->moved) {
            const floats* r = s->reference + i / 3 * 3;
            s->b[i] += r[0] * map[i % 3] + r[1] * map[3 + i % 3] + r[2] * map[6 + i % 3];
        }
    }
    s->limit = s->size * limit;
    s->moves = norm + limit;
    s->most = most;
}

static inline void add_row(const abut__weight_lanes* row, const difference* d, sums* s) {
    floats slope[3];
    floats offset[3];
    floats at[3];
    for (int e = 0; e < 3; ++e) {
        slope[e] = row->slope_step * floats_load_int16(row->slope[e] + s->first);
        offset[e] = row->offset_step * floats_load_int16(row->offset[e] + s->first);
    }
    for (int r = 0; r < 3; ++r) {
        const float* own = d->map + 3 * r;
        at[r] = own[0] * offset[0] + own[1] * offset[1] + own[2] * offset[2] + d->at[r];
    }
    for (int e = 0; e < 3; ++e) {
        const floats x = floats_load_int16(row->map[e] + s->first);
        const floats y = floats_load_int16(row->map[3 + e] + s->first);
        const floats z = floats_load_int16(row->map[6 + e] + s->first);
        for (int r = 0; r < 3; ++r) {
            const float* by = d->by + 3 * r;
            s->b[3 * r + e] += by[0] * x + by[1] * y + by[2] * z + at[r] * slope[e];
        }
    }
    const floats slope_limit = floats_load(row->slope_limit + s->first);
    floats limit = floats_load(row->limit + s->first);
    if (s->moved) {
        const floats steep = floats_sqrt(dot3(slope, slope, 1)) + slope_limit;
        limit += floats_keep(s->moves + s->most * steep, row->lanes >> s->first, 0);
    }
    s->limit += d->norm * limit + floats_sqrt(dot3(at, at, 1)) * slope_limit;
}

// Tells whether the least singular value of B is above a limit, by leading minors of B^T B -
// square. `square` is the squared limit plus the rounding error of B^T B.
static inline uint32_t singular_values_above(const floats b[9], floats trace, floats limit) {
    const floats square = limit * limit + trace * 0x1p-20f;
    const floats x = dot3(b, b, 3) - square;
    const floats y = dot3(b + 1, b + 1, 3) - square;
    const floats z = dot3(b + 2, b + 2, 3) - square;
    const floats xy = dot3(b, b + 1, 3);
    const floats xz = dot3(b, b + 2, 3);
    const floats yz = dot3(b + 1, b + 2, 3);
    const floats product = x * y;
    const floats second = product - xy * xy;
    const floats third = second * z - (x * yz - xy * xz) * yz + (xy * yz - y * xz) * xz;
    const floats least = trace * 0x1p-21f;
    return floats_le(least, x) & floats_le(least, y) & floats_le(least, z) &
           floats_le(yz * yz, y * z * 2) & floats_le(xz * xz, x * z * 2) &
           floats_le(product * 0x1p-20f, second) & floats_le(product * z * 0x1p-16f, third);
}

static inline abut__certificate_verdict verdict_of(const abut__weight_questions* q, const common* c,
                                                   const sums* s) {
    const float lost = c->lost;
    const floats terms = (s->size + c->steps) * (s->moves + 1) + c->terms;
    const floats limit = (s->limit + q->rounding * floats_load(q->inverse_gap + s->first)) *
                             (1 + lost) +
                         terms * lost + 0x1p-24f;
    const floats* b = s->b;
    const floats trace = dot3(b, b, 1) + dot3(b + 3, b + 3, 1) + dot3(b + 6, b + 6, 1);
    const floats large = floats_splat(0x1p20f);
    const uint32_t sound = floats_le(floats_splat(0x1p-20f), trace) & floats_le(trace, large) &
                           floats_le(terms, large) & floats_le(s->most, large) &
                           floats_le(s->moves, large) & floats_le(floats_splat(c->norms), large);
    const uint32_t yes = sound & singular_values_above(b, trace, limit);
    // a rounding error that is not small may have decided the lane: it stays undecided
    const floats part = terms * (lost * 0x1p9f);
    const uint32_t sure = sound & floats_le(part * part, trace) &
                          floats_le(limit, floats_splat(0x1p60f));
    return (abut__certificate_verdict){yes, sure & ~yes};
}

abut__certificate_verdict ABUT_KERNEL(blend_certificates)(const abut__weight_questions* questions) {
    const abut__weight_questions* q = questions;
    abut__certificate_verdict all = {0, 0};
    common c;
    share(q, &c);
    for (uint32_t first = 0; first < ABUT__GROUP; first += FLOAT_LANES) {
        sums s;
        s.first = first;
        add_steps(q, &c, &s);
        add_moves(q, &s);
        for (uint32_t k = 0; k < q->row_count; ++k) {
            add_row(&q->rows[k], &c.row[k], &s);
        }
        const abut__certificate_verdict own = verdict_of(q, &c, &s);
        all.yes |= own.yes << first;
        all.no |= own.no << first;
    }
    return all;
}
