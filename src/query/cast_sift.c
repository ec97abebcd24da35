// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Drops triangles whose boxes a ray meets, but which the ray misses. The test is in float, many
// triangles at a time, and keeps all that it is not sure about: cast_aim.c and rays_kernel.c have the
// bounds. So the exact test, and the exact vertices of bodies that compute them, are needed for about
// one triangle a ray.
#include <math.h>

#include "query/cast.h"

// Points of a block in the body's own axes are off by `radius` in each coordinate, and by that times
// sqrt(3) and the pad when they are turned. Sheared coordinates are off by twice as much.
static float error_of(const abut__cast_target* target, float radius) {
    const double own = 2 * (double)radius + (target->turned ? (double)target->turn.pad : 0);
    return (float)(2 * own * (1 + 0x1p-20));
}

static void turn_point(const abut__turn* turn, float p[3]) {
    const float x = p[0];
    const float y = p[1];
    const float z = p[2];
    for (int d = 0; d < 3; ++d) {
        p[d] = (turn->r[d][0] * x + turn->r[d][1] * y) + turn->r[d][2] * z;
    }
}

// ---- lanes of one ray

// Sifts up to sixteen lanes, the lowest of *lanes, and removes them there. Returns those that are left.
static uint64_t sift_some(abut__caster* caster, const abut__block* fixed,
                          const abut__block_points* points, const abut__ray_shear* shear,
                          uint64_t* lanes) {
    uint8_t lane[16];
    uint32_t count = 0;
    for (; *lanes != 0 && count < 16; *lanes &= *lanes - 1, ++count) {
        lane[count] = (uint8_t)__builtin_ctzll(*lanes);
        for (int c = 0; c < 3; ++c) {
            const uint32_t v = fixed->corner[c][lane[count]];
            float p[3] = {points->xyz[0][v], points->xyz[1][v], points->xyz[2][v]};
            if (caster->target.turned) {
                turn_point(&caster->target.turn, p);
            }
            for (int d = 0; d < 3; ++d) {
                caster->some.corner[c][d][count] = p[shear->axis[d]];
            }
        }
    }
    uint64_t kept = 0;
    for (uint32_t left = caster->kernels->ray_triangles(&caster->some, shear, (1u << count) - 1);
         left != 0; left &= left - 1) {
        kept |= UINT64_C(1) << lane[__builtin_ctz(left)];
    }
    return kept;
}

uint64_t abut__cast_sift(abut__caster* caster, uint32_t block, uint64_t lanes) {
    const abut__view* view = &caster->target.view;
    abut__cached_points room;
    abut__ray_shear shear = caster->shot->aim.shear;
    if (caster->shot->aim.all || caster->target.suspect) {
        return lanes;
    }
    const abut__cached_points* points = abut__pool_points(caster->scene, view->body, block, &room);
    shear.error += error_of(&caster->target, points->radius);
    uint64_t kept = 0;
    while (lanes != 0) {
        kept |= sift_some(caster, view->tree->blocks[block], &points->at, &shear, &lanes);
    }
    return kept;
}

uint64_t abut__cast_glance(const abut__caster* caster, uint32_t block) {
    const abut__cast_target* target = &caster->target;
    const abut__block* fixed = target->view.tree->blocks[block];
    const abut__ray_shear* shear = &caster->shot->aim.shear;
    const float more = error_of(target, target->radius);
    abut__need(target->needed, target->view.tree, block, &caster->reader->counters);
    if (!(shear->error + more < INFINITY)) {
        return fixed->valid;
    }
    if (!target->points.is_double && fixed->has_last == 0) {
        return caster->kernels->ray_source(fixed, &target->points, shear, more);
    }
    // the number beyond the mesh's last vertex may not be readable
    abut__block_points points;
    abut__ray_shear wider = *shear;
    wider.error += more;
    (void)caster->kernels->gather_points(fixed, target->points, &points);
    return caster->kernels->ray_points(fixed, &points, &wider);
}

// ---- blocks for many rays

static void fill(const abut__caster* caster, uint32_t block, abut__cast_corners* corners) {
    const abut__cast_target* target = &caster->target;
    const abut__body* body = target->view.body;
    abut__cached_points room;
    const abut__cached_points* points = &room;
    if (target->costly) {
        points = abut__pool_points(caster->scene, body, block, &room);
    } else {
        abut__body_block_points(body, block, 1, &room);
    }
    corners->block = block;
    corners->error = error_of(target, points->radius);
    if (!(corners->error < INFINITY)) {
        return;
    }
    caster->kernels->spread_corners(target->view.tree->blocks[block], &points->at, &corners->at);
    for (uint32_t i = 0; i < 3 * ABUT__BLOCK_TRIANGLES && target->turned; ++i) {
        float(*at)[ABUT__BLOCK_TRIANGLES] = corners->at.corner[i / ABUT__BLOCK_TRIANGLES];
        const uint32_t k = i % ABUT__BLOCK_TRIANGLES;
        float p[3] = {at[0][k], at[1][k], at[2][k]};
        turn_point(&target->turn, p);
        at[0][k] = p[0];
        at[1][k] = p[1];
        at[2][k] = p[2];
    }
}

const abut__cast_corners* abut__cast_corners_of(abut__caster* caster, uint32_t block) {
    abut__cast_corners* corners = &caster->corners[block % ABUT__CAST_CORNERS];
    if (caster->target.suspect) {
        return NULL;
    }
    if (corners->block != block) {
        fill(caster, block, corners);
    }
    return corners->error < INFINITY ? corners : NULL;
}

uint64_t abut__cast_sift_by(const abut__caster* caster, const abut__cast_corners* corners,
                            uint64_t lanes) {
    abut__ray_shear shear = caster->shot->aim.shear;
    shear.error += corners->error;
    return caster->kernels->ray_corners(&corners->at, &shear, lanes);
}
