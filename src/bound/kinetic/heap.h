// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// A queue of events, one per member, as a binary heap: the earliest first, and the lowest number
// among equals. All memory is allocated at the start.
#ifndef ABUT_BOUND_KINETIC_HEAP_H
#define ABUT_BOUND_KINETIC_HEAP_H

#include "base/memory.h"

typedef struct abut__heap {
    uint32_t member_count;
    uint32_t waiting;       // members in the heap
    uint32_t most_waiting;  // the greatest number so far
    double end;             // of time: 1 unless it is set
    double* time;           // per member
    uint32_t* place;        // per member: index in `order`; UINT32_MAX: not in the heap
    uint32_t* order;
} abut__heap;

bool abut__heap_init(abut__heap* heap, const abut_context* context, uint32_t members);
void abut__heap_free(abut__heap* heap, const abut_context* context);
// Schedules a member; the end of time, or later, removes it from the heap.
void abut__heap_set(abut__heap* heap, uint32_t member, double time);

// Returns whether a member is due up to a time, and the first such member.
static inline bool abut__heap_due(const abut__heap* heap, double time, uint32_t* member) {
    if (heap->waiting == 0 || heap->time[heap->order[0]] > time) {
        return false;
    }
    *member = heap->order[0];
    return true;
}

#endif
