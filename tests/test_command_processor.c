// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Threads and instruction sets of the command: they do not change the answer, and the command
// refuses those that the machine lacks.
#define _POSIX_C_SOURCE 200809L
#include "test_command_support.h"

// the JSON without the time, which is its last entry
static char* answer_of(const char* arguments) {
    outcome o = run_expecting(arguments, 0);
    char* seconds = strstr(o.out, "\"seconds\"");
    assert_non_null(seconds);
    json_root(o.out);
    assert_true(json_number(o.out, "summary frames_touching") > 0);
    *seconds = '\0';
    free(o.err);
    return o.out;
}

#define SCENE "demo funnel --triangles 3000 --frames 6 --verbose --json -"

static void test_threads_do_not_change_the_answer(void** state) {
    (void)state;
    char* expected = answer_of(SCENE " --threads 1");
    static const char* const others[] = {SCENE, SCENE " --threads 2", SCENE " --threads 7",
                                         SCENE " --threads=64"};
    for (size_t i = 0; i < sizeof others / sizeof *others; ++i) {
        char* answer = answer_of(others[i]);
        assert_string_equal(answer, expected);
        free(answer);
    }
    free(expected);
}

static void test_check_takes_threads(void** state) {
    (void)state;
    write_square("square.obj", 0, 0, 0);
    write_crossing("crossing.obj");
    for (int i = 1; i <= 3; ++i) {
        char arguments[64];
        snprintf(arguments, sizeof arguments, "check square.obj crossing.obj --threads %d", i);
        assert_exit(arguments, 1);
    }
}

static void test_bad_threads_are_refused(void** state) {
    (void)state;
    assert_refuses("demo --threads 0", "--threads|from 1|'0'");
    assert_refuses("demo --threads two", "--threads|'two'");
    assert_refuses("demo --threads 1025", "--threads 1025|1024");
}

static void test_instruction_sets_do_not_change_the_answer(void** state) {
    (void)state;
    static const char* const sets[] = {"", "best", "avx2", "avx512"};
    setenv("ABUT_ISA", "scalar", 1);
    char* expected = answer_of(SCENE);
    for (size_t i = 0; i < sizeof sets / sizeof *sets; ++i) {
        setenv("ABUT_ISA", sets[i], 1);
        outcome o = run("demo washer");
        if (o.code == 0) {  // otherwise this machine lacks it
            char* answer = answer_of(SCENE);
            assert_string_equal(answer, expected);
            free(answer);
        } else {
            assert_says(sets[i], o.err, "ABUT_ISA|it has: scalar");
        }
        free_outcome(&o);
    }
    unsetenv("ABUT_ISA");
    free(expected);
}

static void test_unknown_instruction_set_is_refused(void** state) {
    (void)state;
    write_square("square.obj", 0, 0, 0);
    static const char* const commands[] = {"demo", "check square.obj", "info square.obj"};
    setenv("ABUT_ISA", "AVX-1024", 1);
    for (size_t i = 0; i < sizeof commands / sizeof *commands; ++i) {
        assert_refuses(commands[i], "ABUT_ISA is 'AVX-1024'|it has: scalar");
    }
    unsetenv("ABUT_ISA");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        IN_FOLDER(test_threads_do_not_change_the_answer),
        IN_FOLDER(test_check_takes_threads),
        IN_FOLDER(test_bad_threads_are_refused),
        IN_FOLDER(test_instruction_sets_do_not_change_the_answer),
        IN_FOLDER(test_unknown_instruction_set_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
