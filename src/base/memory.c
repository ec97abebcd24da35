// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Memory through the context's hooks.
#include "base/memory.h"

#include "base/offset.h"

#include <string.h>

void* abut__alloc(const abut_context* context, size_t count, size_t size) {
    if (count == 0 || count > SIZE_MAX / 2 / size) {
        return NULL;
    }
    return context->allocator.alloc(context->allocator.user, count * size, ABUT__ALIGNMENT);
}

void* abut__alloc_zero(const abut_context* context, size_t count, size_t size) {
    void* memory = abut__alloc(context, count, size);
    if (memory != NULL) {
        memset(memory, 0, count * size);
    }
    return memory;
}

void abut__free(const abut_context* context, void* memory, size_t count, size_t size) {
    if (memory != NULL) {
        context->allocator.free(context->allocator.user, memory, count * size, ABUT__ALIGNMENT);
    }
}

bool abut__vector_reserve(const abut_context* context, abut__vector* vector, size_t capacity,
                          size_t size) {
    if (capacity <= vector->capacity) {
        return true;
    }
    // grow by at least half, so that n pushes cost O(n)
    const size_t grown = vector->capacity + vector->capacity / 2 + 16;
    const size_t wanted = capacity > grown ? capacity : grown;
    void* data = abut__alloc(context, wanted, size);
    if (data == NULL) {
        return false;
    }
    if (vector->count > 0) {
        memcpy(data, vector->data, vector->count * size);
    }
    abut__free(context, vector->data, vector->capacity, size);
    vector->data = data;
    vector->capacity = wanted;
    return true;
}

void* abut__vector_push(const abut_context* context, abut__vector* vector, size_t count,
                        size_t size) {
    if (count > SIZE_MAX / 2 - vector->count ||
        !abut__vector_reserve(context, vector, vector->count + count, size)) {
        return NULL;
    }
    void* place = ABUT__AT((char*)vector->data, vector->count * size);
    vector->count += count;
    return place;
}

void* abut__vector_renew(const abut_context* context, abut__vector* vector, size_t count,
                         size_t size) {
    vector->count = 0;
    return abut__vector_push(context, vector, count, size);
}

bool abut__vector_extend(const abut_context* context, abut__vector* vector, size_t count,
                         size_t size) {
    if (count <= vector->count) {
        return true;
    }
    const size_t more = count - vector->count;
    void* place = abut__vector_push(context, vector, more, size);
    if (place != NULL) {
        memset(place, 0, more * size);
    }
    return place != NULL;
}

void* abut__vector_contents(const abut__vector* vector, size_t* count) {
    if (count != NULL) {
        *count = vector->count;
    }
    return vector->count > 0 ? vector->data : NULL;
}

void abut__vector_free(const abut_context* context, abut__vector* vector, size_t size) {
    abut__free(context, vector->data, vector->capacity, size);
    *vector = (abut__vector){0};
}

typedef struct abut__chunk {
    struct abut__chunk* next;
    size_t bytes;  // of the whole chunk, including this header
    size_t used;
} abut__chunk;

#define CHUNK_HEAD 64
#define CHUNK_BYTES ((size_t)1 << 16)

abut__arena abut__arena_make(const abut_context* context) {
    return (abut__arena){context, NULL};
}

static abut__chunk* chunk_add(abut__arena* arena, size_t bytes) {
    const size_t least = bytes + CHUNK_HEAD;
    const size_t size = least > CHUNK_BYTES ? least : CHUNK_BYTES;
    abut__chunk* chunk = abut__alloc(arena->context, size, 1);
    if (chunk != NULL) {
        *chunk = (abut__chunk){arena->chunks, size, CHUNK_HEAD};
        arena->chunks = chunk;
    }
    return chunk;
}

void* abut__arena_push(abut__arena* arena, size_t count, size_t size) {
    if (count == 0 || count > SIZE_MAX / 4 / size) {
        return NULL;
    }
    const size_t bytes = (count * size + ABUT__ALIGNMENT - 1) & ~(size_t)(ABUT__ALIGNMENT - 1);
    abut__chunk* chunk = arena->chunks;
    if (chunk == NULL || chunk->bytes - chunk->used < bytes) {
        chunk = chunk_add(arena, bytes);
        if (chunk == NULL) {
            return NULL;
        }
    }
    void* place = (char*)chunk + chunk->used;
    chunk->used += bytes;
    return place;
}

void abut__arena_release(abut__arena* arena) {
    while (arena->chunks != NULL) {
        abut__chunk* chunk = arena->chunks;
        arena->chunks = chunk->next;
        abut__free(arena->context, chunk, chunk->bytes, 1);
    }
}
