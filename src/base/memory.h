// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Memory through the context's hooks: plain blocks, buffers that grow and keep what they have,
// and arenas that are released at once. Everything is aligned to a cache line.
#ifndef ABUT_BASE_MEMORY_H
#define ABUT_BASE_MEMORY_H

#include "base/context.h"

#define ABUT__ALIGNMENT 64

// count * size bytes, or NULL if that overflows or there is no memory; count 0 gives NULL too
void* abut__alloc(const abut_context* context, size_t count, size_t size);
// the same, filled with zeros
void* abut__alloc_zero(const abut_context* context, size_t count, size_t size);
// NULL is fine; count and size as they were given to abut__alloc
void abut__free(const abut_context* context, void* memory, size_t count, size_t size);

// An array that grows: `count` elements in use of `capacity`. The element size is the caller's.
typedef struct abut__vector {
    void* data;
    size_t count;
    size_t capacity;
} abut__vector;

// room for `capacity` elements in all; keeps the first `count`; false: no memory, nothing changed
bool abut__vector_reserve(const abut_context* context, abut__vector* vector, size_t capacity,
                          size_t size);
// appends `count` elements, not initialised; NULL: no memory, nothing changed
void* abut__vector_push(const abut_context* context, abut__vector* vector, size_t count,
                        size_t size);
void abut__vector_free(const abut_context* context, abut__vector* vector, size_t size);

// Scratch memory for one call: pushes are never freed one by one.
typedef struct abut__arena {
    const abut_context* context;
    struct abut__chunk* chunks;
} abut__arena;

abut__arena abut__arena_make(const abut_context* context);
// count * size bytes, aligned; NULL: no memory (or count is 0)
void* abut__arena_push(abut__arena* arena, size_t count, size_t size);
void abut__arena_release(abut__arena* arena);

#endif
