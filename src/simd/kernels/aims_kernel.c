// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Aims many rays at the boxes of one body: what abut__ray_prepare() and abut__ray_aim() compute for one
// (query/cast_aim.c has the proof), with the same operations in the same order. Rays of unusual size
// are left to these two.
#include <math.h>

#include "simd/kernels.h"
#include "simd/lanes.h"

typedef uint64_t words __attribute__((vector_size(8 * DOUBLE_LANES)));
typedef float halves __attribute__((vector_size(4 * DOUBLE_LANES)));

// Rounds to float.
static inline void store_floats(float* p, doubles v) {
    const halves rounded = __builtin_convertvector(v, halves);
    memcpy(p, &rounded, sizeof rounded);
}

static inline doubles with_sign(doubles size, doubles sign) {
    const words top = (words){0} + (UINT64_C(1) << 63);
    return (doubles)(((words)size & ~top) | ((words)sign & top));
}

// The direction times a power of two, and limits in the same units.
typedef struct scaled {
    doubles d[3];
    doubles inverse[3];
    doubles from;
    doubles to;
    uint32_t usual;  // a bit for each lane
} scaled;

static inline scaled scale_rays(abut__aim_rays* rays, uint32_t k) {
    scaled s;
    doubles most = doubles_splat(0);
    doubles least = doubles_splat((double)INFINITY);
    for (int i = 0; i < 3; ++i) {
        most = doubles_max(doubles_abs(doubles_load(rays->d[i] + k)), most);
    }
    const words biased = (words)most >> 52;
    const doubles up = (doubles)((biased + 1) << 52);
    const doubles down = (doubles)((2045 - biased) << 52);
    for (int i = 0; i < 3; ++i) {
        s.d[i] = doubles_load(rays->d[i] + k) * down;
        s.inverse[i] = 1 / s.d[i];
        least = doubles_min(doubles_abs(s.d[i]), least);
    }
    s.from = doubles_load(rays->from + k) * up;
    s.to = doubles_load(rays->to + k) * up;
    doubles_store(rays->scale + k, up);
    s.usual = doubles_le(doubles_splat(0x1p-900), most) & doubles_le(most, doubles_splat(0x1p800)) &
              doubles_le(doubles_splat(0x1p-120), least) &
              doubles_lt(doubles_abs(s.from), doubles_splat(1e300));
    return s;
}

// Clips rays to the box of the body. Returns those that meet it.
static inline uint32_t clip_rays(const abut__aim_body* body, const abut__aim_rays* rays, uint32_t k,
                                 scaled* s) {
    for (int i = 0; i < 3; ++i) {
        const doubles o = doubles_load(rays->o[i] + k);
        const doubles a = (body->lo[i] - o) * s->inverse[i];
        const doubles b = (body->hi[i] - o) * s->inverse[i];
        s->from = doubles_max(doubles_min(a, b), s->from);
        s->to = doubles_min(doubles_max(a, b), s->to);
    }
    s->from = s->from - 0x1p-48 * doubles_abs(s->from);
    s->to = s->to + 0x1p-48 * doubles_abs(s->to);
    return doubles_le(s->from, s->to);
}

// The number of the axis along which a ray goes fastest.
static inline doubles fastest(const doubles size[3], doubles x, doubles y, doubles z) {
    const doubles greater = doubles_max(size[1], size[0]);
    return doubles_pick_less(greater, size[2], z, doubles_pick_less(size[0], size[1], y, x));
}

static inline void set_shears(const scaled* s, const doubles at[3], doubles size, doubles pad,
                              uint32_t k, abut__aim_rays* rays) {
    const doubles* d = s->d;
    const doubles* i = s->inverse;
    const doubles a[3] = {doubles_abs(d[0]), doubles_abs(d[1]), doubles_abs(d[2])};
    store_floats(rays->shear_o[0] + k, fastest(a, at[1], at[2], at[0]));
    store_floats(rays->shear_o[1] + k, fastest(a, at[2], at[0], at[1]));
    store_floats(rays->shear_o[2] + k, fastest(a, at[0], at[1], at[2]));
    const doubles inverse = fastest(a, i[0], i[1], i[2]);
    store_floats(rays->slope[0] + k, fastest(a, d[1], d[2], d[0]) * inverse);
    store_floats(rays->slope[1] + k, fastest(a, d[2], d[0], d[1]) * inverse);
    const doubles none = doubles_splat((double)INFINITY);
    const doubles error = doubles_pick_less(size, doubles_splat(0x1p-40), none, 2 * pad);
    store_floats(rays->error + k, doubles_pick_less(doubles_splat(0x1p50), size, none, error));
    const uint32_t second = doubles_lt(a[0], a[1]);
    const uint32_t third = doubles_lt(doubles_max(a[1], a[0]), a[2]);
    rays->second |= second << k;
    rays->third |= third << k;
}

void ABUT_KERNEL(aim_rays)(const abut__aim_body* body, abut__aim_rays* rays) {
    memset(rays->back, 0, sizeof rays->back);
    rays->meets = rays->usual = rays->second = rays->third = 0;
    for (uint32_t k = 0; k < ABUT__PACK; k += DOUBLE_LANES) {
        scaled s = scale_rays(rays, k);
        rays->meets |= clip_rays(body, rays, k, &s) << k;
        const doubles length = s.to - s.from;
        doubles at[3];
        doubles size = doubles_splat(body->extent);
        doubles greatest = doubles_abs(s.from) + body->far;
        for (int i = 0; i < 3; ++i) {
            const doubles o = doubles_load(rays->o[i] + k);
            at[i] = (o - body->origin[i]) + s.from * s.d[i];
            size = doubles_max(doubles_abs(at[i]), size);
            greatest += doubles_abs(o) + fabs(body->origin[i]);
        }
        const doubles pad = 0x1p-21 * (size + length) + 0x1p-48 * (greatest + size) +
                            (double)ABUT__TINY;
        const uint32_t small = doubles_lt(size + length + pad, doubles_splat(body->limit));
        rays->usual |= (s.usual & small) << k;
        doubles_store(rays->start + k, s.from);
        store_floats(rays->limit + k, length * (1 + 0x1p-22) + (double)ABUT__TINY);
        for (int i = 0; i < 3; ++i) {
            const doubles most = with_sign(doubles_splat(0x1p60), s.d[i]);
            const doubles inverse = doubles_pick_less(doubles_abs(s.d[i]), doubles_splat(0x1p-60),
                                                      most, s.inverse[i]);
            const doubles outwards = with_sign(pad, inverse);
            store_floats(rays->near_o[i] + k, at[i] + outwards);
            store_floats(rays->far_o[i] + k, at[i] - outwards);
            store_floats(rays->inverse[i] + k, inverse);
            rays->back[i] |= doubles_lt(inverse, doubles_splat(0)) << k;
        }
        set_shears(&s, at, size, pad, k, rays);
    }
}
