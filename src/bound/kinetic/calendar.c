// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Buckets are doubly linked lists of members. The first member of a list has the number of its
// bucket as its previous one, marked by the top bit.
#include "bound/kinetic/calendar.h"

#include <string.h>

#define BUCKET 0x80000000u
#define NOWHERE UINT32_MAX

bool abut__calendar_init(abut__calendar* calendar, const abut_context* context, uint32_t members) {
    memset(calendar, 0, sizeof *calendar);
    calendar->member_count = members;
    calendar->next = abut__alloc(context, members, sizeof *calendar->next);
    calendar->previous = abut__alloc(context, members, sizeof *calendar->previous);
    if (calendar->next == NULL || calendar->previous == NULL) {
        return false;
    }
    abut__calendar_clear(calendar, 0);
    return true;
}

void abut__calendar_free(abut__calendar* calendar, const abut_context* context) {
    abut__free(context, calendar->next, calendar->member_count, sizeof *calendar->next);
    abut__free(context, calendar->previous, calendar->member_count, sizeof *calendar->previous);
    memset(calendar, 0, sizeof *calendar);
}

void abut__calendar_clear(abut__calendar* calendar, float time) {
    memset(calendar->first, 0xff, sizeof calendar->first);
    memset(calendar->previous, 0xff, calendar->member_count * sizeof *calendar->previous);
    calendar->waiting = 0;
    calendar->present = abut__calendar_bucket(time);
}

static void take_out(abut__calendar* calendar, uint32_t member) {
    const uint32_t previous = calendar->previous[member];
    const uint32_t next = calendar->next[member];
    if (previous == NOWHERE) {
        return;
    }
    if ((previous & BUCKET) != 0) {
        calendar->first[previous & ~BUCKET] = next;
    } else {
        calendar->next[previous] = next;
    }
    if (next != NOWHERE) {
        calendar->previous[next] = previous;
    }
    calendar->previous[member] = NOWHERE;
    --calendar->waiting;
}

void abut__calendar_set(abut__calendar* calendar, uint32_t member, float time) {
    take_out(calendar, member);
    if (!(time < 1)) {
        return;
    }
    const uint32_t wanted = abut__calendar_bucket(time);
    const uint32_t bucket = wanted > calendar->present ? wanted : calendar->present;
    const uint32_t next = calendar->first[bucket];
    calendar->first[bucket] = member;
    calendar->previous[member] = bucket | BUCKET;
    calendar->next[member] = next;
    if (next != NOWHERE) {
        calendar->previous[next] = member;
    }
    ++calendar->waiting;
}

uint32_t abut__calendar_advance(abut__calendar* calendar, float time,
                                bool (*due)(const void* of, uint32_t member, float time),
                                const void* of, uint32_t* list) {
    uint32_t count = 0;
    const uint32_t last = abut__calendar_bucket(time);
    for (uint32_t bucket = calendar->present; bucket <= last; ++bucket) {
        for (uint32_t m = calendar->first[bucket]; m != NOWHERE;) {
            const uint32_t next = calendar->next[m];
            if (bucket < last || due(of, m, time)) {
                take_out(calendar, m);
                list[count++] = m;
            }
            m = next;
        }
    }
    calendar->present = last;
    return count;
}
