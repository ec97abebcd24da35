// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Sweeps and their settings, compared with all pairs (support/swept_pairs.h).
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "support/everywhere.h"
#include "support/skin.h"
#include "support/swept_pairs.h"
#include "support/world.h"

// ---- free bodies

static void test_self_matches_all_pairs(void** state) {
    (void)state;
    size_t contacts = 0;
    for (uint32_t seed = 1; seed <= effort(2, 6, 20); ++seed) {
        test_random random = random_seed(seed);
        world w = world_make(NULL, NULL);
        surface s = surface_sheet(9, 7, 1);
        const abut_body_id body = world_add(&w, &s, NULL, NULL);
        snapshot p = snapshot_make(body, &s);
        for (int step = 0; step < 3; ++step) {
            where("seed %u, step %d", seed, step);
            surface_shake(&s, &random, 0.15, seed % 2 == 0 ? 0x1p-5 : 0x1p-30);
            world_move(&w, body, s.xyz);
            snapshot_take(&w, &p, 0, false);
            surface_shake(&s, &random, 0.1, seed % 2 == 0 ? 0x1p-5 : 0x1p-30);
            world_move(&w, body, s.xyz);
            snapshot_take(&w, &p, 1, false);
            abut_sweep_def def = abut_sweep_def_default();
            contacts += check_pair(&w, &p, &p, &def);
            def.margin = 0.01;
            check_pair(&w, &p, &p, &def);
        }
        snapshot_free(&p);
        surface_free(&s);
        world_free(&w);
    }
    print_message("%zu contacts\n", contacts);
    assert_true(contacts > 100);
}

// frames that are fixed, move and rotate
static void test_between_matches_all_pairs(void** state) {
    (void)state;
    size_t contacts = 0;
    for (uint32_t seed = 1; seed <= effort(3, 9, 30); ++seed) {
        test_random random = random_seed(seed + 100);
        world w = world_make(NULL, NULL);
        surface s = surface_sheet(6, 7, 1);
        surface ball = surface_ball(7, 8, 0.4);
        surface_shift(&ball, 0.5, 0.5, 0.3);
        const abut_body_id bodies[2] = {world_add(&w, &s, NULL, NULL),
                                        world_add(&w, &ball, NULL, NULL)};
        snapshot p[2] = {snapshot_make(bodies[0], &s), snapshot_make(bodies[1], &ball)};
        where("seed %u", seed);
        surface* surfaces[2] = {&s, &ball};
        for (int i = 0; i < 2; ++i) {
            abut_frame frame = frame_random(&random, 0.05);
            abut_frame next = seed % 3 == 2 ? frame_random(&random, 0.2) : frame;
            frame = seed % 3 == 0 ? abut_frame_identity() : frame;
            next = seed % 3 == 0 ? frame : next;
            surface_shake(surfaces[i], &random, 0.02, 0x1p-30);
            world_move(&w, bodies[i], surfaces[i]->xyz);
            world_frame(&w, bodies[i], frame);
            snapshot_take(&w, &p[i], 0, true);
            surface_shake(surfaces[i], &random, 0.1, 0x1p-30);
            surface_shift(surfaces[i], 0, 0, i == 0 ? 0.1 : -0.1);
            world_move(&w, bodies[i], surfaces[i]->xyz);
            REQUIRE_OK(abut_body_set_frame_step(w.scene, bodies[i], &frame, &next, NULL));
            snapshot_take(&w, &p[i], 1, true);
        }
        contacts += check_pair(&w, &p[0], &p[1], NULL);
        contacts += check_pair(&w, &p[1], &p[0], NULL);
        if (seed % 3 == 2) {  // frames that move: decided in world coordinates
            check_pair(&w, &p[0], &p[0], NULL);
        }
        swept_list wanted = all_pairs(&p[0], &p[1], 0);
        REQUIRE_OK(abut_sweep_all(w.scene, NULL, w.swept, NULL));
        require_swept(w.swept, &wanted);
        free(wanted.pairs);
        for (int i = 0; i < 2; ++i) {
            snapshot_free(&p[i]);
            surface_free(surfaces[i]);
        }
        world_free(&w);
    }
    print_message("%zu contacts\n", contacts);
    assert_true(contacts > 100);
}

// ---- other motions

