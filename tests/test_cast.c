// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Casts against all triangles in rationals: every motion in every kind of state, rays in general
// position and rays aimed at vertices, edges and planes, from vertices, without length, with limits
// that equal a hit; and bundles of rays, which go nearly the same way. First, any and all hits must
// agree with the oracle in set and order.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "support/motions.h"
#include "support/rays.h"

enum { RAYS = 10 };

// Rays of a batch, as a query takes them.
typedef struct batch {
    ray_case ray[RAYS];
    double o[RAYS][3];
    double d[RAYS][3];
    double tmin[RAYS];
    double tmax[RAYS];
    abut_rays rays;
} batch;

static void batch_pack(batch* b, bool to_ends) {
    for (int i = 0; i < RAYS; ++i) {
        b->ray[i].to_end = to_ends;
        memcpy(b->o[i], b->ray[i].o, sizeof b->o[i]);
        memcpy(b->d[i], b->ray[i].d, sizeof b->d[i]);
        b->tmin[i] = b->ray[i].tmin;
        b->tmax[i] = b->ray[i].tmax;
    }
    b->rays = abut_rays_f64(b->o[0], b->d[0], RAYS);
    b->rays.to_ends = to_ends;
    b->rays.tmin = (abut_ray_limits){b->tmin, 0, ABUT_SCALAR_F64};
    b->rays.tmax = (abut_ray_limits){b->tmax, 0, ABUT_SCALAR_F64};
}

// ---- rays that are likely to meet something in a special way

// a point of a random triangle: a corner, the middle of an edge, or inside
static void random_point(const abut_scene* scene, abut_body_id body, test_random* random,
                         double out[3]) {
    double t[3][3];
    const uint32_t count = (uint32_t)abut_mesh_triangle_count(
        abut_shape_mesh(abut_body_shape(scene, body)));
    ray_corners(scene, body, random_below(random, count), t);
    const uint32_t kind = random_below(random, 4);
    const double s = random_unit(random);
    for (int k = 0; k < 3; ++k) {
        out[k] = kind == 0   ? t[0][k]
                 : kind == 1 ? t[0][k] / 2 + t[1][k] / 2
                 : kind == 2 ? t[0][k] + 0.25 * (t[1][k] - t[0][k]) + 0.25 * (t[2][k] - t[0][k])
                             : t[0][k] + s * (t[1][k] - t[0][k]);
    }
}

static void draw_ray(const abut_scene* scene, abut_body_id body, test_random* random, bool to_ends,
                     ray_case* ray) {
    double a[3];
    double b[3];
    const uint32_t kind = random_below(random, 9);
    *ray = (ray_case){.tmax = to_ends ? 1 : INFINITY};
    random_point(scene, body, random, a);
    random_point(scene, body, random, b);
    double size = 0;
    for (int k = 0; k < 3; ++k) {
        size = fmax(size, fmax(fabs(a[k]), fabs(b[k])));
    }
    size = size > 0 && size < 1e150 ? size : 1;
    for (int k = 0; k < 3; ++k) {
        ray->o[k] = b[k];
        ray->d[k] = a[k] - b[k];
        switch (kind) {
            case 0:  // from anywhere
                ray->o[k] = random_double(random, -3 * size, 3 * size);
                ray->d[k] = a[k] - ray->o[k];
                break;
            case 1:  // from far away
                ray->o[k] = random_dyadic(random, 64, 1) * size * 0x1p20;
                ray->d[k] = a[k] - ray->o[k];
                break;
            case 2: ray->d[k] = k == (int)(b[0] > a[0]) ? 1 : 0; break;  // along an axis
            case 3: ray->d[k] = 0; break;                                // a point
            case 4: ray->d[k] *= 0x1p-40; break;                     // between points of the body
            case 5: ray->d[k] = random_dyadic(random, 2, 1); break;  // in planes of a lattice
            case 6: ray->d[k] = -ray->d[k]; break;
            default: break;
        }
    }
    if (kind == 7) {
        ray->tmin = -2;
        ray->tmax = 0.5;
    }
    if (kind == 8) {
        ray->tmin = 1;  // often exactly a hit
    }
    if (random_chance(random, 0.1)) {
        ray->tmax = ray->tmin;
    }
    if (to_ends) {
        for (int k = 0; k < 3; ++k) {
            ray->d[k] += ray->o[k];
        }
        if (kind > 4) {
            memcpy(ray->d, a, sizeof a);
        }
    }
    for (int k = 0; k < 3; ++k) {
        ray->o[k] = isfinite(ray->o[k]) ? ray->o[k] : 0;
        ray->d[k] = isfinite(ray->d[k]) ? ray->d[k] : 1;
    }
}

// Rays from one point, or with one direction, at points of a triangle and around it.
static void draw_bundle(const abut_scene* scene, abut_body_id body, test_random* random,
                        bool to_ends, batch* b) {
    double a[3];
    double from[3];
    double size = 0;
    const bool parallel = random_chance(random, 0.3);
    random_point(scene, body, random, a);
    for (int k = 0; k < 3; ++k) {
        size = fmax(size, fabs(a[k]));
    }
    size = size > 0 && size < 1e150 ? size : 1;
    for (int k = 0; k < 3; ++k) {
        from[k] = a[k] +
                  3 * size * random_double(random, 0.5, 1) * (random_chance(random, 0.5) ? 1 : -1);
    }
    for (int i = 0; i < RAYS; ++i) {
        double to[3];
        ray_case* ray = &b->ray[i];
        *ray = (ray_case){.tmax = to_ends ? 1 : INFINITY};
        random_point(scene, body, random, to);
        const double part = random_chance(random, 0.3)   ? 0.02
                            : random_chance(random, 0.5) ? 0.3
                                                         : 0;
        for (int k = 0; k < 3; ++k) {
            to[k] = i % 4 == 0 ? a[k] : a[k] + part * (to[k] - a[k]);
            ray->o[k] = parallel ? from[k] + (to[k] - a[k]) : from[k];
            ray->d[k] = to_ends ? to[k] : parallel ? a[k] - from[k] : to[k] - from[k];
            ray->o[k] = isfinite(ray->o[k]) ? ray->o[k] : 0;
            ray->d[k] = isfinite(ray->d[k]) ? ray->d[k] : 1;
        }
    }
}

