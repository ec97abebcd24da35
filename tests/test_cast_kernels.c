// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Rays against float boxes: every instruction set gives the bits of plain loops, and a box that has a
// point of the exact ray is never missed, at any magnitude, however tight the box is about it.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "query/cast.h"
#include "support/everywhere.h"
#include "support/random.h"
#include "support/world.h"

// ---- the same bits

static bool plain_meets(const float* sides, size_t step, size_t k, const abut__ray_lanes* ray,
                        float limit, float* near) {
    float first = 0;
    float last = limit;
    for (int d = 0; d < 3; ++d) {
        const float a = (sides[ray->near_side[d] * step + k] - ray->near_o[d]) * ray->inverse[d];
        const float b = (sides[ray->far_side[d] * step + k] - ray->far_o[d]) * ray->inverse[d];
        first = a > first ? a : first;
        last = b < last ? b : last;
    }
    *near = first;
    return first <= last;
}

static void draw_lanes(test_random* random, abut__ray_lanes* ray) {
    for (uint32_t d = 0; d < 3; ++d) {
        const bool back = random_chance(random, 0.5);
        const double o = random_double(random, -2, 2);
        const double slope = random_chance(random, 0.2) ? 0x1p-60 : random_double(random, 0.1, 1);
        ray->near_o[d] = (float)(back ? o - 1e-5 : o + 1e-5);
        ray->far_o[d] = (float)(back ? o + 1e-5 : o - 1e-5);
        ray->inverse[d] = (float)(back ? -1 / slope : 1 / slope);
        ray->near_side[d] = back ? 3 + d : d;
        ray->far_side[d] = back ? d : 3 + d;
    }
}

// Fills `count` boxes; unused ones are empty, some are infinite.
static void draw_boxes(test_random* random, float* lo, float* hi, size_t step, size_t count) {
    for (size_t k = 0; k < step; ++k) {
        const bool empty = k >= count;
        const bool all = random_chance(random, 0.05);
        for (size_t d = 0; d < 3; ++d) {
            const double a = random_double(random, -1, 1);
            const double b = random_double(random, -1, 1);
            lo[d * step + k] = empty ? INFINITY : all ? -INFINITY : (float)fmin(a, b);
            hi[d * step + k] = empty ? -INFINITY : all ? INFINITY : (float)fmax(a, b);
        }
    }
}

static void check_set(const abut__kernels* kernels, uint32_t seed) {
    test_random random = random_seed(seed);
    abut__ray_lanes ray;
    abut__boxes8 boxes;
    abut__block_boxes block;
    float near[ABUT__FAN];
    const float limit = (float)random_double(&random, 0, 4);
    draw_lanes(&random, &ray);
    draw_boxes(&random, boxes.lo[0], boxes.hi[0], ABUT__FAN, 1 + seed % ABUT__FAN);
    draw_boxes(&random, block.lo[0], block.hi[0], ABUT__BLOCK_TRIANGLES, 1 + seed % 48);
    const uint32_t mask = kernels->ray_boxes(&boxes, &ray, limit, near);
    for (size_t k = 0; k < ABUT__FAN; ++k) {
        float wanted;
        const bool meets = plain_meets(boxes.lo[0], ABUT__FAN, k, &ray, limit, &wanted);
        REQUIRE((mask >> k & 1) == meets);
        REQUIRE(memcmp(&wanted, &near[k], sizeof wanted) == 0);
    }
    const uint64_t lanes = kernels->ray_block(&block, &ray, limit);
    for (size_t k = 0; k < ABUT__BLOCK_TRIANGLES; ++k) {
        float unused;
        REQUIRE((lanes >> k & 1) ==
                plain_meets(block.lo[0], ABUT__BLOCK_TRIANGLES, k, &ray, limit, &unused));
    }
    REQUIRE(lanes >> ABUT__BLOCK_TRIANGLES == 0);
}

static void test_same_bits(void** state) {
    (void)state;
    FOR_EACH_KERNELS(set, kernels) {
        for (uint32_t seed = 0; seed < effort(2000, 10000, 100000); ++seed) {
            where("set %d, seed %u", set, seed);
            check_set(kernels, seed);
        }
    }
}

// ---- no box is missed

// A ray, and a point of it at t that is at most `extent` from the body's origin in each coordinate.
static double draw_ray(test_random* random, double extent, const double origin[3],
                       abut__cast_ray* ray, double at[3]) {
    const double far = ldexp(extent, random_between(random, -8, 24));
    const double t = random_unit(random);
    abut__ray* exact = &ray->exact;
    *exact = (abut__ray){.from = 0, .to = (double)INFINITY};
    for (int k = 0; k < 3; ++k) {
        exact->o[k] = origin[k] + random_double(random, -far, far);
        const double target = origin[k] + random_double(random, -extent, extent);
        exact->d[k] = random_chance(random, 0.15) ? 0 : (target - exact->o[k]);
        exact->d[k] *= random_chance(random, 0.05) ? 0x1p-70 : 1;
        if (exact->d[k] == 0 || fabs(exact->d[k] * t) < fabs(target - exact->o[k])) {
            exact->o[k] = target - t * exact->d[k];
        }
        at[k] = (exact->o[k] - origin[k]) + t * exact->d[k];
    }
    abut__ray_prepare(ray);
    return t;
}

// boxes as tight about a point of the ray as rounding allows: a body's boxes are rounded to nearest
static void test_boxes_of_points_are_met(void** state) {
    (void)state;
    const abut__kernels* kernels = kernels_of(0);
    uint32_t tried = 0;
    for (uint32_t seed = 0; seed < effort(40000, 400000, 4000000); ++seed) {
        test_random random = random_seed(seed);
        const double extent = ldexp(1, random_between(&random, -100, 100));
        double origin[3];
        double at[3];
        abut__cast_ray ray;
        abut__cast_aim aim;
        abut_box around;
        abut__boxes8 boxes;
        float near[ABUT__FAN];
        for (int k = 0; k < 3; ++k) {
            origin[k] = random_chance(&random, 0.5) ? 0 : extent * random_double(&random, -9, 9);
        }
        const double t = draw_ray(&random, extent, origin, &ray, at);
        abut__boxes_infinite(&boxes, 0);
        bool inside = true;
        for (int k = 0; k < 3; ++k) {
            inside = inside && fabs(at[k]) <= extent;
            boxes.lo[k][0] = boxes.hi[k][0] = (float)at[k];
            around.lo[k] = origin[k] - extent * 1.0001;
            around.hi[k] = origin[k] + extent * 1.0001;
        }
        if (!inside) {
            continue;
        }
        ++tried;
        where("seed %u", seed);
        REQUIRE(abut__ray_aim(&ray, &around, origin, 2 * extent, 0, &aim));
        REQUIRE(aim.all || (kernels->ray_boxes(&boxes, &aim.lanes, aim.limit, near) & 1) != 0);
        const abut__ray_hit hit = {.t = t, .error = 0x1p-52 * t};
        abut__aim_shorten(&ray, &hit, &aim);  // the ray ends at the point
        REQUIRE(aim.all || (kernels->ray_boxes(&boxes, &aim.lanes, aim.limit, near) & 1) != 0);
    }
    REQUIRE(tried > 1000);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_same_bits),
        cmocka_unit_test(test_boxes_of_points_are_met),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