static void test_modal_matches_all_pairs(void** state) {
    (void)state;
    size_t contacts = 0;
    for (uint32_t seed = 1; seed <= effort(2, 4, 12); ++seed) {
        test_random random = random_seed(seed + 200);
        world w = world_make(NULL, NULL);
        surface s = surface_sheet(8, 8, 1);
        field_set f = make_fields(&random, &s, 5, 0.3, ABUT_SCALAR_F64, false);
        const abut_body_id body = add_modal(&w, &s, &f, 16);
        snapshot p = snapshot_make(body, &s);
        double q[5];
        for (int step = 0; step < 3; ++step) {
            where("seed %u, step %d", seed, step);
            random_coordinates(&random, q, 5, step == 0 ? 0.02 : 2);
            set_coordinates(&w, body, q, 5);
            snapshot_take(&w, &p, 0, false);
            random_coordinates(&random, q, 5, step == 0 ? 0.02 : 2);
            set_coordinates(&w, body, q, 5);
            snapshot_take(&w, &p, 1, false);
            contacts += check_pair(&w, &p, &p, NULL);
        }
        snapshot_free(&p);
        free_fields(&f);
        surface_free(&s);
        world_free(&w);
    }
    print_message("%zu contacts\n", contacts);
    assert_true(contacts > 10);
}

static void test_blend_matches_all_pairs(void** state) {
    (void)state;
    enum { NODES = 6 };
    size_t contacts = 0;
    for (uint32_t seed = 1; seed <= effort(2, 4, 12); ++seed) {
        test_random random = random_seed(seed + 300);
        world w = world_make(NULL, NULL);
        surface s = surface_sheet(8, 8, 1);
        surface ball = surface_ball(6, 7, 0.3);
        surface_shift(&ball, 0.5, 0.5, 0.35);
        skin k = skin_make(&random, &s, NODES, 3, ABUT_SCALAR_F64);
        motion_def def = blend_def(&k, NULL);
        def.block_triangles = 16;
        const abut_body_id bodies[2] = {world_add(&w, &s, &def, NULL),
                                        world_add(&w, &ball, NULL, NULL)};
        snapshot p[2] = {snapshot_make(bodies[0], &s), snapshot_make(bodies[1], &ball)};
        where("seed %u", seed);
        double t[NODES][12];
        for (int end = 0; end < 2; ++end) {
            gentle_transforms(&random, t, NODES, 0.2);
            set_transforms(&w, bodies[0], t, NODES, NULL, 0);
            surface_shift(&ball, 0, 0, -0.1 * end);
            world_move(&w, bodies[1], ball.xyz);
            snapshot_take(&w, &p[0], end, true);
            snapshot_take(&w, &p[1], end, true);
        }
        contacts += check_pair(&w, &p[0], &p[1], NULL);
        check_pair(&w, &p[0], &p[0], NULL);
        skin_free(&k);
        for (int i = 0; i < 2; ++i) {
            snapshot_free(&p[i]);
        }
        surface_free(&s);
        surface_free(&ball);
        world_free(&w);
    }
    print_message("%zu contacts\n", contacts);
    assert_true(contacts > 10);
}

static void test_flight_matches_all_pairs(void** state) {
    (void)state;
    size_t contacts = 0;
    for (uint32_t seed = 1; seed <= effort(2, 4, 12); ++seed) {
        test_random random = random_seed(seed + 400);
        world w = world_make(NULL, NULL);
        surface s = surface_sheet(7, 7, 1);
        surface frames[3] = {surface_copy(&s), surface_copy(&s), surface_copy(&s)};
        abut_keyframe keys[3];
        for (int i = 0; i < 3; ++i) {
            surface_shake(&frames[i], &random, 0.15, 0x1p-30);
            keys[i] = (abut_keyframe){i, abut_positions_f64(frames[i].xyz, s.vertex_count)};
        }
        motion_def def = motion_def_default();
        def.motion = ABUT_MOTION_FLIGHT;
        def.keyframes = keys;
        def.keyframe_count = 3;
        def.bound = seed % 2 == 0 ? ABUT_FLIGHT_BOUND_KINETIC : MOTION_BOUND_AUTO;
        const abut_body_id body = world_add(&w, &s, &def, NULL);
        snapshot p = snapshot_make(body, &s);
        static const double times[] = {0, 0.5, 1, 1.75};
        for (int i = 0; i < 4; ++i) {
            where("seed %u, time %g", seed, times[i]);
            if (i > 0) {
                snapshot_take(&w, &p, 0, false);
            }
            REQUIRE_OK(abut_body_set_time(w.scene, body, times[i], NULL));
            snapshot_take(&w, &p, i > 0 ? 1 : 0, false);
            contacts += i > 0 ? check_pair(&w, &p, &p, NULL) : 0;
        }
        snapshot_free(&p);
        world_free(&w);
        for (int i = 0; i < 3; ++i) {
            surface_free(&frames[i]);
        }
        surface_free(&s);
    }
    print_message("%zu contacts\n", contacts);
    assert_true(contacts > 10);
}

