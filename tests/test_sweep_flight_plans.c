// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Sweeps of flight bodies with plans: against all pairs on segments, over jumps, and with accelerations.

#include "test_sweep_flight_support.h"
#include "support/motion_def.h"

// ---- plans

static void give_plans(const world* w, test_random* random, abut_body_id body, const surface* s,
                       double time, bool all, double acceleration) {
    double* speed = test_alloc(3 * (size_t)s->vertex_count, sizeof *speed);
    uint32_t* ids = test_alloc(s->vertex_count, sizeof *ids);
    uint32_t count = 0;
    for (uint32_t v = 0; v < s->vertex_count; ++v) {
        if (all || random_chance(random, 0.4)) {
            for (uint32_t d = 0; d < 3; ++d) {
                speed[3 * count + d] = random_double(random, -1, 1);
            }
            ids[count++] = v;
        }
    }
    const abut_plans_def plans = {.time = time,
                                  .vertices = all ? NULL : ids,
                                  .vertex_count = all ? 0 : count,
                                  .velocities = abut_positions_f64(speed, count),
                                  .acceleration = {0, 0, all ? acceleration : 0}};
    if (count > 0) {
        REQUIRE_OK(plans_set(w->scene, body, &plans, NULL));
    }
    free(speed);
    free(ids);
}

// steps by plans, within spans and beyond them, with new plans in between, and jumps
static void test_plans_match_segments(void** state) {
    (void)state;
    size_t contacts = 0;
    size_t refused = 0;
    size_t steps_swept = 0;
    for (uint32_t seed = 1; seed <= effort(4, 8, 100); ++seed) {
        test_random random = random_seed(seed + 300);
        world w = world_make(NULL, NULL);
        surface sheet = surface_sheet(4, 3, 2);
        surface_shift(&sheet, -1, -1, 0);
        animation keys = animation_make(&sheet, &random, seed % 2 == 0 ? 1 : 4, 0.3, 0x1p-30);
        path p[2] = {
            path_make(animation_add(&w, &keys,
                                    seed % 2 == 0 ? MOTION_BOUND_AUTO : ABUT_FLIGHT_BOUND_KINETIC),
                      &keys.s),
            path_make(world_add(&w, &sheet, NULL, NULL), &sheet)};
        path_look(&w, &p[1], 0, false);
        path_look(&w, &p[1], 1, false);
        double time = 0;
        const bool mixed = seed % 4 >= 2;  // some vertices follow keyframes or rest
        REQUIRE_OK(abut_body_set_time(w.scene, p[0].body, time, NULL));
        give_plans(&w, &random, p[0].body, &sheet, time, !mixed, 0);
        for (uint32_t step = 0; step < 30; ++step) {
            const double jump = random_chance(&random, 0.1) ? random_double(&random, -1, 1) : 0;
            const double last = time;
            time += 0.03 + 0.2 * jump;
            where("seed %u, step %u from %g to %g", seed, step, last, time);
            path_clear(&p[0]);
            path_look(&w, &p[0], 0, false);
            for (uint32_t k = 0; k < keys.count && keys.count > 1 && mixed; ++k) {
                const double at = (k - last) / (time - last);
                if (at > 0 && at < 1) {  // to be seen at that time
                    REQUIRE_OK(abut_body_set_time(w.scene, p[0].body, k, NULL));
                    path_look(&w, &p[0], at, false);
                    REQUIRE_OK(abut_body_set_time(w.scene, p[0].body, last, NULL));
                }
            }
            REQUIRE_OK(abut_body_set_time(w.scene, p[0].body, time, NULL));
            path_look(&w, &p[0], 1, false);
            // back over a keyframe there may be no boxes at it: the call reports that
            ++steps_swept;
            const bool back = mixed && time < last && p[0].count > 2;
            if (back &&
                abut_sweep_self(w.scene, p[0].body, NULL, w.swept, NULL) == ABUT_ERR_STATE) {
                ++refused;
            } else {
                contacts += check(&w, &p[0], &p[0], NULL, NULL).contacts;
                contacts += check(&w, &p[0], &p[1], NULL, NULL).contacts;
            }
            if (step % 7 == 6) {
                give_plans(&w, &random, p[0].body, &sheet, time, !mixed, 0);
                REQUIRE_STATUS(abut_sweep_self(w.scene, p[0].body, NULL, w.swept, NULL),
                               ABUT_ERR_STATE);
            }
        }
        path_free(&p[0]);
        path_free(&p[1]);
        animation_free(&keys);
        surface_free(&sheet);
        world_free(&w);
    }
    print_message("%zu contacts, %zu of %zu steps refused\n", contacts, refused, steps_swept);
    assert_true(contacts > 100 && refused <= steps_swept / 50);
}

