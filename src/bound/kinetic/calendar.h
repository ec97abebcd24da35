// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// A calendar queue: members wait in buckets of time, each in at most one. Putting in and taking out
// cost the same whatever waits, since nothing is sorted within a bucket. All memory is there from the
// start: nothing can fail later.
#ifndef ABUT_BOUND_KINETIC_CALENDAR_H
#define ABUT_BOUND_KINETIC_CALENDAR_H

#include "base/memory.h"

#define ABUT__CALENDAR_BUCKETS 256u

typedef struct abut__calendar {
    uint32_t member_count;
    uint32_t waiting;  // members in buckets
    uint32_t present;  // the first bucket that may hold something
    uint32_t* ahead;   // the next member in the bucket
    uint32_t* behind;  // the one before, or the bucket; see calendar.c
    uint32_t first[ABUT__CALENDAR_BUCKETS];
} abut__calendar;

bool abut__calendar_init(abut__calendar* calendar, const abut_context* context, uint32_t members);
void abut__calendar_free(abut__calendar* calendar, const abut_context* context);
// Empties all buckets; from now on it is `time` (of 0 .. 1).
void abut__calendar_clear(abut__calendar* calendar, float time);
// Makes a member wait for a time, which may be past: then it is due at the next asking. At 1 or later:
// it does not wait at all.
void abut__calendar_set(abut__calendar* calendar, uint32_t member, float time);
// Goes on to a time, not before the present one, and takes out everything in earlier buckets, and, of
// the one that the time is in, what `due` says. `list` has room for all members.
uint32_t abut__calendar_advance(abut__calendar* calendar, float time,
                                bool (*due)(const void* of, uint32_t member, float time),
                                const void* of, uint32_t* list);

#endif
