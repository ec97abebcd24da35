// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// A binary heap that stores the place of each member.
#include "bound/kinetic/heap.h"

#include <string.h>

#define NOWHERE UINT32_MAX

bool abut__heap_init(abut__heap* heap, const abut_context* context, uint32_t members) {
    *heap = (abut__heap){.member_count = members, .end = 1};
    heap->time = abut__alloc(context, members, sizeof *heap->time);
    heap->place = abut__alloc(context, members, sizeof *heap->place);
    heap->order = abut__alloc(context, members, sizeof *heap->order);
    if (heap->time == NULL || heap->place == NULL || heap->order == NULL) {
        abut__heap_free(heap, context);
        return false;
    }
    memset(heap->place, 0xff, members * sizeof *heap->place);
    return true;
}

void abut__heap_free(abut__heap* heap, const abut_context* context) {
    abut__free(context, heap->time, heap->member_count, sizeof *heap->time);
    abut__free(context, heap->place, heap->member_count, sizeof *heap->place);
    abut__free(context, heap->order, heap->member_count, sizeof *heap->order);
    *heap = (abut__heap){0};
}

static bool earlier(const abut__heap* heap, uint32_t a, uint32_t b) {
    return heap->time[a] < heap->time[b] || (heap->time[a] == heap->time[b] && a < b);
}

static void put_at(abut__heap* heap, uint32_t place, uint32_t member) {
    heap->order[place] = member;
    heap->place[member] = place;
}

static void rise(abut__heap* heap, uint32_t place, uint32_t member) {
    while (place > 0 && earlier(heap, member, heap->order[(place - 1) / 2])) {
        put_at(heap, place, heap->order[(place - 1) / 2]);
        place = (place - 1) / 2;
    }
    put_at(heap, place, member);
}

static void sink(abut__heap* heap, uint32_t place, uint32_t member) {
    for (uint32_t child = 2 * place + 1; child < heap->waiting; child = 2 * place + 1) {
        if (child + 1 < heap->waiting &&
            earlier(heap, heap->order[child + 1], heap->order[child])) {
            ++child;
        }
        if (!earlier(heap, heap->order[child], member)) {
            break;
        }
        put_at(heap, place, heap->order[child]);
        place = child;
    }
    put_at(heap, place, member);
}

static void take_out(abut__heap* heap, uint32_t member) {
    const uint32_t place = heap->place[member];
    if (place == NOWHERE) {
        return;
    }
    heap->place[member] = NOWHERE;
    const uint32_t last = heap->order[--heap->waiting];
    if (last != member) {
        rise(heap, place, last);
        sink(heap, heap->place[last], last);
    }
}

void abut__heap_set(abut__heap* heap, uint32_t member, double time) {
    take_out(heap, member);
    heap->time[member] = time;
    if (time < heap->end) {
        rise(heap, heap->waiting++, member);
        heap->most_waiting = heap->waiting > heap->most_waiting ? heap->waiting
                                                                : heap->most_waiting;
    }
}
