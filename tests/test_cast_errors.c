// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Casts with bad input, special rays, strides and types, and without memory: every allocation is
// refused once, and after warm-up there is none.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "support/memory.h"
#include "support/queries.h"
#include "support/solids.h"
#include "support/threads.h"

typedef struct stage {
    world w;
    surface s;
    abut_body_id body;
    abut_cast_result* result;
} stage;

static stage stage_open(void) {
    stage s = {.w = world_make(NULL, NULL), .s = cube_surface(-1, -1, -1, 2)};
    s.body = world_add(&s.w, &s.s, NULL, NULL);
    REQUIRE_OK(abut_cast_result_create(s.w.context, &s.result, NULL));
    return s;
}

static void stage_close(stage* s) {
    abut_cast_result_destroy(s->result);
    surface_free(&s->s);
    world_free(&s->w);
}

// ---- refused calls

// the result must be empty, and the error must say why
static void check_refused(stage* s, abut_rays rays, const abut_cast_def* def, abut_status status,
                          size_t index) {
    abut_error errors[2];
    const double o[3] = {-3, 0.25, 0.25};
    const double d[3] = {1, 0, 0};
    REQUIRE_OK(abut_cast(s->w.scene, s->body, abut_rays_f64(o, d, 1), NULL, s->result, NULL));
    REQUIRE(abut_cast_result_hits(s->result, NULL) != NULL);
    REQUIRE_STATUS(abut_cast(s->w.scene, s->body, rays, def, s->result, &errors[0]), status);
    REQUIRE(abut_cast_result_hits(s->result, NULL) == NULL);
    REQUIRE(abut_cast_result_met(s->result, NULL) == NULL);
    REQUIRE_STATUS(abut_cast_all(s->w.scene, rays, def, s->result, &errors[1]), status);
    for (int i = 0; i < 2; ++i) {
        REQUIRE(errors[i].status == status && strlen(errors[i].message) > 10);
        REQUIRE(errors[i].index == index);
    }
}

static void test_refused(void** state) {
    (void)state;
    stage s = stage_open();
    const double o[2][3] = {{-3, 0.25, 0.25}, {-3, 0.25, 0.25}};
    const double d[2][3] = {{1, 0, 0}, {1, 0, 0}};
    abut_rays rays = abut_rays_f64(o[0], d[0], 2);
    abut_cast_def def = {0};
    check_refused(&s, rays, &def, ABUT_ERR_INVALID_ARGUMENT, 0);
    def = abut_cast_def_default();
    def.mode = (abut_cast_mode)7;
    check_refused(&s, rays, &def, ABUT_ERR_INVALID_ARGUMENT, 0);
    rays.directions.count = 1;
    check_refused(&s, rays, NULL, ABUT_ERR_INVALID_ARGUMENT, 0);
    rays = abut_rays_f64(NULL, d[0], 2);
    check_refused(&s, rays, NULL, ABUT_ERR_INVALID_ARGUMENT, 0);
    rays = abut_rays_f64(o[0], d[0], 2);
    rays.tmin = (abut_ray_limits){o, 7, ABUT_SCALAR_F64};
    check_refused(&s, rays, NULL, ABUT_ERR_INVALID_ARGUMENT, 0);
    REQUIRE_STATUS(abut_cast(s.w.scene, s.body, rays, NULL, NULL, NULL), ABUT_ERR_INVALID_ARGUMENT);
    REQUIRE_STATUS(abut_cast_result_create(NULL, &s.result, NULL), ABUT_ERR_INVALID_ARGUMENT);
    REQUIRE_STATUS(abut_cast_result_create(s.w.context, NULL, NULL), ABUT_ERR_INVALID_ARGUMENT);
    stage_close(&s);
}

static void test_rays_that_are_not_finite(void** state) {
    (void)state;
    stage s = stage_open();
    const double bad[3] = {(double)NAN, (double)INFINITY, -(double)INFINITY};
    for (int b = 0; b < 3; ++b) {
        for (int k = 0; k < 8; ++k) {
            double o[3][3] = {{-3, 0.25, 0.25}, {-3, 0.25, 0.25}, {-3, 0.25, 0.25}};
            double d[3][3] = {{1, 0, 0}, {1, 0, 0}, {1, 0, 0}};
            double tmin[3] = {0, 0, 0};
            double tmax[3] = {9, 9, 9};
            abut_rays rays = abut_rays_f64(o[0], d[0], 3);
            rays.tmin = (abut_ray_limits){tmin, 0, ABUT_SCALAR_F64};
            rays.tmax = (abut_ray_limits){tmax, 0, ABUT_SCALAR_F64};
            double* places[8] = {&o[1][0], &o[1][1], &o[1][2], &d[1][0],
                                 &d[1][1], &d[1][2], &tmin[1], &tmax[1]};
            *places[k] = bad[b];
            where("value %d, place %d", b, k);
            if (k < 7 || b == 0) {
                check_refused(&s, rays, NULL, ABUT_ERR_INVALID_DATA, 1);
            } else {
                REQUIRE_OK(abut_cast(s.w.scene, s.body, rays, NULL, s.result, NULL));
            }
        }
    }
    stage_close(&s);
}

