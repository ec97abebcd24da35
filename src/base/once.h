// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// What several threads make or fill at their first use.
//
// A *once* is made by the thread that comes first, and stays; threads that come at the same time make it,
// too, and throw theirs away. A *claim* guards a value that is filled again and again, for one state or
// one query after the other: it carries the stamp of what it is of. Stamps are never 0, and their top bit
// is 0: with it they say that a thread is at work. A thread that meets this works aside.
#ifndef ABUT_BASE_ONCE_H
#define ABUT_BASE_ONCE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef _Atomic(void*) abut__once;

// What is there; NULL: nothing yet.
static inline void* abut__once_peek(const abut__once* once) {
    return atomic_load_explicit((abut__once*)once, memory_order_acquire);
}
// Puts what a thread has made there, and returns it. If another thread came first, what that has made
// is returned, and undo(from, made) takes the own back.
static inline void* abut__once_put(const abut__once* once, void* made,
                                   void (*undo)(const void* from, void* made), const void* from) {
    void* there = NULL;
    if (atomic_compare_exchange_strong((abut__once*)once, &there, made)) {
        return made;
    }
    undo(from, made);
    return there;
}
// What is there, made by make(from) if need be; NULL: no memory.
static inline void* abut__once_get(const abut__once* once, void* (*make)(const void* from),
                                   void (*undo)(const void* from, void* made), const void* from) {
    void* there = abut__once_peek(once);
    if (there != NULL) {
        return there;
    }
    void* made = make(from);
    return made != NULL ? abut__once_put(once, made, undo, from) : NULL;
}

#define ABUT__CLAIMED (UINT64_C(1) << 63)

typedef enum abut__claim {
    ABUT__READY,  // the value is of this stamp
    ABUT__MINE,   // fill it, then call abut__claim_done()
    ABUT__BUSY,   // another thread fills it: work aside
} abut__claim;

static inline abut__claim abut__claim_take(atomic_ullong* of, uint64_t stamp) {
    unsigned long long seen = atomic_load_explicit(of, memory_order_acquire);
    if (seen == stamp) {
        return ABUT__READY;
    }
    if ((seen & ABUT__CLAIMED) == 0 &&
        atomic_compare_exchange_strong(of, &seen, stamp | ABUT__CLAIMED)) {
        return ABUT__MINE;
    }
    return seen == stamp ? ABUT__READY : ABUT__BUSY;
}
static inline void abut__claim_done(atomic_ullong* of, uint64_t stamp) {
    atomic_store_explicit(of, stamp, memory_order_release);
}

#endif
