// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// A pool of real threads behind the library's task hook, for tests of promise 4 (equal answers for
// any number of threads) and for thread sanitizers.

#ifndef ABUT_TESTS_SUPPORT_THREADS_H
#define ABUT_TESTS_SUPPORT_THREADS_H

#include <stdint.h>

#include "abut/base.h"

typedef struct test_threads test_threads;

/// Starts `workers` - 1 threads (1..64 workers); the thread that calls `run` is worker 0.
/// `shuffle` 0 hands out tasks in order. Any other value seeds a random order, new for every run,
/// with random pauses between tasks. Ends the process if threads cannot be started.
test_threads* threads_create(uint32_t workers, uint64_t shuffle);
void threads_destroy(test_threads* threads);

/// The hook to put into abut_context_def.tasks. Runs of several callers wait for each other. A task
/// must not call `run` of the same pool: that ends the process with a message.
abut_tasks threads_tasks(test_threads* threads);

/// The default settings of a context with this hook; without it if `threads` is NULL.
abut_context_def threads_context_def(test_threads* threads);

/// Tasks run so far by `worker`.
uint64_t threads_done(const test_threads* threads, uint32_t worker);

#endif  // ABUT_TESTS_SUPPORT_THREADS_H
