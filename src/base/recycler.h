// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// A context whose freed memory serves its own next allocations. Things that are made again and again,
// with sizes that vary little, then allocate nothing after the first times. There are four sizes of
// blocks per power of two, and a block serves whatever needs at least half of it.
#ifndef ABUT_BASE_RECYCLER_H
#define ABUT_BASE_RECYCLER_H

#include "base/context.h"

typedef struct abut__recycler abut__recycler;

// Makes a recycler that takes memory, tasks and kernels from a context; NULL: no memory.
abut__recycler* abut__recycler_create(abut_context* from);
// Frees it with all memory that it holds; NULL is fine. Nothing that was allocated in it may be in use.
void abut__recycler_destroy(abut__recycler* recycler);
// Allocates a spare block for each that is in use, as far as there is memory, so that everything can
// be made a second time without another allocation. No thread may use the recycler meanwhile.
void abut__recycler_reserve(abut__recycler* recycler);
// The context to allocate in. Any number of threads may do so.
abut_context* abut__recycler_context(abut__recycler* recycler);

#endif
