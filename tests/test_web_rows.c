// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Rows of answers have the form that the npm package reads (web/src/rows.js): web/module/rows.h proves it when this is
// compiled.
#include "web/module/rows.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

// the counts of a region come last: their type has 32 bits in WebAssembly
static void test_regions_end_with_their_counts(void** state) {
    (void)state;
    assert_int_equal(offsetof(abut_region, first_pair), 128);
    assert_int_equal(sizeof(abut_region), 128 + 5 * sizeof(size_t));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_regions_end_with_their_counts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
