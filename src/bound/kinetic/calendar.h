// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// A calendar queue: members wait in buckets of time, each in at most one. Insertion and removal
// take constant time, since buckets are not sorted. All memory is allocated at the start, so no
// later call can fail.
#ifndef ABUT_BOUND_KINETIC_CALENDAR_H
#define ABUT_BOUND_KINETIC_CALENDAR_H

#include "base/memory.h"

#define ABUT__CALENDAR_BUCKETS 256u

typedef struct abut__calendar {
    uint32_t member_count;
    uint32_t waiting;    // members in buckets
    uint32_t present;    // the first bucket that may have members
    uint32_t* next;      // the next member in the bucket
    uint32_t* previous;  // the previous one, or the bucket; see calendar.c
    uint32_t first[ABUT__CALENDAR_BUCKETS];
} abut__calendar;

// Returns the bucket of a time. Times of 1 and later are in the last one.
static inline uint32_t abut__calendar_bucket(float time) {
    const float place = time * (float)ABUT__CALENDAR_BUCKETS;
    return place < (float)ABUT__CALENDAR_BUCKETS ? (uint32_t)place : ABUT__CALENDAR_BUCKETS - 1;
}

bool abut__calendar_init(abut__calendar* calendar, const abut_context* context, uint32_t members);
void abut__calendar_free(abut__calendar* calendar, const abut_context* context);
// Empties all buckets and sets the present time (0 .. 1).
void abut__calendar_clear(abut__calendar* calendar, float time);
// Schedules a member. A time in the past makes it due at the next advance; one of 1 or later
// removes it from the queue.
void abut__calendar_set(abut__calendar* calendar, uint32_t member, float time);
// Advances to a time, not before the present one. Takes out all members of earlier buckets, and
// those for which `due` returns true in the bucket of that time. `list` has room for all members.
// Returns their number.
uint32_t abut__calendar_advance(abut__calendar* calendar, float time,
                                bool (*due)(const void* of, uint32_t member, float time),
                                const void* of, uint32_t* list);

#endif
