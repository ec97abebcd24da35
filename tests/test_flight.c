// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// The flight motion: vertices follow the documented formula, boxes contain them at every time, and
// queries find the pairs of brute force.

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "support/flights.h"
#include "support/motion_def.h"

static flight random_flight(test_random* random, surface s, uint32_t keys, double size,
                            bool narrow) {
    flight m = flight_make(random, s, size, keys);
    if (narrow) {
        flight_narrow(&m);
    }
    return m;
}

static abut_body_id add_flight(world* w, const flight* m, uint32_t block) {
    const motion_def def = flight_def(m, MOTION_BOUND_AUTO, block);
    return world_add(w, &m->s, &def, NULL);
}

static double random_time(test_random* random, const flight* m) {
    const double first = m->keys[0].time;
    const double last = m->keys[m->key_count - 1].time;
    return random_chance(random, 0.2) ? m->keys[random_below(random, m->key_count)].time
                                      : random_double(random, first - 0.5, last + 0.5);
}

static void set_time(const world* w, abut_body_id body, flight* m, double time) {
    m->time = time;
    REQUIRE_OK(abut_body_set_time(w->scene, body, time, NULL));
}

static void test_vertices_are_the_formula_and_boxes_hold_them(void** state) {
    (void)state;
    test_random random = random_seed(31);
    for (uint32_t round = 0; round < effort(30, 100, 2000); ++round) {
        where("round %u", round);
        world w = world_make(NULL, NULL);
        double size;
        surface s = surface_any_ball(&random, 6, 9, 60, &size);
        flight m = random_flight(&random, s, 1 + random_below(&random, FLIGHT_KEYS_MOST), size,
                                 random_chance(&random, 0.5));
        const abut_body_id body = add_flight(&w, &m, 1 + random_below(&random, 48));
        for (int step = 0; step < 8; ++step) {
            set_time(&w, body, &m, random_time(&random, &m));
            flight_check(&w, body, &m);
            if (random_chance(&random, 0.5)) {
                world_frame(&w, body, frame_random(&random, 1e9));
            }
            world_validate(&w, body);
        }
        world_free(&w);
        flight_free(&m);
    }
}

static void test_queries_equal_all_pairs(void** state) {
    (void)state;
    test_random random = random_seed(32);
    size_t hits[2] = {0, 0};
    for (uint32_t round = 0; round < effort(12, 40, 1000); ++round) {
        where("round %u", round);
        world w = world_make(NULL, NULL);
        flight p = random_flight(&random, surface_ball(8, 12, 1),
                                 1 + random_below(&random, FLIGHT_KEYS_MOST), 1, false);
        flight q = random_flight(&random, surface_sheet(9, 9, 3), 3, 1, true);
        const abut_body_id a = add_flight(&w, &p, 1 + random_below(&random, 48));
        const abut_body_id b = add_flight(&w, &q, 16);
        const abut_body_id c = world_add(&w, &p.s, NULL, NULL);
        for (int step = 0; step < 4; ++step) {
            set_time(&w, a, &p, random_time(&random, &p));
            set_time(&w, b, &q, random_time(&random, &q));
            world_frame(&w, c, frame_random(&random, 0.5));
            abut_collide_def def = abut_collide_def_default();
            def.margin = random_chance(&random, 0.2) ? 0.05 : 0;
            hits[0] += check_collide_all(&w, &def);
            hits[1] += check_self_all(&w, &def);
        }
        world_free(&w);
        flight_free(&p);
        flight_free(&q);
    }
    assert_true(hits[0] > 0 && hits[1] > 0);
}

static void test_bad_keys_and_times_are_named(void** state) {
    (void)state;
    test_random random = random_seed(33);
    world w = world_make(NULL, NULL);
    flight p = random_flight(&random, surface_ball(6, 9, 1), 4, 1, false);
    const surface s = p.s;
    motion_def def = motion_def_default();
    def.motion = ABUT_MOTION_FLIGHT;
    abut_mesh* mesh = world_mesh(&w, &s);
    abut_shape* shape = NULL;
    abut_error error;
    def.keyframe_count = 1;
    REQUIRE_STATUS(motion_create(w.context, mesh, &def, &shape, &error), ABUT_ERR_INVALID_ARGUMENT);
    def.keyframes = p.keys;
    def.keyframe_count = p.key_count;
    const abut_keyframe good = p.keys[2];
    const double times[] = {NAN, INFINITY, p.keys[1].time, p.keys[0].time};
    for (size_t i = 0; i < 4; ++i) {
        p.keys[2].time = times[i];
        REQUIRE_STATUS(motion_create(w.context, mesh, &def, &shape, &error), ABUT_ERR_INVALID_DATA);
        REQUIRE(error.element == ABUT_ELEMENT_ENTRY && error.index == 2);
    }
    p.keys[2] = good;
    p.keys[2].positions.count -= 1;
    REQUIRE_STATUS(motion_create(w.context, mesh, &def, &shape, &error), ABUT_ERR_INVALID_DATA);
    REQUIRE(error.element == ABUT_ELEMENT_ENTRY && error.index == 2);
    p.keys[2] = good;
    abut_mesh_destroy(mesh);
    const abut_body_id body = add_flight(&w, &p, 48);
    const double time = p.keys[1].time + 0.01;
    set_time(&w, body, &p, time);
    REQUIRE_STATUS(abut_body_set_time(w.scene, body, NAN, &error), ABUT_ERR_INVALID_DATA);
    flight_check(&w, body, &p);
    p.key_xyz[2][7] = NAN;  // borrowed: noticed when it is read
    REQUIRE_OK(abut_body_set_time(w.scene, body, p.keys[2].time + 0.01, NULL));
    REQUIRE_STATUS(abut_body_validate(w.scene, body, &error), ABUT_ERR_INVALID_DATA);
    REQUIRE(error.element == ABUT_ELEMENT_VERTEX && error.index == 2);
    world_free(&w);
    flight_free(&p);
}

// the boxes of keyframes are computed once, and a state without queries moves no vertex
static void test_work_is_lazy(void** state) {
    (void)state;
    test_random random = random_seed(34);
    world w = world_make(NULL, NULL);
    flight p = random_flight(&random, surface_ball(40, 60, 1), 3, 0.003, true);
    const abut_body_id a = add_flight(&w, &p, 48);
    const abut_body_id b = add_flight(&w, &p, 48);
    abut_frame away = abut_frame_identity();
    away.t[0] = 10;
    world_frame(&w, b, away);
    abut_counters counters = {0};
    abut_collide_def def = abut_collide_def_default();
    def.head.counters = &counters;
    for (uint32_t step = 0; step < 50; ++step) {
        const double time = p.keys[0].time + 0.02 * step;
        REQUIRE_OK(abut_body_set_time(w.scene, a, time, NULL));
        REQUIRE_OK(abut_body_set_time(w.scene, b, time, NULL));
        REQUIRE_OK(abut_collide_all(w.scene, &def, w.result, NULL));
    }
    REQUIRE(counters.blocks_evaluated == 0 && counters.vertices_evaluated == 0);
    world_free(&w);
    flight_free(&p);
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
