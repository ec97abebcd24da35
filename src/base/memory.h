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

// An array that grows, without the type of its elements: what the functions below see of a vector.
typedef struct abut__vector {
    void* data;
    size_t count;
    size_t capacity;
} abut__vector;

// A vector of T: `count` elements of `data` are in use, and there is room for `capacity`. {0} is empty. The
// union shows it to the functions below without a cast. Each use of the macro makes a new type, so
// vectors that are assigned or passed have a typedef.
#define ABUT__VECTOR(T)          \
    union {                      \
        struct {                 \
            __typeof__(T)* data; \
            size_t count;        \
            size_t capacity;     \
        };                       \
        abut__vector raw;        \
    }

typedef ABUT__VECTOR(uint32_t) abut__uint32s;

// These take the address of a vector of any type. They evaluate each argument once.

// appends `n` elements, not initialised; NULL: no memory, nothing changed
#define abut__push(context, vector, n)                                         \
    ((__typeof__((vector)->data))abut__vector_push(context, &(vector)->raw, n, \
                                                   sizeof *(vector)->data))
// has `n` elements instead of those it had, not initialised; NULL: no memory, and it has none
#define abut__renew(context, vector, n)                                         \
    ((__typeof__((vector)->data))abut__vector_renew(context, &(vector)->raw, n, \
                                                    sizeof *(vector)->data))
// has `n` elements at least; new ones are filled with zeros; false: no memory, nothing changed
#define abut__extend(context, vector, n) \
    abut__vector_extend(context, &(vector)->raw, n, sizeof *(vector)->data)
// room for `n` elements in all; keeps the first `count`; false: no memory, nothing changed
#define abut__reserve(context, vector, n) \
    abut__vector_reserve(context, &(vector)->raw, n, sizeof *(vector)->data)
// frees the memory; the vector is empty then
#define abut__drop(context, vector) \
    abut__vector_free(context, &(vector)->raw, sizeof *(vector)->data)
// the elements, or NULL if there are none; `*count` is set to their number, unless it is NULL
#define abut__contents(vector, count) \
    ((__typeof__(&*(vector)->data))abut__vector_contents(&(vector)->raw, count))

// the functions behind them; `size` is that of an element
void* abut__vector_push(const abut_context* context, abut__vector* vector, size_t count,
                        size_t size);
void* abut__vector_renew(const abut_context* context, abut__vector* vector, size_t count,
                         size_t size);
bool abut__vector_extend(const abut_context* context, abut__vector* vector, size_t count,
                         size_t size);
bool abut__vector_reserve(const abut_context* context, abut__vector* vector, size_t capacity,
                          size_t size);
void abut__vector_free(const abut_context* context, abut__vector* vector, size_t size);
void* abut__vector_contents(const abut__vector* vector, size_t* count);

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
