// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// The part of cmocka's interface that the tests use, for WebAssembly, which has no setjmp: a failed assertion ends the
// program. So each test function runs in an instance of its own (tests/wasm/run.mjs). Exit codes: 0 passed, 1 failed,
// 77 skipped.
#ifndef ABUT_TESTS_WASM_CMOCKA_H
#define ABUT_TESTS_WASM_CMOCKA_H

#include <stddef.h>
#include <stdint.h>

typedef void (*CMUnitTestFunction)(void** state);
typedef int (*CMFixtureFunction)(void** state);
struct CMUnitTest {
    const char* name;
    CMUnitTestFunction test_func;
    CMFixtureFunction setup_func;
    CMFixtureFunction teardown_func;
    void* initial_state;
};
#define cmocka_unit_test(f) \
    { #f, f, NULL, NULL, NULL }
#define cmocka_unit_test_setup_teardown(f, setup, teardown) \
    { #f, f, setup, teardown, NULL }
#define cmocka_unit_test_prestate(f, state) \
    { #f, f, NULL, NULL, state }

int run_tests(const struct CMUnitTest* tests, size_t count, CMFixtureFunction setup,
              CMFixtureFunction teardown);
#define cmocka_run_group_tests(tests, setup, teardown) \
    run_tests(tests, sizeof(tests) / sizeof(tests)[0], setup, teardown)
#define cmocka_run_group_tests_name(name, tests, setup, teardown) \
    cmocka_run_group_tests(tests, setup, teardown)

void print_message(const char* format, ...) __attribute__((format(printf, 1, 2)));
void print_error(const char* format, ...) __attribute__((format(printf, 1, 2)));
_Noreturn void test_failed(const char* file, int line, const char* format, ...)
    __attribute__((format(printf, 3, 4)));
_Noreturn void test_skipped(void);

#define fail_msg(...) test_failed(__FILE__, __LINE__, __VA_ARGS__)
#define fail() test_failed(__FILE__, __LINE__, "failed")
#define _fail(file, line) test_failed(file, line, "failed")
#define skip() test_skipped()
void test_true(int right, const char* file, int line, const char* text);
void test_integers(uint64_t a, uint64_t b, int equal, const char* file, int line, const char* text);
void test_range(uint64_t x, uint64_t low, uint64_t high, const char* file, int line);
void test_strings(const char* a, const char* b, int equal, const char* file, int line);
// arguments are evaluated once
#define assert_true(c) test_true((c) ? 1 : 0, __FILE__, __LINE__, #c)
#define assert_false(c) test_true((c) ? 0 : 1, __FILE__, __LINE__, "not " #c)
#define assert_non_null(p) assert_true((p) != NULL)
#define assert_null(p) assert_true((p) == NULL)
#define assert_ptr_equal(a, b) assert_true((const void*)(a) == (const void*)(b))
#define assert_ptr_not_equal(a, b) assert_true((const void*)(a) != (const void*)(b))
#define assert_int_equal(a, b) \
    test_integers((uint64_t)(a), (uint64_t)(b), 1, __FILE__, __LINE__, #a ", " #b)
#define assert_int_not_equal(a, b) \
    test_integers((uint64_t)(a), (uint64_t)(b), 0, __FILE__, __LINE__, #a ", " #b)
#define assert_in_range(x, low, high) \
    test_range((uint64_t)(x), (uint64_t)(low), (uint64_t)(high), __FILE__, __LINE__)
#define assert_string_equal(a, b) test_strings(a, b, 1, __FILE__, __LINE__)
#define assert_string_not_equal(a, b) test_strings(a, b, 0, __FILE__, __LINE__)
#define assert_memory_equal(a, b, size) assert_true(memcmp(a, b, size) == 0)
#define assert_memory_not_equal(a, b, size) assert_true(memcmp(a, b, size) != 0)

#endif
