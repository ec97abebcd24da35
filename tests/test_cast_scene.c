// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Casts over scenes: bodies of all motions that move, appear and vanish, groups and filters against
// rationals; crossings of closed surfaces against winding numbers, with rays aimed at edges and
// vertices; the same bits for any number of threads and any instruction set; many rays at once
// against the same rays one by one.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "support/everywhere.h"
#include "support/queries.h"
#include "support/rays.h"
#include "support/solids.h"

#define PI 3.14159265358979323846

static abut_cast_result* make_result(const world* w) {
    abut_cast_result* result = NULL;
    REQUIRE_OK(abut_cast_result_create(w->context, &result, NULL));
    return result;
}

// ---- scenes

// bodies that rays meet in a test of groups: those with an odd index
static bool is_odd(uint32_t body) {
    return body % 2 == 1;
}

static void check_ray(const world* w, const ray_case* ray, const abut_cast_def* def,
                      bool (*meet)(uint32_t body), abut_cast_result* result) {
    ray_list wanted = rays_all(w->scene, NULL, ray, meet);
    abut_cast_def all = *def;
    size_t count = 0;
    all.mode = ABUT_CAST_ALL;
    REQUIRE_OK(abut_cast_all(w->scene, abut_rays_f64(ray->o, ray->d, 1), &all, result, NULL));
    const abut_ray_hit* hits = abut_cast_result_hits(result, &count);
    REQUIRE(count == wanted.count);
    for (size_t i = 0; i < count; ++i) {
        ray_check_hit(w->scene, ray, &hits[i], &wanted.all[i]);
    }
    REQUIRE_OK(abut_cast_all(w->scene, abut_rays_f64(ray->o, ray->d, 1), def, result, NULL));
    hits = abut_cast_result_hits(result, &count);
    REQUIRE(count == (wanted.count > 0));
    if (count > 0) {
        ray_check_hit(w->scene, ray, &hits[0], &wanted.all[0]);
    }
    rays_free(&wanted);
}

// a ray that comes at most `off` past a point
static ray_case random_ray(test_random* random, const double target[3], double off) {
    ray_case ray = {.tmax = INFINITY};
    for (int k = 0; k < 3; ++k) {
        ray.o[k] = random_double(random, -8, 8);
        ray.d[k] = target[k] + random_double(random, -off, off) - ray.o[k];
    }
    return ray;
}

// the zoo has bodies of all motions that overlap
static void test_scenes_that_change(void** state) {
    (void)state;
    for (uint32_t seed = 0; seed < effort(3, 10, 60); ++seed) {
        zoo z;
        test_random random = random_seed(seed);
        zoo_open(&z, seed, 5, NULL, NULL);
        abut_cast_result* result = make_result(&z.world);
        const abut_cast_def def = abut_cast_def_default();
        for (uint32_t step = 0; step < 4; ++step) {
            where("seed %u, step %u", seed, step);
            if (step > 0) {
                zoo_move(&z, 0.5 * step);
            }
            if (step == 2) {
                REQUIRE_OK(abut_body_destroy(z.world.scene, z.body[ZOO_MODAL], NULL));
            }
            for (uint32_t k = 0; k < 4; ++k) {
                double p[3];
                const abut_body_id id = z.body[k == ZOO_MODAL ? ZOO_FREE : k];
                REQUIRE_OK(abut_body_world_vertex(z.world.scene, id, k, p, NULL));
                const ray_case ray = random_ray(&random, p, 1);
                check_ray(&z.world, &ray, &def, NULL, result);
            }
            if (step == 2) {
                break;  // zoo_move() needs all bodies
            }
        }
        abut_cast_result_destroy(result);
        zoo_close(&z);
    }
}

