// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// A ray against float boxes. The ray is clipped to a box in double, begins anew where it enters that
// box, and is rounded to float. So numbers are no greater than the body, however far the ray comes
// from.
//
// The pad. Let E be a bound of the coordinates of boxes and of the new origin, L the length of the
// ray, and u = 2^-24. Components of the direction are at most 1. Suppose that the exact ray is in a
// true box at s, 0 <= s <= L: lo <= o + s d along an axis. The kernel computes
// (lo' - o') * (1 / d'), where o' is the origin plus the pad. Errors: the box is off by u E, as are o'
// and the origin; the difference is rounded by u of itself, d' and its inverse by u, the product
// by u. Where the result is near s, the difference is about s d, at most L. So all errors together
// move the result by less than what u (3 E + 5 L) / d moves, and a pad of 8 u (E + L) = 2^-21 (E + L)
// makes it at most s. The same holds for the far side, so s is within all slabs. Components below
// 2^-60 are replaced by 2^-60, which moves the ray by 2^-60 L.
//   In double: the new origin is off by 2^-51 of the numbers that it is computed from, and vertices
// in the world by 2^-51 of theirs and of the frame's translation. 2^-48 of all of them is added.
//   A thick ray meets what is in boxes that are larger by its radius. Where it meets a triangle is off
// by 2^-40 of the greatest coordinate (cast_thick.c). 2^-36 of it is added, so that a box is never left
// out because the ray enters it after the first hit as computed.
#include <math.h>

#include "query/cast.h"

#define LEAST_COMPONENT 0x1p-60

// the axes of sheared coordinates, by the one along which a ray goes fastest
static const uint32_t axes[3][3] = {{1, 2, 0}, {2, 0, 1}, {0, 1, 2}};

void abut__ray_prepare(abut__cast_ray* ray) {
    const abut__ray* exact = &ray->exact;
    double most = 0;
    for (int k = 0; k < 3; ++k) {
        const double size = fabs(exact->d[k]);
        most = size > most ? size : most;
    }
    uint64_t bits;
    memcpy(&bits, &most, sizeof bits);
    const uint64_t biased = bits >> 52;
    ray->unbounded = most != 0 && !(biased > 100 && biased < 1900);
    // 2^(biased - 1022), which is above the greatest component, and at most twice it
    const uint64_t up = (most == 0 || ray->unbounded ? 1023 : biased + 1) << 52;
    const uint64_t down = (most == 0 || ray->unbounded ? 1023 : 2045 - biased) << 52;
    double inverse;
    memcpy(&ray->scale, &up, sizeof up);
    memcpy(&inverse, &down, sizeof down);
    for (int k = 0; k < 3; ++k) {
        ray->d[k] = exact->d[k] * inverse;
        ray->inverse[k] = 1 / ray->d[k];
    }
    ray->from = exact->from * ray->scale;
    ray->to = exact->to * ray->scale;
    ray->unbounded = ray->unbounded || !(fabs(ray->from) < 1e300);
}

// Clips the ray to a box. Products are off by 2^-51 of themselves. False: it misses the box.
static bool clip(const abut__cast_ray* ray, const abut_box* box, double range[2]) {
    double from = ray->from;
    double to = ray->to;
    for (int k = 0; k < 3; ++k) {
        const double o = ray->exact.o[k];
        if (fabs(ray->d[k]) < LEAST_COMPONENT * LEAST_COMPONENT) {
            if (ray->exact.d[k] == 0 && !(box->lo[k] <= o && o <= box->hi[k])) {
                return false;
            }
            continue;
        }
        const double a = (box->lo[k] - o) * ray->inverse[k];
        const double b = (box->hi[k] - o) * ray->inverse[k];
        const double near = a < b ? a : b;
        const double far = a < b ? b : a;
        from = near > from ? near : from;
        to = far < to ? far : to;
    }
    range[0] = from - 0x1p-48 * fabs(from);
    range[1] = to + 0x1p-48 * fabs(to);
    return range[0] <= range[1];
}

