// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// The context that uses its freed memory again: blocks never overlap, and a sequence of allocations
// that is repeated allocates nothing after some rounds.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/memory.h"
#include "base/recycler.h"
#include "support/memory.h"
#include "support/world.h"

enum { BLOCKS = 60 };

// sizes of all magnitudes, and those next to powers of two
static size_t size_of(test_random* random) {
    const size_t power = (size_t)1 << random_below(random, 18);
    return random_chance(random, 0.3) ? power + 2 - random_below(random, 3)
                                      : power + random_below(random, (uint32_t)power);
}

// allocates and frees in a random order; each block is filled with its own byte
static void churn(abut_context* context, test_random* random) {
    unsigned char* block[BLOCKS] = {NULL};
    size_t size[BLOCKS] = {0};
    for (uint32_t step = 0; step < 400; ++step) {
        const uint32_t i = random_below(random, BLOCKS);
        for (size_t k = 0; k < size[i] && block[i] != NULL; ++k) {
            REQUIRE(block[i][k] == (unsigned char)i);
        }
        abut__free(context, block[i], 1, size[i]);
        size[i] = size_of(random);
        block[i] = abut__alloc(context, 1, size[i]);
        REQUIRE(block[i] != NULL && (uintptr_t)block[i] % 64 == 0);
        memset(block[i], (int)i, size[i]);
    }
    for (uint32_t i = 0; i < BLOCKS; ++i) {
        abut__free(context, block[i], 1, size[i]);
    }
}

static void test_repeated_work_allocates_nothing(void** state) {
    (void)state;
    for (uint64_t seed = 1; seed <= effort(5, 20, 200); ++seed) {
        where("seed %llu", (unsigned long long)seed);
        test_memory memory;
        const abut_context_def def = memory_context_def(&memory);
        abut_context* context;
        REQUIRE_OK(abut_context_create(&def, &context, NULL));
        abut__recycler* recycler = abut__recycler_create(context);
        size_t calls = 0;
        for (int round = 0; round < 8; ++round) {  // blocks settle where they are needed
            calls = memory.calls;
            test_random random = random_seed(seed);
            churn(abut__recycler_context(recycler), &random);
        }
        REQUIRE(memory.calls == calls);
        abut__recycler_destroy(recycler);
        abut_context_destroy(context);
        memory_require_clean(&memory);
    }
}

static void test_reserved_memory_serves_a_second_set(void** state) {
    (void)state;
    test_memory memory;
    const abut_context_def def = memory_context_def(&memory);
    abut_context* context;
    REQUIRE_OK(abut_context_create(&def, &context, NULL));
    abut__recycler* recycler = abut__recycler_create(context);
    void* block[2][BLOCKS];
    size_t size[BLOCKS];
    size_t calls = 0;
    for (int set = 0; set < 2; ++set) {
        test_random random = random_seed(4);
        for (uint32_t i = 0; i < BLOCKS; ++i) {
            size[i] = size_of(&random);
            block[set][i] = abut__alloc(abut__recycler_context(recycler), 1, size[i]);
            assert_non_null(block[set][i]);
        }
        if (set == 0) {
            abut__recycler_reserve(recycler);
            calls = memory.calls;
        }
    }
    assert_int_equal(memory.calls, calls);
    for (uint32_t i = 0; i < 2 * BLOCKS; ++i) {
        abut__free(abut__recycler_context(recycler), block[i / BLOCKS][i % BLOCKS], 1,
                   size[i % BLOCKS]);
    }
    abut__recycler_destroy(recycler);
    abut_context_destroy(context);
    memory_require_clean(&memory);
}

static void test_refused_allocations_are_passed_on(void** state) {
    (void)state;
    test_memory memory;
    const abut_context_def def = memory_context_def(&memory);
    abut_context* context;
    REQUIRE_OK(abut_context_create(&def, &context, NULL));
    memory_fail(&memory, 1, true);
    assert_null(abut__recycler_create(context));
    memory_fail(&memory, 0, false);
    abut__recycler* recycler = abut__recycler_create(context);
    memory_fail(&memory, 1, true);
    assert_null(abut__alloc(abut__recycler_context(recycler), 3, 5));
    memory_fail(&memory, 0, false);
    abut__recycler_destroy(recycler);
    abut__recycler_destroy(NULL);
    abut_context_destroy(context);
    memory_require_clean(&memory);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_repeated_work_allocates_nothing),
        cmocka_unit_test(test_reserved_memory_serves_a_second_set),
        cmocka_unit_test(test_refused_allocations_are_passed_on),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
