// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Processes that spin: see spin.h. The kernel kills them when the thread that started them ends.
#define _GNU_SOURCE
#include "bench/spin.h"

#include "bench/bench.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

struct spin {
    uint32_t count;
    pid_t* process;
};

// The parent may be gone before the kernel knows whose end to wait for.
_Noreturn static void work(pid_t parent) {
    volatile uint64_t turns = 0;
    if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0 || getppid() != parent) {
        _exit(1);
    }
    for (;;) {
        turns = turns + 1;
    }
}

spin* spin_start(uint32_t count) {
    spin* s = bench_alloc(1, sizeof *s);
    const pid_t parent = getpid();
    s->process = bench_alloc(count, sizeof *s->process);
    for (uint32_t i = 0; i < count; ++i) {
        const pid_t process = fork();
        if (process == 0) {
            work(parent);
        }
        if (process < 0) {
            bench_die("no process can be started");
        }
        s->process[s->count++] = process;
    }
    return s;
}

void spin_stop(spin* s) {
    for (uint32_t i = 0; i < s->count; ++i) {
        (void)kill(s->process[i], SIGKILL);
        (void)waitpid(s->process[i], NULL, 0);
    }
    free(s->process);
    free(s);
}
