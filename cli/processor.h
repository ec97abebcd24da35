// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Chooses the number of threads and the instruction set. Answers do not depend on them.
#ifndef CLI_PROCESSOR_H
#define CLI_PROCESSOR_H

#include <abut/threads.h>

/// The entry of --threads in a table of options.
#define THREADS_OPTION \
    { "threads", OPTION_WHOLE, "N", "use N threads; the answer is the same [all cores]" }

/// Makes the settings of a context: `wanted` threads (0: one per core) and the instruction set that
/// the environment variable ABUT_ISA names. False after an error message. After success destroy
/// `pool` when the context has been destroyed; it may be NULL.
bool processor_settings(uint32_t wanted, abut_context_def* def, abut_threads** pool);

#endif
