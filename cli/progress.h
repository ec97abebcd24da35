// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// A bar on the standard error output for work that lasts. It is there only if that is a terminal. A
// thread of its own draws it, so that a step may take as long as it likes: it appears less than 100 ms
// after the first bar began.
#ifndef CLI_PROGRESS_H
#define CLI_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

/// Bars may lie within each other, and begin in any thread: the one that began last is shown.
typedef struct progress {
    double start;
    uint64_t id;  ///< 0: none is shown
} progress;

/// Seconds of a clock that only goes forward.
double seconds_now(void);

/// Begins a bar of `total` steps. `what` names a step, such as "frame", and must live on.
progress progress_begin(const char* what, uint64_t total);
/// Begins one for work without steps, such as "preparing" a file.
progress progress_begin_on(const char* what, const char* name);
/// Says how many steps are done.
void progress_step(progress* p, uint64_t done);
/// Ends a bar and wipes it, before anything else is printed. It may be ended twice.
void progress_end(progress* p);

/// Wipes the bar for something that is printed while it goes on.
void progress_wipe(void);
/// Shows no bars from now on: the terminal is needed for the output itself.
void progress_silence(void);

#endif
