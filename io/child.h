// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Work in a process of its own, because what it reads is not trusted: it may fall over, take all
// memory, or never end. Internal to io/.
#ifndef IO_CHILD_H
#define IO_CHILD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct child_limits {
    unsigned seconds;       ///< of processor time
    unsigned wait_seconds;  ///< by the clock
    uint64_t bytes;         ///< of memory
} child_limits;

typedef enum child_end {
    CHILD_DONE = 0,
    CHILD_FELL,       ///< it crashed, or ran out of memory
    CHILD_TOO_LONG,   ///< it met a limit of time
    CHILD_NOT_BEGUN,  ///< the system gives no process or no memory
} child_end;

/// Runs `work` in a child, which writes its answer to the file descriptor `to`. All of it is in
/// `bytes` then, which the caller frees, if the end is CHILD_DONE; otherwise it is NULL.
typedef void (*child_fn)(void* user, int to);
child_end child_run(child_fn work, void* user, const child_limits* limits, char** bytes,
                    size_t* size);

#endif
