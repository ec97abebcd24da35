// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// From a point to triangles: boxes and discs of a block's lanes within reach; bounds of the distances of
// sixteen triangles in float; the distances of sixteen pairs in double (simd/point_search.h).
#include <math.h>

#include "simd/kernels.h"
#include "simd/lanes.h"

// Squared gaps are rounded as in nearest_kernel.c.
uint64_t ABUT_KERNEL(reach_lanes)(const abut__block_boxes* boxes, uint64_t lanes,
                                  const float point[3], float limit_sq) {
    const floats zero = {0};
    uint64_t mask = 0;
    for (uint32_t first = 0; first < ABUT__BLOCK_TRIANGLES; first += FLOAT_LANES) {
        if ((lanes >> first & FLOAT_BITS) == 0) {
            continue;
        }
        floats sum = zero;
        for (int d = 0; d < 3; ++d) {
            const floats lo = floats_load(boxes->lo[d] + first);
            const floats hi = floats_load(boxes->hi[d] + first);
            const floats gap = floats_max(floats_max(lo - point[d], point[d] - hi), zero);
            sum += gap * gap;
        }
        mask |= (uint64_t)floats_le(sum, floats_splat(limit_sq)) << first;
    }
    return mask & lanes;
}

typedef struct {
    floats x[3];
} floats3;

static inline floats dot(const floats3* a, const floats3* b) {
    return a->x[0] * b->x[0] + a->x[1] * b->x[1] + a->x[2] * b->x[2];
}

static inline floats3 load3(const float (*rows)[ABUT__BLOCK_TRIANGLES], uint32_t first) {
    return (floats3){
        {floats_load(rows[0] + first), floats_load(rows[1] + first), floats_load(rows[2] + first)}};
}

static inline void store3(float (*rows)[ABUT__BLOCK_TRIANGLES], uint32_t first, const floats3* v) {
    for (int d = 0; d < 3; ++d) {
        floats_store(rows[d] + first, v->x[d]);
    }
}

// Makes a vector a unit one, or 0 if its square is too small.
static inline void make_unit(floats3* n) {
    const floats square = dot(n, n);
    const uint32_t good = floats_le(floats_splat(0x1p-100f), square);
    const floats length = floats_sqrt(floats_keep(square, good, INFINITY));
    for (int d = 0; d < 3; ++d) {
        n->x[d] = floats_keep(n->x[d] / length, good, 0);
    }
}

// The heights of corners make up for a normal that rounding has turned.
static inline void disc_step(const floats3 corner[3], uint32_t first, abut__discs* out) {
    floats3 centre;
    floats3 u;
    floats3 v;
    for (int d = 0; d < 3; ++d) {
        centre.x[d] = ((corner[0].x[d] + corner[1].x[d]) + corner[2].x[d]) * (1.0f / 3);
        u.x[d] = corner[1].x[d] - corner[0].x[d];
        v.x[d] = corner[2].x[d] - corner[0].x[d];
    }
    floats3 n = {{u.x[1] * v.x[2] - u.x[2] * v.x[1], u.x[2] * v.x[0] - u.x[0] * v.x[2],
                  u.x[0] * v.x[1] - u.x[1] * v.x[0]}};
    make_unit(&n);
    floats square = {0};
    floats height = {0};
    for (int c = 0; c < 3; ++c) {
        floats3 w;
        for (int d = 0; d < 3; ++d) {
            w.x[d] = corner[c].x[d] - centre.x[d];
        }
        square = floats_max(dot(&w, &w), square);
        height = floats_max(floats_abs(dot(&n, &w)), height);
    }
    store3(out->centre, first, &centre);
    store3(out->normal, first, &n);
    floats_store(out->radius + first, floats_sqrt(square));
    floats_store(out->height + first, height);
}

