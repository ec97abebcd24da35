// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// The blocks that a query needs: one bit for each block of its bodies. Each block is counted once,
// whichever thread needs it first and whatever the pool holds from other queries.
#ifndef ABUT_QUERY_NEEDS_H
#define ABUT_QUERY_NEEDS_H

#include "abut/query.h"
#include "base/offset.h"
#include "body/body.h"

typedef struct abut__needs_place {
    uint64_t query;  // the last one that the body was part of
    size_t first;    // the first word of its bits
} abut__needs_place;

typedef struct abut__needs {
    ABUT__VECTOR(atomic_ullong) bits;
    ABUT__VECTOR(abut__needs_place) first;  // by the index of the body
    uint64_t query;
} abut__needs;

// Begins a query, which has no bodies yet.
void abut__needs_begin(abut__needs* needs);
// Adds a body, unless it was added before. False: no memory.
bool abut__needs_add(const abut_context* context, abut__needs* needs, const abut__body* body);
void abut__needs_free(const abut_context* context, abut__needs* needs);

// Returns the bits of a body that was added. They are valid until another body is added.
static inline atomic_ullong* abut__needs_of(const abut__needs* needs, const abut__body* body) {
    return ABUT__AT(needs->bits.data, needs->first.data[body->index].first);
}

// Whether a block was needed before. Always true without bits, so that nothing is counted.
static inline bool abut__is_needed(atomic_ullong* bits, uint32_t block) {
    return bits == NULL ||
           (atomic_load_explicit(&bits[block / 64], memory_order_relaxed) >> block % 64 & 1) != 0;
}

// Counts a block unless it was needed before.
static inline void abut__need(atomic_ullong* bits, const abut__tree* tree, uint32_t block,
                              abut_counters* counters) {
    const uint64_t bit = UINT64_C(1) << block % 64;
    if (!abut__is_needed(bits, block) &&
        (atomic_fetch_or_explicit(&bits[block / 64], bit, memory_order_relaxed) & bit) == 0) {
        ++counters->blocks_evaluated;
        counters->vertices_evaluated += tree->blocks[block]->vertex_count;
    }
}

#endif
