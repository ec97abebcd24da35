// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// The kinetic AABB tree, event by event.
#include "bound/kinetic/events.h"

#include <math.h>

// ---- lines

#define LATEST (1 - 0x1p-30)  // an event belongs to the segment that it was found in

static uint32_t candidate_count(const abut__events* events, uint32_t member) {
    return member < events->block_count ? events->tree->blocks[member]->vertex_count
                                        : events->tree->nodes[member - events->block_count].count;
}

static uint32_t member_of(const abut__events* events, abut__ref ref) {
    return abut__is_block(ref) ? abut__block_of(ref) : events->block_count + ref;
}

// Returns candidate i for the vertex of a side.
static uint32_t candidate(const abut__events* events, uint32_t member, uint32_t side, uint32_t i) {
    if (member < events->block_count) {
        return events->tree->blocks[member]->vertex[i];
    }
    const abut__node* node = &events->tree->nodes[member - events->block_count];
    return events->sides[member_of(events, node->child[i])][side].vertex;
}

// Returns the keyframe before a time, but not the last one.
static uint32_t segment_at(const abut__events* events, double time) {
    const uint32_t key = (uint32_t)time;
    return key + 1 < events->key_count ? key : events->key_count - 2;
}

static abut__line line_in(const abut__events* events, uint32_t segment, uint32_t vertex,
                          uint32_t side) {
    return abut__line_read(events->keys + segment, vertex, side);
}

// Takes the greatest line that is steeper than some slope; false: there is none.
static bool choose(abut__events* events, uint32_t member, uint32_t side, double steeper_than) {
    abut__event_side* of = &events->sides[member][side];
    const uint32_t segment = segment_at(events, events->time);
    abut__line_search search = abut__line_search_make(events->time - segment, steeper_than);
    bool found = false;
    for (uint32_t i = 0; i < candidate_count(events, member); ++i) {
        const uint32_t vertex = candidate(events, member, side, i);
        if (abut__line_search_try(&search, line_in(events, segment, vertex, side))) {
            found = true;
            of->which = i;
            of->vertex = vertex;
        }
    }
    return found;
}

// Returns when a vertex is first overtaken in a segment; INFINITY: it is not.
static double overtaken_in(const abut__events* events, uint32_t segment, uint32_t member,
                           uint32_t side) {
    const abut__line held = line_in(events, segment, events->sides[member][side].vertex, side);
    double first = INFINITY;
    for (uint32_t i = 0; i < candidate_count(events, member); ++i) {
        const uint32_t vertex = candidate(events, member, side, i);
        const double time = abut__line_overtakes(line_in(events, segment, vertex, side), held);
        first = time < first ? time : first;
    }
    return first < LATEST ? segment + first : first < INFINITY ? segment + LATEST : INFINITY;
}

// Schedules the event when the side's vertex is first overtaken, but not before now.
static void predict(abut__events* events, uint32_t member, uint32_t side) {
    double first = INFINITY;
    for (uint32_t segment = segment_at(events, events->time);
         segment + 1 < events->key_count && first == INFINITY; ++segment) {
        first = overtaken_in(events, segment, member, side);
    }
    abut__heap_set(&events->heap, member * ABUT__SIDES + side,
                   first > events->time ? first : events->time);
}

// ---- events

// Replaces the line in the ancestors that had it. The first ancestor with another line may now be
// overtaken earlier.
static void propagate(abut__events* events, uint32_t member, uint32_t side) {
    const abut__tree* tree = events->tree;
    for (;;) {
        const abut__ref ref = member < events->block_count ? member | ABUT__REF_BLOCK
                                                           : member - events->block_count;
        const uint32_t parent = abut__ref_parent(tree, ref);
        if (parent == 0) {
            return;  // the root has no sides
        }
        const abut__event_side* from = &events->sides[member][side];
        member = events->block_count + parent;
        abut__event_side* to = &events->sides[member][side];
        ++events->counts.visits;
        const bool had = to->which == abut__ref_slot(tree, ref);
        if (had) {
            to->vertex = from->vertex;
            ++events->counts.updates;
        }
        predict(events, member, side);
        if (!had) {
            return;
        }
    }
}

static void handle(abut__events* events, uint32_t number) {
    const uint32_t member = number / ABUT__SIDES;
    const uint32_t side = number % ABUT__SIDES;
    ++events->counts.events;
    ++events->counts.visits;
    events->time = events->heap.time[number];
    const abut__line held = line_in(events, segment_at(events, events->time),
                                    events->sides[member][side].vertex, side);
    if (choose(events, member, side, abut__line_slope(held))) {
        ++events->counts.outer;
        ++events->counts.updates;
        predict(events, member, side);
        propagate(events, member, side);
    } else {
        abut__heap_set(&events->heap, number, INFINITY);
    }
}

void abut__events_go(abut__events* events, double time) {
    uint32_t number;
    while (abut__heap_due(&events->heap, time, &number)) {
        handle(events, number);
    }
    events->time = time;
    ++events->counts.steps;
}

// ---- making, freeing, boxes

static size_t member_count(const abut__events* events) {
    return (size_t)events->block_count + events->node_count;
}

bool abut__events_init(abut__events* events, const abut_context* context, const abut__tree* tree,
                       const abut__source* keys, uint32_t key_count) {
    *events = (abut__events){.context = context,
                             .block_count = tree->block_count,
                             .node_count = tree->node_count,
                             .tree = tree,
                             .keys = keys,
                             .key_count = key_count};
    const size_t members = member_count(events);
    events->sides = abut__alloc_zero(context, members, sizeof *events->sides);
    if (events->sides == NULL ||
        !abut__heap_init(&events->heap, context, (uint32_t)members * ABUT__SIDES)) {
        abut__events_free(events);
        return false;
    }
    events->heap.end = key_count - 1;
    // Blocks first, then nodes from the last to the first, except the root.
    for (uint32_t i = 0; i + 1 < members; ++i) {
        const uint32_t member = i < events->block_count
                                    ? i
                                    : (uint32_t)members - 1 - (i - events->block_count);
        for (uint32_t side = 0; side < ABUT__SIDES; ++side) {
            choose(events, member, side, -INFINITY);
            predict(events, member, side);
        }
    }
    events->counts.starts = 1;
    return true;
}

void abut__events_free(abut__events* events) {
    const size_t members = member_count(events);
    abut__free(events->context, events->sides, members, sizeof *events->sides);
    abut__heap_free(&events->heap, events->context);
    *events = (abut__events){0};
}

abut__box3 abut__events_box(const abut__events* events, abut__ref ref) {
    const abut__event_side* sides = events->sides[member_of(events, ref)];
    const uint32_t segment = segment_at(events, events->time);
    const double part = events->time - segment;
    abut__box3 box;
    for (uint32_t d = 0; d < 3; ++d) {
        const abut__line low = line_in(events, segment, sides[d].vertex, d);
        const abut__line high = line_in(events, segment, sides[3 + d].vertex, 3 + d);
        box.lo[d] = (float)-abut__line_at(low, part);
        box.hi[d] = (float)abut__line_at(high, part);
    }
    return box;
}
