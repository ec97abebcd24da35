// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Allocations and exchanges that fail, damaged messages, and what ranks say then: see sabotage.h.
#include "sabotage.h"

#include <stdlib.h>
#include <string.h>

// ---- memory that fails

static void* limited_alloc(void* user, size_t size, size_t alignment) {
    limited_memory* memory = user;
    if (memory->left >= 0 && memory->left-- == 0) {
        return NULL;
    }
    const size_t whole = (size + alignment) / alignment * alignment;
    void* block = aligned_alloc(alignment, whole);
    return block != NULL && memory->zeros ? memset(block, 0, whole) : block;
}

static void limited_free(void* user, void* memory, size_t size, size_t alignment) {
    (void)user;
    (void)size;
    (void)alignment;
    free(memory);
}

abut_allocator limited_hooks(limited_memory* memory) {
    return (abut_allocator){limited_alloc, limited_free, memory};
}

// ---- sabotage

static bool fail_step(void* user, uint32_t exchange) {
    const sabotage* s = user;
    return s->fail && exchange == s->exchange;
}

static void damage_payload(void* user, uint32_t exchange, int to, uint8_t* bytes, size_t count) {
    sabotage* s = user;
    (void)to;
    if (s->payload && exchange == s->exchange) {
        bytes[s->byte % count] ^= 0xFF;
        s->done = true;
    }
}

static void damage_wire(void* user, uint32_t exchange, int to, uint8_t* bytes, size_t count) {
    sabotage* s = user;
    (void)to;
    if (s->wire && exchange == s->exchange) {
        bytes[s->byte % count] ^= 0x10;
        s->done = true;
    }
}

abut__saboteur sabotage_hooks(sabotage* s) {
    return (abut__saboteur){damage_payload, damage_wire, fail_step, s};
}

// ---- what ranks say

bool ranks_agree(const abut_world* world, abut_status status, const abut_error* error) {
    const bool bad = status != ABUT_OK;
    long own[3] = {status, bad ? abut_world_blamed(world) : 0, bad ? (long)error->body.index : 0};
    long least[3];
    long most[3];
    MPI_Allreduce(own, least, 3, MPI_LONG, MPI_MIN, MPI_COMM_WORLD);
    MPI_Allreduce(own, most, 3, MPI_LONG, MPI_MAX, MPI_COMM_WORLD);
    return memcmp(least, most, sizeof least) == 0;
}
