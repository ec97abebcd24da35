// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Task hooks on a small pool of threads: a library of its own (abut_threads), so that abut itself
// needs no threads. Link it and put the hooks into the context's settings:
//
//     abut_threads* threads;
//     abut_threads_create(0, &threads, NULL);
//     abut_context_def def = abut_context_def_default();
//     def.tasks = abut_threads_tasks(threads);
//
// Threads that wait sleep after 50 microseconds. They are woken for work of a fifth of a millisecond
// or more: a long query, or updates and queries that follow each other at once. While they are awake
// they join all work of 20 microseconds or more. The calling thread goes on alone where helpers do
// not pay because other programs use the processors.
#ifndef ABUT_THREADS_H
#define ABUT_THREADS_H

#include "base.h"

ABUT_EXTERN_C_BEGIN

/// A pool of threads.
typedef struct abut_threads abut_threads;

/// Starts a pool of `workers`, of which one is the thread that makes a call. 0 means one for each
/// processor that this process may use, and more than 1024 means 1024. If the system refuses
/// threads, the pool has fewer workers.
ABUT_API abut_status abut_threads_create(uint32_t workers, abut_threads** threads,
                                         abut_error* error);
/// Stops the threads, which must be idle: destroy all contexts with these hooks first. NULL is fine.
ABUT_API void abut_threads_destroy(abut_threads* threads);
/// Returns the hooks for abut_context_def.tasks. Several contexts and several threads may use them
/// at once; then one call at a time gets the helpers, and the others run without. NULL is not
/// allowed.
ABUT_API abut_tasks abut_threads_tasks(abut_threads* threads);

ABUT_EXTERN_C_END

#endif
