// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// The flight motion: vertices by the documented formula, boxes that hold them at every instant, and
// queries that find what brute force finds.

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "support/world.h"

#define KEYS_MOST 6

// keyframes of a surface, as doubles and as floats
typedef struct plan {
    uint32_t count;
    abut_key keys[KEYS_MOST];
    double* xyz[KEYS_MOST];
    float* narrow[KEYS_MOST];
} plan;

// what becomes of a surface: shaken by up to `size` at every key
static plan plan_make(test_random* random, const surface* s, uint32_t count, double size,
                      bool narrow) {
    plan p = {.count = count};
    double time = random_double(random, -10, 10);
    for (uint32_t k = 0; k < count; ++k) {
        p.xyz[k] = test_alloc(3 * (size_t)s->vertex_count, sizeof(double));
        p.narrow[k] = test_alloc(3 * (size_t)s->vertex_count, sizeof(float));
        for (size_t i = 0; i < 3 * (size_t)s->vertex_count; ++i) {
            p.xyz[k][i] = s->xyz[i] + random_double(random, -size, size);
            p.narrow[k][i] = (float)p.xyz[k][i];
            p.xyz[k][i] = narrow ? (double)p.narrow[k][i] : p.xyz[k][i];
        }
        p.keys[k] = (abut_key){time, narrow ? abut_positions_f32(p.narrow[k], s->vertex_count)
                                            : abut_positions_f64(p.xyz[k], s->vertex_count)};
        time += random_double(random, 0.1, 3);
    }
    return p;
}

static void plan_free(plan* p) {
    for (uint32_t k = 0; k < p->count; ++k) {
        free(p->xyz[k]);
        free(p->narrow[k]);
    }
}

static abut_body_id add_flight(world* w, const surface* s, const plan* p, uint32_t block) {
    abut_shape_def def = abut_shape_def_default();
    def.motion = ABUT_MOTION_FLIGHT;
    def.keys = p->keys;
    def.key_count = p->count;
    def.block_triangles = block;
    return world_add(w, s, &def, NULL);
}

// volatile, so that no compiler fuses or reorders it
static void plan_formula(const plan* p, double time, uint32_t vertex, double out[3]) {
    uint32_t k = 0;
    while (k + 1 < p->count && p->keys[k + 1].time <= time) {
        ++k;
    }
    for (size_t d = 0; d < 3; ++d) {
        const size_t at = 3 * (size_t)vertex + d;
        out[d] = p->xyz[k][at];
        if (time > p->keys[k].time && k + 1 < p->count) {
            const double begin = p->keys[k].time;
            volatile double s = (time - begin) / (p->keys[k + 1].time - begin);
            volatile double rest = 1 - s;
            volatile double before = rest * p->xyz[k][at];
            volatile double after = s * p->xyz[k + 1][at];
            out[d] = before + after;
        }
    }
}

static double random_time(test_random* random, const plan* p) {
    const double first = p->keys[0].time;
    const double last = p->keys[p->count - 1].time;
    return random_chance(random, 0.2) ? p->keys[random_below(random, p->count)].time
                                      : random_double(random, first - 0.5, last + 0.5);
}

static void check_vertices(const world* w, abut_body_id body, const surface* s, const plan* p,
                           double time) {
    for (uint32_t v = 0; v < s->vertex_count; ++v) {
        double wanted[3];
        double got[3];
        plan_formula(p, time, v, wanted);
        REQUIRE_OK(abut_body_vertex(w->scene, body, v, got));
        REQUIRE(got[0] == wanted[0] && got[1] == wanted[1] && got[2] == wanted[2]);
    }
}

static void test_vertices_are_the_formula_and_boxes_hold_them(void** state) {
    (void)state;
    test_random random = random_seed(31);
    for (uint32_t round = 0; round < effort(30, 100, 2000); ++round) {
        where("round %u", round);
        world w = world_make(NULL, NULL);
        surface s = surface_ball(6, 9, 1);
        const double size = ldexp(1, random_between(&random, -60, 60));
        surface_scale(&s, size);
        if (random_chance(&random, 0.3)) {
            surface_shift(&s, 1e6 * size, -3e5 * size, 7e4 * size);
        }
        plan p = plan_make(&random, &s, 1 + random_below(&random, KEYS_MOST), 0.5 * size,
                           random_chance(&random, 0.5));
        const abut_body_id body = add_flight(&w, &s, &p, 1 + random_below(&random, 48));
        for (int step = 0; step < 8; ++step) {
            const double time = random_time(&random, &p);
            REQUIRE_OK(abut_body_set_time(w.scene, body, time, NULL));
            check_vertices(&w, body, &s, &p, time);
            if (random_chance(&random, 0.5)) {
                world_frame(&w, body, frame_random(&random, 1e9));
            }
            world_validate(&w, body);
        }
        world_free(&w);
        plan_free(&p);
        surface_free(&s);
    }
}

