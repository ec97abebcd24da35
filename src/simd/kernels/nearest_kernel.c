// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Distances of boxes, which prune a search for the closest triangles. Squared distances are sums of
// three squared gaps, each rounded: at most 6 units of 2^-24 off, which the caller must allow for.
// The shift grows boxes by their own errors.
#include <math.h>

#include "simd/kernels.h"
#include "simd/lanes.h"
#include "simd/layout.h"

static inline f32x8 distances_sq(const abut__box3* box, const f32x8 lo[3], const f32x8 hi[3]) {
    const f32x8 zero = {0};
    f32x8 sum = zero;
    for (int d = 0; d < 3; ++d) {
        const f32x8 gap = f32x8_max(f32x8_max(lo[d] - box->hi[d], box->lo[d] - hi[d]), zero);
        sum += gap * gap;
    }
    return sum;
}

void ABUT_KERNEL(distance_box)(const abut__box3* box, const abut__boxes8* b, float out[ABUT__FAN]) {
    f32x8 lo[3];
    f32x8 hi[3];
    for (int d = 0; d < 3; ++d) {
        lo[d] = f32x8_load(b->lo[d]);
        hi[d] = f32x8_load(b->hi[d]);
    }
    f32x8_store(out, distances_sq(box, lo, hi));
}

void ABUT_KERNEL(distance_nodes)(const abut__boxes8* a, uint32_t count_a, const abut__boxes8* b,
                                 const abut__shift* shift, float out[ABUT__FAN][ABUT__FAN]) {
    f32x8 lo[3];
    f32x8 hi[3];
    for (int d = 0; d < 3; ++d) {
        lo[d] = f32x8_load(b->lo[d]);
        hi[d] = f32x8_load(b->hi[d]);
    }
    for (uint32_t i = 0; i < count_a; ++i) {
        abut__box3 box;
        for (int d = 0; d < 3; ++d) {
            box.lo[d] = a->lo[d][i] + shift->lo[d];
            box.hi[d] = a->hi[d][i] + shift->hi[d];
        }
        f32x8_store(out[i], distances_sq(&box, lo, hi));
    }
}

// Returns the lanes of one group that may be within the limit of a box.
static inline uint32_t near_group(const abut__block_boxes* boxes, uint32_t group,
                                  const abut__box3* box, float limit) {
    const f32x16 zero = {0};
    f32x16 sum = zero;
    for (int d = 0; d < 3; ++d) {
        const f32x16 lo = f32x16_load(boxes->lo[d] + 16 * group);
        const f32x16 hi = f32x16_load(boxes->hi[d] + 16 * group);
        const f32x16 gap = f32x16_max(f32x16_max(lo - box->hi[d], box->lo[d] - hi), zero);
        sum += gap * gap;
    }
    return f32x16_le(sum, f32x16_splat(limit));
}

static inline uint64_t near_lanes(const abut__block_boxes* boxes, uint64_t lanes,
                                  const abut__box3* box, float limit) {
    uint64_t mask = 0;
    for (uint32_t g = 0; g < 3; ++g) {
        if ((lanes >> (16 * g) & 0xffff) != 0) {
            mask |= (uint64_t)near_group(boxes, g, box, limit) << (16 * g);
        }
    }
    return mask & lanes;
}

// First excludes lanes that are too far from the box around the other block: most are.
uint64_t ABUT_KERNEL(near_rows)(const abut__block_boxes* a, uint64_t lanes_a,
                                const abut__block_boxes* b, uint64_t lanes_b,
                                const abut__shift* shift, float greatest_limit,
                                const float limits[ABUT__BLOCK_TRIANGLES],
                                uint64_t rows[ABUT__BLOCK_TRIANGLES]) {
    abut__box3 around_a;
    abut__box3 around_b;
    for (int d = 0; d < 3; ++d) {
        around_a.lo[d] = a->all.lo[d] + shift->lo[d];
        around_a.hi[d] = a->all.hi[d] + shift->hi[d];
        around_b.lo[d] = b->all.lo[d] - shift->hi[d];
        around_b.hi[d] = b->all.hi[d] - shift->lo[d];
    }
    lanes_b = near_lanes(b, lanes_b, &around_a, greatest_limit);
    lanes_a = lanes_b != 0 ? near_lanes(a, lanes_a, &around_b, greatest_limit) : 0;
    uint64_t found = 0;
    for (uint64_t left = lanes_a; left != 0; left &= left - 1) {
        const uint32_t i = (uint32_t)__builtin_ctzll(left);
        abut__box3 box;
        for (int d = 0; d < 3; ++d) {
            box.lo[d] = a->lo[d][i] + shift->lo[d];
            box.hi[d] = a->hi[d][i] + shift->hi[d];
        }
        rows[i] = near_lanes(b, lanes_b, &box, limits[i]);
        found |= (uint64_t)(rows[i] != 0) << i;
    }
    return found;
}

uint32_t ABUT_KERNEL(closest_lane)(const abut__block_boxes* boxes, uint64_t lanes,
                                   const abut__box3* box) {
    uint32_t best = (uint32_t)__builtin_ctzll(lanes);
    float least = INFINITY;
    for (uint32_t g = 0; g < 3; ++g) {
        const uint32_t group = lanes >> (16 * g) & 0xffff;
        if (group == 0) {
            continue;
        }
        f32x16 sum = {0};
        for (int d = 0; d < 3; ++d) {
            const f32x16 lo = f32x16_load(boxes->lo[d] + 16 * g);
            const f32x16 hi = f32x16_load(boxes->hi[d] + 16 * g);
            const f32x16 difference = (lo + hi) - (box->lo[d] + box->hi[d]);
            sum += difference * difference;
        }
        sum = f32x16_keep(sum, group, INFINITY);
        const float nearest = f32x16_least(sum);
        if (nearest < least) {
            least = nearest;
            best = 16 * g + (uint32_t)__builtin_ctz(f32x16_le(sum, f32x16_splat(nearest)) & group);
        }
    }
    return best;
}