// rays through a row of small bodies, so that the tree over bodies has several levels
static void test_many_bodies(void** state) {
    (void)state;
    world w = world_make(NULL, NULL);
    surface s = surface_ball(3, 4, 0.4);
    abut_shape* shape = world_shape(&w, &s, NULL);
    abut_cast_result* result = make_result(&w);
    abut_cast_def def = abut_cast_def_default();
    enum { BODIES = 150 };
    abut_body_id body[BODIES];
    for (uint32_t i = 0; i < BODIES; ++i) {
        abut_body_def place = abut_body_def_default();
        place.frame.t[0] = i % 10;
        place.frame.t[1] = i / 10;
        place.groups = i % 2 == 1 ? 2 : 1;
        place.is_static = i % 3 == 0;
        REQUIRE_OK(abut_body_create(w.scene, shape, &place, &body[i], NULL));
    }
    test_random random = random_seed(7);
    double target[3] = {4, 7, 0};
    for (uint32_t k = 0; k < effort(12, 40, 400); ++k) {
        const ray_case ray = random_ray(&random, target, 0.25);
        where("ray %u", k);
        def.mask = k % 2 == 0 ? UINT64_MAX : 2;
        check_ray(&w, &ray, &def, k % 2 == 0 ? NULL : is_odd, result);
        const uint32_t moved = random_below(&random, BODIES);
        abut_frame frame = frame_random(&random, 12);
        REQUIRE_OK(abut_body_set_frame(w.scene, body[moved], &frame, NULL));
        memcpy(target, frame.t, sizeof target);  // the next ray comes near the body that moved
    }
    abut_cast_result_destroy(result);
    abut_shape_destroy(shape);
    surface_free(&s);
    world_free(&w);
}

// ---- filter and counters

static bool keep_even(void* user, uint32_t ray, uint32_t body, uint32_t triangle) {
    (void)user;
    (void)ray;
    (void)body;
    return triangle % 2 == 0;
}

static void test_filter_and_counters(void** state) {
    (void)state;
    world w = world_make(NULL, NULL);
    surface s = surface_ball(8, 9, 1);
    const abut_body_id body = world_add(&w, &s, NULL, NULL);
    abut_cast_result* result = make_result(&w);
    abut_cast_def def = abut_cast_def_default();
    abut_counters counters = {0};
    test_random random = random_seed(3);
    uint64_t found = 0;
    def.mode = ABUT_CAST_ALL;
    def.filter.fn = keep_even;
    def.head.counters = &counters;
    for (uint32_t k = 0; k < 50; ++k) {
        const double target[3] = {0, 0, 0};
        const ray_case ray = random_ray(&random, target, 1);
        ray_list wanted = rays_all(w.scene, &body, &ray, NULL);
        size_t count = 0;
        size_t at = 0;
        REQUIRE_OK(abut_cast(w.scene, body, abut_rays_f64(ray.o, ray.d, 1), &def, result, NULL));
        const abut_ray_hit* hits = abut_cast_result_hits(result, &count);
        for (size_t i = 0; i < wanted.count; ++i) {
            if (wanted.all[i].triangle % 2 == 0) {
                REQUIRE(at < count && hits[at++].triangle == wanted.all[i].triangle);
            }
        }
        REQUIRE(at == count);
        found += count;
        rays_free(&wanted);
    }
    REQUIRE(counters.pairs_found == found && found > 0);
    REQUIRE(counters.pairs_filtered > 0 && counters.exact_tests >= found);
    REQUIRE(counters.blocks_evaluated > 0 && counters.boxes_tested > 0);
    abut_cast_result_destroy(result);
    surface_free(&s);
    world_free(&w);
}

// ---- crossings of closed surfaces

static double dot(const double a[3], const double b[3]) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

// the angle at a corner of a triangle, seen along d
static double seen_angle(const double t[3][3], int corner, const double d[3]) {
    double u[2][3];
    for (int e = 0; e < 2; ++e) {
        const double* q = t[(corner + 1 + e) % 3];
        const double v[3] = {q[0] - t[corner][0], q[1] - t[corner][1], q[2] - t[corner][2]};
        for (int k = 0; k < 3; ++k) {
            u[e][k] = v[k] - d[k] * dot(v, d) / dot(d, d);
        }
    }
    const double cosine = dot(u[0], u[1]) / sqrt(dot(u[0], u[0]) * dot(u[1], u[1]));
    return acos(fmax(-1, fmin(1, cosine)));
}

