// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Statements of the headers and docs in their limiting cases: where bodies start, what calls
// refuse, what may stay undecided, and the error of a time that was rounded down.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/rounding.h"
#include "support/world.h"

static surface one_triangle(void) {
    static const double xyz[9] = {-1, -1, 0, 1, -1, 0, 0, 1, 0};
    surface s = surface_make(3, 1);
    memcpy(s.xyz, xyz, sizeof xyz);
    for (uint32_t i = 0; i < 3; ++i) {
        s.triangles[i] = i;
    }
    return s;
}

// keyframes at some times; each is the surface moved up by a height
static abut_body_id add_flight(world* w, const surface* s, const double* times,
                               const double* heights, size_t count, double* positions) {
    abut_keyframe keys[4];
    const size_t numbers = 3 * (size_t)s->vertex_count;
    for (size_t k = 0; k < count; ++k) {
        for (size_t i = 0; i < numbers; ++i) {
            positions[numbers * k + i] = s->xyz[i] + (i % 3 == 2 ? heights[k] : 0);
        }
        keys[k] = (abut_keyframe){times[k],
                                  abut_positions_f64(positions + numbers * k, s->vertex_count)};
    }
    motion_def def = motion_def_default();
    def.motion = ABUT_MOTION_FLIGHT;
    def.keyframes = keys;
    def.keyframe_count = count;
    return world_add(w, s, &def, NULL);
}

static void test_flight_bodies_start_at_their_first_keyframe(void** state) {
    (void)state;
    world w = world_make(NULL, NULL);
    surface s = one_triangle();
    double positions[27];
    const abut_body_id body = add_flight(&w, &s, (const double[3]){2, 3, 5},
                                         (const double[3]){7, 8, 11}, 3, positions);
    double p[3];
    REQUIRE_OK(abut_body_vertex(w.scene, body, 2, p, NULL));
    REQUIRE(p[0] == 0 && p[1] == 1 && p[2] == 7);
    // a body without keyframes is at rest
    motion_def def = motion_def_default();
    def.motion = ABUT_MOTION_FLIGHT;
    const abut_body_id other = world_add(&w, &s, &def, NULL);
    REQUIRE_OK(abut_body_vertex(w.scene, other, 2, p, NULL));
    REQUIRE(p[2] == 0);
    surface_free(&s);
    world_free(&w);
}

static void test_contact_intervals_need_two_keyframes(void** state) {
    (void)state;
    world w = world_make(NULL, NULL);
    surface s = one_triangle();
    double one[9];
    double two[18];
    const double times[2] = {0, 1};
    const double heights[2] = {-1, 1};
    const abut_body_id still = world_add(&w, &s, NULL, NULL);
    const abut_body_id single = add_flight(&w, &s, times, heights, 1, one);
    const abut_body_id moving = add_flight(&w, &s, times, heights, 2, two);
    REQUIRE_STATUS(abut_intervals(w.scene, single, still, 0, 1, NULL, w.intervals, NULL),
                   ABUT_ERR_INVALID_ARGUMENT);
    REQUIRE_STATUS(abut_intervals_self(w.scene, single, 0, 1, NULL, w.intervals, NULL),
                   ABUT_ERR_INVALID_ARGUMENT);
    REQUIRE_OK(abut_intervals(w.scene, moving, still, 0, 1, NULL, w.intervals, NULL));
    size_t count = 0;
    const abut_contact_interval* intervals = abut_intervals_result_intervals(w.intervals, &count);
    REQUIRE(count == 1 && intervals[0].start <= 0.5 && intervals[0].stop >= 0.5);
    REQUIRE_OK(abut_intervals(w.scene, moving, single, 0, 1, NULL, w.intervals, NULL));
    surface_free(&s);
    world_free(&w);
}

static void test_rebuild_refuses_limits_below_1(void** state) {
    (void)state;
    static const double limits[] = {0, 0.5, -1, 0x1.fffffffffffffp-1, NAN};
    world w = world_make(NULL, NULL);
    surface s = surface_ball(6, 8, 1);
    const abut_body_id body = world_add(&w, &s, NULL, NULL);
    for (size_t i = 0; i < sizeof limits / sizeof *limits; ++i) {
        REQUIRE_STATUS(abut_body_rebuild_tree(w.scene, body, limits[i], NULL, NULL),
                       ABUT_ERR_INVALID_ARGUMENT);
    }
    REQUIRE_OK(abut_body_rebuild_tree(w.scene, body, 1, NULL, NULL));
    surface_free(&s);
    world_free(&w);
}

