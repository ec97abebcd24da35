// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Memory through the context's hooks: plain blocks, growing arrays, and arenas that are released at
// once. Everything is aligned to a cache line.
#ifndef ABUT_BASE_MEMORY_H
#define ABUT_BASE_MEMORY_H

#include "base/context.h"

#define ABUT__ALIGNMENT 64

// Allocates count * size bytes. NULL: that overflows, count is 0, or no memory.
void* abut__alloc(const abut_context* context, size_t count, size_t size);
// The same, filled with zeros.
void* abut__alloc_zero(const abut_context* context, size_t count, size_t size);
// Frees memory (may be NULL); count and size must be those of abut__alloc().
void abut__free(const abut_context* context, void* memory, size_t count, size_t size);

// A growing array: `count` elements in use of `capacity`. The caller passes the element size.
typedef struct abut__vector {
    void* data;
    size_t count;
    size_t capacity;
} abut__vector;

// Makes room for `capacity` elements in all and keeps the first `count`. False: no memory, nothing
// changed.
bool abut__vector_reserve(const abut_context* context, abut__vector* vector, size_t capacity,
                          size_t size);
// Appends `count` uninitialised elements and returns the first. NULL: no memory, nothing changed.
void* abut__vector_push(const abut_context* context, abut__vector* vector, size_t count,
                        size_t size);
void abut__vector_free(const abut_context* context, abut__vector* vector, size_t size);

// Scratch memory for one call: allocations are not freed one by one.
typedef struct abut__arena {
    const abut_context* context;
    struct abut__chunk* chunks;
} abut__arena;

abut__arena abut__arena_make(const abut_context* context);
// Allocates count * size bytes, aligned. NULL: no memory, or count is 0.
void* abut__arena_push(abut__arena* arena, size_t count, size_t size);
void abut__arena_release(abut__arena* arena);

#endif