// a rigid body is moved by frames alone
static void test_frames_alone(void** state) {
    (void)state;
    world w = world_make(NULL, NULL);
    surface s = surface_sheet(4, 4, 1);
    surface ball = surface_ball(5, 6, 0.2);
    const abut_body_id bodies[2] = {world_add(&w, &s, NULL, NULL),
                                    world_add(&w, &ball, NULL, NULL)};
    snapshot p[2] = {snapshot_make(bodies[0], &s), snapshot_make(bodies[1], &ball)};
    abut_frame from = abut_frame_identity();
    abut_frame to = from;
    from.t[0] = from.t[1] = to.t[0] = to.t[1] = 0.45;
    from.t[2] = 0.5;
    to.t[2] = -0.5;
    world_frame(&w, bodies[1], from);
    for (int i = 0; i < 2; ++i) {
        snapshot_take(&w, &p[i], 0, true);
    }
    where("frames");
    REQUIRE_OK(abut_body_set_frame_step(w.scene, bodies[1], &from, &to, NULL));
    for (int i = 0; i < 2; ++i) {
        snapshot_take(&w, &p[i], 1, true);
    }
    REQUIRE(check_pair(&w, &p[0], &p[1], NULL) > 10);
    REQUIRE(fabs(abut_sweep_result_time_of_impact(w.swept) - 0.3) < 1e-6);
    for (int i = 0; i < 2; ++i) {
        snapshot_free(&p[i]);
    }
    surface_free(&s);
    surface_free(&ball);
    world_free(&w);
}

// ---- settings

static bool odd_pairs(void* user, uint32_t body_a, uint32_t a, uint32_t body_b, uint32_t b) {
    (void)user;
    (void)body_a;
    (void)body_b;
    return (a + b) % 2 == 1;
}

static void test_settings(void** state) {
    (void)state;
    test_random random = random_seed(500);
    world w = world_make(NULL, NULL);
    surface s = surface_sheet(10, 10, 1);
    const abut_body_id body = world_add(&w, &s, NULL, NULL);
    snapshot p = snapshot_make(body, &s);
    for (int end = 0; end < 2; ++end) {
        surface_shake(&s, &random, 0.1, 0x1p-30);
        world_move(&w, body, s.xyz);
        snapshot_take(&w, &p, end, false);
    }
    swept_list all = all_pairs(&p, &p, 0);
    assert_true(all.count > 20);
    double first = INFINITY;
    for (size_t i = 0; i < all.count; ++i) {
        first = fmin(first, all.pairs[i].time);
    }
    abut_counters counters = {0};
    abut_sweep_def def = abut_sweep_def_default();
    def.any = true;
    def.head.counters = &counters;
    REQUIRE_OK(abut_sweep_self(w.scene, body, &def, w.swept, NULL));
    REQUIRE(abut_sweep_result_found(w.swept) && abut_sweep_result_pairs(w.swept, NULL) == NULL);
    def.any = false;
    memset(&counters, 0, sizeof counters);
    REQUIRE_OK(abut_sweep_self_all(w.scene, &def, w.swept, NULL));
    require_swept(w.swept, &all);
    REQUIRE(counters.pairs_found == all.count && counters.exact_tests > counters.exact_fallbacks &&
            counters.exact_fallbacks >= counters.pairs_found && counters.blocks_evaluated > 0);
    def.earliest_only = true;
    REQUIRE_OK(abut_sweep_self(w.scene, body, &def, w.swept, NULL));
    size_t count = 0;
    const abut_sweep_pair* got = abut_sweep_result_pairs(w.swept, &count);
    REQUIRE(count >= 1 && count < all.count && got[0].time == first);
    def.earliest_only = false;
    def.filter.fn = odd_pairs;
    size_t odd = 0;
    for (size_t i = 0; i < all.count; ++i) {
        if (odd_pairs(NULL, 0, all.pairs[i].triangle_a, 0, all.pairs[i].triangle_b)) {
            all.pairs[odd++] = all.pairs[i];
        }
    }
    all.count = odd;
    memset(&counters, 0, sizeof counters);
    REQUIRE_OK(abut_sweep_self(w.scene, body, &def, w.swept, NULL));
    require_swept(w.swept, &all);
    REQUIRE(counters.pairs_filtered > 0);
    free(all.pairs);
    snapshot_free(&p);
    surface_free(&s);
    world_free(&w);
}