void ABUT_KERNEL(make_discs)(const abut__block* block, const abut__block_points* points,
                             abut__discs* out) {
    for (uint32_t first = 0; first < ABUT__BLOCK_TRIANGLES; first += FLOAT_LANES) {
        floats3 corner[3];
        for (int c = 0; c < 3; ++c) {
            for (int d = 0; d < 3; ++d) {
                float x[FLOAT_LANES];
                for (uint32_t k = 0; k < FLOAT_LANES; ++k) {
                    x[k] = points->xyz[d][block->corner[c][first + k]];
                }
                corner[c].x[d] = floats_load(x);
            }
        }
        disc_step(corner, first, out);
    }
}

static inline floats least_points(const float row[ABUT__BLOCK_VERTICES]) {
    floats least = floats_load(row);
    for (uint32_t first = FLOAT_LANES; first < ABUT__BLOCK_VERTICES; first += FLOAT_LANES) {
        least = floats_min(floats_load(row + first), least);
    }
    return least;
}

static inline floats greatest_points(const float row[ABUT__BLOCK_VERTICES]) {
    floats greatest = floats_load(row);
    for (uint32_t first = FLOAT_LANES; first < ABUT__BLOCK_VERTICES; first += FLOAT_LANES) {
        greatest = floats_max(floats_load(row + first), greatest);
    }
    return greatest;
}

// Sets the mean normal, or 0. Sixteen sums, whatever the width of vectors, so that all sets agree.
static inline void set_normal(const abut__discs* discs, float normal[3]) {
    double sum[3];
    for (int d = 0; d < 3; ++d) {
        float part[16] = {0};
        for (uint32_t first = 0; first < ABUT__BLOCK_TRIANGLES; first += 16) {
            for (uint32_t k = 0; k < 16; k += FLOAT_LANES) {
                floats_store(part + k,
                             floats_load(part + k) + floats_load(discs->normal[d] + first + k));
            }
        }
        sum[d] = 0;
        for (uint32_t k = 0; k < 16; ++k) {
            sum[d] += (double)part[k];
        }
    }
    const double length = sqrt(sum[0] * sum[0] + sum[1] * sum[1] + sum[2] * sum[2]);
    for (int d = 0; d < 3; ++d) {
        normal[d] = length > 0x1p-10 ? (float)(sum[d] / length) : 0;
    }
}

// Returns the vectors from the centre to points.
static inline floats3 from_centre(const abut__block_points* points, uint32_t first,
                                  const float centre[3]) {
    return (floats3){{floats_load(points->xyz[0] + first) - centre[0],
                      floats_load(points->xyz[1] + first) - centre[1],
                      floats_load(points->xyz[2] + first) - centre[2]}};
}

// The centre is that of the box, moved along the normal to half the height.
void ABUT_KERNEL(block_disc)(const abut__discs* discs, const abut__block_points* points,
                             abut__disc* out) {
    float* c = out->centre;
    set_normal(discs, out->normal);
    for (int d = 0; d < 3; ++d) {
        c[d] = 0.5f * floats_least(least_points(points->xyz[d])) +
               0.5f * floats_greatest(greatest_points(points->xyz[d]));
    }
    const floats3 n = {
        {floats_splat(out->normal[0]), floats_splat(out->normal[1]), floats_splat(out->normal[2])}};
    floats low = floats_splat(INFINITY);
    floats high = floats_splat(-INFINITY);
    for (uint32_t first = 0; first < ABUT__BLOCK_VERTICES; first += FLOAT_LANES) {
        const floats3 w = from_centre(points, first, c);
        const floats h = dot(&n, &w);
        low = floats_min(h, low);
        high = floats_max(h, high);
    }
    const float middle = 0.5f * (floats_least(low) + floats_greatest(high));
    for (int d = 0; d < 3; ++d) {
        c[d] += middle * out->normal[d];
    }
    floats square = {0};
    floats height = {0};
    for (uint32_t first = 0; first < ABUT__BLOCK_VERTICES; first += FLOAT_LANES) {
        const floats3 w = from_centre(points, first, c);
        square = floats_max(dot(&w, &w), square);
        height = floats_max(floats_abs(dot(&n, &w)), height);
    }
    out->radius = sqrtf(floats_greatest(square));
    out->height = floats_greatest(height);
}

