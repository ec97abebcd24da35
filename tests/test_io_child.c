// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Work in a child process: whatever the child does, the parent continues and learns the result.
#define _GNU_SOURCE
#include "io/child.h"

#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

enum { SIZE = 3 << 20 };

static void answer(void* user, int to) {
    const char* text = user;
    for (size_t sent = 0; sent < SIZE;) {
        const ssize_t count = write(to, text + sent, SIZE - sent);
        sent += count > 0 ? (size_t)count : 0;
    }
}

static void spin(void* user, int to) {
    (void)to;
    for (volatile int* forever = user; *forever;) {
    }
}

static void sleep_on(void* user, int to) {
    (void)user;
    (void)to;
    for (;;) {
        pause();
    }
}

// closes the pipe, but keeps running
static void close_and_sleep(void* user, int to) {
    (void)user;
    char one = 1;
    (void)!write(to, &one, 1);
    close(to);
    for (;;) {
        pause();
    }
}

static void crash(void* user, int to) {
    (void)user;
    (void)to;
    raise(SIGSEGV);
}

#if !defined(ABUT_SANITIZED)
static void take_memory(void* user, int to) {
    (void)to;
    // volatile, because clang removes an unused allocation
    char* volatile memory = malloc(*(size_t*)user);
    if (memory == NULL) {
        abort();
    }
    free(memory);
}
#endif

static void write_a_file(void* user, int to) {
    FILE* file = fopen(user, "w");
    const bool written = file != NULL && fputs("text", file) >= 0 && fclose(file) == 0;
    (void)!write(to, written ? "1" : "0", 1);
}

static const child_limits generous = {100, 100, (uint64_t)4 << 30};

static child_end run(child_fn work, void* user, const child_limits* limits) {
    char* bytes = NULL;
    size_t size = 0;
    const child_end end = child_run(work, user, limits, &bytes, &size);
    free(bytes);
    // no child is left
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
    assert_int_equal(errno, ECHILD);
    return end;
}

static void test_answers_are_complete(void** state) {
    (void)state;
    char* text = malloc(SIZE);
    assert_non_null(text);
    for (size_t i = 0; i < SIZE; ++i) {
        text[i] = (char)(i * 31 >> 3);
    }
    char* bytes = NULL;
    size_t size = 0;
    assert_int_equal(child_run(answer, text, &generous, &bytes, &size), CHILD_DONE);
    assert_int_equal(size, SIZE);
    assert_memory_equal(bytes, text, SIZE);
    free(bytes);
    free(text);
}

static void test_time_limits_are_enforced(void** state) {
    (void)state;
    volatile int forever = 1;
    assert_int_equal(run(spin, (void*)&forever, &(child_limits){1, 100, (uint64_t)4 << 30}),
                     CHILD_TOO_LONG);
    assert_int_equal(run(sleep_on, NULL, &(child_limits){100, 1, (uint64_t)4 << 30}),
                     CHILD_TOO_LONG);
    assert_int_equal(run(close_and_sleep, NULL, &(child_limits){100, 1, (uint64_t)4 << 30}),
                     CHILD_TOO_LONG);
}

static void handler(int number) {
    (void)number;
    _exit(0);
}

static void test_crashes_are_reported(void** state) {
    (void)state;
    assert_int_equal(run(crash, NULL, &generous), CHILD_CRASHED);
    // a signal handler of the parent does not run in the child
    signal(SIGSEGV, handler);
    assert_int_equal(run(crash, NULL, &generous), CHILD_CRASHED);
    signal(SIGSEGV, SIG_DFL);
#if !defined(ABUT_SANITIZED)
    size_t much = (size_t)1 << 31;
    assert_int_equal(run(take_memory, &much, &(child_limits){100, 100, (uint64_t)1 << 30}),
                     CHILD_CRASHED);
    much = 1 << 20;
    assert_int_equal(run(take_memory, &much, &generous), CHILD_DONE);
#endif
}

static void test_no_files_are_written(void** state) {
    (void)state;
    char path[] = "/tmp/abut_test_child_XXXXXX";
    const int file = mkstemp(path);
    assert_true(file >= 0);
    close(file);
    char* bytes = NULL;
    size_t size = 0;
    const child_end end = child_run(write_a_file, path, &generous, &bytes, &size);
    assert_true(end == CHILD_CRASHED || (end == CHILD_DONE && size == 1 && bytes[0] == '0'));
    free(bytes);
    unlink(path);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_answers_are_complete),
        cmocka_unit_test(test_time_limits_are_enforced),
        cmocka_unit_test(test_crashes_are_reported),
        cmocka_unit_test(test_no_files_are_written),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