static void test_errors_say_what_to_do(void** state) {
    (void)state;
    world w = world_make(NULL, NULL);
    surface s = surface_sheet(3, 3, 1);
    const abut_body_id a = world_add(&w, &s, NULL, NULL);
    abut_body_def fixed = abut_body_def_default();
    fixed.is_static = true;
    const abut_body_id b = world_add(&w, &s, NULL, &fixed);
    abut_error error = {0};
    REQUIRE_OK(abut_sweep(w.scene, b, a, NULL, w.swept, NULL));  // both are in their initial state
    REQUIRE(abut_sweep_result_time_of_impact(w.swept) == 0);
    REQUIRE_OK(
        abut_body_set_shape(w.scene, a, abut_body_shape(w.scene, a), (abut_positions){0}, NULL));
    REQUIRE_STATUS(abut_sweep(w.scene, b, a, NULL, w.swept, &error), ABUT_ERR_STATE);
    REQUIRE(error.body.index == a.index && error.body.generation == a.generation);
    REQUIRE(strstr(error.message, "no previous state") != NULL);
    error = (abut_error){0};
    REQUIRE_STATUS(abut_sweep_all(w.scene, NULL, w.swept, NULL), ABUT_ERR_STATE);
    surface away = surface_copy(&s);  // its previous position is unknown
    surface_shift(&away, 0, 0, 50);
    REQUIRE_OK(abut_body_set_shape(w.scene, a, abut_body_shape(w.scene, a),
                                   abut_positions_f64(away.xyz, away.vertex_count), NULL));
    REQUIRE_STATUS(abut_sweep_all(w.scene, NULL, w.swept, &error), ABUT_ERR_STATE);
    surface_free(&away);
    REQUIRE(error.body.index == a.index && error.body.generation == a.generation);
    world_move(&w, a, s.xyz);
    world_move(&w, a, s.xyz);  // a static body with one state is at rest
    REQUIRE_OK(abut_sweep(w.scene, a, b, NULL, w.swept, NULL));
    REQUIRE(abut_sweep_result_time_of_impact(w.swept) == 0);
    REQUIRE_OK(abut_sweep_all(w.scene, NULL, w.swept, NULL));
    REQUIRE(abut_sweep_result_time_of_impact(w.swept) == 0);

    const abut_positions positions = abut_positions_f64(s.xyz, s.vertex_count);
    REQUIRE_OK(abut_body_borrow_positions(w.scene, a, positions, NULL));
    REQUIRE_OK(abut_sweep_self(w.scene, a, NULL, w.swept, NULL));  // the previous state was a copy
    REQUIRE_OK(abut_body_borrow_positions(w.scene, a, positions, NULL));
    REQUIRE_STATUS(abut_sweep_self(w.scene, a, NULL, w.swept, NULL), ABUT_ERR_STATE);
    REQUIRE_OK(abut_body_borrow_step(w.scene, a, positions, positions, NULL));
    REQUIRE_OK(abut_sweep_self(w.scene, a, NULL, w.swept, NULL));
    REQUIRE(abut_sweep_result_time_of_impact(w.swept) == INFINITY);

    surface bent = surface_copy(&s);
    bent.xyz[4] = NAN;
    REQUIRE_OK(abut_body_borrow_step(w.scene, a, positions,
                                     abut_positions_f64(bent.xyz, s.vertex_count), NULL));
    REQUIRE_STATUS(abut_sweep_self(w.scene, a, NULL, w.swept, &error), ABUT_ERR_INVALID_DATA);
    REQUIRE(error.body.index == a.index && error.element == ABUT_ELEMENT_VERTEX);
    REQUIRE(error.index == 1);
    abut_sweep_def def = abut_sweep_def_default();
    def.tolerance = 1e-9;
    REQUIRE_STATUS(abut_sweep_self(w.scene, a, &def, w.swept, NULL), ABUT_ERR_INVALID_ARGUMENT);
    REQUIRE_STATUS(abut_sweep(w.scene, a, a, NULL, w.swept, NULL), ABUT_ERR_INVALID_ARGUMENT);
    surface_free(&bent);
    world_free(&w);
    surface_free(&s);
}