// With d the vector from the centre to the point, h its height above the plane and l the length of
// the rest, the distance is at least that of (h - height, l - radius), each at least 0. The square of
// l is a difference, off by less than 2^-19 of d . d, which is returned, too.
static inline floats disc_gap_sq(const floats3* centre, const floats3* normal, floats radius,
                                 floats height, const float point[3], floats* square) {
    const floats zero = {0};
    const floats3 d = {{point[0] - centre->x[0], point[1] - centre->x[1], point[2] - centre->x[2]}};
    *square = dot(&d, &d);
    const floats h = floats_abs(dot(normal, &d));
    const floats beside = floats_sqrt(floats_max(*square * (1 - 0x1p-19f) - h * h, zero));
    const floats up = floats_max(h - height, zero);
    const floats out = floats_max(beside - radius, zero);
    return up * up + out * out;
}

static inline floats lane_gap_sq(const abut__discs* discs, uint32_t first, const float point[3],
                                 floats* square) {
    const floats3 centre = load3(discs->centre, first);
    const floats3 normal = load3(discs->normal, first);
    return disc_gap_sq(&centre, &normal, floats_load(discs->radius + first),
                       floats_load(discs->height + first), point, square);
}

uint64_t ABUT_KERNEL(disc_lanes)(const abut__discs* discs, uint64_t lanes, const float point[3],
                                 float distance) {
    const floats limit = floats_splat(distance * distance);
    uint64_t mask = 0;
    for (uint32_t first = 0; first < ABUT__BLOCK_TRIANGLES; first += FLOAT_LANES) {
        if ((lanes >> first & FLOAT_BITS) == 0) {
            continue;
        }
        floats unused;
        const floats gap_sq = lane_gap_sq(discs, first, point, &unused);
        mask |= (uint64_t)floats_le(gap_sq, limit) << first;
    }
    return mask & lanes;
}

// All lanes are computed, because those beyond the last triangle repeat the first one.
uint64_t ABUT_KERNEL(disc_nearest)(const abut__discs* discs, const float point[3], float error,
                                   float* distance, uint32_t* nearest,
                                   float gap_sq[ABUT__BLOCK_TRIANGLES]) {
    floats gaps[ABUT__BLOCK_TRIANGLES / FLOAT_LANES];
    floats squares[ABUT__BLOCK_TRIANGLES / FLOAT_LANES];
    floats least = floats_splat(INFINITY);
    uint64_t mask = 0;
    for (uint32_t i = 0; i < ABUT__BLOCK_TRIANGLES / FLOAT_LANES; ++i) {
        gaps[i] = lane_gap_sq(discs, i * FLOAT_LANES, point, &squares[i]);
        floats_store(gap_sq + i * FLOAT_LANES, gaps[i]);
        least = floats_min(squares[i], least);
    }
    const float square = floats_least(least);
    const float centre = (sqrtf(square) + error) * (1 + 0x1p-20f);
    if (centre < *distance) {
        uint64_t here = 0;
        for (uint32_t i = 0; i < ABUT__BLOCK_TRIANGLES / FLOAT_LANES; ++i) {
            here |= (uint64_t)floats_le(squares[i], floats_splat(square)) << i * FLOAT_LANES;
        }
        *distance = centre;
        *nearest = (uint32_t)__builtin_ctzll(here);
    }
    const float most = (*distance + error) * (1 + 0x1p-19f);
    const floats limit = floats_splat(most * most);
    for (uint32_t i = 0; i < ABUT__BLOCK_TRIANGLES / FLOAT_LANES; ++i) {
        mask |= (uint64_t)floats_le(gaps[i], limit) << i * FLOAT_LANES;
    }
    return mask;
}

uint32_t ABUT_KERNEL(points_near)(const abut__near_points* points, const abut__box3* box) {
    uint32_t mask = 0;
    for (uint32_t k = 0; k < 16; k += FLOAT_LANES) {
        const floats zero = {0};
        floats sum = zero;
        for (int d = 0; d < 3; ++d) {
            const floats x = floats_load(points->at[d] + k);
            const floats gap = floats_max(floats_max(box->lo[d] - x, x - box->hi[d]), zero);
            sum += gap * gap;
        }
        mask |= floats_le(sum, floats_load(points->limit_sq + k)) << k;
    }
    return mask;
}

