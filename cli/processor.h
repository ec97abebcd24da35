// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// How the command uses the processor: how many threads, and which instruction set. Answers depend on
// neither.
#ifndef CLI_PROCESSOR_H
#define CLI_PROCESSOR_H

#include <abut/base.h>

/// The entry of --threads in a table of options.
#define THREADS_OPTION \
    { "threads", OPTION_WHOLE, "N", "use N threads; the answer is the same [all cores]" }

/// Threads that wait for work; opaque.
typedef struct threads threads;

/// Makes the settings of a context: `wanted` threads (0: as many as there are cores) and the
/// instruction set that the environment variable ABUT_ISA names. False after a sentence on the
/// standard error output. Otherwise `pool` must be stopped after the context's end.
bool processor_settings(uint32_t wanted, abut_context_def* def, threads** pool);

/// Starts `workers` - 1 threads (the thread that runs tasks is a worker too), or as many as the
/// system gives. They sleep while there is nothing to do: a machine that others use as well is not
/// slowed down, and they need not wake up for a run to end.
threads* threads_start(uint32_t workers);
/// Stops them; NULL is fine.
void threads_stop(threads* pool);
/// The hooks for abut_context_def.tasks.
abut_tasks threads_tasks(threads* pool);

#endif
