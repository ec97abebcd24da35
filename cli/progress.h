// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// A bar on the standard error output for work that lasts.
#ifndef CLI_PROGRESS_H
#define CLI_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

typedef struct progress {
    bool wanted;  ///< the standard error output is a terminal
    bool drawn;
    double start;
    double last;
    const char* what;
    uint64_t total;
} progress;

/// Seconds of a clock that only goes forward.
double seconds_now(void);

/// Starts the clock. `what` names the steps, such as "frame".
progress progress_begin(const char* what, uint64_t total);
/// Draws the bar, with the time left, if more than a second has passed; a few times a second.
void progress_step(progress* p, uint64_t done);
/// Wipes the bar. Call it before anything else is printed.
void progress_end(progress* p);

#endif
