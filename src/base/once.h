// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Values that several threads make or fill at first use.
//
// The first thread that finishes a *once* sets it for good; other threads that made one at the same
// time discard theirs. A *claim* guards a value that is refilled for one state or query after the
// other, and holds the stamp of its current contents. Stamps are never 0 and their top bit is 0;
// while a thread fills the value, the top bit is set. Other threads then compute their own copy.
// A *commit* publishes several members of a structure at once. Each thread that needs them makes a
// draft; the first one that finishes moves its draft into the structure.
#ifndef ABUT_BASE_ONCE_H
#define ABUT_BASE_ONCE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef _Atomic(void*) abut__once;

// Returns the value; NULL: not set yet.
static inline void* abut__once_peek(const abut__once* once) {
    return atomic_load_explicit((abut__once*)once, memory_order_acquire);
}
// Sets the value that a thread has made, and returns it. If another thread was first, returns that
// thread's value and calls undo(from, made).
static inline void* abut__once_put(const abut__once* once, void* made,
                                   void (*undo)(const void* from, void* made), const void* from) {
    void* there = NULL;
    if (atomic_compare_exchange_strong((abut__once*)once, &there, made)) {
        return made;
    }
    undo(from, made);
    return there;
}
// Returns the value; if it is not set, makes it by make(from). NULL: no memory.
static inline void* abut__once_get(const abut__once* once, void* (*make)(const void* from),
                                   void (*undo)(const void* from, void* made), const void* from) {
    void* there = abut__once_peek(once);
    if (there != NULL) {
        return there;
    }
    void* made = make(from);
    return made != NULL ? abut__once_put(once, made, undo, from) : NULL;
}

typedef atomic_uchar abut__commit;  // 0: not begun, 1: a thread moves its draft, 2: done

// Whether the members are there. If so, they are readable and stay as they are.
static inline bool abut__is_committed(const abut__commit* commit) {
    return atomic_load_explicit((abut__commit*)commit, memory_order_acquire) == 2;
}
// Returns true to one thread alone, which stores the members, calls nothing that could wait, and
// then calls abut__commit_end(). To others it returns false once the members are there. They wait
// only while that thread stores.
static inline bool abut__commit_begin(const abut__commit* commit) {
    unsigned char seen = 0;
    if (atomic_compare_exchange_strong((abut__commit*)commit, &seen, 1)) {
        return true;
    }
    while (!abut__is_committed(commit)) {
    }
    return false;
}
static inline void abut__commit_end(const abut__commit* commit) {
    atomic_store_explicit((abut__commit*)commit, 2, memory_order_release);
}

#define ABUT__CLAIMED (UINT64_C(1) << 63)

typedef enum abut__claim {
    ABUT__READY,  // the value has this stamp
    ABUT__MINE,   // fill it, then call abut__claim_done()
    ABUT__BUSY,   // another thread fills it: compute a copy
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