// The disc and the points change places, which changes the signs of vectors only.
uint32_t ABUT_KERNEL(points_near_disc)(const abut__near_points* points, const abut__disc* disc) {
    const floats3 normal = {{floats_splat(disc->normal[0]), floats_splat(disc->normal[1]),
                             floats_splat(disc->normal[2])}};
    uint32_t mask = 0;
    for (uint32_t k = 0; k < 16; k += FLOAT_LANES) {
        const floats3 at = {{floats_load(points->at[0] + k), floats_load(points->at[1] + k),
                             floats_load(points->at[2] + k)}};
        floats unused;
        const floats gap_sq = disc_gap_sq(&at, &normal, floats_splat(disc->radius),
                                          floats_splat(disc->height), disc->centre, &unused);
        mask |= floats_le(gap_sq, floats_load(points->disc_limit_sq + k)) << k;
    }
    return mask;
}

uint32_t ABUT_KERNEL(packs_near)(const abut__near_packs* packs, const abut__box3* box) {
    const floats zero = {0};
    uint32_t mask = 0;
    for (uint32_t k = 0; k < 16; k += FLOAT_LANES) {
        floats sum = zero;
        for (int d = 0; d < 3; ++d) {
            const floats below = box->lo[d] - floats_load(packs->hi[d] + k);
            const floats above = floats_load(packs->lo[d] + k) - box->hi[d];
            const floats gap = floats_max(floats_max(below, above), zero);
            sum += gap * gap;
        }
        mask |= floats_le(sum, floats_load(packs->limit_sq + k)) << k;
    }
    return mask;
}

// 0 for a number that is not one
static inline floats clamp(floats a, floats most) {
    return floats_min(floats_max(a, (floats){0}), most);
}

// Takes a - s u - t v if it is shorter than `best`.
static inline void take_shorter(const floats3* a, floats s, const floats3* u, floats t,
                                const floats3* v, floats3* best, floats* square) {
    floats3 n;
    for (int d = 0; d < 3; ++d) {
        n.x[d] = (a->x[d] - s * u->x[d]) - t * v->x[d];
    }
    const floats own = dot(&n, &n);
    for (int d = 0; d < 3; ++d) {
        best->x[d] = floats_pick_less(own, *square, n.x[d], best->x[d]);
    }
    *square = floats_min(own, *square);
}

// Every n is the vector to the point from a point of the triangle, up to rounding, because weights
// are clamped: its length is an upper bound of the distance. The least of the corners' heights below
// the point, along any n, is a lower bound. Neither rests on the accuracy of the weights.
static inline void bound_step(const float corner[3][3][16], const floats3* point, uint32_t first,
                              float lower[16], float upper[16]) {
    const floats zero = {0};
    const floats one = zero + 1.0f;
    floats3 w[3];
    floats3 e[3];
    for (int c = 0; c < 3; ++c) {
        for (int d = 0; d < 3; ++d) {
            w[c].x[d] = point->x[d] - floats_load(corner[c][d] + first);
        }
    }
    for (int c = 0; c < 3; ++c) {
        for (int d = 0; d < 3; ++d) {
            e[c].x[d] = w[c].x[d] - w[(c + 1) % 3].x[d];
        }
    }
    floats3 best = w[0];
    floats square = dot(&best, &best);
    floats ee[3];
    floats we[3];
    for (int c = 0; c < 3; ++c) {
        ee[c] = dot(&e[c], &e[c]);
        we[c] = dot(&w[c], &e[c]);
        take_shorter(&w[c], clamp(we[c] / ee[c], one), &e[c], zero, &e[c], &best, &square);
    }
    // the face: w0 = s e0 - t e2 + n, with n orthogonal to both edges
    const floats mixed = dot(&e[0], &e[2]);
    const floats along = -dot(&w[0], &e[2]);
    const floats inverse = 1.0f / (ee[0] * ee[2] - mixed * mixed);
    const floats s = clamp((we[0] * ee[2] + along * mixed) * inverse, one);
    const floats t = clamp((along * ee[0] + we[0] * mixed) * inverse, one - s);
    take_shorter(&w[0], s, &e[0], -t, &e[2], &best, &square);
    const floats length = floats_sqrt(square);
    const floats height = floats_min(floats_min(dot(&best, &w[0]), dot(&best, &w[1])),
                                     dot(&best, &w[2]));
    floats_store(upper + first, length);
    floats_store(lower + first, floats_max(height / length, zero));
}

