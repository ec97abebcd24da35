// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Rays at bodies far from the origin, and points near them: answers agree with all triangles at every
// distance, in every frame.

#include "test_closest_support.h"

#include "support/motion_def.h"
#include "support/rays.h"

enum { POINTS = 6 };

// a body at a place, brought there by its vertices or by its frame, possibly turned
static abut_body_id add_far(world* w, test_random* random, double size, const double at[3]) {
    surface s = random_chance(random, 0.5) ? surface_ball(4, 6, 1) : surface_sheet(5, 5, 1.5);
    motion_def shape = motion_def_default();
    shape.block_triangles = 6;
    surface_shake(&s, random, 0.25, 0x1p-4);
    surface_scale(&s, size);
    abut_body_def def = abut_body_def_default();
    if (random_chance(random, 0.5)) {
        def.frame = frame_random(random, 0);
    }
    if (random_chance(random, 0.5)) {
        memcpy(def.frame.t, at, sizeof def.frame.t);
    } else {
        surface_shift(&s, at[0], at[1], at[2]);
    }
    const abut_body_id body = world_add(w, &s, &shape, &def);
    surface_free(&s);
    return body;
}

// a point of a triangle's plane and one beside it
static void draw_points(const world* w, abut_body_id body, test_random* random, double size,
                        double on[3], double beside[3]) {
    double t[3][3];
    ray_corners(w->scene, body, random_below(random, 20), t);
    for (int d = 0; d < 3; ++d) {
        on[d] = t[0][d] + 0.25 * (t[1][d] - t[0][d]) + 0.25 * (t[2][d] - t[0][d]);
        beside[d] = on[d] + size * random_double(random, -1, 1);
    }
}

static size_t check_rays(const world* w, const abut_body_id* body, const double (*from)[3],
                         const double (*to)[3], abut_cast_result* result) {
    abut_rays rays = abut_rays_f64(from[0], to[0], POINTS);
    rays.to_ends = true;
    abut_cast_def def = abut_cast_def_default();
    def.mode = ABUT_CAST_ALL;
    REQUIRE_OK(body != NULL ? abut_cast(w->scene, *body, rays, &def, result, NULL)
                            : abut_cast_all(w->scene, rays, &def, result, NULL));
    size_t count = 0;
    const abut_ray_hit* hits = abut_cast_result_hits(result, &count);
    size_t at = 0;
    for (uint32_t i = 0; i < POINTS; ++i) {
        ray_case ray = {.to_end = true, .tmin = 0, .tmax = 1};
        memcpy(ray.o, from[i], sizeof ray.o);
        memcpy(ray.d, to[i], sizeof ray.d);
        ray_list wanted = rays_all(w->scene, body, &ray, NULL);
        for (size_t k = 0; k < wanted.count; ++k, ++at) {
            REQUIRE(at < count && hits[at].ray == i);
            ray_check_hit(w->scene, &ray, &hits[at], &wanted.all[k]);
        }
        rays_free(&wanted);
    }
    REQUIRE(at == count);
    return count;
}

static void check_points(const world* w, const abut_body_id* body, const abut_body_id all[2],
                         const double (*points)[3], abut_closest_result* result) {
    facets f = {0};
    for (int i = 0; i < 2; ++i) {
        if (body == NULL || body->index == all[i].index) {
            facets_add(&f, w->scene, all[i]);
        }
    }
    const abut_closest_def def = abut_closest_def_default();
    const abut_positions view = abut_positions_f64(points[0], POINTS);
    REQUIRE_OK(body != NULL ? abut_closest(w->scene, *body, view, &def, result, NULL)
                            : abut_closest_all(w->scene, view, &def, result, NULL));
    check_rows(&f, points, POINTS, &def, result);
    free(f.all);
}

static void test_rays_and_points_at_any_distance(void** state) {
    (void)state;
    size_t found = 0;
    for (uint64_t seed = 1; seed <= effort(60, 300, 4000); ++seed) {
        where("seed %llu", (unsigned long long)seed);
        test_random random = random_seed(seed);
        const double size = ldexp(1, random_between(&random, -20, 20));
        double place[3];
        for (int d = 0; d < 3; ++d) {
            const double far = ldexp(size * random_double(&random, -1, 1),
                                     random_between(&random, 0, 40));
            place[d] = random_chance(&random, 0.3) ? 0 : far;
        }
        world w = world_make(NULL, NULL);
        const abut_body_id body[2] = {add_far(&w, &random, size, place),
                                      add_far(&w, &random, size, place)};
        double on[POINTS][3];
        double beside[POINTS][3];
        for (int i = 0; i < POINTS; ++i) {
            draw_points(&w, body[i % 2], &random, size, on[i], beside[i]);
        }
        abut_cast_result* hits = NULL;
        abut_closest_result* nearest = NULL;
        REQUIRE_OK(abut_cast_result_create(w.context, &hits, NULL));
        REQUIRE_OK(abut_closest_result_create(w.context, &nearest, NULL));
        found += check_rays(&w, &body[0], (const double(*)[3])beside, (const double(*)[3])on, hits);
        found += check_rays(&w, NULL, (const double(*)[3])beside, (const double(*)[3])on, hits);
        check_points(&w, &body[1], body, (const double(*)[3])beside, nearest);
        check_points(&w, NULL, body, (const double(*)[3])on, nearest);
        abut_cast_result_destroy(hits);
        abut_closest_result_destroy(nearest);
        world_free(&w);
    }
    REQUIRE(found > 100);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rays_and_points_at_any_distance),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
