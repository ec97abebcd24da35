// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Stores the results of a state's certificates, sixteen of a group at a time. The table is made
// when a certificate is first tested. Threads may add to it concurrently: verdicts depend on the
// state alone, so threads that test the same certificate store the same result.
#ifndef ABUT_BOUND_VERDICTS_H
#define ABUT_BOUND_VERDICTS_H

#include "base/memory.h"
#include "base/once.h"

typedef struct abut__verdicts {
    uint32_t count;
    uint32_t round;      // number of the state: verdicts of other rounds are stale
    atomic_ullong of[];  // per group of certificates
} abut__verdicts;

// Returns the table, which is made at first use, or NULL if memory runs out.
abut__verdicts* abut__verdicts_get(const abut_context* context, abut__once* place, uint32_t count);
// Starts another state, which makes all verdicts stale.
void abut__verdicts_expire(const abut_context* context, abut__once* place);
void abut__verdicts_forget(const abut_context* context, abut__once* place);

// A verdict has the round in the upper half, then a bit for each lane that is decided, then a bit
// for each that holds.
#define ABUT__VERDICT_KNOWN 16
#define ABUT__VERDICT_ROUND 32

static inline uint64_t abut__verdict_begin(uint32_t round) {
    return (uint64_t)round << ABUT__VERDICT_ROUND;
}
static inline bool abut__verdict_is_of(uint64_t verdict, uint32_t round) {
    return verdict >> ABUT__VERDICT_ROUND == round;
}
// These return, of some lanes, a bit each: those that are not decided, and those that hold.
static inline uint32_t abut__verdict_open(uint64_t verdict, uint32_t lanes) {
    return lanes & ~(uint32_t)(verdict >> ABUT__VERDICT_KNOWN);
}
static inline uint32_t abut__verdict_holds(uint64_t verdict, uint32_t lanes) {
    return lanes & (uint32_t)verdict;
}
// Adds results to a verdict; lanes that are decided keep theirs.
static inline uint64_t abut__verdict_note(uint64_t verdict, uint32_t yes, uint32_t no) {
    const uint32_t open = ~(uint32_t)(verdict >> ABUT__VERDICT_KNOWN) & 0xffff;
    return verdict | (uint64_t)((yes | no) & open) << ABUT__VERDICT_KNOWN | (yes & open);
}

// Reads the verdict of a group; without one of this state it is empty. True: there is one. Tables
// may be NULL: then nothing is stored.
static inline bool abut__verdicts_read(abut__verdicts* table, uint32_t group, uint64_t* verdict) {
    if (table == NULL) {
        *verdict = abut__verdict_begin(0);
        return false;
    }
    *verdict = atomic_load_explicit(&table->of[group], memory_order_relaxed);
    if (abut__verdict_is_of(*verdict, table->round)) {
        return true;
    }
    *verdict = abut__verdict_begin(table->round);
    return false;
}
static inline void abut__verdicts_write(abut__verdicts* table, uint32_t group, uint64_t verdict) {
    if (table != NULL) {
        atomic_store_explicit(&table->of[group], verdict, memory_order_relaxed);
    }
}

#endif