// a small body and a large floor: boxes at both ends of a jump matter
static void test_jumps_by_plans(void** state) {
    (void)state;
    test_random random = random_seed(77);
    world w = world_make(NULL, NULL);
    surface floor = surface_sheet(20, 20, 20);
    surface small = surface_sheet(1, 1, 1);
    surface_shift(&small, 3.3, 3.4, 1);
    animation still = animation_make(&small, &random, 1, 0, 1);
    const abut_body_id body = animation_add(&w, &still, ABUT_FLIGHT_BOUND_KINETIC);
    const abut_body_id ground = world_add(&w, &floor, NULL, NULL);
    const double down[12] = {0, 0, -1, 0, 0, -1, 0, 0, -1, 0, 0, -1};
    const abut_plans_def plans = {.positions = abut_positions_f64(small.xyz, 4),
                                  .velocities = abut_positions_f64(down, 4)};
    double last = 0;
    uint32_t met = 0;
    for (uint32_t step = 0; step < 400; ++step) {
        if (step % 3 == 0) {  // spans begin anew, and small steps make them short
            REQUIRE_OK(plans_set(w.scene, body, &plans, NULL));
            last += 0.01;
            REQUIRE_OK(abut_body_set_time(w.scene, body, last, NULL));
        }
        const double time = random_double(&random, -2, 4);
        where("step %u from %g to %g", step, last, time);
        REQUIRE_OK(abut_body_set_time(w.scene, body, time, NULL));
        for (int all = 0; all < 2; ++all) {
            REQUIRE_OK(all != 0 ? abut_sweep_all(w.scene, NULL, w.swept, NULL)
                                : abut_sweep(w.scene, body, ground, NULL, w.swept, NULL));
            const bool meets = fmin(last, time) <= 1 && fmax(last, time) >= 1;  // z = 1 - time
            REQUIRE(abut_sweep_result_found(w.swept) == meets);
            met += meets;
            if (meets) {
                const double when = (1 - last) / (time - last);
                const double got = abut_sweep_result_time_of_impact(w.swept);
                REQUIRE(got <= when * (1 + 1e-14) && got > when - 1e-4);
            }
        }
        last = time;
    }
    assert_true(met > 50);
    animation_free(&still);
    surface_free(&small);
    surface_free(&floor);
    world_free(&w);
}

// A common acceleration leaves straight lines. Within a body, and between two with the same
// acceleration, that has no effect; otherwise the call is refused.
static void test_acceleration(void** state) {
    (void)state;
    size_t contacts = 0;
    for (uint32_t seed = 1; seed <= 6; ++seed) {
        test_random random = random_seed(seed + 500);
        world w = world_make(NULL, NULL);
        surface sheet = surface_sheet(4, 3, 2);
        animation keys = animation_make(&sheet, &random, 1, 0.3, 0x1p-30);
        path p[3];
        for (int i = 0; i < 3; ++i) {
            p[i] = path_make(animation_add(&w, &keys,
                                           seed % 2 == 0 ? MOTION_BOUND_AUTO
                                                         : ABUT_FLIGHT_BOUND_KINETIC),
                             &keys.s);
            REQUIRE_OK(abut_body_set_time(w.scene, p[i].body, 0, NULL));
            give_plans(&w, &random, p[i].body, &sheet, 0, true, i < 2 ? -9.75 : 0);
        }
        for (uint32_t step = 0; step < 25; ++step) {
            where("seed %u, step %u", seed, step);
            for (int i = 0; i < 3; ++i) {
                path_clear(&p[i]);
                path_look(&w, &p[i], 0, false);
                REQUIRE_OK(abut_body_set_time(w.scene, p[i].body, 0.02 * (step + 1), NULL));
                path_look(&w, &p[i], 1, false);
            }
            contacts += check(&w, &p[0], &p[0], NULL, NULL).contacts;
            contacts += check(&w, &p[0], &p[1], NULL, NULL).contacts;
            abut_error error = {0};
            REQUIRE_STATUS(abut_sweep(w.scene, p[2].body, p[1].body, NULL, w.swept, &error),
                           ABUT_ERR_STATE);
            REQUIRE(error.body.index == p[1].body.index);
        }
        REQUIRE_OK(abut_sweep_self_all(w.scene, NULL, w.swept, NULL));
        for (int i = 0; i < 3; ++i) {
            path_free(&p[i]);
        }
        animation_free(&keys);
        surface_free(&sheet);
        world_free(&w);
    }
    print_message("%zu contacts\n", contacts);
    assert_true(contacts > 1000);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_plans_match_segments),
        cmocka_unit_test(test_jumps_by_plans),
        cmocka_unit_test(test_acceleration),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
