// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Shows a progress bar on the standard error output, if that is a terminal. A separate thread draws
// it, so that it moves during long steps. It appears less than 100 ms after the first bar began.
#ifndef CLI_PROGRESS_H
#define CLI_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

/// Bars may be nested and may begin in any thread: the one that began last is shown.
typedef struct progress {
    double start;
    uint64_t id;  ///< 0: none is shown
} progress;

/// Seconds of a monotonic clock.
double seconds_now(void);

/// Begins a bar of `total` steps. `what` names a step, such as "frame"; it is borrowed.
progress progress_begin(const char* what, uint64_t total);
/// Begins one for work without steps, such as "preparing" a file.
progress progress_begin_on(const char* what, const char* name);
/// Sets the number of steps done.
void progress_step(progress* p, uint64_t done);
/// Ends a bar and clears it; call it before anything else is printed. It may be called twice.
void progress_end(progress* p);

/// Clears the line of the bar before something else is printed; the bar is drawn again later.
void progress_wipe(void);
/// Shows bars on another file from now on, if that is a terminal. Call it before the first bar.
void progress_show_on(int file);
/// Shows no bars from now on, because the terminal is needed for the output itself.
void progress_silence(void);

#endif