// Vertices slide along faces at exactly the margin: many pairs are undecided, and each of them
// counts as contact.
static void test_margin_ties_may_be_undecided(void** state) {
    (void)state;
    enum { COUNT = 400 };
    static double from[COUNT][4][3];
    static double to[COUNT][4][3];
    static abut_sweep_contact contact[COUNT];
    uint32_t undecided[2] = {0, 0};
    const double margin = 0.1;
    for (int ties = 0; ties < 2; ++ties) {
        test_random random = random_seed(5);
        for (int i = 0; i < COUNT; ++i) {
            double up[3];
            double u[3];
            double v[3];
            for (int d = 0; d < 3; ++d) {
                u[d] = random_double(&random, -1, 1);
                v[d] = random_double(&random, -1, 1);
            }
            for (int d = 0; d < 3; ++d) {
                up[d] = u[(d + 1) % 3] * v[(d + 2) % 3] - u[(d + 2) % 3] * v[(d + 1) % 3];
            }
            const double length = sqrt(up[0] * up[0] + up[1] * up[1] + up[2] * up[2]);
            const double height = ties != 0 ? margin : margin * random_double(&random, 0.5, 1.5);
            for (int d = 0; d < 3; ++d) {
                const double corner[4] = {0.2 * u[d] + 0.2 * v[d] + height * up[d] / length, 0,
                                          u[d], v[d]};
                for (int c = 0; c < 4; ++c) {
                    from[i][c][d] = to[i][c][d] = corner[c];
                }
                to[i][0][d] += 0.2 * u[d];
            }
        }
        REQUIRE_OK(abut_vertex_face_sweep(NULL, COUNT, (const double(*)[4][3])from,
                                          (const double(*)[4][3])to, ABUT_TOLERANCE_DEFAULT, margin,
                                          contact));
        for (int i = 0; i < COUNT; ++i) {
            undecided[ties] += contact[i].verdict == ABUT_SWEEP_VERDICT_UNDECIDED;
        }
    }
    print_message("undecided of %d: %u, and %u of ties\n", COUNT, undecided[0], undecided[1]);
    REQUIRE(undecided[0] * 500 <= COUNT && undecided[1] * 10 > COUNT);
}

// keyframes that are close together within the step: the contact is found, never late, and within
// the stated error
static void test_time_between_close_keyframes(void** state) {
    (void)state;
    world w = world_make(NULL, NULL);
    surface s = one_triangle();
    double positions[36];
    const double apart = 1e-9;
    const double times[4] = {0, 0.3, 0.3 + apart, 1};
    const double heights[4] = {3, 3, -3, -3};
    const abut_body_id floor = world_add(&w, &s, NULL, NULL);
    const abut_body_id body = add_flight(&w, &s, times, heights, 4, positions);
    REQUIRE_OK(abut_body_set_time(w.scene, body, 0, NULL));
    REQUIRE_OK(abut_body_set_time(w.scene, body, 1, NULL));
    REQUIRE_OK(abut_sweep(w.scene, body, floor, NULL, w.swept, NULL));
    const double time = abut_sweep_result_time_of_impact(w.swept);
    REQUIRE(time > 0.3 && time <= 0.3 + 0.5 * apart);
    REQUIRE_OK(abut_body_set_time(w.scene, body, time, NULL));
    double p[3];
    REQUIRE_OK(abut_body_vertex(w.scene, body, 0, p, NULL));
    const double edge = sqrt(5.0);
    print_message("%g above, the tolerance is %g\n", p[2], ABUT_TOLERANCE_DEFAULT * edge);
    REQUIRE(p[2] >= 0 && p[2] <= ABUT_TOLERANCE_DEFAULT * edge + 6 * 0x1p-49 / apart);
    surface_free(&s);
    world_free(&w);
}

#ifdef __clang__
#define VECTORISED __attribute__((noinline))
#else
#define VECTORISED __attribute__((optimize("O3"), noinline))
#endif

// a loop that compilers like to vectorise
VECTORISED static void round_all(const double* in, double* out, size_t count, double sign) {
    for (size_t i = 0; i < count; ++i) {
        out[i] = sign * abut__as_float(in[i]);
    }
}

static void test_compilers_keep_the_rounding_to_float(void** state) {
    (void)state;
    enum { COUNT = 103 };
    double in[COUNT];
    double out[COUNT];
    test_random random = random_seed(9);
    for (int i = 0; i < COUNT; ++i) {
        in[i] = random_double(&random, -1, 1);
    }
    round_all(in, out, COUNT, -1);
    for (int i = 0; i < COUNT; ++i) {
        volatile float rounded = (float)in[i];
        REQUIRE(out[i] == -(double)rounded && out[i] != -in[i]);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_flight_bodies_start_at_their_first_keyframe),
        cmocka_unit_test(test_contact_intervals_need_two_keyframes),
        cmocka_unit_test(test_rebuild_refuses_limits_below_1),
        cmocka_unit_test(test_margin_ties_may_be_undecided),
        cmocka_unit_test(test_time_between_close_keyframes),
        cmocka_unit_test(test_compilers_keep_the_rounding_to_float),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