void ABUT_KERNEL(bound_point)(const abut__point_lanes* lanes, uint32_t valid, float lower[16],
                              float upper[16]) {
    const floats3 point = {{floats_splat(lanes->point[0]), floats_splat(lanes->point[1]),
                            floats_splat(lanes->point[2])}};
    for (uint32_t first = 0; first < 16; first += FLOAT_LANES) {
        if ((valid >> first & FLOAT_BITS) != 0) {
            bound_step(lanes->corner, &point, first, lower, upper);
        }
    }
}

void ABUT_KERNEL(bound_point_pairs)(const abut__point_pairs* pairs, uint32_t valid, float lower[16],
                                    float upper[16]) {
    for (uint32_t first = 0; first < 16; first += FLOAT_LANES) {
        if ((valid >> first & FLOAT_BITS) != 0) {
            const floats3 point = {{floats_load(pairs->point[0] + first),
                                    floats_load(pairs->point[1] + first),
                                    floats_load(pairs->point[2] + first)}};
            bound_step(pairs->corner, &point, first, lower, upper);
        }
    }
}

// ---- distances in double

typedef doubles number;
static inline number least(number a, number b) {
    return doubles_min(a, b);
}
static inline number greatest(number a, number b) {
    return doubles_max(a, b);
}
static inline number root(number a) {
    return doubles_sqrt(a);
}
static inline number pick_less(number a, number b, number x, number y) {
    return doubles_pick_less(a, b, x, y);
}
#include "simd/point_search.h"

// Returns the lanes that are decided.
static inline uint32_t measure(const abut__point_batch* batch, int first, abut__distances* out) {
    number t[3][3];
    number x[3];
    number extent = (number){0};
    for (int k = 0; k < 3; ++k) {
        for (int i = 0; i < 3; ++i) {
            t[i][k] = doubles_load(&batch->corner[i][k][first]);
        }
        x[k] = doubles_load(&batch->point[k][first]);
        const number lo = least(least(t[0][k], t[1][k]), t[2][k]);
        const number hi = greatest(greatest(t[0][k], t[1][k]), t[2][k]);
        extent = greatest(extent, greatest(hi, x[k]) - least(lo, x[k]));
    }
    const number zero = (number){0};
    const uint32_t usual = doubles_le(zero + 0x1p-900, extent) & doubles_le(extent, zero + 0x1p900);
    // the power of two at or below the extent, and its inverse: exponents sum to twice the bias
    const longs unit = (longs)extent & 0x7ff0000000000000;
    const longs inverse = 0x7fe0000000000000 - unit;
    for (int k = 0; k < 3; ++k) {
        for (int i = 0; i < 3; ++i) {
            t[i][k] *= (number)inverse;
        }
        x[k] *= (number)inverse;
    }
    closest_points found;
    number doubt;
    const number distance = search_point((const number(*)[3])t, x, &found, &doubt);
    doubles_store(out->distance + first, distance * (number)unit);
    doubles_store(out->s + first, found.s);
    doubles_store(out->t + first, found.t);
    doubles_store(out->feature + first, found.feature);
    return usual & doubles_le(doubt, zero);
}

void ABUT_KERNEL(measure_points)(const abut__point_batch* batch, uint32_t valid,
                                 abut__distances* out) {
    out->open = valid;
    for (int first = 0; first < 16; first += DOUBLE_LANES) {
        if ((valid >> first & DOUBLE_BITS) != 0) {
            out->open &= ~(measure(batch, first, out) << first);
        }
    }
}