// a borrowed position that is not finite is named if a ray comes to it
static void test_bad_vertex(void** state) {
    (void)state;
    stage s = stage_open();
    abut_error error;
    const double o[3] = {-3, 0.25, 0.25};
    const double d[3] = {1, 0, 0};
    s.s.xyz[3 * 2 + 1] = (double)NAN;
    REQUIRE_OK(abut_body_borrow_positions(s.w.scene, s.body,
                                          abut_positions_f64(s.s.xyz, s.s.vertex_count), NULL));
    REQUIRE_STATUS(abut_cast(s.w.scene, s.body, abut_rays_f64(o, d, 1), NULL, s.result, &error),
                   ABUT_ERR_INVALID_DATA);
    REQUIRE(error.index == 2 && error.body.index == s.body.index);
    REQUIRE_STATUS(abut_cast_all(s.w.scene, abut_rays_f64(o, d, 1), NULL, s.result, &error),
                   ABUT_ERR_INVALID_DATA);
    stage_close(&s);
}

// ---- special rays

static const abut_ray_hit* cast_one(stage* s, const double o[3], const double d[3], double tmin,
                                    double tmax, size_t* count) {
    abut_rays rays = abut_rays_f64(o, d, 1);
    abut_cast_def def = abut_cast_def_default();
    def.mode = ABUT_CAST_ALL;
    rays.tmin = (abut_ray_limits){&tmin, 0, ABUT_SCALAR_F64};
    rays.tmax = (abut_ray_limits){&tmax, 0, ABUT_SCALAR_F64};
    REQUIRE_OK(abut_cast(s->w.scene, s->body, rays, &def, s->result, NULL));
    return abut_cast_result_hits(s->result, count);
}

// a cube from -1 to 1
static void test_special_rays(void** state) {
    (void)state;
    stage s = stage_open();
    size_t count = 0;
    const double none[3] = {0, 0, 0};
    const double x[3] = {1, 0, 0};
    const double inside[3] = {0.25, 0.5, 0};
    const double on[3] = {-1, 0.25, 0.5};
    const double corner[3] = {-1, -1, -1};
    const double before[3] = {-3, 0.25, 0.5};
    // a point: on the surface, at a corner, inside
    const abut_ray_hit* hits = cast_one(&s, on, none, 0.5, 3, &count);
    REQUIRE(count == 1 && hits[0].t == 0.5 && hits[0].side == ABUT_RAY_SIDE_EDGE_ON);
    (void)cast_one(&s, corner, none, 0, 1, &count);
    REQUIRE(count >= 3);
    (void)cast_one(&s, inside, none, 0, 1, &count);
    REQUIRE(count == 0);
    // an origin on the surface, with it and without it
    hits = cast_one(&s, on, x, 0, (double)INFINITY, &count);
    REQUIRE(count == 2 && hits[0].t == 0 && hits[0].side == ABUT_RAY_SIDE_FRONT);
    REQUIRE(hits[1].t == 2 && hits[1].side == ABUT_RAY_SIDE_BACK);
    hits = cast_one(&s, on, x, 0x1p-1074, (double)INFINITY, &count);
    REQUIRE(count == 1 && hits[0].t == 2);
    // limits that equal a hit, and limits without a point
    (void)cast_one(&s, before, x, 2, 4, &count);
    REQUIRE(count == 2);
    (void)cast_one(&s, before, x, nextafter(2, 3), nextafter(4, 3), &count);
    REQUIRE(count == 0);
    (void)cast_one(&s, before, x, 4, 2, &count);
    REQUIRE(count == 0);
    (void)cast_one(&s, before, x, 2, 2, &count);
    REQUIRE(count == 1);
    // in the plane of two sides, along an edge
    const double low[3] = {-3, -1, -1};
    hits = cast_one(&s, low, x, 0, (double)INFINITY, &count);
    REQUIRE(count >= 6 && hits[0].t == 2);
    // far beyond, backwards, with huge and tiny directions
    const double huge[3] = {0x1p1000, 0, 0};
    const double tiny[3] = {0x1p-1060, 0, 0};
    hits = cast_one(&s, before, huge, 0, (double)INFINITY, &count);
    REQUIRE(count == 2 && hits[0].t == 0x1p-999);
    hits = cast_one(&s, before, tiny, 0, (double)INFINITY, &count);
    REQUIRE(count == 2 && isinf(hits[0].t));
    hits = cast_one(&s, inside, x, -9, 9, &count);
    REQUIRE(count == 2 && hits[0].t == -1.25 && hits[1].t == 0.75);
    stage_close(&s);
}

