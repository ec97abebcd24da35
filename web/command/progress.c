// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Progress of the command in WebAssembly: it is told to the program that runs the module, which has no terminal.
#include "cli/progress.h"

#include <string.h>
#include <time.h>

/// Imported: `done` of `total` steps are done, or `total` is 0 and the work has no steps. `what` names a step.
__attribute__((import_module("abut"), import_name("progress"))) extern void tell_progress(
    const char* what, size_t length, double done, double total);

static const char* step_name;
static uint64_t step_total;

double seconds_now(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void tell(const char* what, uint64_t done, uint64_t total) {
    tell_progress(what, strlen(what), (double)done, (double)total);
}

progress progress_begin(const char* what, uint64_t total) {
    step_name = what;
    step_total = total;
    tell(what, 0, total);
    return (progress){.start = seconds_now(), .id = 1};
}

progress progress_begin_on(const char* what, const char* name) {
    (void)name;
    tell(what, 0, 0);
    return (progress){.start = seconds_now()};
}

void progress_step(progress* p, uint64_t done) {
    if (p->id != 0) {
        tell(step_name, done, step_total);
    }
}

void progress_end(progress* p) {
    p->id = 0;
}

void progress_wipe(void) {
}

void progress_silence(void) {
}
