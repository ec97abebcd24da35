// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// The kinetic AABB tree, event by event.
#include "bound/kinetic/events.h"

#include <math.h>

// ---- lines

static uint32_t candidate_count(const abut__events* events, uint32_t member) {
    return member < events->block_count ? events->tree->blocks[member]->vertex_count
                                        : events->tree->nodes[member - events->block_count].count;
}

static uint32_t member_of(const abut__events* events, abut__ref ref) {
    return abut__is_block(ref) ? abut__block_of(ref) : events->block_count + ref;
}

// Returns candidate i for the line of a side.
static abut__line candidate(const abut__events* events, uint32_t member, uint32_t side,
                            uint32_t i) {
    if (member < events->block_count) {
        return abut__line_read(events->source, events->tree->blocks[member]->vertex[i], side);
    }
    const abut__node* node = &events->tree->nodes[member - events->block_count];
    return events->sides[member_of(events, node->child[i])][side].line;
}

// Takes the greatest line that is steeper than some slope; false: there is none.
static bool choose(abut__events* events, uint32_t member, uint32_t side, double steeper_than) {
    abut__event_side* of = &events->sides[member][side];
    abut__line_search search = abut__line_search_make(events->part, steeper_than);
    bool found = false;
    for (uint32_t i = 0; i < candidate_count(events, member); ++i) {
        if (abut__line_search_try(&search, candidate(events, member, side, i))) {
            found = true;
            of->which = i;
            of->line = search.found;
        }
    }
    return found;
}

// Schedules the event when the side's line is first overtaken, but not before now.
static void predict(abut__events* events, uint32_t member, uint32_t side) {
    const abut__line held = events->sides[member][side].line;
    double first = INFINITY;
    for (uint32_t i = 0; i < candidate_count(events, member); ++i) {
        const double time = abut__line_overtakes(candidate(events, member, side, i), held);
        first = time < first ? time : first;
    }
    abut__heap_set(&events->heap, member * ABUT__SIDES + side,
                   first > events->part ? first : events->part);
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
            to->line = from->line;
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
    events->part = events->heap.time[number];
    if (choose(events, member, side, abut__line_slope(events->sides[member][side].line))) {
        ++events->counts.outer;
        ++events->counts.updates;
        predict(events, member, side);
        propagate(events, member, side);
    } else {
        abut__heap_set(&events->heap, number, INFINITY);
    }
}

void abut__events_go(abut__events* events, double part) {
    uint32_t number;
    while (abut__heap_due(&events->heap, part, &number)) {
        handle(events, number);
    }
    events->part = part;
    ++events->counts.steps;
}

// ---- making, freeing, boxes

static size_t member_count(const abut__events* events) {
    return (size_t)events->block_count + events->node_count;
}

bool abut__events_init(abut__events* events, const abut_context* context, const abut__tree* tree,
                       const abut__source source[2]) {
    *events = (abut__events){.context = context,
                             .block_count = tree->block_count,
                             .node_count = tree->node_count,
                             .tree = tree,
                             .source = {source[0], source[1]}};
    const size_t members = member_count(events);
    events->sides = abut__alloc_zero(context, members, sizeof *events->sides);
    if (events->sides == NULL ||
        !abut__heap_init(&events->heap, context, (uint32_t)members * ABUT__SIDES)) {
        abut__events_free(events);
        return false;
    }
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
    abut__box3 box;
    for (uint32_t d = 0; d < 3; ++d) {
        box.lo[d] = (float)-abut__line_at(sides[d].line, events->part);
        box.hi[d] = (float)abut__line_at(sides[3 + d].line, events->part);
    }
    return box;
}
