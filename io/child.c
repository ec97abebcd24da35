// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Runs work in a child process: see child.h.
#define _GNU_SOURCE
#include "io/child.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#ifdef __linux__
#include <sys/prctl.h>
#endif

static void set_limit(__rlimit_resource_t which, rlim_t soft, rlim_t hard) {
    struct rlimit before;
    if (getrlimit(which, &before) == 0) {
        hard = hard < before.rlim_max ? hard : before.rlim_max;
        const struct rlimit limit = {soft < hard ? soft : hard, hard};
        setrlimit(which, &limit);
    }
}

// in the child: resets handlers, makes it die with its parent, sets limits
static void set_up_child(const child_limits* limits, pid_t parent) {
    sigset_t none;
    for (int number = 1; number < NSIG; ++number) {
        if (number != SIGPIPE && number != SIGHUP && number != SIGINT) {
            signal(number, SIG_DFL);
        }
    }
    // signals that a shell or nohup ignores stay ignored; handlers are removed
    static const int kept[] = {SIGHUP, SIGINT};
    for (int i = 0; i < 2; ++i) {
        struct sigaction action;
        if (sigaction(kept[i], NULL, &action) == 0 && action.sa_handler != SIG_IGN) {
            signal(kept[i], SIG_DFL);
        }
    }
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
#ifdef __linux__
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) {  // the parent died before prctl()
        _exit(1);
    }
#endif
    set_limit(RLIMIT_CPU, limits->seconds, limits->seconds + 1);
    set_limit(RLIMIT_CORE, 0, 0);
    set_limit(RLIMIT_FSIZE, 0, 0);  // it writes to a pipe only
#if !defined(ABUT_SANITIZED)
    set_limit(RLIMIT_AS, limits->bytes, limits->bytes);
#endif
}

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

typedef struct answer {
    char* bytes;
    size_t size;
    size_t room;
} answer;

static bool make_room(answer* a) {
    if (a->size < a->room) {
        return true;
    }
    const size_t room = a->room == 0 ? 1 << 16 : 2 * a->room;
    char* grown = realloc(a->bytes, room);
    if (grown != NULL) {
        a->bytes = grown;
        a->room = room;
    }
    return grown != NULL;
}

// reads the pipe until the child closes its end, or until the time `until`
static child_end receive(int from, double until, answer* a) {
    for (;;) {
        struct pollfd ready = {.fd = from, .events = POLLIN};
        const double left = until - now();
        if (left <= 0) {
            return CHILD_TOO_LONG;
        }
        const int events = poll(&ready, 1, left < 1000 ? (int)(left * 1000) + 1 : 1000000);
        if (events <= 0) {
            continue;  // timeout or signal
        }
        if (!make_room(a)) {
            return CHILD_NOT_BEGUN;
        }
        const ssize_t count = read(from, a->bytes + a->size, a->room - a->size);
        if (count == 0) {
            return CHILD_DONE;
        }
        if (count < 0 && errno != EINTR) {
            return CHILD_CRASHED;
        }
        a->size += count < 0 ? 0 : (size_t)count;
    }
}

static child_end judge(child_end end, int status) {
    if (end != CHILD_DONE) {
        return end;
    }
    if (WIFSIGNALED(status) && (WTERMSIG(status) == SIGXCPU || WTERMSIG(status) == SIGKILL)) {
        return WTERMSIG(status) == SIGXCPU ? CHILD_TOO_LONG : CHILD_CRASHED;
    }
    return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? CHILD_DONE : CHILD_CRASHED;
}

// waits for the child; kills it after an error or at the time `until`
static child_end wait_for_end(pid_t child, double until, child_end end) {
    int status = 0;
    const struct timespec little = {0, 1000000};
    pid_t got = 0;
    while (end == CHILD_DONE && (got = waitpid(child, &status, WNOHANG)) == 0) {
        end = now() < until ? end : CHILD_TOO_LONG;
        nanosleep(&little, NULL);
    }
    if (got != child) {
        kill(child, SIGKILL);
        while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
        }
    }
    return judge(end, status);
}

child_end child_run(child_fn work, void* user, const child_limits* limits, char** bytes,
                    size_t* size) {
    int ends[2];
    answer a = {0};
    *bytes = NULL;
    *size = 0;
    if (pipe2(ends, O_CLOEXEC) != 0) {
        return CHILD_NOT_BEGUN;
    }
    const double until = now() + limits->wait_seconds;
    const pid_t parent = getpid();
    const pid_t child = fork();
    if (child == 0) {
        set_up_child(limits, parent);
        work(user, ends[1]);
        _exit(0);
    }
    close(ends[1]);
    child_end end = child < 0 ? CHILD_NOT_BEGUN : receive(ends[0], until, &a);
    close(ends[0]);
    if (child > 0) {
        end = wait_for_end(child, until, end);
    }
    if (end == CHILD_DONE) {
        *bytes = a.bytes;
        *size = a.size;
    } else {
        free(a.bytes);
    }
    return end;
}
