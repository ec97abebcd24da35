// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// A block lies inside a larger piece of the C library's memory:
//     ... padding | header | front guard | the caller's bytes | back guard
// The caller's bytes have exactly the requested alignment where possible: code that silently needs
// more alignment than it requested fails here.

#include "support/memory.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/world.h"

#define GUARD_BYTES 32
#define GUARD_VALUE 0xA5
#define FRESH_VALUE 0xCB  // new memory: huge as double or float, absurd as a count
#define STALE_VALUE 0xDB
#define MOST_ALIGNMENT 64
#define LIVE_MAGIC UINT64_C(0x61627574206c6976)
#define DEAD_MAGIC UINT64_C(0x6162757420646561)

typedef struct memory_block {
    uint64_t magic;
    void* piece;  // what free() gets
    size_t size;
    size_t alignment;
    struct memory_block* next;
    struct memory_block* previous;
    unsigned char guard[GUARD_BYTES];
} memory_block;

static void fault(test_memory* memory, const char* format, ...) {
    if (memory->faults++ == 0) {
        va_list arguments;
        va_start(arguments, format);
        vsnprintf(memory->first_fault, sizeof memory->first_fault, format, arguments);
        va_end(arguments);
    }
}

static bool guard_intact(const unsigned char* guard) {
    for (size_t i = 0; i < GUARD_BYTES; ++i) {
        if (guard[i] != GUARD_VALUE) {
            return false;
        }
    }
    return true;
}

static unsigned char* block_bytes(memory_block* block) {
    return (unsigned char*)block + sizeof *block;
}

static void check_guards(test_memory* memory, memory_block* block) {
    if (!guard_intact(block->guard)) {
        fault(memory, "bytes before a block of %zu were written", block->size);
    }
    if (!guard_intact(block_bytes(block) + block->size)) {
        fault(memory, "bytes behind a block of %zu were written", block->size);
    }
}

static bool refuses(test_memory* memory, size_t size) {
    const bool chosen = memory->fail_call != 0 &&
                        (memory->fail_onwards ? memory->calls >= memory->fail_call
                                              : memory->calls == memory->fail_call);
    const bool full = memory->limit_bytes != 0 && (size > memory->limit_bytes ||
                                                   memory->live_bytes > memory->limit_bytes - size);
    return chosen || full;
}

static void link_block(test_memory* memory, memory_block* block) {
    block->previous = NULL;
    block->next = memory->blocks;
    if (block->next != NULL) {
        block->next->previous = block;
    }
    memory->blocks = block;
    memory->live_blocks += 1;
    memory->live_bytes += block->size;
    if (memory->live_bytes > memory->peak_bytes) {
        memory->peak_bytes = memory->live_bytes;
    }
}

static void unlink_block(test_memory* memory, memory_block* block) {
    if (block->previous != NULL) {
        block->previous->next = block->next;
    } else {
        memory->blocks = block->next;
    }
    if (block->next != NULL) {
        block->next->previous = block->previous;
    }
    memory->live_blocks -= 1;
    memory->live_bytes -= block->size;
}

// NULL if the C library has no memory
static memory_block* make_block(size_t size, size_t alignment) {
    const size_t extra = sizeof(memory_block) + GUARD_BYTES + 2 * MOST_ALIGNMENT;
    if (size > SIZE_MAX - extra) {
        return NULL;
    }
    unsigned char* piece = malloc(size + extra);
    if (piece == NULL) {
        return NULL;
    }
    // the first odd multiple of the alignment (and of the header's) behind the header
    const size_t header = sizeof(memory_block);
    const size_t grain = alignment > _Alignof(memory_block) ? alignment : _Alignof(memory_block);
    uintptr_t at = ((uintptr_t)piece + header + grain - 1) / grain * grain;
    if (at / grain % 2 == 0) {
        at += grain;
    }
    unsigned char* bytes = piece + (at - (uintptr_t)piece);
    memory_block* block = (memory_block*)(void*)(bytes - header);
    *block = (memory_block){
        .magic = LIVE_MAGIC, .piece = piece, .size = size, .alignment = alignment};
    memset(block->guard, GUARD_VALUE, GUARD_BYTES);
    memset(bytes, FRESH_VALUE, size);
    memset(bytes + size, GUARD_VALUE, GUARD_BYTES);
    return block;
}

