// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Chooses the number of threads and the instruction set. Answers do not depend on them.
#ifndef CLI_PROCESSOR_H
#define CLI_PROCESSOR_H

#include <abut/base.h>

/// The entry of --threads in a table of options.
#define THREADS_OPTION \
    { "threads", OPTION_WHOLE, "N", "use N threads; the answer is the same [all cores]" }

/// A pool of threads; opaque.
typedef struct threads threads;

/// Makes the settings of a context: `wanted` threads (0: one per core) and the instruction set that
/// the environment variable ABUT_ISA names. False after an error message. After success stop `pool`
/// when the context has been destroyed.
bool processor_settings(uint32_t wanted, abut_context_def* def, threads** pool);

/// Starts `workers` - 1 threads (the calling thread is a worker too), or as many as the system
/// allows. Idle threads sleep; a run can end while they do.
threads* threads_start(uint32_t workers);
/// Stops the threads; `pool` may be NULL.
void threads_stop(threads* pool);
/// The hooks for abut_context_def.tasks.
abut_tasks threads_tasks(threads* pool);

#endif
