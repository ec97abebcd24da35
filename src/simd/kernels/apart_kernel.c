// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Tests sixteen pairs of triangles at once, in float: proves most separate pairs apart, and most
// that cross touching. The corners
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
// Triangles touch if an edge of one has its ends on both sides of the other's plane, and its line
// passes the other's three edges on one side. The signs are those of determinants of differences x
// of corners. Let h = 2 (r + 2^-20 m + 2^-23 a), which bounds the error of a coordinate of any x,
// and S the sum of the extents of the box around both triangles, which bounds the sum of magnitudes
// of any x. A determinant of x, y, z is at most |x| |y| |z| in these norms, so the errors of x, y
// and z change it by at most 3 h (S + 2 h)^2, and rounding (five operations on each of six products)
// by at most 6 u S^3. Together this is less than 3 (S + 2 h)^2 (h + 2 u S); the test has 4 instead
// of 3, which covers the rounding of the test. S is in [2^-30, 2^30], so that underflow and overflow
// play no part.
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

// Lanes where a determinant is certainly positive, and negative.
typedef struct signs {
    uint32_t above;
    uint32_t below;
} signs;

static inline signs signs_of(floats determinant, floats error) {
    return (signs){floats_lt(error, determinant), floats_lt(determinant, -error)};
}

static inline uint32_t differ(signs a, signs b) {
    return (a.above & b.below) | (a.below & b.above);
}

static inline uint32_t agree(signs a, signs b, signs c) {
    return (a.above & b.above & c.above) | (a.below & b.below & c.below);
}

// Returns S.
static inline floats extents(const pairs* p) {
    floats sum = floats_splat(0);
    for (int d = 0; d < 3; ++d) {
        const vector* q = p->q;
        const floats most = floats_max(greatest3(q[0].x[d], q[1].x[d], q[2].x[d]),
                                       greatest3(q[3].x[d], q[4].x[d], q[5].x[d]));
        const floats least = floats_min(least3(q[0].x[d], q[1].x[d], q[2].x[d]),
                                        least3(q[3].x[d], q[4].x[d], q[5].x[d]));
        sum += most - least;
    }
    return sum;
}

static inline vector turned(vector a) {
    return (vector){{-a.x[0], -a.x[1], -a.x[2]}};
}

// Returns the lanes that certainly touch. The edges e and f are those of lanes_tested().
static uint32_t lanes_touch(const pairs* p, const vector e[3], const vector f[3],
                            const vector normal[2]) {
    const vector* q = p->q;
    const floats size = extents(p);
    const floats wide = size + 2 * p->slack;
    const floats error = 4 * ((wide * wide) * (p->slack + size * 0x1p-23f));
    const uint32_t sized = floats_le(floats_splat(0x1p-30f), size) &
                           floats_le(size, floats_splat(0x1p30f));
    const vector around[2][3] = {{e[0], e[1], turned(e[2])}, {f[0], f[1], turned(f[2])}};
    signs height[2][3];
    signs passes[3][3];
    for (int i = 0; i < 3; ++i) {
        height[0][i] = signs_of(dot(normal[1], subtract(q[i], q[3])), error);
        height[1][i] = signs_of(dot(normal[0], q[3 + i]), error);
        for (int j = 0; j < 3; ++j) {
            const vector axis = cross(around[0][i], around[1][j]);
            passes[i][j] = signs_of(dot(axis, subtract(q[3 + j], q[i])), error);
        }
    }
    uint32_t touch = 0;
    for (int i = 0; i < 3; ++i) {
        const int next = (i + 1) % 3;
        touch |= differ(height[0][i], height[0][next]) &
                 agree(passes[i][0], passes[i][1], passes[i][2]);
        touch |= differ(height[1][i], height[1][next]) &
                 agree(passes[0][i], passes[1][i], passes[2][i]);
    }
    return touch & sized;
}

// Returns the lanes, FLOAT_LANES from `lane` on, that are certainly apart, and 16 bits higher those
// that certainly touch.
static inline uint32_t lanes_tested(const abut__points_batch* batch, size_t lane, uint32_t valid) {
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
    const uint32_t touch = (valid & ~apart) != 0 ? lanes_touch(&p, e, f, normal) : 0;
    return (apart & valid) | (touch & valid) << 16;
}

uint32_t ABUT_KERNEL(points_apart)(const abut__points_batch* batch, uint32_t valid) {
    uint32_t found = 0;
    for (size_t lane = 0; lane < 16; lane += FLOAT_LANES) {
        const uint32_t lanes = valid >> lane & FLOAT_BITS;
        if (lanes != 0) {
            found |= lanes_tested(batch, lane, lanes) << lane;
        }
    }
    return found;
}
