// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Rays against float boxes and triangles: every instruction set gives the bits of plain loops. A box
// that has a point of the exact ray is never missed, at any magnitude, however tight the box is about it,
// and a triangle that the exact ray meets is never dropped. A pack meets what one of its rays meets.
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

// ---- packs

// Rays with one direction each along every axis, and their bounds.
static void draw_pack(test_random* random, abut__ray_pack* pack, abut__ray_lanes rays[ABUT__PACK]) {
    for (uint32_t d = 0; d < 3; ++d) {
        const bool back = random_chance(random, 0.5);
        const double middle = random_double(random, -2, 2);
        pack->near_side[d] = back ? 3 + d : d;
        pack->far_side[d] = back ? d : 3 + d;
        for (uint32_t k = 0; k < ABUT__PACK; ++k) {
            const double o = middle + random_double(random, -0.1, 0.1);
            const double slope = random_double(random, 0.3, 0.5);
            abut__ray_lanes* ray = &rays[k];
            ray->near_o[d] = pack->near_o[d][k] = (float)(back ? o - 1e-5 : o + 1e-5);
            ray->far_o[d] = pack->far_o[d][k] = (float)(back ? o + 1e-5 : o - 1e-5);
            ray->inverse[d] = pack->inverse[d][k] = (float)(back ? -1 / slope : 1 / slope);
            ray->near_side[d] = pack->near_side[d];
            ray->far_side[d] = pack->far_side[d];
            if (k == 0) {
                pack->first_o[d] = ray->near_o[d];
                pack->last_o[d] = ray->far_o[d];
                pack->least[d] = pack->most[d] = ray->inverse[d];
            }
            pack->first_o[d] = back ? fminf(pack->first_o[d], ray->near_o[d])
                                    : fmaxf(pack->first_o[d], ray->near_o[d]);
            pack->last_o[d] = back ? fmaxf(pack->last_o[d], ray->far_o[d])
                                   : fminf(pack->last_o[d], ray->far_o[d]);
            pack->least[d] = fminf(pack->least[d], ray->inverse[d]);
            pack->most[d] = fmaxf(pack->most[d], ray->inverse[d]);
        }
    }
    for (uint32_t k = 0; k < ABUT__PACK; ++k) {
        pack->limit[k] = random_chance(random, 0.2) ? -1 : (float)random_double(random, 0, 4);
    }
}

static void check_pack(const abut__kernels* kernels, uint32_t seed) {
    test_random random = random_seed(seed);
    abut__ray_pack pack;
    abut__ray_lanes rays[ABUT__PACK];
    abut__boxes8 boxes;
    float near[ABUT__FAN];
    draw_pack(&random, &pack, rays);
    draw_boxes(&random, boxes.lo[0], boxes.hi[0], ABUT__FAN, 1 + seed % ABUT__FAN);
    const uint32_t mask = kernels->pack_boxes(&boxes, &pack, 4, near);
    for (uint32_t j = 0; j < ABUT__FAN; ++j) {
        const abut__box3 box = abut__boxes_get(&boxes, j);
        const uint32_t met = kernels->pack_box(&pack, &box);
        for (uint32_t k = 0; k < ABUT__PACK; ++k) {
            float own;
            const bool meets = plain_meets(boxes.lo[0], ABUT__FAN, j, &rays[k], pack.limit[k],
                                           &own);
            REQUIRE((met >> k & 1) == meets);
            REQUIRE(!meets || ((mask >> j & 1) != 0 && near[j] <= own));
        }
    }
    REQUIRE(mask == kernels_of(0)->pack_boxes(&boxes, &pack, 4, near));
}

// ---- triangles

// Shears a corner as the kernels do.
static void plain_shear(const abut__ray_shear* ray, const float p[3], float out[2]) {
    const float z = p[ray->axis[2]] - ray->o[2];
    out[0] = (p[ray->axis[0]] - ray->o[0]) - z * ray->slope[0];
    out[1] = (p[ray->axis[1]] - ray->o[1]) - z * ray->slope[1];
}