// a degraded tree is rebuilt between two steps: the next sweep is as usual
static void test_rebuilt_between_steps(void** state) {
    (void)state;
    test_random random = random_seed(3);
    world w = world_make(NULL, NULL);
    surface soups[3];
    for (int i = 0; i < 3; ++i) {
        soups[i] = surface_soup(&random, 60, 1, 0.3, 0x1p-20);
    }
    const abut_body_id body = world_add(&w, &soups[0], NULL, NULL);
    snapshot p = snapshot_make(body, &soups[0]);
    world_move(&w, body, soups[1].xyz);
    snapshot_take(&w, &p, 0, false);
    abut_edit_work work;
    REQUIRE_OK(abut_body_rebuild_tree(w.scene, body, 1.01, &work, NULL));
    REQUIRE(work.blocks_built > 0);
    REQUIRE_STATUS(abut_sweep_self(w.scene, body, NULL, w.swept, NULL), ABUT_ERR_STATE);
    world_move(&w, body, soups[2].xyz);
    snapshot_take(&w, &p, 1, false);
    REQUIRE(check_pair(&w, &p, &p, NULL) > 10);
    snapshot_free(&p);
    for (int i = 0; i < 3; ++i) {
        surface_free(&soups[i]);
    }
    world_free(&w);
}

// the same bits and the same work for any number of threads and instruction set
static void test_same_answers_everywhere(void** state) {
    (void)state;
    surface s = surface_sheet(40, 40, 1);
    test_random random = random_seed(600);
    surface next = surface_copy(&s);
    surface_shake(&s, &random, 0.02, 0x1p-30);
    surface_shake(&next, &random, 0.03, 0x1p-30);
    reference pairs = {0};
    reference work = {0};
    everywhere at = everywhere_cross((const uint32_t[]){1, 2, 3, 4, 0}, 3);
    while (everywhere_next(&at)) {
        where("%s", at.text);
        world w = world_make(&at.def, NULL);
        const abut_body_id body = world_add(&w, &s, NULL, NULL);
        world_move(&w, body, s.xyz);
        world_move(&w, body, next.xyz);
        abut_counters counters = {0};
        abut_sweep_def query = abut_sweep_def_default();
        query.head.counters = &counters;
        for (int round = 0; round < 2; ++round) {
            memset(&counters, 0, sizeof counters);
            REQUIRE_OK(abut_sweep_self(w.scene, body, &query, w.swept, NULL));
            size_t count = 0;
            const abut_sweep_pair* got = abut_sweep_result_pairs(w.swept, &count);
            REQUIRE(count > 100);
            REQUIRE(reference_same(&pairs, got, count * sizeof *got));
            REQUIRE(reference_same(&work, &counters, sizeof counters));
        }
        world_free(&w);
    }
    reference_free(&pairs);
    reference_free(&work);
    surface_free(&s);
    surface_free(&next);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_self_matches_all_pairs),
        cmocka_unit_test(test_between_matches_all_pairs),
        cmocka_unit_test(test_modal_matches_all_pairs),
        cmocka_unit_test(test_blend_matches_all_pairs),
        cmocka_unit_test(test_flight_matches_all_pairs),
        cmocka_unit_test(test_frames_alone),
        cmocka_unit_test(test_settings),
        cmocka_unit_test(test_errors_say_what_to_do),
        cmocka_unit_test(test_rebuilt_between_steps),
        cmocka_unit_test(test_same_answers_everywhere),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
