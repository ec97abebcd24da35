// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Tests the sines and angles of base/angle.h against those of the C library, in extended precision.
#include "base/angle.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "support/random.h"

// errors in units of the last place of the right answer
static double error_of(double answer, long double right) {
    return (double)(fabsl((long double)answer - right) / (right * 0x1p-53L));
}

// Units of the last place by which a sine, a cosine and the angles of both may be wrong. A cosine near 0 and an angle
// near pi have the rounding of pi itself, so errors of all are counted at 1 there.
static void check_angle(double angle) {
    assert_true(error_of(abut__sine_of_acute(angle), sinl((long double)angle)) < 4);
    const double sine = fmin(sin(angle), 1);
    const double cosine = fmax(cos(angle), 0);
    const long double right = acosl((long double)cosine);
    assert_true(right == 0 ? abut__angle_of_cosine(cosine) == 0
                           : error_of(abut__angle_of_cosine(cosine), right) < 6);
    assert_true(error_of(abut__angle_of_sine(sine), asinl((long double)sine)) < 6);
    for (int side = 0; side < 2; ++side) {  // the angle, and what it lacks to pi
        const double whole = side == 0 ? angle : ABUT__HALF_TURN - angle;
        const double turned = side == 0 ? cosine : -cosine;
        assert_true(fabsl(abut__sine(whole) - sinl((long double)whole)) < 4 * 0x1p-53L);
        assert_true(fabsl(abut__cosine(whole) - cosl((long double)whole)) < 4 * 0x1p-53L);
        assert_true(fabsl(abut__angle_of_cosine(turned) - acosl((long double)turned)) <
                    8 * 0x1p-53L);
    }
}

static void test_angles_are_right(void** state) {
    (void)state;
    const uint64_t seed = 26;
    print_message("seed %llu\n", (unsigned long long)seed);
    test_random random = random_seed(seed);
    for (int i = 0; i < 50000; ++i) {
        // all sizes, down to angles of which the cosine is 1
        check_angle(ABUT__RIGHT_ANGLE * random_unit(&random) *
                    exp2(i % 2 == 0 ? 0 : -40 * random_unit(&random)));
    }
}

static void test_ends_of_the_range(void** state) {
    (void)state;
    assert_true(abut__sine(0) == 0);
    assert_true(abut__angle_of_sine(0) == 0);
    assert_true(abut__angle_of_cosine(1) == 0);
    assert_true(abut__angle_of_cosine(-1) == ABUT__HALF_TURN);
    assert_true(fabs(abut__cosine(0) - 1) < 1e-15);
    assert_true(fabs(abut__cosine(ABUT__HALF_TURN) + 1) < 1e-15);
    assert_true(fabs(abut__angle_of_cosine(0) - ABUT__RIGHT_ANGLE) < 1e-15);
    assert_true(fabs(abut__angle_of_sine(1) - ABUT__RIGHT_ANGLE) < 1e-15);
    assert_true(fabs(abut__sine(ABUT__RIGHT_ANGLE) - 1) < 1e-15);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_angles_are_right),
        cmocka_unit_test(test_ends_of_the_range),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