// Signs are taken without branches, since directions of rays are hard to predict.
static void set_axis(const abut__cast_ray* ray, int k, double origin, double pad,
                     abut__ray_lanes* lanes) {
    const double inverse = fabs(ray->d[k]) < LEAST_COMPONENT
                               ? copysign(1 / LEAST_COMPONENT, ray->d[k])
                               : ray->inverse[k];
    const double outwards = copysign(pad, inverse);
    const uint32_t back = inverse < 0;
    const uint32_t lower = (uint32_t)k;
    lanes->near_o[k] = (float)(origin + outwards);
    lanes->far_o[k] = (float)(origin - outwards);
    lanes->inverse[k] = (float)inverse;
    lanes->near_side[k] = lower + 3 * back;
    lanes->far_side[k] = lower + 3 * (1 - back);
}

// Sets the ray as an axis of sheared coordinates, the third, along which it goes fastest. With E and u
// as above, corners in float are off by u E, as is the origin; differences of coordinates are at most
// 2 E and rounded by 2 u E; a slope, at most 1, is off by u, its product by 2 u E more; the last
// difference is at most 4 E. So sheared coordinates are off by 16 u E, and by twice what vertices and
// the origin are off by in double: twice the pad is more. Outside of the range, where products of
// floats could overflow or lose digits, the error is infinite.
static void set_shear(const abut__cast_ray* ray, const double at[3], double size, double pad,
                      abut__ray_shear* shear) {
    const double size_d[3] = {fabs(ray->d[0]), fabs(ray->d[1]), fabs(ray->d[2])};
    const uint32_t second = size_d[1] > size_d[0];
    const uint32_t third = size_d[2] > size_d[second];
    const uint32_t z = second * (1 - third) + 2 * third;  // no branch
    for (uint32_t k = 0; k < 3; ++k) {
        shear->axis[k] = axes[z][k];
        shear->o[k] = (float)at[axes[z][k]];
    }
    shear->slope[0] = (float)(ray->d[shear->axis[0]] * ray->inverse[z]);
    shear->slope[1] = (float)(ray->d[shear->axis[1]] * ray->inverse[z]);
    const bool usual = size >= 0x1p-40 && size <= 0x1p50 && ray->radius == 0 && ray->d[z] != 0;
    shear->error = usual ? (float)(2 * pad) : INFINITY;
}

// Grows a box by the reach of a thick ray, and returns that.
static double grow(const abut__cast_ray* ray, abut_box* box) {
    double most = ray->radius;
    for (int k = 0; k < 3; ++k) {
        most += fabs(ray->exact.o[k]) + fabs(ray->exact.end[k]) + fabs(box->lo[k]) +
                fabs(box->hi[k]);
    }
    const double reach = ray->radius * (1 + 0x1p-20) + 0x1p-36 * most;
    for (int k = 0; k < 3; ++k) {
        box->lo[k] -= reach;
        box->hi[k] += reach;
    }
    return reach;
}

bool abut__ray_aim(const abut__cast_ray* ray, const abut_box* around, const double origin[3],
                   double extent, double far, abut__cast_aim* aim) {
    abut_box grown = *around;
    const double reach = ray->radius > 0 ? grow(ray, &grown) : 0;
    const abut_box* box = &grown;
    double range[2];
    aim->all = true;
    aim->start = 0;
    aim->limit = INFINITY;
    if (ray->unbounded) {
        return true;
    }
    if (!clip(ray, box, range)) {
        return false;
    }
    const double length = range[1] - range[0];
    double at[3];
    double size = extent + reach;
    double greatest = fabs(range[0]) + far;
    for (int k = 0; k < 3; ++k) {
        at[k] = (ray->exact.o[k] - origin[k]) + range[0] * ray->d[k];
        size = fabs(at[k]) > size ? fabs(at[k]) : size;
        greatest += fabs(ray->exact.o[k]) + fabs(origin[k]);
    }
    const double pad = 0x1p-21 * (size + length) + 0x1p-48 * (greatest + size) +
                       (double)ABUT__TINY + reach;
    if (!(size + length + pad < (double)ABUT__EXTENT_LIMIT)) {
        return true;
    }
    aim->all = false;
    aim->start = range[0];
    aim->limit = (float)(length * (1 + 0x1p-22) + (double)ABUT__TINY);
    for (int k = 0; k < 3; ++k) {
        set_axis(ray, k, at[k], pad, &aim->lanes);
    }
    set_shear(ray, at, size, pad, &aim->shear);
    return true;
}

