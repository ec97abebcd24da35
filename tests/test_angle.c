// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Tests the sines and angles of io/angle.h against those of the C library, in extended precision.
#include "io/angle.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "support/random.h"

static const double right_angle = 1.57079632679489661923;

// errors in units of the last place of the right answer
static double error_of(double answer, long double right) {
    return (double)(fabsl((long double)answer - right) / (right * 0x1p-53L));
}

static void test_angles_are_right(void** state) {
    (void)state;
    const uint64_t seed = 26;
    print_message("seed %llu\n", (unsigned long long)seed);
    test_random random = random_seed(seed);
    for (int i = 0; i < 100000; ++i) {
        // all sizes, down to angles of which the cosine is 1
        const double angle = right_angle * random_unit(&random) *
                             exp2(i % 2 == 0 ? 0 : -40 * random_unit(&random));
        assert_true(error_of(angle_sine(angle), sinl((long double)angle)) < 4);
        const double cosine = cos(angle) < 0 ? 0 : cos(angle);
        const long double right = acosl((long double)cosine);
        assert_true(right == 0 ? angle_of_cosine(cosine) == 0
                               : error_of(angle_of_cosine(cosine), right) < 6);
    }
}

static void test_ends_of_the_range(void** state) {
    (void)state;
    assert_true(angle_sine(0) == 0);
    assert_true(angle_of_cosine(1) == 0);
    assert_true(fabs(angle_of_cosine(0) - right_angle) < 1e-15);
    assert_true(fabs(angle_sine(right_angle) - 1) < 1e-15);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_angles_are_right),
        cmocka_unit_test(test_ends_of_the_range),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
