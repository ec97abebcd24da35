// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Runs work on untrusted files in a child process with limits: the work may crash, use too much
// memory or never end. Internal to io/.
#ifndef IO_CHILD_H
#define IO_CHILD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct child_limits {
    unsigned seconds;       ///< processor time
    unsigned wait_seconds;  ///< wall-clock time
    uint64_t bytes;         ///< memory
} child_limits;

typedef enum child_end {
    CHILD_DONE = 0,
    CHILD_CRASHED,    ///< it crashed, or ran out of memory
    CHILD_TOO_LONG,   ///< it reached a time limit
    CHILD_NOT_BEGUN,  ///< the system has no process or no memory left
} child_end;

/// Runs `work` in a child process, which writes its answer to the file descriptor `to`. If it
/// returns CHILD_DONE, *bytes holds the whole answer, which the caller frees; otherwise *bytes is
/// NULL.
typedef void (*child_fn)(void* user, int to);
child_end child_run(child_fn work, void* user, const child_limits* limits, char** bytes,
                    size_t* size);

#endif
