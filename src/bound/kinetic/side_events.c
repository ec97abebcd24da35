// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Sorts the events of block sides by buckets of time: see side_events.h.
#include "bound/kinetic/side_events.h"

#include <string.h>

static uint32_t task_of(const abut__tree* tree, uint32_t block) {
    return tree->block_parent[block] / ABUT__NODES_PER_TASK;
}

// Gives each task room for the blocks below its nodes.
static void share_room(abut__side_events* side_events, const abut__tree* tree) {
    memset(side_events->first, 0, (side_events->task_count + 1) * sizeof *side_events->first);
    for (uint32_t b = 0; b < tree->block_count; ++b) {
        side_events->first[task_of(tree, b) + 1] += ABUT__EVENTS_OF_BLOCK;
    }
    for (uint32_t t = 0; t < side_events->task_count; ++t) {
        side_events->first[t + 1] += side_events->first[t];
    }
}

bool abut__side_events_init(abut__side_events* side_events, const abut_context* context,
                            const abut__tree* tree) {
    memset(side_events, 0, sizeof *side_events);
    side_events->task_count = (tree->node_count + ABUT__NODES_PER_TASK - 1) / ABUT__NODES_PER_TASK;
    side_events->room = ABUT__EVENTS_OF_BLOCK * tree->block_count;
    side_events->first = abut__alloc(context, side_events->task_count + 1,
                                     sizeof *side_events->first);
    side_events->count = abut__alloc(context, side_events->task_count, sizeof *side_events->count);
    side_events->found = abut__alloc(context, side_events->room, sizeof *side_events->found);
    side_events->events = abut__alloc(context, side_events->room, sizeof *side_events->events);
    if (side_events->first == NULL || side_events->count == NULL || side_events->found == NULL ||
        side_events->events == NULL) {
        return false;
    }
    share_room(side_events, tree);
    abut__side_events_clear(side_events);
    return true;
}

void abut__side_events_free(abut__side_events* side_events, const abut_context* context) {
    const uint32_t tasks = side_events->task_count;
    abut__free(context, side_events->first, tasks + 1, sizeof *side_events->first);
    abut__free(context, side_events->count, tasks, sizeof *side_events->count);
    abut__free(context, side_events->found, side_events->room, sizeof *side_events->found);
    abut__free(context, side_events->events, side_events->room, sizeof *side_events->events);
    memset(side_events, 0, sizeof *side_events);
}

void abut__side_events_clear(abut__side_events* side_events) {
    memset(side_events->count, 0, side_events->task_count * sizeof *side_events->count);
    memset(side_events->begin, 0, sizeof side_events->begin);
    memset(side_events->end, 0, sizeof side_events->end);
    side_events->total = side_events->waiting = side_events->present = 0;
}

void abut__side_events_sort(abut__side_events* side_events, float time) {
    uint32_t* end = side_events->end;
    memset(end, 0, sizeof side_events->end);
    for (uint32_t t = 0; t < side_events->task_count; ++t) {
        const abut__side_event* found = side_events->found + side_events->first[t];
        for (uint32_t i = 0; i < side_events->count[t]; ++i) {
            ++end[abut__calendar_bucket(found[i].time)];
        }
    }
    uint32_t total = 0;
    for (uint32_t b = 0; b < ABUT__CALENDAR_BUCKETS; ++b) {
        const uint32_t count = end[b];
        side_events->begin[b] = end[b] = total;
        total += count;
    }
    for (uint32_t t = 0; t < side_events->task_count; ++t) {
        const abut__side_event* found = side_events->found + side_events->first[t];
        for (uint32_t i = 0; i < side_events->count[t]; ++i) {
            side_events->events[end[abut__calendar_bucket(found[i].time)]++] = found[i];
        }
    }
    side_events->total = side_events->waiting = total;
    side_events->present = abut__calendar_bucket(time);
}