typedef struct {
    f32x16 x[3];
} lanes3;

static inline lanes3 load3(const float (*rows)[ABUT__BLOCK_TRIANGLES], uint32_t group) {
    lanes3 v;
    for (int d = 0; d < 3; ++d) {
        v.x[d] = f32x16_load(rows[d] + 16 * group);
    }
    return v;
}

static inline f32x16 dot3(const lanes3* a, const lanes3* b) {
    return a->x[0] * b->x[0] + a->x[1] * b->x[1] + a->x[2] * b->x[2];
}

static inline f32x16 least3(f32x16 a, f32x16 b, f32x16 c) {
    return f32x16_min(f32x16_min(a, b), c);
}
static inline f32x16 greatest3(f32x16 a, f32x16 b, f32x16 c) {
    return f32x16_max(f32x16_max(a, b), c);
}

// Returns a unit vector, or 0 if the area is negligible.
static inline lanes3 unit_normal(const lanes3* u, const lanes3* v) {
    lanes3 n = {{u->x[1] * v->x[2] - u->x[2] * v->x[1], u->x[2] * v->x[0] - u->x[0] * v->x[2],
                 u->x[0] * v->x[1] - u->x[1] * v->x[0]}};
    const f32x16 square = dot3(&n, &n);
    const uint32_t good = f32x16_le(f32x16_splat(0x1p-100f), square);
    const f32x16 length = f32x16_sqrt(f32x16_keep(square, good, INFINITY));
    for (int d = 0; d < 3; ++d) {
        n.x[d] = f32x16_keep(n.x[d] / length, good, 0);
    }
    return n;
}

void ABUT_KERNEL(lane_normals)(abut__lane_corners* corners, uint64_t lanes) {
    for (uint32_t g = 0; g < 3; ++g) {
        if ((lanes >> (16 * g) & 0xffff) == 0) {
            continue;
        }
        const lanes3 a = load3(corners->corner[0], g);
        lanes3 u = load3(corners->corner[1], g);
        lanes3 v = load3(corners->corner[2], g);
        for (int d = 0; d < 3; ++d) {
            u.x[d] -= a.x[d];
            v.x[d] -= a.x[d];
        }
        const lanes3 n = unit_normal(&u, &v);
        for (int d = 0; d < 3; ++d) {
            f32x16_store(corners->normal[d] + 16 * g, n.x[d]);
        }
    }
}

// Returns how far three heights are on one side.
static inline f32x16 one_side(const f32x16 h[3]) {
    return f32x16_max(least3(h[0], h[1], h[2]), -greatest3(h[0], h[1], h[2]));
}

static inline uint32_t group_within(const float p[3][3], const lanes3* normal_p,
                                    const abut__lane_corners* corners, uint32_t g, float distance) {
    lanes3 q[3];
    f32x16 above_p[3];
    f32x16 above_q[3];
    lanes3 middle = {{{0}, {0}, {0}}};
    const lanes3 normal_q = load3(corners->normal, g);
    for (int c = 0; c < 3; ++c) {
        q[c] = load3(corners->corner[c], g);
        lanes3 w;
        lanes3 back;
        for (int d = 0; d < 3; ++d) {
            w.x[d] = q[c].x[d] - p[0][d];
            back.x[d] = p[c][d] - q[0].x[d];
            middle.x[d] += q[c].x[d] - p[c][d];
        }
        above_p[c] = dot3(normal_p, &w);
        above_q[c] = dot3(&normal_q, &back);
    }
    const f32x16 gap = f32x16_max(one_side(above_p), one_side(above_q));
    uint32_t lanes = f32x16_le(gap, f32x16_splat(distance));
    if (lanes == 0) {
        return 0;
    }
    // along the line between the centroids, relative to p's first corner
    f32x16 bottom = {0};
    f32x16 top = {0};
    for (int c = 0; c < 3; ++c) {
        lanes3 w;
        lanes3 v;
        for (int d = 0; d < 3; ++d) {
            w.x[d] = q[c].x[d] - p[0][d];
            v.x[d] = f32x16_splat(p[c][d] - p[0][d]);
        }
        const f32x16 height_q = dot3(&middle, &w);
        const f32x16 height_p = dot3(&middle, &v);
        bottom = c == 0 ? height_q : f32x16_min(bottom, height_q);
        top = c == 0 ? height_p : f32x16_max(top, height_p);
    }
    const f32x16 between = f32x16_max(bottom - top, (f32x16){0});
    lanes &= f32x16_le(between * between, distance * distance * dot3(&middle, &middle));
    return lanes;
}

uint64_t ABUT_KERNEL(lanes_within)(const float p[3][3], const abut__lane_corners* corners,
                                   uint64_t lanes, float distance) {
    lanes3 u;
    lanes3 v;
    for (int d = 0; d < 3; ++d) {
        u.x[d] = f32x16_splat(p[1][d] - p[0][d]);
        v.x[d] = f32x16_splat(p[2][d] - p[0][d]);
    }
    const lanes3 normal_p = unit_normal(&u, &v);
    uint64_t mask = 0;
    for (uint32_t g = 0; g < 3; ++g) {
        if ((lanes >> (16 * g) & 0xffff) != 0) {
            mask |= (uint64_t)group_within(p, &normal_p, corners, g, distance) << (16 * g);
        }
    }
    return mask & lanes;
}