// The part of a full turn by which a hit surrounds the ray: all of it inside a face, half on an edge,
// at a vertex the angle of the corner.
static double share(const abut_scene* scene, abut_body_id body, const abut_ray_hit* hit,
                    const double d[3]) {
    double t[3][3];
    int zeros = 0;
    int corner = 0;
    for (int i = 0; i < 3; ++i) {
        zeros += hit->weights[i] == 0;
        corner = hit->weights[i] != 0 ? i : corner;
    }
    const int sign = hit->side == ABUT_RAY_SIDE_FRONT ? 1 : -1;
    if (hit->side == ABUT_RAY_SIDE_EDGE_ON) {
        return 0;
    }
    ray_corners(scene, body, hit->triangle, t);
    return sign * (zeros == 0   ? 1
                   : zeros == 1 ? 0.5
                                : seen_angle((const double(*)[3])t, corner, d) / (2 * PI));
}

// a segment from a lattice point through a vertex, the middle of an edge, or another lattice point
static void draw_segment(test_random* random, const surface* s, double from[3], double to[3]) {
    const uint32_t* t = s->triangles + 3 * (size_t)random_below(random, s->triangle_count);
    const uint32_t kind = random_below(random, 3);
    for (int k = 0; k < 3; ++k) {
        const double a = s->xyz[3 * (size_t)t[0] + (size_t)k];
        const double b = s->xyz[3 * (size_t)t[1] + (size_t)k];
        from[k] = random_dyadic(random, 12, 0x1p-4);
        to[k] = kind == 0   ? 2 * a - from[k]
                : kind == 1 ? a + b - from[k]
                            : random_dyadic(random, 12, 0x1p-4);
    }
}

static void test_crossings(void** state) {
    (void)state;
    for (uint32_t seed = 0; seed < 4; ++seed) {
        test_random random = random_seed(seed);
        world w = world_make(NULL, NULL);
        surface a = surface_ball(5 + seed, 6 + seed, 8);
        surface_shake(&a, &random, 0.5, 0x1p-4);
        for (size_t i = 0; i < 3 * (size_t)a.vertex_count; ++i) {
            a.xyz[i] = round(a.xyz[i] * 16) / 16;
        }
        surface b = surface_copy(&a);
        surface_shift(&b, 3, 1, 0);
        surface s = surface_join(&a, &b);
        const abut_body_id body = world_add(&w, &s, NULL, NULL);
        abut_cast_result* result = make_result(&w);
        abut_cast_def def = abut_cast_def_default();
        def.mode = ABUT_CAST_ALL;
        uint32_t special = 0;
        for (uint32_t k = 0; k < effort(2000, 20000, 250000); ++k) {
            double p[2][3];
            int32_t winding[2] = {0, 0};
            size_t count = 0;
            double sum = 0;
            draw_segment(&random, &s, p[0], p[1]);
            where("seed %u, segment %u", seed, k);
            if (world_point_side(&w, body, p[0], &winding[0]) == ABUT_SIDE_SURFACE ||
                world_point_side(&w, body, p[1], &winding[1]) == ABUT_SIDE_SURFACE) {
                continue;
            }
            const double d[3] = {p[1][0] - p[0][0], p[1][1] - p[0][1], p[1][2] - p[0][2]};
            REQUIRE_OK(
                abut_cast(w.scene, body, abut_rays_segments(p[0], p[1], 1), &def, result, NULL));
            const abut_ray_hit* hits = abut_cast_result_hits(result, &count);
            for (size_t i = 0; i < count; ++i) {
                sum += share(w.scene, body, &hits[i], d);
                special += hits[i].weights[0] == 0 || hits[i].weights[1] == 0;
            }
            REQUIRE(fabs(sum - (winding[1] - winding[0])) < 1e-6);
        }
        REQUIRE(special > 100);
        abut_cast_result_destroy(result);
        surface_free(&a);
        surface_free(&b);
        surface_free(&s);
        world_free(&w);
    }
}

