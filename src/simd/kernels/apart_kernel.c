// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Tests sixteen pairs of triangles at once, in float: proves most separate pairs apart. The corners
// v are only known to be within r of the points p, which are floats; numbers here are relative to
// the first point, q = p - p_0. For any n, the computed n.q is off by less than 4 u |n| m. Here
// u = 2^-24, |n| is the sum of magnitudes and m the greatest coordinate of all q. q itself is off
// by u m, and v by r, and by u a if r excludes the rounding of v to float, a the greatest
// coordinate of all p. So if
//
//   least n.q of one triangle - greatest n.q of the other > 2 |n| (r + 2^-20 m + 2^-23 a) + 2^-140
//
// then the triangles share no point: the left side is off by 12 u |n| m, the right side allows 32,
// and the last term covers underflow. This holds for any n if nothing overflows: the right side
// must be a number below 2^100, so that |n| m is below 2^119. The directions are those of the
// separating axis theorem, for parallel planes and for others: normals, edges turned in their
// planes, products of edges.
//
// Nothing is fused: all instruction sets give the same bits.
#include "simd/kernels.h"
#include "simd/lanes.h"

typedef struct vector {
    floats x[3];
} vector;

static inline vector subtract(vector a, vector b) {
    return (vector){{a.x[0] - b.x[0], a.x[1] - b.x[1], a.x[2] - b.x[2]}};
}

static inline vector cross(vector a, vector b) {
    return (vector){{a.x[1] * b.x[2] - a.x[2] * b.x[1], a.x[2] * b.x[0] - a.x[0] * b.x[2],
                     a.x[0] * b.x[1] - a.x[1] * b.x[0]}};
}

static inline floats dot(vector a, vector b) {
    return (a.x[0] * b.x[0] + a.x[1] * b.x[1]) + a.x[2] * b.x[2];
}

static inline floats least3(floats a, floats b, floats c) {
    return floats_min(floats_min(a, b), c);
}
static inline floats greatest3(floats a, floats b, floats c) {
    return floats_max(floats_max(a, b), c);
}

typedef struct pairs {
    vector q[6];   // the first is 0
    floats slack;  // 2 (r + 2^-20 m + 2^-23 a)
} pairs;

// Returns the lanes that a direction proves apart.
static inline uint32_t separates(const pairs* p, vector n) {
    const floats zero = floats_splat(0);
    const floats s1 = dot(n, p->q[1]);
    const floats s2 = dot(n, p->q[2]);
    const floats t0 = dot(n, p->q[3]);
    const floats t1 = dot(n, p->q[4]);
    const floats t2 = dot(n, p->q[5]);
    const floats above = least3(t0, t1, t2) - greatest3(zero, s1, s2);
    const floats below = least3(zero, s1, s2) - greatest3(t0, t1, t2);
    const floats size = (floats_abs(n.x[0]) + floats_abs(n.x[1])) + floats_abs(n.x[2]);
    // slightly more than needed, so that <= suffices instead of <
    const floats wanted = size * p->slack + 0x1p-139f;
    return (floats_le(wanted, above) | floats_le(wanted, below)) &
           floats_le(wanted, floats_splat(0x1p100f));
}

static inline pairs load(const abut__points_batch* batch, size_t lane) {
    pairs p;
    floats size = floats_splat(0);
    floats far = floats_splat(0);
    // 0 unless some number is not finite, which a maximum may ignore
    floats not_finite = floats_splat(0);
    vector first;
    for (size_t d = 0; d < 3; ++d) {
        first.x[d] = floats_load(&batch->corner[0][d][lane]);
    }
    for (size_t c = 0; c < 6; ++c) {
        for (size_t d = 0; d < 3; ++d) {
            const floats at = floats_load(&batch->corner[c][d][lane]);
            p.q[c].x[d] = at - first.x[d];
            far = floats_max(far, floats_abs(at));
            not_finite += at * 0;
            size = floats_max(size, floats_abs(p.q[c].x[d]));
        }
    }
    p.slack = 2 * ((floats_load(batch->radius + lane) + size * 0x1p-20f) +
                   (far * 0x1p-23f + not_finite));
    return p;
}

// Returns the lanes, FLOAT_LANES from `lane` on, that are certainly apart.
static inline uint32_t lanes_apart(const abut__points_batch* batch, size_t lane, uint32_t valid) {
    const pairs p = load(batch, lane);
    const vector* q = p.q;
    const vector e[3] = {q[1], subtract(q[2], q[1]), q[2]};
    const vector f[3] = {subtract(q[4], q[3]), subtract(q[5], q[4]), subtract(q[5], q[3])};
    const vector normal[2] = {cross(e[0], e[2]), cross(f[0], f[2])};
    uint32_t apart = separates(&p, normal[0]) | separates(&p, normal[1]);
    for (int i = 0; i < 3 && (valid & ~apart) != 0; ++i) {
        apart |= separates(&p, cross(e[i], normal[0])) | separates(&p, cross(f[i], normal[1]));
    }
    for (int i = 0; i < 3 && (valid & ~apart) != 0; ++i) {
        apart |= separates(&p, cross(e[i], f[0])) | separates(&p, cross(e[i], f[1])) |
                 separates(&p, cross(e[i], f[2]));
    }
    return apart & valid;
}

uint32_t ABUT_KERNEL(points_apart)(const abut__points_batch* batch, uint32_t valid) {
    uint32_t apart = 0;
    for (size_t lane = 0; lane < 16; lane += FLOAT_LANES) {
        const uint32_t lanes = valid >> lane & FLOAT_BITS;
        if (lanes != 0) {
            apart |= lanes_apart(batch, lane, lanes) << lane;
        }
    }
    return apart;
}
