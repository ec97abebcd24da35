// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Handles Ctrl-C and other signals: see interrupt.h.
#define _GNU_SOURCE
#include "cli/interrupt.h"

#include "io/output.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// calls async-signal-safe functions only
static void end(int number) {
    io_outputs_remove();
    if (number == SIGINT) {
        static const char wipe[] = "\r\x1b[K";  // clears the line of a progress bar
        static const char words[] = "abut: stopped; existing files are unchanged\n";
        (void)!write(STDERR_FILENO, wipe, isatty(STDERR_FILENO) == 1 ? sizeof wipe - 1 : 0);
        (void)!write(STDERR_FILENO, words, sizeof words - 1);
    }
    signal(number, SIG_DFL);
    kill(getpid(), number);
}

// handles a signal, unless it is ignored (nohup) or has a handler (a profiler)
static void watch(int number) {
    struct sigaction before;
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = end;
    action.sa_flags = SA_RESTART;
    sigfillset(&action.sa_mask);
    if (sigaction(number, NULL, &before) == 0 && before.sa_handler == SIG_DFL) {
        sigaction(number, &action, NULL);
    }
}

void interrupt_watch(void) {
    // all signals that end a program, except those of a crash
    static const int numbers[] = {
        SIGINT,    SIGTERM, SIGHUP,  SIGQUIT, SIGXCPU,   SIGALRM,
        SIGUSR1,   SIGUSR2, SIGPOLL, SIGPROF, SIGVTALRM,
#ifdef SIGPWR
        SIGPWR,
#endif
#ifdef SIGSTKFLT
        SIGSTKFLT,
#endif
    };
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; ++i) {
        watch(numbers[i]);
    }
    for (int number = SIGRTMIN; number <= SIGRTMAX; ++number) {
        watch(number);
    }
    signal(SIGXFSZ, SIG_IGN);  // write() then reports a file that is too large
    atexit(io_outputs_drop);
}
