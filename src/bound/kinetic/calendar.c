// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// The buckets are lists through their members, in both directions. The first of a list has its bucket
// behind it, marked by the top bit.
#include "bound/kinetic/calendar.h"

#include <string.h>

#define BUCKET 0x80000000u
#define NOWHERE UINT32_MAX

bool abut__calendar_init(abut__calendar* calendar, const abut_context* context, uint32_t members) {
    memset(calendar, 0, sizeof *calendar);
    calendar->member_count = members;
    calendar->ahead = abut__alloc(context, members, sizeof *calendar->ahead);
    calendar->behind = abut__alloc(context, members, sizeof *calendar->behind);
    if (calendar->ahead == NULL || calendar->behind == NULL) {
        return false;
    }
    abut__calendar_clear(calendar, 0);
    return true;
}

void abut__calendar_free(abut__calendar* calendar, const abut_context* context) {
    abut__free(context, calendar->ahead, calendar->member_count, sizeof *calendar->ahead);
    abut__free(context, calendar->behind, calendar->member_count, sizeof *calendar->behind);
    memset(calendar, 0, sizeof *calendar);
}

static uint32_t bucket_of(float time) {
    const float place = time * (float)ABUT__CALENDAR_BUCKETS;
    return place < (float)ABUT__CALENDAR_BUCKETS ? (uint32_t)place : ABUT__CALENDAR_BUCKETS - 1;
}

void abut__calendar_clear(abut__calendar* calendar, float time) {
    memset(calendar->first, 0xff, sizeof calendar->first);
    memset(calendar->behind, 0xff, calendar->member_count * sizeof *calendar->behind);
    calendar->waiting = 0;
    calendar->present = bucket_of(time);
}

static void take_out(abut__calendar* calendar, uint32_t member) {
    const uint32_t behind = calendar->behind[member];
    const uint32_t ahead = calendar->ahead[member];
    if (behind == NOWHERE) {
        return;
    }
    if ((behind & BUCKET) != 0) {
        calendar->first[behind & ~BUCKET] = ahead;
    } else {
        calendar->ahead[behind] = ahead;
    }
    if (ahead != NOWHERE) {
        calendar->behind[ahead] = behind;
    }
    calendar->behind[member] = NOWHERE;
    --calendar->waiting;
}

void abut__calendar_set(abut__calendar* calendar, uint32_t member, float time) {
    take_out(calendar, member);
    if (!(time < 1)) {
        return;
    }
    const uint32_t wanted = bucket_of(time);
    const uint32_t bucket = wanted > calendar->present ? wanted : calendar->present;
    const uint32_t ahead = calendar->first[bucket];
    calendar->first[bucket] = member;
    calendar->behind[member] = bucket | BUCKET;
    calendar->ahead[member] = ahead;
    if (ahead != NOWHERE) {
        calendar->behind[ahead] = member;
    }
    ++calendar->waiting;
}

uint32_t abut__calendar_advance(abut__calendar* calendar, float time,
                                bool (*due)(const void* of, uint32_t member, float time),
                                const void* of, uint32_t* list) {
    uint32_t count = 0;
    const uint32_t last = bucket_of(time);
    for (uint32_t bucket = calendar->present; bucket <= last; ++bucket) {
        for (uint32_t m = calendar->first[bucket]; m != NOWHERE;) {
            const uint32_t ahead = calendar->ahead[m];
            if (bucket < last || due(of, m, time)) {
                take_out(calendar, m);
                list[count++] = m;
            }
            m = ahead;
        }
    }
    calendar->present = last;
    return count;
}