// packed as renderers have them: origin, tmin, direction, tmax, in float
static void test_strides(void** state) {
    (void)state;
    stage s = stage_open();
    const float rays[3][8] = {{-3, 0.25f, 0.5f, 0, 1, 0, 0, 9},
                              {-3, 0.25f, 0.5f, 0, 1, 0, 0, 1},
                              {-3, 0.25f, 0.5f, 3, 1, 0, 0, 9}};
    const abut_rays all = {.origins = {rays[0], 3, 32, ABUT_SCALAR_F32},
                           .directions = {rays[0] + 4, 3, 32, ABUT_SCALAR_F32},
                           .tmin = {rays[0] + 3, 32, ABUT_SCALAR_F32},
                           .tmax = {rays[0] + 7, 32, ABUT_SCALAR_F32}};
    size_t count = 0;
    REQUIRE_OK(abut_cast(s.w.scene, s.body, all, NULL, s.result, NULL));
    const abut_ray_hit* hits = abut_cast_result_hits(s.result, &count);
    REQUIRE(count == 2 && hits[0].ray == 0 && hits[0].t == 2 && hits[1].ray == 2);
    REQUIRE(hits[1].t == 4);
    const uint8_t* met = abut_cast_result_met(s.result, &count);
    REQUIRE(count == 3 && met[0] == 1 && met[1] == 0 && met[2] == 1);
    REQUIRE_OK(abut_cast(s.w.scene, s.body, abut_rays_f32(NULL, NULL, 0), NULL, s.result, NULL));
    REQUIRE(abut_cast_result_hits(s.result, NULL) == NULL);
    stage_close(&s);
}

// ---- memory

enum { MANY = 600 };

static void fill(double o[MANY][3], double d[MANY][3]) {
    test_random random = random_seed(5);
    for (uint32_t i = 0; i < MANY; ++i) {
        for (int k = 0; k < 3; ++k) {
            o[i][k] = random_double(&random, -8, 8);
            d[i][k] = random_double(&random, -8, 8);
        }
    }
}

static abut_status cast_modes(const abut_scene* scene, abut_body_id body, abut_rays rays,
                              abut_cast_result* result) {
    abut_status status = ABUT_OK;
    for (int m = 0; m < 3 && status == ABUT_OK; ++m) {
        abut_cast_def def = abut_cast_def_default();
        abut_counters counters = {0};
        def.mode = (abut_cast_mode)m;
        def.head.counters = &counters;
        status = abut_cast_all(scene, rays, &def, result, NULL);
        status = status == ABUT_OK ? abut_cast(scene, body, rays, &def, result, NULL) : status;
    }
    return status;
}

static void test_every_allocation_refused(void** state) {
    (void)state;
    static double o[MANY][3];
    static double d[MANY][3];
    fill(o, d);
    const abut_rays rays = abut_rays_segments(o[0], d[0], MANY);
    bool failed = true;
    for (size_t call = 1; failed; ++call) {
        test_memory memory;
        zoo z;
        abut_context_def def = memory_context_def(&memory);
        abut_cast_result* result = NULL;
        zoo_open(&z, 3, 5, &def, NULL);
        memory_fail(&memory, call, false);
        abut_status status = abut_cast_result_create(z.world.context, &result, NULL);
        if (status == ABUT_OK) {
            status = cast_modes(z.world.scene, z.body[ZOO_BLEND], rays, result);
        }
        failed = memory.refused > 0;
        where("allocation %zu", call);
        REQUIRE(status == ABUT_OK || (failed && status == ABUT_ERR_NO_MEMORY));
        memory_fail(&memory, 0, false);
        if (result != NULL) {  // the result is as good as before
            REQUIRE_OK(cast_modes(z.world.scene, z.body[ZOO_BLEND], rays, result));
        }
        abut_cast_result_destroy(result);
        zoo_close(&z);
        memory_require_clean(&memory);
    }
}

static void check_quiet(test_threads* threads) {
    static double o[MANY][3];
    static double d[MANY][3];
    test_memory memory;
    zoo z;
    abut_context_def def = memory_context_def(&memory);
    abut_cast_result* result = NULL;
    if (threads != NULL) {
        def.tasks = threads_tasks(threads);
    }
    fill(o, d);
    const abut_rays rays = abut_rays_segments(o[0], d[0], MANY);
    zoo_open(&z, 3, 6, &def, NULL);
    REQUIRE_OK(abut_cast_result_create(z.world.context, &result, NULL));
    for (int round = 0; round < 3; ++round) {
        z.random = random_seed(9);  // the same states in each round
        for (int step = 0; step < 4; ++step) {
            zoo_move(&z, 0.5 * step);
            const size_t before = memory.calls;
            REQUIRE_OK(cast_modes(z.world.scene, z.body[ZOO_FLIGHT], rays, result));
            where("round %d, step %d", round, step);
            REQUIRE(round < 2 || memory.calls == before);
        }
    }
    abut_cast_result_destroy(result);
    zoo_close(&z);
    memory_require_clean(&memory);
}

static void test_quiet_after_warm_up(void** state) {
    (void)state;
    check_quiet(NULL);
    test_threads* threads = threads_create(3, 1);
    check_quiet(threads);
    threads_destroy(threads);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_rays_that_are_not_finite),
        cmocka_unit_test(test_bad_vertex),
        cmocka_unit_test(test_special_rays),
        cmocka_unit_test(test_strides),
        cmocka_unit_test(test_every_allocation_refused),
        cmocka_unit_test(test_quiet_after_warm_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
