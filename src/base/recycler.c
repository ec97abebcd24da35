// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// A context whose freed memory serves its own next allocations: see recycler.h.
#include "base/recycler.h"

#include "base/memory.h"

#include <string.h>

#define SMALLEST 6  // the first class has 2^6 bytes
#define CLASSES (4 * (64 - SMALLEST))

// A free block; its own memory holds this.
typedef struct spare {
    struct spare* next;
} spare;

struct abut__recycler {
    abut_context context;
    const abut_context* from;
    atomic_flag busy;
    spare* spares[CLASSES];
};

// The size of a class: 4, 5, 6 or 7 quarters of a power of two.
static size_t room_of(uint32_t class) {
    return (size_t)(4 + class % 4) << (SMALLEST - 2 + class / 4);
}

// the least class with so many bytes
static uint32_t class_of(size_t size) {
    uint32_t class = 0;
    if (size > (size_t)1 << SMALLEST) {
        class = 4 * (63u - (uint32_t)__builtin_clzll(size) - SMALLEST);
    }
    while (room_of(class) < size) {
        ++class;
    }
    return class;
}

static void enter(abut__recycler* r) {
    while (atomic_flag_test_and_set_explicit(&r->busy, memory_order_acquire)) {
    }
}

static void leave(abut__recycler* r) {
    atomic_flag_clear_explicit(&r->busy, memory_order_release);
}

static void* take(void* user, size_t size, size_t alignment) {
    (void)alignment;  // everything has that of abut__alloc()
    abut__recycler* r = user;
    const uint32_t class = class_of(size);
    enter(r);
    spare* found = r->spares[class];
    if (found != NULL) {
        r->spares[class] = found->next;
    }
    leave(r);
    return found != NULL ? (void*)found : abut__alloc(r->from, 1, room_of(class));
}

static void give_back(void* user, void* memory, size_t size, size_t alignment) {
    (void)alignment;
    abut__recycler* r = user;
    const uint32_t class = class_of(size);
    spare* freed = memory;
    enter(r);
    freed->next = r->spares[class];
    r->spares[class] = freed;
    leave(r);
}

abut__recycler* abut__recycler_create(abut_context* from) {
    abut__recycler* r = abut__alloc_zero(from, 1, sizeof *r);
    if (r != NULL) {
        r->from = from;
        r->context.allocator = (abut_allocator){take, give_back, r};
        r->context.tasks = from->tasks;
        r->context.isa = from->isa;
        r->context.kernels = from->kernels;
        atomic_init(&r->context.serial, 0);
        atomic_flag_clear(&r->busy);
    }
    return r;
}

void abut__recycler_destroy(abut__recycler* recycler) {
    if (recycler == NULL) {
        return;
    }
    const abut_context* from = recycler->from;
    for (uint32_t class = 0; class < CLASSES; ++class) {
        while (recycler->spares[class] != NULL) {
            spare* next = recycler->spares[class]->next;
            abut__free(from, recycler->spares[class], 1, room_of(class));
            recycler->spares[class] = next;
        }
    }
    abut__free(from, recycler, 1, sizeof *recycler);
}

abut_context* abut__recycler_context(abut__recycler* recycler) {
    return &recycler->context;
}
