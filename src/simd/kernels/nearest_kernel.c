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

// Returns the lanes, FLOAT_LANES from `first` on, that may be within the limit of a box.
static inline uint32_t near_step(const abut__block_boxes* boxes, uint32_t first,
                                 const abut__box3* box, float limit) {
    const floats zero = {0};
    floats sum = zero;
    for (int d = 0; d < 3; ++d) {
        const floats lo = floats_load(boxes->lo[d] + first);
        const floats hi = floats_load(boxes->hi[d] + first);
        const floats gap = floats_max(floats_max(lo - box->hi[d], box->lo[d] - hi), zero);
        sum += gap * gap;
    }
    return floats_le(sum, floats_splat(limit));
}

static inline uint64_t near_lanes(const abut__block_boxes* boxes, uint64_t lanes,
                                  const abut__box3* box, float limit) {
    uint64_t mask = 0;
    for (uint32_t first = 0; first < ABUT__BLOCK_TRIANGLES; first += FLOAT_LANES) {
        if ((lanes >> first & FLOAT_BITS) != 0) {
            mask |= (uint64_t)near_step(boxes, first, box, limit) << first;
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

// Returns the squared distances of twice the centres; infinity for other lanes.
static inline floats centre_distances(const abut__block_boxes* boxes, uint32_t first,
                                      uint32_t lanes, const abut__box3* box) {
    floats sum = {0};
    for (int d = 0; d < 3; ++d) {
        const floats lo = floats_load(boxes->lo[d] + first);
        const floats hi = floats_load(boxes->hi[d] + first);
        const floats difference = (lo + hi) - (box->lo[d] + box->hi[d]);
        sum += difference * difference;
    }
    return floats_keep(sum, lanes, INFINITY);
}

uint32_t ABUT_KERNEL(closest_lane)(const abut__block_boxes* boxes, uint64_t lanes,
                                   const abut__box3* box) {
    floats sum[ABUT__BLOCK_TRIANGLES / FLOAT_LANES];
    floats least = floats_splat(INFINITY);
    for (uint32_t i = 0; i < ABUT__BLOCK_TRIANGLES / FLOAT_LANES; ++i) {
        const uint32_t valid = lanes >> i * FLOAT_LANES & FLOAT_BITS;
        sum[i] = centre_distances(boxes, i * FLOAT_LANES, valid, box);
        least = floats_min(sum[i], least);
    }
    const float nearest = floats_least(least);
    uint64_t mask = 0;
    for (uint32_t i = 0; i < ABUT__BLOCK_TRIANGLES / FLOAT_LANES; ++i) {
        mask |= (uint64_t)floats_le(sum[i], floats_splat(nearest)) << i * FLOAT_LANES;
    }
    return (uint32_t)__builtin_ctzll(nearest < INFINITY ? mask & lanes : lanes);
}

static inline floats heights(const abut__block_points* points, uint32_t first,
                             const float direction[3]) {
    return (floats_load(points->xyz[0] + first) * direction[0] +
            floats_load(points->xyz[1] + first) * direction[1]) +
           floats_load(points->xyz[2] + first) * direction[2];
}

uint64_t ABUT_KERNEL(points_below)(const abut__block_points* points, const float direction[3],
                                   float height) {
    uint64_t mask = 0;
    for (uint32_t first = 0; first < ABUT__BLOCK_VERTICES; first += FLOAT_LANES) {
        const floats own = heights(points, first, direction);
        mask |= (uint64_t)floats_le(own, floats_splat(height)) << first;
    }
    return mask;
}

uint32_t ABUT_KERNEL(lowest_point)(const abut__block_points* points, const float direction[3]) {
    floats least = floats_splat(INFINITY);
    for (uint32_t first = 0; first < ABUT__BLOCK_VERTICES; first += FLOAT_LANES) {
        least = floats_min(heights(points, first, direction), least);
    }
    const uint64_t lowest = ABUT_KERNEL(points_below)(points, direction, floats_least(least));
    return lowest != 0 ? (uint32_t)__builtin_ctzll(lowest) : 0;
}

typedef struct {
    floats x[3];
} lanes3;

static inline lanes3 load3(const float (*rows)[ABUT__BLOCK_TRIANGLES], uint32_t first) {
    lanes3 v;
    for (int d = 0; d < 3; ++d) {
        v.x[d] = floats_load(rows[d] + first);
    }
    return v;
}

static inline floats dot3(const lanes3* a, const lanes3* b) {
    return a->x[0] * b->x[0] + a->x[1] * b->x[1] + a->x[2] * b->x[2];
}

static inline floats least3(floats a, floats b, floats c) {
    return floats_min(floats_min(a, b), c);
}
static inline floats greatest3(floats a, floats b, floats c) {
    return floats_max(floats_max(a, b), c);
}

// Returns a unit vector, or 0 if the area is negligible.
static inline lanes3 unit_normal(const lanes3* u, const lanes3* v) {
    lanes3 n = {{u->x[1] * v->x[2] - u->x[2] * v->x[1], u->x[2] * v->x[0] - u->x[0] * v->x[2],
                 u->x[0] * v->x[1] - u->x[1] * v->x[0]}};
    const floats square = dot3(&n, &n);
    const uint32_t good = floats_le(floats_splat(0x1p-100f), square);
    const floats length = floats_sqrt(floats_keep(square, good, INFINITY));
    for (int d = 0; d < 3; ++d) {
        n.x[d] = floats_keep(n.x[d] / length, good, 0);
    }
    return n;
}

void ABUT_KERNEL(lane_normals)(abut__lane_corners* corners, uint64_t lanes) {
    for (uint32_t first = 0; first < ABUT__BLOCK_TRIANGLES; first += FLOAT_LANES) {
        if ((lanes >> first & FLOAT_BITS) == 0) {
            continue;
        }
        const lanes3 a = load3(corners->corner[0], first);
        lanes3 u = load3(corners->corner[1], first);
        lanes3 v = load3(corners->corner[2], first);
        for (int d = 0; d < 3; ++d) {
            u.x[d] -= a.x[d];
            v.x[d] -= a.x[d];
        }
        const lanes3 n = unit_normal(&u, &v);
        for (int d = 0; d < 3; ++d) {
            floats_store(corners->normal[d] + first, n.x[d]);
        }
    }
}

// Returns how far three heights are on one side.
static inline floats one_side(const floats h[3]) {
    return floats_max(least3(h[0], h[1], h[2]), -greatest3(h[0], h[1], h[2]));
}

// Returns the lanes among `valid`, FLOAT_LANES from `first` on, that may be within the distance.
static inline uint32_t step_within(const float p[3][3], const lanes3* normal_p,
                                   const abut__lane_corners* corners, uint32_t first,
                                   uint32_t valid, float distance) {
    lanes3 q[3];
    floats above_p[3];
    floats above_q[3];
    lanes3 middle = {{{0}, {0}, {0}}};
    const lanes3 normal_q = load3(corners->normal, first);
    for (int c = 0; c < 3; ++c) {
        q[c] = load3(corners->corner[c], first);
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
    const floats gap = floats_max(one_side(above_p), one_side(above_q));
    const uint32_t lanes = valid & floats_le(gap, floats_splat(distance));
    if (lanes == 0) {
        return 0;
    }
    // along the line between the centroids, relative to p's first corner
    floats bottom = {0};
    floats top = {0};
    for (int c = 0; c < 3; ++c) {
        lanes3 w;
        lanes3 v;
        for (int d = 0; d < 3; ++d) {
            w.x[d] = q[c].x[d] - p[0][d];
            v.x[d] = floats_splat(p[c][d] - p[0][d]);
        }
        const floats height_q = dot3(&middle, &w);
        const floats height_p = dot3(&middle, &v);
        bottom = c == 0 ? height_q : floats_min(bottom, height_q);
        top = c == 0 ? height_p : floats_max(top, height_p);
    }
    const floats between = floats_max(bottom - top, (floats){0});
    return lanes & floats_le(between * between, distance * distance * dot3(&middle, &middle));
}

uint64_t ABUT_KERNEL(lanes_within)(const float p[3][3], const abut__lane_corners* corners,
                                   uint64_t lanes, float distance) {
    lanes3 u;
    lanes3 v;
    for (int d = 0; d < 3; ++d) {
        u.x[d] = floats_splat(p[1][d] - p[0][d]);
        v.x[d] = floats_splat(p[2][d] - p[0][d]);
    }
    const lanes3 normal_p = unit_normal(&u, &v);
    uint64_t mask = 0;
    for (uint32_t first = 0; first < ABUT__BLOCK_TRIANGLES; first += FLOAT_LANES) {
        const uint32_t valid = lanes >> first & FLOAT_BITS;
        if (valid != 0) {
            mask |= (uint64_t)step_within(p, &normal_p, corners, first, valid, distance) << first;
        }
    }
    return mask;
}
