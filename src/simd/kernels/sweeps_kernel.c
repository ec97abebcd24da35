// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Tests eight pairs of moving primitives at once: finds those that a coordinate axis, or the cubic
// over the whole time, proves apart. exact/moving_features.h has the formulas and their bounds.
// abut__hull_make() in exact/sweep_hull.c decides the same, bit for bit.
#include "simd/kernels.h"
#include "simd/lanes.h"

typedef doubles number;
#define NUMBER(constant) doubles_splat(constant)
#define NUMBER_MAX(a, b) doubles_max(a, b)
#define NUMBER_ABS(a) doubles_abs(a)
#include "simd/sweep_formula.h"

#define EXTENT_LEAST 0x1p-200
#define EXTENT_GREATEST 0x1p200

// Loads four points of queries `first` and on; lanes beyond `count` repeat query 0.
static inline void load(const double (*points)[4][3], uint32_t first, uint32_t count,
                        sweep_vector out[4]) {
    const double* rows[DOUBLE_LANES];
    for (uint32_t lane = 0; lane < DOUBLE_LANES; ++lane) {
        rows[lane] = &points[first + lane < count ? first + lane : 0][0][0];
    }
    for (int i = 0; i < 3; ++i) {  // four of the twelve numbers at a time
        doubles column[4];
        doubles_load_columns(rows, 4 * i, column);
        for (int j = 0; j < 4; ++j) {
            const int at = 4 * i + j;
            out[at / 3].x[at % 3] = column[j];
        }
    }
}

static inline sweep_vector subtract(sweep_vector a, sweep_vector b) {
    return (sweep_vector){{a.x[0] - b.x[0], a.x[1] - b.x[1], a.x[2] - b.x[2]}};
}

typedef struct {
    sweep_vector e1[2], e2[2], w[2];
    doubles low[3], high[3];  // of the corners' coordinates
    doubles extent;
} hulls;

static inline void add_corner(hulls* h, sweep_vector d) {
    for (int k = 0; k < 3; ++k) {
        h->low[k] = doubles_min(h->low[k], d.x[k]);
        h->high[k] = doubles_max(h->high[k], d.x[k]);
    }
}

static inline void add_end(hulls* h, int end, const sweep_vector x[4], bool edges) {
    const sweep_vector w = edges ? subtract(x[0], x[2]) : subtract(x[1], x[0]);
    h->w[end] = w;
    if (end == 0) {
        for (int k = 0; k < 3; ++k) {
            h->low[k] = h->high[k] = w.x[k];
        }
    }
    add_corner(h, w);
    if (edges) {
        add_corner(h, subtract(x[1], x[2]));
        add_corner(h, subtract(x[1], x[3]));
        add_corner(h, subtract(x[0], x[3]));
        h->e1[end] = subtract(x[1], x[0]);
        h->e2[end] = subtract(x[3], x[2]);
    } else {
        add_corner(h, subtract(x[2], x[0]));
        add_corner(h, subtract(x[3], x[0]));
        h->e1[end] = subtract(x[2], x[1]);
        h->e2[end] = subtract(x[3], x[1]);
    }
    for (int k = 0; k < 3; ++k) {
        h->extent = doubles_max(h->extent, doubles_abs(h->e1[end].x[k]));
        h->extent = doubles_max(h->extent, doubles_abs(h->e2[end].x[k]));
    }
}

// Returns the lanes, DOUBLE_LANES from `first` on, that are proven apart.
static inline uint32_t filter_lanes(const double (*from)[4][3], const double (*to)[4][3],
                                    uint32_t first, uint32_t count, bool edges, bool near,
                                    const double margin[ABUT__SWEEP_LANES]) {
    hulls h;
    sweep_vector x[4];
    h.extent = doubles_splat(0.0);
    load(from, first, count, x);
    add_end(&h, 0, x, edges);
    load(to, first, count, x);
    add_end(&h, 1, x, edges);

    uint32_t apart = 0;
    const doubles margins = doubles_load(margin + first);
    for (int k = 0; k < 3; ++k) {
        apart |= doubles_lt(margins, h.low[k]) | doubles_lt(h.high[k], -margins);
        h.extent = doubles_max(h.extent,
                               doubles_max(doubles_abs(h.low[k]), doubles_abs(h.high[k])));
    }
    doubles c[4];
    doubles permanent;
    const doubles bound = sweep_cubic(h.e1, h.e2, h.w, near, margins, c, &permanent);
    const doubles least = doubles_min(doubles_min(c[0], c[1]), doubles_min(c[2], c[3]));
    const doubles most = doubles_max(doubles_max(c[0], c[1]), doubles_max(c[2], c[3]));
    const uint32_t one_side = doubles_lt(bound, least) | doubles_lt(most, -bound);
    const uint32_t in_range = doubles_lt(h.extent, doubles_splat(EXTENT_GREATEST)) &
                              ~doubles_lt(h.extent, doubles_splat(EXTENT_LEAST));
    return apart | (one_side & in_range);
}

static inline uint32_t filter(const double (*from)[4][3], const double (*to)[4][3], uint32_t count,
                              bool edges, const double margin[ABUT__SWEEP_LANES]) {
    uint32_t apart = 0;
    bool near = false;  // a margin is not 0; a lane whose margin is 0 gets the same bits either way
    for (uint32_t i = 0; i < count; ++i) {
        near = near || margin[i] > 0.0;
    }
    for (uint32_t first = 0; first < count; first += DOUBLE_LANES) {
        apart |= filter_lanes(from, to, first, count, edges, near, margin) << first;
    }
    return apart & ((1u << count) - 1);
}

uint32_t ABUT_KERNEL(sweep_filter)(const double (*from)[4][3], const double (*to)[4][3],
                                   uint32_t count, bool edges,
                                   const double margin[ABUT__SWEEP_LANES]) {
    return edges ? filter(from, to, count, true, margin) : filter(from, to, count, false, margin);
}