static bool plain_keeps(const abut__ray_shear* ray, float t[3][3]) {
    float q[3][2];
    float most = 0;
    bool left = false;
    bool right = false;
    for (int c = 0; c < 3; ++c) {
        plain_shear(ray, t[c], q[c]);
        most = fmaxf(most, fmaxf(fabsf(q[c][0]), fabsf(q[c][1])));
    }
    const float bound = (most + ray->error) * (8 * ray->error);
    for (int c = 0; c < 3; ++c) {
        const float* a = q[(c + 1) % 3];
        const float* b = q[(c + 2) % 3];
        const float side = a[0] * b[1] - b[0] * a[1];
        left = left || bound < side;
        right = right || side < -bound;
    }
    return !(left && right);
}

static void draw_shear(test_random* random, abut__ray_shear* ray) {
    const uint32_t z = random_below(random, 3);
    for (uint32_t k = 0; k < 3; ++k) {
        ray->axis[k] = (z + 1 + k) % 3;
        ray->o[k] = (float)random_double(random, -1, 1);
    }
    ray->slope[0] = (float)random_double(random, -1, 1);
    ray->slope[1] = (float)random_double(random, -1, 1);
    ray->error = random_chance(random, 0.1)   ? INFINITY
                 : random_chance(random, 0.3) ? 0.05f
                                              : 0x1p-20f;
}

static void draw_block(test_random* random, abut__block* block, abut__block_points* points) {
    memset(block, 0, sizeof *block);
    block->vertex_count = 3 + random_below(random, 62);
    block->triangle_count = 1 + random_below(random, ABUT__BLOCK_TRIANGLES);
    block->valid = UINT64_MAX >> (64 - block->triangle_count);
    for (uint32_t k = 0; k < ABUT__BLOCK_TRIANGLES; ++k) {
        for (int c = 0; c < 3; ++c) {
            const bool used = k < block->triangle_count;
            block->corner[c][k] = (uint8_t)(used ? random_below(random, block->vertex_count) : 0);
        }
    }
    for (uint32_t v = 0; v < ABUT__BLOCK_VERTICES; ++v) {
        for (int d = 0; d < 3; ++d) {
            points->xyz[d][v] = (float)random_double(random, -1, 1);
        }
    }
}

static void check_block(const abut__kernels* kernels, uint32_t seed) {
    test_random random = random_seed(seed);
    abut__block block;
    abut__block_points points;
    abut__block_corners corners;
    abut__ray_corners some;
    abut__ray_shear ray;
    uint32_t kept = 0;
    draw_block(&random, &block, &points);
    draw_shear(&random, &ray);
    memset(&some, 0, sizeof some);
    const uint64_t wanted = block.valid & (random_bits(&random) | 1);
    kernels->spread_corners(&block, &points, &corners);
    const uint64_t all = kernels->ray_points(&block, &points, &ray);
    const uint64_t lanes = kernels->ray_corners(&corners, &ray, wanted);
    REQUIRE((all & ~block.valid) == 0 && (lanes & ~wanted) == 0);
    for (uint32_t k = 0; k < block.triangle_count; ++k) {
        float t[3][3];
        for (int c = 0; c < 3; ++c) {
            for (int d = 0; d < 3; ++d) {
                t[c][d] = points.xyz[d][block.corner[c][k]];
                REQUIRE(t[c][d] == corners.corner[c][d][k]);
            }
            for (int d = 0; d < 3 && k < 16; ++d) {
                some.corner[c][d][k] = t[c][ray.axis[d]];
            }
        }
        const bool keeps = plain_keeps(&ray, t);
        REQUIRE((all >> k & 1) == keeps);
        REQUIRE((lanes >> k & 1) == (keeps && (wanted >> k & 1) != 0));
        kept |= k < 16 ? (uint32_t)keeps << k : 0;
    }
    const uint32_t count = block.triangle_count < 16 ? block.triangle_count : 16;
    REQUIRE(kernels->ray_triangles(&some, &ray, (1u << count) - 1) == kept);
}

static void test_packs_and_triangles(void** state) {
    (void)state;
    FOR_EACH_KERNELS(set, kernels) {
        for (uint32_t seed = 0; seed < effort(500, 5000, 50000); ++seed) {
            where("set %d, seed %u", set, seed);
            check_pack(kernels, seed);
            check_block(kernels, seed);
        }
    }
}

