// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Proves pairs of moving triangles apart, sixteen at a time. Corners move on segments. For any g0 and
// g1, let g(s) = (1 - s) g0 + s g1. With heights p_i = g0.x_i(0), q_i = (g0.x_i(1) + g1.x_i(0)) / 2
// and r_i = g1.x_i(1) of the corners,
//     g(s).x_i(s) = (1 - s)^2 p_i + 2 s (1 - s) q_i + s^2 r_i.
// So along g(s) the second triangle is above the first one by at least the least of the differences
//     min q's p - max p's p,   the same of q,   the same of r,
// for all s, and farther away than h if this exceeds h |g(s)|, which is at most h times the greater
// of |g0| and |g1|. Tried are the normals of both triangles at both ends, and the line between their
// centroids.
//
// Rounding. Corners are taken relative to the first one at the start. Let D be their greatest
// magnitudes, axis by axis, m the greater of |g0| and |g1|, axis by axis, and u = 2^-53. A corner is
// off by u D, a height by 5 u (m . D) at most, a difference of heights by 12 u (m . D). The rounding
// of the threshold is below 20 u of its sum. 64 u (m . D) covers all of it. Lanes whose D is out of
// 2^-200 .. 2^200 stay open; 2^-800 covers underflow in the others.
#include "simd/kernels.h"
#include "simd/lanes.h"

#define DIRECTION_ERROR 0x1p-47  // 64 u
#define DIRECTION_LEAST 0x1p-800
#define EXTENT_LEAST 0x1p-200
#define EXTENT_GREATEST 0x1p200

typedef struct {
    doubles x[3];
} vector;

typedef struct {
    vector corner[2][6];  // end, corner: relative to the first corner at the start
    vector reach;         // D
    doubles extent;       // the greatest of D
    doubles distance;     // to be exceeded
} paths;

static inline vector subtract(vector a, vector b) {
    return (vector){{a.x[0] - b.x[0], a.x[1] - b.x[1], a.x[2] - b.x[2]}};
}

static inline vector add(vector a, vector b) {
    return (vector){{a.x[0] + b.x[0], a.x[1] + b.x[1], a.x[2] + b.x[2]}};
}

static inline vector cross(vector a, vector b) {
    return (vector){{a.x[1] * b.x[2] - a.x[2] * b.x[1], a.x[2] * b.x[0] - a.x[0] * b.x[2],
                     a.x[0] * b.x[1] - a.x[1] * b.x[0]}};
}

static inline doubles dot(vector a, vector b) {
    return (a.x[0] * b.x[0] + a.x[1] * b.x[1]) + a.x[2] * b.x[2];
}

static inline void load(const abut__path_batch* batch, int first, paths* out) {
    for (int k = 0; k < 3; ++k) {
        const doubles origin = doubles_load(&batch->corner[0][0][k][first]);
        doubles reach = doubles_splat(0.0);
        for (int i = 0; i < 12; ++i) {
            const doubles x = doubles_load(&batch->corner[i / 6][i % 6][k][first]) - origin;
            out->corner[i / 6][i % 6].x[k] = x;
            reach = doubles_max(reach, doubles_abs(x));
        }
        out->reach.x[k] = reach;
    }
    out->extent = doubles_max(out->reach.x[0], doubles_max(out->reach.x[1], out->reach.x[2]));
    out->distance = doubles_load(&batch->distance[first]) +
                    doubles_load(&batch->relative[first]) * out->extent;
}

// Returns how far the second triangle's heights are above those of the first.
static inline doubles gap(const doubles height[6]) {
    const doubles above = doubles_min(doubles_min(height[3], height[4]), height[5]);
    const doubles below = doubles_max(doubles_max(height[0], height[1]), height[2]);
    return above - below;
}

// Returns the lanes that a direction proves apart, as it is or reversed.
static inline uint32_t direction_clears(const paths* p, const vector g[2]) {
    doubles height[3][6];
    for (int i = 0; i < 6; ++i) {
        height[0][i] = dot(g[0], p->corner[0][i]);
        height[1][i] = (dot(g[0], p->corner[1][i]) + dot(g[1], p->corner[0][i])) *
                       doubles_splat(0.5);
        height[2][i] = dot(g[1], p->corner[1][i]);
    }
    doubles sum = doubles_splat(0.0);  // m . D
    doubles length[2] = {sum, sum};    // bounds of |g0| and |g1|
    for (int k = 0; k < 3; ++k) {
        const doubles size[2] = {doubles_abs(g[0].x[k]), doubles_abs(g[1].x[k])};
        sum = sum + doubles_max(size[0], size[1]) * p->reach.x[k];
        length[0] = length[0] + size[0];
        length[1] = length[1] + size[1];
    }
    const doubles threshold = p->distance * doubles_max(length[0], length[1]) +
                              doubles_splat(DIRECTION_ERROR) * sum + doubles_splat(DIRECTION_LEAST);
    const doubles up = doubles_min(gap(height[0]), doubles_min(gap(height[1]), gap(height[2])));
    for (int c = 0; c < 3; ++c) {
        for (int i = 0; i < 6; ++i) {
            height[c][i] = -height[c][i];
        }
    }
    const doubles down = doubles_min(gap(height[0]), doubles_min(gap(height[1]), gap(height[2])));
    return doubles_lt(threshold, doubles_max(up, down));
}

static inline vector normal(const vector corner[3]) {
    return cross(subtract(corner[1], corner[0]), subtract(corner[2], corner[0]));
}

// three times the way from the first centroid to the second
static inline vector between(const vector corner[6]) {
    return subtract(add(add(corner[3], corner[4]), corner[5]),
                    add(add(corner[0], corner[1]), corner[2]));
}

static inline uint32_t clear(const abut__path_batch* batch, int first) {
    paths p;
    load(batch, first, &p);
    const vector along[2] = {between(p.corner[0]), between(p.corner[1])};
    const vector normal_a[2] = {normal(p.corner[0]), normal(p.corner[1])};
    const vector normal_b[2] = {normal(p.corner[0] + 3), normal(p.corner[1] + 3)};
    const uint32_t apart = direction_clears(&p, normal_a) | direction_clears(&p, normal_b) |
                           direction_clears(&p, along);
    return apart & doubles_lt(p.extent, doubles_splat(EXTENT_GREATEST)) &
           ~doubles_lt(p.extent, doubles_splat(EXTENT_LEAST));
}

uint32_t ABUT_KERNEL(paths_apart)(const abut__path_batch* batch, uint32_t valid) {
    uint32_t apart = 0;
    for (int first = 0; first < 16; first += DOUBLE_LANES) {
        if ((valid >> first & DOUBLE_BITS) != 0) {
            apart |= clear(batch, first) << first;
        }
    }
    return apart & valid;
}