static void* watched_alloc(void* user, size_t size, size_t alignment) {
    test_memory* memory = user;
    void* bytes = NULL;
    pthread_mutex_lock(&memory->lock);
    memory->calls += 1;
    if (alignment == 0 || (alignment & (alignment - 1)) != 0 || alignment > MOST_ALIGNMENT) {
        fault(memory, "alloc of %zu bytes asked for alignment %zu", size, alignment);
    } else if (refuses(memory, size)) {
        memory->refused += 1;
    } else {
        memory_block* block = make_block(size, alignment);
        if (block != NULL) {
            link_block(memory, block);
            bytes = block_bytes(block);
        }
    }
    pthread_mutex_unlock(&memory->lock);
    return bytes;
}

static void watched_free(void* user, void* bytes, size_t size, size_t alignment) {
    test_memory* memory = user;
    if (bytes == NULL) {
        return;
    }
    memory_block* block = (memory_block*)(void*)((unsigned char*)bytes - sizeof(memory_block));
    pthread_mutex_lock(&memory->lock);
    memory->frees += 1;
    if (block->magic != LIVE_MAGIC) {
        // unknown, or freed before: leave it alone
        fault(memory, "free of %zu bytes that do not live", size);
    } else {
        if (block->size != size || block->alignment != alignment) {
            fault(memory, "free of %zu bytes aligned to %zu, allocated as %zu and %zu", size,
                  alignment, block->size, block->alignment);
        }
        check_guards(memory, block);
        unlink_block(memory, block);
        block->magic = DEAD_MAGIC;
        memset(bytes, STALE_VALUE, block->size);
        free(block->piece);
    }
    pthread_mutex_unlock(&memory->lock);
}

void memory_init(test_memory* memory) {
    *memory = (test_memory){0};
    pthread_mutex_init(&memory->lock, NULL);
}

abut_allocator memory_allocator(test_memory* memory) {
    return (abut_allocator){.alloc = watched_alloc, .free = watched_free, .user = memory};
}

void memory_fail(test_memory* memory, size_t fail_call, bool onwards) {
    pthread_mutex_lock(&memory->lock);
    memory->calls = 0;
    memory->fail_call = fail_call;
    memory->fail_onwards = onwards;
    pthread_mutex_unlock(&memory->lock);
}

size_t memory_check(test_memory* memory) {
    pthread_mutex_lock(&memory->lock);
    for (memory_block* block = memory->blocks; block != NULL; block = block->next) {
        check_guards(memory, block);
    }
    const size_t faults = memory->faults;
    pthread_mutex_unlock(&memory->lock);
    return faults;
}

bool memory_clean(test_memory* memory) {
    const size_t faults = memory_check(memory);
    if (faults > 0) {
        fprintf(stderr, "memory: %zu faults, the first: %s\n", faults, memory->first_fault);
    }
    if (memory->live_blocks > 0) {
        fprintf(stderr, "memory: %zu blocks of %zu bytes leak, the newest of %zu\n",
                memory->live_blocks, memory->live_bytes, memory->blocks->size);
    }
    return faults == 0 && memory->live_blocks == 0;
}

void memory_destroy(test_memory* memory) {
    while (memory->blocks != NULL) {
        memory_block* block = memory->blocks;
        unlink_block(memory, block);
        free(block->piece);
    }
    pthread_mutex_destroy(&memory->lock);
}

abut_context_def memory_context_def(test_memory* memory) {
    memory_init(memory);
    abut_context_def def = abut_context_def_default();
    def.allocator = memory_allocator(memory);
    return def;
}

void memory_end(test_memory* memory, const char* file, int line) {
    require_true(memory_clean(memory), "memory_clean(memory)", file, line);
    memory_destroy(memory);
}
