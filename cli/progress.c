// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// A bar for work that lasts: see progress.h.
#define _POSIX_C_SOURCE 200809L
#include "cli/progress.h"

#include "cli/terminal.h"

#include <math.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

double seconds_now(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

progress progress_begin(const char* what, uint64_t total) {
    const double now = seconds_now();
    return (progress){isatty(STDERR_FILENO) == 1, false, now, now, what, total};
}

void progress_step(progress* p, uint64_t done) {
    enum { WIDTH = 30 };
    const double now = seconds_now();
    if (!p->wanted || done == 0 || done >= p->total || now - p->start < 1.0 ||
        now - p->last < 0.1) {
        return;
    }
    p->last = now;
    p->drawn = true;
    const double part = (double)done / (double)p->total;
    char bar[WIDTH + 1] = {0};
    char left[NUMBER_SIZE];
    for (int i = 0; i < WIDTH; ++i) {
        bar[i] = i < (int)(part * WIDTH) ? '=' : ' ';
    }
    fprintf(stderr, "\r[%s] %3.0f %%  %s %llu of %llu, %s left\x1b[K", bar, 100 * part, p->what,
            (unsigned long long)done, (unsigned long long)p->total,
            duration(ceil((now - p->start) * (1 - part) / part), left));
    fflush(stderr);
}

void progress_end(progress* p) {
    if (p->drawn) {
        fprintf(stderr, "\r\x1b[K");
        fflush(stderr);
        p->drawn = false;
    }
}