static void test_queries_equal_all_pairs(void** state) {
    (void)state;
    test_random random = random_seed(32);
    size_t hits[2] = {0, 0};
    for (uint32_t round = 0; round < effort(12, 40, 1000); ++round) {
        where("round %u", round);
        world w = world_make(NULL, NULL);
        surface ball = surface_ball(8, 12, 1);
        surface sheet = surface_sheet(9, 9, 3);
        plan p = plan_make(&random, &ball, 1 + random_below(&random, KEYS_MOST), 0.3, false);
        plan q = plan_make(&random, &sheet, 3, 0.3, true);
        const abut_body_id a = add_flight(&w, &ball, &p, 1 + random_below(&random, 48));
        const abut_body_id b = add_flight(&w, &sheet, &q, 16);
        const abut_body_id c = world_add(&w, &ball, NULL, NULL);
        for (int step = 0; step < 4; ++step) {
            REQUIRE_OK(abut_body_set_time(w.scene, a, random_time(&random, &p), NULL));
            REQUIRE_OK(abut_body_set_time(w.scene, b, random_time(&random, &q), NULL));
            world_frame(&w, c, frame_random(&random, 0.5));
            abut_query_def def = abut_query_def_default();
            def.margin = random_chance(&random, 0.2) ? 0.05 : 0;
            hits[0] += check_collide_all(&w, &def);
            hits[1] += check_self_all(&w, &def);
        }
        world_free(&w);
        plan_free(&p);
        plan_free(&q);
        surface_free(&ball);
        surface_free(&sheet);
    }
    assert_true(hits[0] > 0 && hits[1] > 0);
}

static void test_bad_keys_and_times_are_named(void** state) {
    (void)state;
    test_random random = random_seed(33);
    world w = world_make(NULL, NULL);
    surface s = surface_ball(6, 9, 1);
    plan p = plan_make(&random, &s, 4, 0.3, false);
    abut_shape_def def = abut_shape_def_default();
    def.motion = ABUT_MOTION_FLIGHT;
    abut_mesh_def mesh_def = abut_mesh_def_default();
    mesh_def.positions = abut_positions_f64(s.xyz, s.vertex_count);
    mesh_def.triangles = s.triangles;
    mesh_def.triangle_count = s.triangle_count;
    abut_mesh* mesh = NULL;
    REQUIRE_OK(abut_mesh_create(w.context, &mesh_def, &mesh, NULL));
    abut_shape* shape = NULL;
    abut_error error;
    def.key_count = 1;
    REQUIRE_STATUS(abut_shape_create(w.context, mesh, &def, &shape, &error),
                   ABUT_ERR_INVALID_ARGUMENT);
    def.keys = p.keys;
    def.key_count = p.count;
    const abut_key good = p.keys[2];
    const double times[] = {NAN, INFINITY, p.keys[1].time, p.keys[0].time};
    for (size_t i = 0; i < 4; ++i) {
        p.keys[2].time = times[i];
        REQUIRE_STATUS(abut_shape_create(w.context, mesh, &def, &shape, &error),
                       ABUT_ERR_INVALID_DATA);
        REQUIRE(error.element == ABUT_ELEMENT_ENTRY && error.index == 2);
    }
    p.keys[2] = good;
    p.keys[2].positions.count -= 1;
    REQUIRE_STATUS(abut_shape_create(w.context, mesh, &def, &shape, &error), ABUT_ERR_INVALID_DATA);
    REQUIRE(error.element == ABUT_ELEMENT_ENTRY && error.index == 2);
    p.keys[2] = good;
    abut_mesh_destroy(mesh);
    const abut_body_id body = add_flight(&w, &s, &p, 48);
    const double time = p.keys[1].time + 0.01;
    REQUIRE_OK(abut_body_set_time(w.scene, body, time, NULL));
    REQUIRE_STATUS(abut_body_set_time(w.scene, body, NAN, &error), ABUT_ERR_INVALID_DATA);
    check_vertices(&w, body, &s, &p, time);
    p.xyz[2][7] = NAN;  // borrowed: found when it is read
    REQUIRE_OK(abut_body_set_time(w.scene, body, p.keys[2].time + 0.01, NULL));
    REQUIRE_STATUS(abut_body_validate(w.scene, body, &error), ABUT_ERR_INVALID_DATA);
    REQUIRE(error.element == ABUT_ELEMENT_VERTEX && error.index == 2);
    world_free(&w);
    plan_free(&p);
    surface_free(&s);
}

// the boxes of keys are made once, and a state that nobody asks about moves nothing
static void test_work_is_lazy(void** state) {
    (void)state;
    test_random random = random_seed(34);
    world w = world_make(NULL, NULL);
    surface s = surface_ball(40, 60, 1);
    plan p = plan_make(&random, &s, 3, 0.001, true);
    const abut_body_id a = add_flight(&w, &s, &p, 48);
    const abut_body_id b = add_flight(&w, &s, &p, 48);
    abut_frame away = abut_frame_identity();
    away.t[0] = 10;
    world_frame(&w, b, away);
    abut_counters counters = {0};
    abut_query_def def = abut_query_def_default();
    def.counters = &counters;
    for (uint32_t step = 0; step < 50; ++step) {
        const double time = p.keys[0].time + 0.02 * step;
        REQUIRE_OK(abut_body_set_time(w.scene, a, time, NULL));
        REQUIRE_OK(abut_body_set_time(w.scene, b, time, NULL));
        REQUIRE_OK(abut_collide_all(w.scene, &def, w.result));
    }
    REQUIRE(counters.blocks_evaluated == 0 && counters.vertices_moved == 0);
    world_free(&w);
    plan_free(&p);
    surface_free(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_vertices_are_the_formula_and_boxes_hold_them),
        cmocka_unit_test(test_queries_equal_all_pairs),
        cmocka_unit_test(test_bad_keys_and_times_are_named),
        cmocka_unit_test(test_work_is_lazy),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
