// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// An allocator hook with checks. It counts live blocks, checks that every free repeats the size and
// alignment of its alloc, surrounds each block with guard bytes, fills new memory with rubbish, and
// fails on request. Safe on many threads.

#ifndef ABUT_TESTS_SUPPORT_MEMORY_H
#define ABUT_TESTS_SUPPORT_MEMORY_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

#include "abut/base.h"

struct memory_block;

/// Counts of one allocator. Read the numbers freely while no call of the library is running.
typedef struct test_memory {
    size_t live_blocks;
    size_t live_bytes;
    size_t peak_bytes;
    size_t calls;    ///< calls of alloc, refused ones included
    size_t refused;  ///< calls that were made to fail
    size_t frees;    ///< calls of free with a block
    size_t faults;   ///< violated rules: see first_fault
    char first_fault[160];

    size_t fail_call;    ///< the call of alloc that fails, counted from 1; 0: none [0]
    bool fail_onwards;   ///< every later call fails too [false]
    size_t limit_bytes;  ///< calls fail that would let more live at once; 0: no limit [0]

    struct memory_block* blocks;  // all live blocks
    pthread_mutex_t lock;
} test_memory;

void memory_init(test_memory* memory);

/// The hook to put into abut_context_def.allocator. `memory` must outlive the context.
abut_allocator memory_allocator(test_memory* memory);

/// Calls memory_init() and returns settings of a context that uses this allocator.
abut_context_def memory_context_def(test_memory* memory);

/// Sets calls to 0 and makes call `fail_call` from now on fail, counted from 1 (0: none), and those
/// after it if `onwards`.
void memory_fail(test_memory* memory, size_t fail_call, bool onwards);

/// True if no block lives and no rule was violated; otherwise prints the fault to stderr.
bool memory_clean(test_memory* memory);

/// Checks the guards of all live blocks; returns the number of faults so far.
size_t memory_check(test_memory* memory);

/// Fails the present test unless memory_clean(), then memory_destroy().
#define memory_require_clean(memory) memory_end((memory), __FILE__, __LINE__)
void memory_end(test_memory* memory, const char* file, int line);

/// Frees all live blocks, so that a failed test does not affect the next.
void memory_destroy(test_memory* memory);

#endif  // ABUT_TESTS_SUPPORT_MEMORY_H
