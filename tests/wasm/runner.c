// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Runs one test function: ABUT_TEST_NUMBER in the environment is its number. Without it the program prints the
// names of all, one a line. See include/cmocka.h.
#include <cmocka.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int run_tests(const struct CMUnitTest* tests, size_t count, CMFixtureFunction setup,
              CMFixtureFunction teardown) {
    const char* wish = getenv("ABUT_TEST_NUMBER");
    if (wish == NULL) {
        for (size_t i = 0; i < count; ++i) {
            puts(tests[i].name);
        }
        return 0;
    }
    const size_t i = (size_t)strtoul(wish, NULL, 10);
    void* state = NULL;
    if (i >= count || (setup != NULL && setup(&state) != 0)) {
        return 1;
    }
    const struct CMUnitTest* test = &tests[i];
    state = test->initial_state != NULL ? test->initial_state : state;
    if (test->setup_func != NULL && test->setup_func(&state) != 0) {
        return 1;
    }
    test->test_func(&state);
    int code = test->teardown_func != NULL && test->teardown_func(&state) != 0;
    if (teardown != NULL && teardown(&state) != 0) {
        code = 1;
    }
    return code;
}

void print_message(const char* format, ...) {
    va_list values;
    va_start(values, format);
    vfprintf(stdout, format, values);
    va_end(values);
}

void print_error(const char* format, ...) {
    va_list values;
    va_start(values, format);
    vfprintf(stdout, format, values);
    va_end(values);
}

void test_failed(const char* file, int line, const char* format, ...) {
    va_list values;
    printf("%s:%d: ", file, line);
    va_start(values, format);
    vfprintf(stdout, format, values);
    va_end(values);
    puts("");
    exit(1);
}

void test_skipped(void) {
    exit(77);
}

void test_true(int right, const char* file, int line, const char* text) {
    if (right == 0) {
        test_failed(file, line, "%s", text);
    }
}

void test_integers(uint64_t a, uint64_t b, int equal, const char* file, int line,
                   const char* text) {
    if ((a == b) != (equal != 0)) {
        test_failed(file, line, "%s: %llu %s %llu", text, (unsigned long long)a,
                    equal != 0 ? "is not" : "is", (unsigned long long)b);
    }
}

void test_range(uint64_t x, uint64_t low, uint64_t high, const char* file, int line) {
    if (x < low || x > high) {
        test_failed(file, line, "%llu is not in %llu .. %llu", (unsigned long long)x,
                    (unsigned long long)low, (unsigned long long)high);
    }
}

void test_strings(const char* a, const char* b, int equal, const char* file, int line) {
    if ((strcmp(a, b) == 0) != (equal != 0)) {
        test_failed(file, line, "\"%s\" and \"%s\"", a, b);
    }
}
