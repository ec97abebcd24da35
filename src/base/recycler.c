// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// A context whose freed memory serves its own next allocations: see recycler.h.
#include "base/recycler.h"

#include "base/memory.h"

#include <string.h>

#define SMALLEST 6  // the first class has 2^6 bytes
#define CLASSES (4 * (64 - SMALLEST))
#define LARGER 4u  // classes above the wanted one that serve, too: up to twice the size

// Stands before the memory of a block.
typedef struct block {
    _Alignas(ABUT__ALIGNMENT) struct block* next;  // of the spare ones of its class
    uint32_t class;
} block;

struct abut__recycler {
    abut_context context;
    const abut_context* from;
    atomic_flag busy;
    block* spares[CLASSES];
    uint32_t spare_count[CLASSES];
    uint32_t used_count[CLASSES];
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

static block* make_block(const abut__recycler* r, uint32_t class) {
    block* made = abut__alloc(r->from, 1, sizeof *made + room_of(class));
    if (made != NULL) {
        made->class = class;
    }
    return made;
}

// a spare block of the class or of one a little larger; NULL: there is none
static block* pop(abut__recycler* r, uint32_t class) {
    for (uint32_t c = class; c < CLASSES && c <= class + LARGER; ++c) {
        block* found = r->spares[c];
        if (found != NULL) {
            r->spares[c] = found->next;
            --r->spare_count[c];
            return found;
        }
    }
    return NULL;
}

static void push(abut__recycler* r, block* freed) {
    freed->next = r->spares[freed->class];
    r->spares[freed->class] = freed;
    ++r->spare_count[freed->class];
}

static void* take(void* user, size_t size, size_t alignment) {
    (void)alignment;  // everything has that of abut__alloc()
    abut__recycler* r = user;
    const uint32_t class = class_of(size) + 1;  // the next time a little more may be needed
    enter(r);
    block* found = pop(r, class - 1);
    leave(r);
    found = found != NULL ? found : make_block(r, class);
    if (found == NULL) {
        return NULL;
    }
    enter(r);
    ++r->used_count[found->class];
    leave(r);
    return found + 1;
}

static void give_back(void* user, void* memory, size_t size, size_t alignment) {
    (void)size;
    (void)alignment;
    abut__recycler* r = user;
    block* freed = (block*)memory - 1;
    enter(r);
    --r->used_count[freed->class];
    push(r, freed);
    leave(r);
}

void abut__recycler_reserve(abut__recycler* recycler) {
    for (uint32_t class = 0; class < CLASSES; ++class) {
        while (recycler->spare_count[class] < recycler->used_count[class]) {
            block* made = make_block(recycler, class);
            if (made == NULL) {
                return;
            }
            push(recycler, made);
        }
    }
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
        for (block* next; recycler->spares[class] != NULL; recycler->spares[class] = next) {
            next = recycler->spares[class]->next;
            abut__free(from, recycler->spares[class], 1, sizeof *next + room_of(class));
        }
    }
    abut__free(from, recycler, 1, sizeof *recycler);
}

abut_context* abut__recycler_context(abut__recycler* recycler) {
    return &recycler->context;
}
