// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// The events of the sides of blocks during a segment. Which vertex of a block is extreme at which
// time depends on nothing else, so all these events are known once the segment is entered. They are
// sorted into buckets of time, and each event contains the new line of its side. A step reads the
// events that are due from consecutive memory and writes lines. It looks at no vertex.
//
// Events are found by tasks, each with its own room, so their order does not depend on threads. All
// memory is allocated at the start.
#ifndef ABUT_BOUND_KINETIC_SIDE_EVENTS_H
#define ABUT_BOUND_KINETIC_SIDE_EVENTS_H

#include "bound/kinetic/calendar.h"
#include "tree/tree.h"

#define ABUT__EVENTS_OF_BLOCK 8u  // room: the blocks of a task share theirs
#define ABUT__NODES_PER_TASK 16u  // whose blocks are entered together

// A side of a block gets another line.
typedef struct abut__side_event {
    float time;    // part of the segment, rounded up
    float before;  // coordinates of the new vertex at both ends
    float after;
    uint32_t vertex;
    uint32_t block;
    uint32_t place;  // 64 x the parent of the block + 8 x the side + the block's slot
} abut__side_event;

typedef struct abut__side_events {
    uint32_t task_count;
    uint32_t room;             // events
    uint32_t total;            // events of the segment
    uint32_t waiting;          // of them, those that are not due yet
    uint32_t present;          // the first bucket that may have events
    uint32_t* first;           // per task, and one more: its room among `found`
    uint32_t* count;           // per task: events found
    abut__side_event* found;   // by tasks
    abut__side_event* events;  // by buckets; those of a side are in the order of time
    uint32_t begin[ABUT__CALENDAR_BUCKETS];
    uint32_t end[ABUT__CALENDAR_BUCKETS];
} abut__side_events;

// False: no memory.
bool abut__side_events_init(abut__side_events* side_events, const abut_context* context,
                            const abut__tree* tree);
void abut__side_events_free(abut__side_events* side_events, const abut_context* context);
// Removes all events.
void abut__side_events_clear(abut__side_events* side_events);
// Adds an event found by a task, after the previous ones of its side. False: no room.
static inline bool abut__side_events_add(abut__side_events* side_events, uint32_t task,
                                         const abut__side_event* event) {
    const uint32_t at = side_events->first[task] + side_events->count[task];
    if (at == side_events->first[task + 1]) {
        return false;
    }
    side_events->found[at] = *event;
    ++side_events->count[task];
    return true;
}
// Sorts what the tasks have found. Times are not before `time`.
void abut__side_events_sort(abut__side_events* side_events, float time);

static inline uint32_t abut__side_place(uint32_t parent, uint32_t slot, uint32_t side) {
    return 64 * parent + 8 * side + slot;
}

#endif