// ---- comparisons

static bool may_meet_all(uint32_t body) {
    (void)body;
    return true;
}

static size_t check_batch(const world* w, const abut_body_id* body, const batch* b,
                          const abut_cast_def* base, bool (*meet)(uint32_t body),
                          abut_cast_result* result) {
    const abut_cast_mode modes[3] = {ABUT_CAST_ALL, ABUT_CAST_FIRST, ABUT_CAST_ANY};
    ray_list wanted[RAYS];
    size_t found = 0;
    for (int i = 0; i < RAYS; ++i) {
        wanted[i] = rays_all(w->scene, body, &b->ray[i], meet);
        found += wanted[i].count;
    }
    for (int m = 0; m < 3; ++m) {
        abut_cast_def def = *base;
        size_t count = 0;
        size_t met_count = 0;
        def.mode = modes[m];
        REQUIRE_OK(body != NULL ? abut_cast(w->scene, *body, b->rays, &def, result, NULL)
                                : abut_cast_all(w->scene, b->rays, &def, result, NULL));
        const abut_ray_hit* hits = abut_cast_result_hits(result, &count);
        const uint8_t* met = abut_cast_result_met(result, &met_count);
        size_t at = 0;
        REQUIRE(met_count == RAYS);
        for (uint32_t i = 0; i < RAYS; ++i) {
            const size_t most = modes[m] == ABUT_CAST_ALL     ? wanted[i].count
                                : modes[m] == ABUT_CAST_FIRST ? wanted[i].count > 0
                                                              : 0;
            REQUIRE(met[i] == (wanted[i].count > 0));
            for (size_t k = 0; k < most; ++k, ++at) {
                REQUIRE(at < count && hits[at].ray == i);
                ray_check_hit(w->scene, &b->ray[i], &hits[at], &wanted[i].all[k]);
            }
        }
        REQUIRE(at == count);
    }
    for (int i = 0; i < RAYS; ++i) {
        rays_free(&wanted[i]);
    }
    return found;
}

static const motion_row* const rows[] = {&motion_free, &motion_modal, &motion_blend,
                                         &motion_flight};
enum { ROWS = sizeof rows / sizeof *rows };

static surface surface_of(test_random* random, uint32_t seed) {
    switch (seed % 4) {
        case 0: return surface_ball(5, 6, 1);
        case 1: return surface_soup(random, 60, 2, 1, 0.25);
        case 2: {
            surface s = surface_sheet(5, 5, 4);
            surface_shake(&s, random, 0.25, 0.25);
            return s;
        }
        default: return surface_soup(random, 60, 2, 1, 0x1p-40);
    }
}

static void check_motion(const motion_row* row, uint32_t seed) {
    test_random random = random_seed(1000 + seed);
    world w = world_make(NULL, NULL);
    abut_cast_result* result = NULL;
    const abut_cast_def def = abut_cast_def_default();
    mover m = mover_make(row, seed % row->variants, surface_of(&random, seed), &random);
    motion_def shape_def = mover_def(&m);
    shape_def.block_triangles = seed % 2 == 0 ? 4 : 48;
    const abut_body_id body = world_add(&w, &m.surface, &shape_def, NULL);
    REQUIRE_OK(abut_cast_result_create(w.context, &result, NULL));
    for (uint32_t step = 0; step < 3; ++step) {
        const state_kind kinds[3] = {STATE_REST, STATE_ORDINARY,
                                     seed % 3 == 0 ? STATE_DEGENERATE : STATE_EXTREME};
        mover_draw(&m, &random, kinds[step]);
        REQUIRE_OK(mover_set(&m, w.scene, body));
        if (seed % 3 == 1) {
            world_frame(&w, body, frame_random(&random, seed % 2 == 0 ? 4 : 1e6));
        }
        for (uint32_t k = 0; k < 3; ++k) {
            batch b;
            const bool to_ends = k == 2 ? step % 2 == 1 : k == 1;
            for (int i = 0; i < RAYS; ++i) {
                draw_ray(w.scene, body, &random, to_ends, &b.ray[i]);
            }
            if (k == 2) {
                draw_bundle(w.scene, body, &random, to_ends, &b);
            }
            batch_pack(&b, to_ends);
            where("%s, seed %u, step %u, %s of %s", row->name, seed, step,
                  to_ends ? "ends" : "directions", k == 2 ? "a bundle" : "rays");
            (void)check_batch(&w, &body, &b, &def, may_meet_all, result);
        }
    }
    abut_cast_result_destroy(result);
    mover_free(&m);
    world_free(&w);
}

static void test_every_motion(void** state) {
    (void)state;
    for (uint32_t seed = 0; seed < effort(6, 24, 240); ++seed) {
        for (int r = 0; r < ROWS; ++r) {
            check_motion(rows[r], seed);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_motion),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
