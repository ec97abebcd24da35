// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// abut bench starts processes that use the processors. They end with the command, however it ends.
#define _GNU_SOURCE

#include "test_command_support.h"

#include <errno.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <time.h>

#include "support/world.h"

static const char row[] = "2 threads vs 1, busy machine";

// Starts the command. `seconds` limits the processor time of each process, so that one that is left
// ends by another signal than it should.
static pid_t start_row(rlim_t seconds) {
    const pid_t process = fork();
    assert_true(process >= 0);
    if (process == 0) {
        (void)setrlimit(RLIMIT_CPU, &(struct rlimit){seconds, RLIM_INFINITY});
        if (freopen(".out", "w", stdout) != NULL) {
            execl(ABUT_COMMAND, "abut", "bench", "free", "--quick", "--rows", row, (char*)NULL);
        }
        _exit(127);
    }
    return process;
}

// Waits until the command has started its two processes. False: the system does not list them.
static bool find_children(pid_t process, pid_t child[2]) {
    char name[64];
    char text[64] = "";
    snprintf(name, sizeof name, "/proc/%d/task/%d/children", (int)process, (int)process);
    for (child[1] = 0; child[1] == 0;) {
        FILE* file = fopen(name, "r");
        if (file == NULL) {
            return false;
        }
        char* next = fgets(text, sizeof text, file) != NULL ? text : (char*)"";
        fclose(file);
        child[0] = (pid_t)strtol(next, &next, 10);
        child[1] = (pid_t)strtol(next, NULL, 10);
        if (waitpid(process, NULL, WNOHANG) != 0) {
            fail_msg("the command ended before it started its processes");
        }
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    }
    return true;
}

// The kernel killed it, or it found its parent gone before it began to work.
static bool was_ended(int status) {
    return WIFSIGNALED(status) ? WTERMSIG(status) == SIGKILL : WEXITSTATUS(status) == 1;
}

// Orphans become children of this process, so that it can wait for them.
static void test_they_end_with_a_command_that_a_signal_ends(void** state) {
    (void)state;
    static const int signals[] = {SIGKILL, SIGTERM, SIGINT};
    if (!has_bench()) {
        skip();
    }
    assert_int_equal(prctl(PR_SET_CHILD_SUBREAPER, 1), 0);
    for (size_t i = 0; i < sizeof signals / sizeof *signals; ++i) {
        pid_t child[2];
        int status;
        const pid_t process = start_row(5);
        if (!find_children(process, child)) {
            kill(process, SIGKILL);
            waitpid(process, NULL, 0);
            skip();
        }
        assert_int_equal(kill(process, signals[i]), 0);
        assert_int_equal(waitpid(process, &status, 0), process);
        for (int k = 0; k < 2; ++k) {
            assert_int_equal(waitpid(child[k], &status, 0), child[k]);
            assert_true(was_ended(status));
        }
    }
}

static void test_none_is_left_after_a_measurement(void** state) {
    (void)state;
    if (!has_bench() || effort(1, 0, 0)) {  // takes long
        skip();
    }
    assert_int_equal(prctl(PR_SET_CHILD_SUBREAPER, 1), 0);
    int status;
    const pid_t process = start_row(RLIM_INFINITY);
    assert_int_equal(waitpid(process, &status, 0), process);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
    assert_int_equal(errno, ECHILD);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        IN_FOLDER(test_they_end_with_a_command_that_a_signal_ends),
        IN_FOLDER(test_none_is_left_after_a_measurement),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