void abut__aim_shorten(const abut__cast_ray* ray, const abut__ray_hit* hit, abut__cast_aim* aim) {
    const double end = (hit->t + hit->error) * ray->scale;
    const double length = end - aim->start + 0x1p-48 * (fabs(end) + fabs(aim->start));
    if (!aim->all && length < (double)aim->limit) {
        aim->limit = length > 0 ? (float)(length * (1 + 0x1p-22) + (double)ABUT__TINY) : 0;
    }
}

// ---- many rays

#define FEWEST 6u  // rays for which lanes pay

static void get_aim(const abut__aim_rays* rays, uint32_t k, abut__cast_shot* shot) {
    abut__cast_aim* aim = &shot->aim;
    const uint32_t second = rays->second >> k & 1;
    const uint32_t third = rays->third >> k & 1;
    const uint32_t z = second * (1 - third) + 2 * third;
    shot->ray.scale = rays->scale[k];
    aim->start = rays->start[k];
    aim->limit = rays->limit[k];
    aim->all = false;
    for (uint32_t d = 0; d < 3; ++d) {
        const uint32_t back = rays->back[d] >> k & 1;
        aim->lanes.near_o[d] = rays->near_o[d][k];
        aim->lanes.far_o[d] = rays->far_o[d][k];
        aim->lanes.inverse[d] = rays->inverse[d][k];
        aim->lanes.near_side[d] = d + 3 * back;
        aim->lanes.far_side[d] = d + 3 * (1 - back);
        aim->shear.axis[d] = axes[z][d];
        aim->shear.o[d] = rays->shear_o[d][k];
    }
    aim->shear.slope[0] = rays->slope[0][k];
    aim->shear.slope[1] = rays->slope[1][k];
    aim->shear.error = rays->error[k];
}

// Sets lane k; lanes beyond the last repeat it.
static void put_ray(const abut__ray* ray, uint32_t k, abut__aim_rays* rays) {
    for (uint32_t d = 0; d < 3; ++d) {
        rays->o[d][k] = ray->o[d];
        rays->d[d][k] = ray->d[d];
    }
    rays->from[k] = ray->from;
    rays->to[k] = ray->to;
}

static void aim_alone(const abut__cast_target* target, abut__cast_shot* shot) {
    const abut__view* view = &target->view;
    const abut__ray* exact = &shot->ray.exact;
    abut__ray_prepare(&shot->ray);
    shot->meets = exact->from <= exact->to &&
                  abut__ray_aim(&shot->ray, &target->box, view->origin, 2 * view->extent, view->far,
                                &shot->aim);
}

void abut__cast_take_aim(const abut__caster* caster, abut__cast_shot* shot) {
    aim_alone(&caster->target, shot);
}

void abut__cast_take_aims(abut__caster* caster, uint32_t count) {
    const abut__view* view = &caster->target.view;
    abut__aim_rays* rays = &caster->aims;
    abut__aim_body body = {
        .extent = 2 * view->extent, .far = view->far, .limit = (double)ABUT__EXTENT_LIMIT};
    for (int d = 0; d < 3; ++d) {
        body.lo[d] = caster->target.box.lo[d];
        body.hi[d] = caster->target.box.hi[d];
        body.origin[d] = view->origin[d];
    }
    const bool together = count >= FEWEST && caster->def->radius == 0;
    for (uint32_t k = 0; k < ABUT__PACK && together; ++k) {
        put_ray(&caster->shots[k < count ? k : count - 1].ray.exact, k, rays);
    }
    rays->usual = 0;
    if (together) {
        caster->kernels->aim_rays(&body, rays);
    }
    for (uint32_t k = 0; k < count; ++k) {
        abut__cast_shot* shot = &caster->shots[k];
        const abut__ray* exact = &shot->ray.exact;
        if ((rays->usual >> k & 1) == 0) {
            aim_alone(&caster->target, shot);
            continue;
        }
        shot->meets = exact->from <= exact->to && (rays->meets >> k & 1) != 0;
        get_aim(rays, k, shot);
    }
}