// Vertices are read from packed floats, or from every second position.
static void check_source(const abut__kernels* kernels, uint32_t seed) {
    test_random random = random_seed(seed);
    abut__block block;
    abut__block_points points;
    abut__ray_shear ray;
    float xyz[6 * ABUT__BLOCK_VERTICES + 1];
    draw_block(&random, &block, &points);
    draw_shear(&random, &ray);
    const uint32_t step = 3 + 3 * (seed % 2);
    const abut__source source = {.data = (const char*)xyz,
                                 .stride = step * sizeof(float),
                                 .origin = {0.25f, seed % 3 == 0 ? -0.5f : 0, 0}};
    for (uint32_t v = 0; v < ABUT__BLOCK_VERTICES; ++v) {
        block.vertex[v] = v < block.vertex_count ? (v * 37 + seed) % ABUT__BLOCK_VERTICES
                                                 : block.vertex[0];
    }
    for (uint32_t i = 0; i < sizeof xyz / sizeof *xyz; ++i) {
        xyz[i] = (float)random_double(&random, -1, 1);
    }
    const float more = random_chance(&random, 0.5) ? 0 : 0.01f;
    const uint64_t all = kernels->ray_source(&block, &source, &ray, more);
    ray.error += more;
    REQUIRE((all & ~block.valid) == 0);
    for (uint32_t k = 0; k < block.triangle_count; ++k) {
        float t[3][3];
        for (int c = 0; c < 3; ++c) {
            for (uint32_t d = 0; d < 3; ++d) {
                t[c][d] = xyz[step * block.vertex[block.corner[c][k]] + d] - source.origin[d];
            }
        }
        REQUIRE((all >> k & 1) == plain_keeps(&ray, t));
    }
}

// ---- waves

enum { WAVE_NODES = 40 };

static void draw_nodes(test_random* random, double blocks, abut__node* nodes, abut__boxes8* boxes) {
    for (uint32_t n = 0; n < WAVE_NODES; ++n) {
        nodes[n].count = (uint8_t)(1 + random_below(random, ABUT__FAN));
        for (uint32_t k = 0; k < ABUT__FAN; ++k) {
            nodes[n].child[k] = k >= nodes[n].count
                                    ? ABUT__NONE
                                    : random_below(random, 1000) |
                                          (random_chance(random, blocks) ? ABUT__REF_BLOCK : 0);
        }
        draw_boxes(random, boxes[n].lo[0], boxes[n].hi[0], ABUT__FAN, nodes[n].count);
    }
}

// Requires the next entry of a list.
static void check_visit(const abut__ray_visits* list, uint32_t at, uint32_t ray, abut__ref ref,
                        float near) {
    REQUIRE(at < list->count && list->ray[at] == ray && list->ref[at] == ref);
    REQUIRE(memcmp(&list->near[at], &near, sizeof near) == 0);
}

static void check_wave(const abut__kernels* kernels, uint32_t seed) {
    static abut__ray_visits from;
    static abut__ray_visits to[2];
    test_random random = random_seed(seed);
    abut__node nodes[WAVE_NODES] = {0};
    abut__boxes8 boxes[WAVE_NODES];
    abut__wave_ray rays[ABUT__PACK];
    draw_nodes(&random, 0.1 + 0.4 * (seed % 3), nodes, boxes);
    for (uint32_t k = 0; k < ABUT__PACK; ++k) {
        draw_lanes(&random, &rays[k].lanes);
        rays[k].limit = (float)random_double(&random, 0, 4);
    }
    const bool many = random_chance(&random, 0.1);  // more than there is room for
    for (uint32_t n = 0; n < WAVE_NODES && many; ++n) {
        abut__boxes_infinite(&boxes[n], nodes[n].count);
    }
    from.count = many ? ABUT__WAVE : random_below(&random, 200);
    for (uint32_t i = 0; i < from.count; ++i) {
        from.ray[i] = random_below(&random, ABUT__PACK);
        from.ref[i] = random_below(&random, WAVE_NODES);
    }
    to[0].count = 0;
    to[1].count = seed % 7;  // of the level above
    uint32_t at[2] = {0, to[1].count};
    uint64_t tested = 3;
    uint64_t wanted = 3;
    const bool room = kernels->ray_wave(boxes, nodes, rays, &from, &to[0], &to[1], &tested);
    bool full = false;
    for (uint32_t i = 0; i < from.count && !full; ++i) {
        const abut__node* node = &nodes[from.ref[i]];
        const abut__wave_ray* ray = &rays[from.ray[i]];
        wanted += node->count;
        for (uint32_t k = 0; k < node->count; ++k) {
            float near;
            if (plain_meets(boxes[from.ref[i]].lo[0], ABUT__FAN, k, &ray->lanes, ray->limit,
                            &near)) {
                const bool block = abut__is_block(node->child[k]);
                check_visit(&to[block], at[block]++, from.ray[i], node->child[k], near);
            }
        }
        full = at[0] > ABUT__WAVE || at[1] > ABUT__WAVE;
    }
    REQUIRE(room == !full && full == many && tested == wanted);
    REQUIRE(at[0] == to[0].count && at[1] == to[1].count);
}

