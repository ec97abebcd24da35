// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// The work of modal bodies: lazy where no other body is near, all vertices at once in heavy
// contact, and boxes that small steps widen.

#include "test_modal_support.h"

// Vertices without a query are not evaluated: a query that ends at the root evaluates no block.
static void test_work_is_lazy(void** state) {
    (void)state;
    test_random random = random_seed(19);
    world w = world_make(NULL, NULL);
    surface s = surface_ball(40, 60, 1);
    field_set f = make_fields(&random, &s, 8, 0.02, ABUT_SCALAR_F32, false);
    const abut_body_id a = add_modal(&w, &s, &f, 48);
    const abut_body_id b = add_modal(&w, &s, &f, 48);
    abut_frame frame = abut_frame_identity();
    frame.t[0] = 3;
    world_frame(&w, b, frame);
    double q[8];
    random_coordinates(&random, q, 8, 1);
    set_coordinates(&w, a, q, 8);
    abut_collide_def def = abut_collide_def_default();
    abut_counters counters = {0};
    def.head.counters = &counters;
    assert_int_equal(check_between(&w, a, b, &def), 0);
    assert_int_equal(counters.blocks_evaluated, 0);
    frame.t[0] = 1.98;
    world_frame(&w, b, frame);
    assert_true(check_between(&w, a, b, &def) > 0);
    assert_in_range(counters.blocks_evaluated, 1, 40);
    free_fields(&f);
    surface_free(&s);
    world_free(&w);
}

static bool moves_all(const world* w, abut_body_id id) {
    return abut__whole_is_here(
        abut__modal_state_of(abut__body_state(abut__scene_body(w->scene, id), 1))->whole);
}

// Where queries need most blocks, all vertices are moved at once, and block by block again
// afterwards. Answers are the same.
static void test_heavy_contact_moves_all(void** state) {
    (void)state;
    test_random random = random_seed(21);
    for (uint32_t round = 0; round < effort(4, 8, 100); ++round) {
        where("round %u", round);
        world w = world_make(NULL, NULL);
        surface s = surface_ball(10, 14, 1);
        field_set f = make_fields(&random, &s, 1 + random_below(&random, 9), 0.2,
                                  round % 2 == 0 ? ABUT_SCALAR_F32 : ABUT_SCALAR_F64,
                                  round % 3 == 0);
        const abut_body_id a = add_modal(&w, &s, &f, 6);
        const abut_body_id b = world_add(&w, &s, NULL, NULL);
        double q[10];
        uint32_t whole = 0;
        for (int k = 0; k < 9; ++k) {
            abut_frame frame = abut_frame_identity();
            frame.t[0] = k < 5 ? 0.01 * k : 5;
            world_frame(&w, b, frame);
            random_coordinates(&random, q, f.count, 0.3);
            set_coordinates(&w, a, q, f.count);
            assert_true(k > 0 || !moves_all(&w, a));
            whole += moves_all(&w, a);
            check_vertices(&w, a, &s, &f, q);
            world_validate(&w, a);
            (void)check_between(&w, a, b, NULL);
            (void)check_self(&w, a, NULL);
            if (k == 3) {
                assert_true(moves_all(&w, a));
            }
        }
        assert_in_range(whole, 3, 8);
        free_fields(&f);
        surface_free(&s);
        world_free(&w);
    }
}

static bool top_is_cached(const world* w, abut_body_id id) {
    const abut__body* body = abut__scene_body(w->scene, id);
    const abut__cached_boxes* cached = atomic_load(&((abut__body*)body)->cached);
    return cached != NULL && atomic_load(&((abut__cached_boxes*)cached)[0].stamp) == body->stamp;
}

// With many fields and small steps, the boxes of the top nodes are widened instead of recomputed.
// This includes nodes that were queried in different states. The boxes must still contain all
// vertices.
static void test_small_steps_widen_boxes(void** state) {
    (void)state;
    test_random random = random_seed(20);
    for (uint32_t round = 0; round < effort(12, 24, 300); ++round) {
        where("round %u", round);
        world w = world_make(NULL, NULL);
        surface s = surface_ball(10, 14, 1);
        for (uint32_t v = 0; v < s.vertex_count; ++v) {
            s.xyz[3 * (size_t)v] *= 3;  // longer than wide, so that a rotation changes its box
        }
        field_set f = make_fields(&random, &s, 40, 0.05, ABUT_SCALAR_F64, round % 3 == 0);
        const bool turning = round % 3 == 2;
        const bool straight = round % 2 == 1;  // one field moves all vertices in one direction
        const double slow = round % 4 == 1 ? 0.1 : -0.1;  // one end moves far less than the other
        for (uint32_t v = 0; v < s.vertex_count && straight; ++v) {
            for (uint32_t j = 0; j < 40; ++j) {
                double* u = field_at(&f, j, v);
                for (int d = 0; d < 3; ++d) {
                    u[d] = j > 0 ? 1e-3 * u[d] : d != 1 ? 0 : s.xyz[3 * (size_t)v] < slow ? 0.1 : 1;
                }
            }
        }
        const abut_body_id a = add_modal(&w, &s, &f, 2);
        const abut_body_id b = world_add(&w, &s, NULL, NULL);
        const double step = ldexp(1, random_between(&random, -16, 2));
        double q[40] = {0};
        uint32_t widened = 0;
        if (round % 2 == 0) {
            world_frame(&w, a, frame_random(&random, 0.1));
        }
        for (int k = 0; k < 24; ++k) {
            for (int j = 0; j < 40; ++j) {
                q[j] += straight ? j == 0 ? step : 0 : random_double(&random, -step, step);
            }
            if (turning && random_chance(&random, 0.5)) {  // nothing is cached for this rotation
                const abut_frame turned = frame_random(&random, 0.1);
                REQUIRE_OK(abut_body_set_frame(w.scene, a, &turned, NULL));
            }
            set_coordinates(&w, a, q, 40);
            widened += top_is_cached(&w, a);
            if (random_chance(&random, 0.7)) {  // queries some of the nodes
                world_frame(&w, b, frame_random(&random, 3));
                (void)check_between(&w, a, b, NULL);
            }
            if (random_chance(&random, 0.3)) {
                world_validate(&w, a);
            }
        }
        world_validate(&w, a);
        if (step < 0x1p-12 && !turning) {
            assert_true(widened > 8);
        } else if (step > 0.5) {
            assert_int_equal(widened, 0);
        }
        free_fields(&f);
        surface_free(&s);
        world_free(&w);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_work_is_lazy),
        cmocka_unit_test(test_heavy_contact_moves_all),
        cmocka_unit_test(test_small_steps_widen_boxes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
