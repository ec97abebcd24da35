// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// The check of test_sweep_exact on millions of queries. Usage: test_sweep_long [queries [seed]],
// 10000000 queries by default.
#include <stdlib.h>

#include "test_sweep_checks.h"

static uint64_t query_count = 10000000;
static uint64_t first_seed = 1;

static void test_nothing_is_missed_in_millions(void** state) {
    (void)state;
    const sweep_counts counts = sweep_check_many(first_seed, 0, query_count);
    assert_true(counts.contacts > query_count / 5);
    assert_true(counts.undecided <= query_count / 500);
}

int main(int argc, char** argv) {
    query_count = argc > 1 ? strtoull(argv[1], NULL, 10) : query_count;
    first_seed = argc > 2 ? strtoull(argv[2], NULL, 10) : first_seed;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_nothing_is_missed_in_millions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