static void test_sources_and_waves(void** state) {
    (void)state;
    FOR_EACH_KERNELS(set, kernels) {
        for (uint32_t seed = 0; seed < effort(500, 5000, 50000); ++seed) {
            where("set %d, seed %u", set, seed);
            check_source(kernels, seed);
            check_wave(kernels, seed);
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

// ---- many aims

// Requires that rays aimed together are aimed as each of them alone.
static void check_aims(const abut__kernels* kernels, uint32_t seed, uint32_t* tried,
                       uint32_t* missed) {
    static abut__aim_rays rays;
    static abut__cast_ray alone[ABUT__PACK];
    test_random random = random_seed(seed);
    const double extent = ldexp(1, random_between(&random, -100, 100));
    abut__aim_body body = {.extent = 2 * extent,
                           .far = random_chance(&random, 0.5) ? 0 : 9 * extent,
                           .limit = (double)ABUT__EXTENT_LIMIT};
    abut_box around;
    for (int k = 0; k < 3; ++k) {
        body.origin[k] = random_chance(&random, 0.5) ? 0 : extent * random_double(&random, -9, 9);
        around.lo[k] = body.lo[k] = body.origin[k] - extent * random_double(&random, 0.1, 1);
        around.hi[k] = body.hi[k] = body.origin[k] + extent * random_double(&random, 0.1, 1);
    }
    for (uint32_t i = 0; i < ABUT__PACK; ++i) {
        double at[3];
        abut__ray* exact = &alone[i].exact;
        alone[i].radius = 0;
        (void)draw_ray(&random, extent, body.origin, &alone[i], at);
        exact->from = random_chance(&random, 0.3) ? random_double(&random, -2, 2) : 0;
        exact->to = random_chance(&random, 0.3) ? random_double(&random, 0, 4) : exact->to;
        if (random_chance(&random, 0.05)) {
            exact->d[0] = exact->d[1] = exact->d[2] = random_chance(&random, 0.5) ? 0 : 0x1p-1000;
        }
        abut__ray_prepare(&alone[i]);
        for (int k = 0; k < 3; ++k) {
            rays.o[k][i] = exact->o[k];
            rays.d[k][i] = exact->d[k];
        }
        rays.from[i] = exact->from;
        rays.to[i] = exact->to;
    }
    kernels->aim_rays(&body, &rays);
    for (uint32_t i = 0; i < ABUT__PACK; ++i) {
        abut__cast_aim aim;
        const bool meets = abut__ray_aim(&alone[i], &around, body.origin, body.extent, body.far,
                                         &aim);
        if ((rays.usual >> i & 1) == 0) {
            continue;
        }
        ++*tried;
        *missed += !meets;
        REQUIRE((rays.meets >> i & 1) == meets);
        REQUIRE(rays.scale[i] == alone[i].scale);
        if (!meets) {
            continue;
        }
        REQUIRE(!aim.all && rays.start[i] == aim.start && rays.limit[i] == aim.limit);
        REQUIRE(rays.slope[0][i] == aim.shear.slope[0] && rays.slope[1][i] == aim.shear.slope[1]);
        REQUIRE(rays.error[i] == aim.shear.error);
        const uint32_t axis = (rays.third >> i & 1) != 0 ? 2 : rays.second >> i & 1;
        REQUIRE(axis == aim.shear.axis[2]);
        for (uint32_t k = 0; k < 3; ++k) {
            const uint32_t back = rays.back[k] >> i & 1;
            REQUIRE(rays.near_o[k][i] == aim.lanes.near_o[k]);
            REQUIRE(rays.far_o[k][i] == aim.lanes.far_o[k]);
            REQUIRE(rays.inverse[k][i] == aim.lanes.inverse[k]);
            REQUIRE(aim.lanes.near_side[k] == k + 3 * back);
            REQUIRE(rays.shear_o[k][i] == aim.shear.o[k]);
        }
    }
}

static void test_rays_are_aimed_together_as_alone(void** state) {
    (void)state;
    FOR_EACH_KERNELS(set, kernels) {
        uint32_t tried = 0;
        uint32_t missed = 0;
        for (uint32_t seed = 0; seed < effort(1000, 10000, 100000); ++seed) {
            where("set %d, seed %u", set, seed);
            check_aims(kernels, seed, &tried, &missed);
        }
        REQUIRE(tried > 10000 && missed > 1000);
    }
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

// ---- no triangle is dropped

// Triangles with a point near the ray, as small and as thin as rounding allows, or with a corner or an
// edge on the ray.
static void draw_triangle(test_random* random, const double at[3], double extent, double t[3][3]) {
    const double size = extent * ldexp(1, random_between(random, -30, 0));
    for (int k = 0; k < 3; ++k) {
        for (int c = 0; c < 3; ++c) {
            t[c][k] = at[k] + random_double(random, -size, size);
        }
        if (random_chance(random, 0.3)) {
            t[2][k] = at[k] + (at[k] - t[0][k]) * random_unit(random);
        }
    }
    if (random_chance(random, 0.3)) {
        memcpy(t[1], at, sizeof t[1]);
    }
}

// The oracle is the exact test, on the doubles. Corners are rounded to float for the kernel.
static void test_triangles_that_are_met_are_kept(void** state) {
    (void)state;
    const abut__kernels* kernels = kernels_of(0);
    uint32_t tried = 0;
    uint32_t dropped = 0;
    for (uint32_t seed = 0; seed < effort(40000, 400000, 4000000); ++seed) {
        test_random random = random_seed(seed);
        const double extent = ldexp(1, random_between(&random, -60, 60));
        const double origin[3] = {0, 0, 0};
        double at[3];
        double t[3][3];
        abut__cast_ray ray = {.radius = 0};
        abut__cast_aim aim;
        abut__ray_hit hit;
        bool fallback = false;
        const abut_box around = {{-2 * extent, -2 * extent, -2 * extent},
                                 {2 * extent, 2 * extent, 2 * extent}};
        (void)draw_ray(&random, extent, origin, &ray, at);
        draw_triangle(&random, at, extent, t);
        if (!abut__ray_aim(&ray, &around, origin, 2 * extent, 0, &aim) || aim.all) {
            continue;
        }
        abut__ray_corners corners = {0};
        bool inside = true;
        for (int c = 0; c < 3; ++c) {
            for (int k = 0; k < 3; ++k) {
                inside = inside && fabs(t[c][k]) <= 2 * extent;
                corners.corner[c][k][0] = (float)t[c][aim.shear.axis[k]];
            }
        }
        where("seed %u", seed);
        const bool kept = kernels->ray_triangles(&corners, &aim.shear, 1) != 0;
        if (inside && abut__ray_meets(&ray.exact, (const double(*)[3])t, &hit, &fallback)) {
            REQUIRE(kept);
            ++tried;
        }
        dropped += !kept;
    }
    REQUIRE(tried > 1000 && dropped > 1000);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_same_bits),
        cmocka_unit_test(test_packs_and_triangles),
        cmocka_unit_test(test_sources_and_waves),
        cmocka_unit_test(test_rays_are_aimed_together_as_alone),
        cmocka_unit_test(test_boxes_of_points_are_met),
        cmocka_unit_test(test_triangles_that_are_met_are_kept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