// ---- batches

enum { MANY = 1500 };

static void draw_many(test_random* random, float o[MANY][3], float d[MANY][3]) {
    for (uint32_t i = 0; i < MANY; ++i) {
        for (int k = 0; k < 3; ++k) {
            o[i][k] = (float)random_double(random, -8, 8);
            d[i][k] = (float)random_double(random, -1, 1);
        }
    }
}

// The rows of all modes over a scene, as bytes.
static void same_bits(const zoo* z, reference r[4], const float* o, const float* d) {
    abut_cast_result* result = make_result(&z->world);
    for (int m = 0; m < 3; ++m) {
        abut_cast_def def = abut_cast_def_default();
        abut_counters counters = {0};
        size_t count = 0;
        def.mode = (abut_cast_mode)m;
        def.head.counters = &counters;
        REQUIRE_OK(abut_cast_all(z->world.scene, abut_rays_f32(o, d, MANY), &def, result, NULL));
        const abut_ray_hit* hits = abut_cast_result_hits(result, &count);
        if (m != ABUT_CAST_ANY) {
            REQUIRE(count > 100);
            REQUIRE(reference_same(&r[m], hits, count * sizeof *hits));
        } else {
            const uint8_t* met = abut_cast_result_met(result, &count);
            REQUIRE(reference_same(&r[m], met, count));
        }
        if (m == ABUT_CAST_ALL) {
            REQUIRE(reference_same(&r[3], &counters, sizeof counters));
        }
    }
    abut_cast_result_destroy(result);
}

static void test_same_everywhere(void** state) {
    (void)state;
    static float o[MANY][3];
    static float d[MANY][3];
    for (uint32_t seed = 0; seed < effort(1, 3, 20); ++seed) {
        reference r[4] = {{0}};
        test_random random = random_seed(seed);
        draw_many(&random, o, d);
        everywhere at = everywhere_each((const uint32_t[]){2, 5, 0}, seed);
        while (everywhere_next(&at)) {
            zoo z;
            where("seed %u, %s", seed, at.text);
            zoo_open(&z, seed, 9, &at.def, NULL);
            same_bits(&z, r, o[0], d[0]);
            zoo_close(&z);
        }
        for (int i = 0; i < 4; ++i) {
            reference_free(&r[i]);
        }
    }
}

static void test_batch_is_each(void** state) {
    (void)state;
    static float o[MANY][3];
    static float d[MANY][3];
    zoo z;
    test_random random = random_seed(11);
    zoo_open(&z, 11, 8, NULL, NULL);
    abut_cast_result* result = make_result(&z.world);
    abut_cast_result* one = make_result(&z.world);
    abut_cast_def def = abut_cast_def_default();
    def.mode = ABUT_CAST_ALL;
    draw_many(&random, o, d);
    size_t count = 0;
    size_t at = 0;
    REQUIRE_OK(abut_cast_all(z.world.scene, abut_rays_f32(o[0], d[0], MANY), &def, result, NULL));
    const abut_ray_hit* hits = abut_cast_result_hits(result, &count);
    for (uint32_t i = 0; i < MANY; ++i) {
        size_t some = 0;
        REQUIRE_OK(abut_cast_all(z.world.scene, abut_rays_f32(o[i], d[i], 1), &def, one, NULL));
        const abut_ray_hit* own = abut_cast_result_hits(one, &some);
        where("ray %u", i);
        for (size_t k = 0; k < some; ++k, ++at) {
            abut_ray_hit row = own[k];
            row.ray = i;
            REQUIRE(at < count && memcmp(&row, &hits[at], sizeof row) == 0);
        }
    }
    REQUIRE(at == count && count > 100);
    abut_cast_result_destroy(result);
    abut_cast_result_destroy(one);
    zoo_close(&z);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_scenes_that_change),  cmocka_unit_test(test_many_bodies),
        cmocka_unit_test(test_filter_and_counters), cmocka_unit_test(test_crossings),
        cmocka_unit_test(test_same_everywhere),     cmocka_unit_test(test_batch_is_each),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
