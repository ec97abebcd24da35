// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// The kinetic AABB tree, by batches of events.
#include "bound/kinetic/aabb.h"

#include <math.h>
#include <string.h>

#include "bound/kinetic/aabb_parts.h"
#include "bound/kinetic/line.h"

#define ALL_SIDES ((1u << ABUT__SIDES) - 1)
#define AHEAD 8u  // events to prefetch

// ---- memory

static size_t word_count(const abut__kinetic* kinetic) {
    return ((size_t)kinetic->node_count + 63) / 64;
}

static bool make_members(abut__kinetic* kinetic, const abut__tree* tree) {
    const abut_context* context = kinetic->context;
    const size_t members = abut__kinetic_member_count(kinetic);
    kinetic->next = abut__alloc(context, members, sizeof *kinetic->next);
    kinetic->held = abut__alloc_zero(context, members, sizeof *kinetic->held);
    kinetic->renewed = abut__alloc_zero(context, members, sizeof *kinetic->renewed);
    kinetic->list = abut__alloc(context, members, sizeof *kinetic->list);
    kinetic->due = abut__alloc_zero(context, kinetic->node_count, sizeof *kinetic->due);
    kinetic->dirty = abut__alloc_zero(context, word_count(kinetic), sizeof *kinetic->dirty);
    kinetic->marks = abut__alloc_zero(context, word_count(kinetic), sizeof *kinetic->marks);
    bool made = kinetic->next != NULL && kinetic->held != NULL && kinetic->list != NULL &&
                kinetic->due != NULL && kinetic->dirty != NULL && kinetic->marks != NULL &&
                kinetic->renewed != NULL;
    for (int e = 0; e < 2; ++e) {
        kinetic->ends[e] = abut__alloc(context, kinetic->node_count, sizeof(abut__boxes8));
        made = made && kinetic->ends[e] != NULL;
    }
    made = abut__key_points_init(&kinetic->points, context, kinetic->block_count) && made;
    made = abut__side_events_init(&kinetic->side_events, context, tree) && made;
    return abut__calendar_init(&kinetic->calendar, context, (uint32_t)members) && made;
}

// Lets a block hold one of its vertices, whichever.
static void guess_anything(abut__kinetic* kinetic, const abut__tree* tree, uint32_t b) {
    for (uint32_t side = 0; side < ABUT__SIDES; ++side) {
        kinetic->held[b][side] = tree->blocks[b]->vertex[0];
    }
}

abut__kinetic* abut__kinetic_make(const abut_context* context, const abut__tree* tree) {
    abut__kinetic* kinetic = abut__alloc_zero(context, 1, sizeof *kinetic);
    if (kinetic == NULL) {
        return NULL;
    }
    kinetic->context = context;
    // so that the states of two trees never have the same number
    kinetic->serial = (atomic_fetch_add(&((abut_context*)context)->serial, 1) + 1) << 32;
    kinetic->block_count = tree->block_count;
    kinetic->node_count = tree->node_count;
    if (!make_members(kinetic, tree)) {
        abut__kinetic_free(kinetic);
        return NULL;
    }
    for (uint32_t n = 0; n < tree->node_count; ++n) {
        abut__boxes_infinite(&kinetic->ends[0][n], 0);  // lanes without a child stay empty
        abut__boxes_infinite(&kinetic->ends[1][n], 0);
    }
    for (uint32_t b = 0; b < tree->block_count; ++b) {
        guess_anything(kinetic, tree, b);
    }
    abut__kinetic_forget(kinetic);
    return kinetic;
}

void abut__kinetic_free(abut__kinetic* kinetic) {
    if (kinetic == NULL) {
        return;
    }
    const abut_context* context = kinetic->context;
    const size_t members = abut__kinetic_member_count(kinetic);
    for (int e = 0; e < 2; ++e) {
        abut__free(context, kinetic->ends[e], kinetic->node_count, sizeof(abut__boxes8));
    }
    abut__key_points_free(&kinetic->points, context);
    abut__free(context, kinetic->renewed, members, sizeof *kinetic->renewed);
    abut__free(context, kinetic->next, members, sizeof *kinetic->next);
    abut__free(context, kinetic->held, members, sizeof *kinetic->held);
    abut__free(context, kinetic->list, members, sizeof *kinetic->list);
    abut__free(context, kinetic->due, kinetic->node_count, sizeof *kinetic->due);
    abut__free(context, kinetic->dirty, word_count(kinetic), sizeof *kinetic->dirty);
    abut__free(context, kinetic->marks, word_count(kinetic), sizeof *kinetic->marks);
    abut__side_events_free(&kinetic->side_events, context);
    abut__calendar_free(&kinetic->calendar, context);
    abut__free(context, kinetic, 1, sizeof *kinetic);
}

void abut__kinetic_forget(abut__kinetic* kinetic) {
    const uint32_t none[2] = {ABUT__NONE, ABUT__NONE};
    bool swapped;
    abut__key_points_take(&kinetic->points, none, &swapped);
    abut__side_events_clear(&kinetic->side_events);
    kinetic->places[0] = kinetic->places[1] = NULL;
    kinetic->part = -1;
}

// ---- going on

static void mark(abut__kinetic* kinetic, uint32_t node, uint32_t sides) {
    if (node != 0 && sides != 0) {
        kinetic->due[node] |= (uint8_t)sides;
        kinetic->dirty[node / 64] |= UINT64_C(1) << node % 64;
    }
}

static uint32_t due_sides(const abut__kinetic* kinetic, uint32_t member) {
    uint32_t sides = 0;
    for (uint32_t side = 0; side < ABUT__SIDES; ++side) {
        sides |= (uint32_t)(kinetic->next[member][side] <= kinetic->part) << side;
    }
    return sides;
}

static bool is_due(const void* of, uint32_t member, float time) {
    return abut__kinetic_first_time(of, member) <= time;
}

static void count_visit(abut__kinetic_counts* counts, uint32_t failed, uint32_t changed) {
    counts->visits += 1;
    counts->events += abut__kinetic_count_sides(failed);
    counts->outer += abut__kinetic_count_sides(failed & changed);
    counts->updates += abut__kinetic_count_sides(changed);
}

// Returns when a child overtakes the one that a side of a node holds: the present, if it is above.
static float overtakes(const abut__kinetic* kinetic, uint32_t node, uint32_t side, uint32_t child) {
    const abut__boxes8* ends[2] = {&kinetic->ends[0][node], &kinetic->ends[1][node]};
    const uint32_t slot[2] = {child, kinetic->held[kinetic->block_count + node][side]};
    const double sign = abut__side_sign(side);
    const double part = (double)kinetic->part;
    abut__line line[2];
    for (int i = 0; i < 2; ++i) {
        line[i].before = sign * (double)abut__kinetic_lanes(ends[0], side)[slot[i]];
        line[i].after = sign * (double)abut__kinetic_lanes(ends[1], side)[slot[i]];
    }
    const double gap = abut__line_at(line[1], part) - abut__line_at(line[0], part);
    if (gap < 0) {
        return kinetic->part;
    }
    const double steeper = abut__line_slope(line[0]) - abut__line_slope(line[1]);
    return line[0].after > line[1].after && steeper > 0
               ? (float)((part + gap / steeper) * ABUT__KINETIC_EARLY)
               : INFINITY;
}

// Tells a node which lines of a child have changed. It is evaluated again where it holds that child.
// Elsewhere only the event with the child is new; one with an old line comes too early, at worst.
static void pass_up(abut__kinetic* kinetic, uint32_t node, uint32_t child, uint32_t changed) {
    const uint32_t member = kinetic->block_count + node;
    uint32_t due = 0;
    bool sooner = false;
    if (changed != 0) {
        abut__kinetic_note_change(kinetic, node);
    }
    if (node == 0) {
        return;
    }
    for (uint32_t left = changed; left != 0; left &= left - 1) {
        const uint32_t side = (uint32_t)__builtin_ctz(left);
        if (kinetic->held[member][side] == child) {
            due |= 1u << side;
            continue;
        }
        const float time = overtakes(kinetic, node, side, child);
        due |= (uint32_t)(time <= kinetic->part) << side;
        if (time < kinetic->next[member][side]) {
            kinetic->next[member][side] = time;
            sooner = true;
        }
    }
    mark(kinetic, node, due);
    if (sooner) {
        abut__kinetic_schedule(kinetic, member);
    }
}

// Lets the nodes above have the new line of a child that they hold. It ends farther outwards than
// the old one, so what certified that one certifies this one; at worst an event comes too early. A
// node that holds another child gets an event with this one.
static void rise(abut__kinetic* kinetic, const abut__tree* tree, uint32_t place) {
    const uint32_t side = place / 8 % 8;
    uint32_t node = place / 64;
    uint32_t slot = place % 8;
    while (node != 0 && kinetic->held[kinetic->block_count + node][side] == slot) {
        const abut__node* from = &tree->nodes[node];
        for (int e = 0; e < 2; ++e) {
            *abut__kinetic_lane(&kinetic->ends[e][from->parent], side, from->slot) =
                *abut__kinetic_lane(&kinetic->ends[e][node], side, slot);
        }
        abut__kinetic_note_change(kinetic, from->parent);
        ++kinetic->counts.updates;
        slot = from->slot;
        node = from->parent;
    }
    if (node == 0) {
        return;
    }
    const uint32_t member = kinetic->block_count + node;
    // After a change of plans, a child that ends below the held one may be above it at present.
    const float time = overtakes(kinetic, node, side, slot);
    if (time <= kinetic->part) {
        mark(kinetic, node, 1u << side);
    } else if (time < kinetic->next[member][side]) {
        kinetic->next[member][side] = time;
        abut__kinetic_schedule(kinetic, member);
    }
}

// Prefetches what an event writes.
static void prefetch_event(const abut__kinetic* kinetic, const abut__side_event* event) {
    const uint32_t node = event->place / 64;
    const uint32_t side = event->place / 8 % 8;
    __builtin_prefetch(abut__kinetic_lane(&kinetic->ends[0][node], side, 0), 1);
    __builtin_prefetch(abut__kinetic_lane(&kinetic->ends[1][node], side, 0), 1);
    __builtin_prefetch(kinetic->held[event->block], 1);
    __builtin_prefetch(kinetic->held[kinetic->block_count + node]);
}

static void take_event(const abut__kinetic_run* r, const abut__side_event* event) {
    abut__kinetic* kinetic = r->kinetic;
    uint32_t* held = kinetic->held[event->block];
    const uint32_t step = (uint32_t)kinetic->counts.steps + 1;
    if (held[ABUT__HELD_ALONE] != 0) {
        return;
    }
    abut__kinetic_put_event(kinetic, event);
    kinetic->counts.visits += held[ABUT__HELD_STEP] != step;
    held[ABUT__HELD_STEP] = step;
    ++kinetic->counts.events;
    ++kinetic->counts.outer;
    ++kinetic->counts.updates;
    rise(kinetic, r->tree, event->place);
}

// Takes the events of blocks that are due. Of the last bucket the others remain, in their order.
static void take_events(const abut__kinetic_run* r) {
    abut__kinetic* kinetic = r->kinetic;
    abut__side_events* side_events = &kinetic->side_events;
    abut__side_event* events = side_events->events;
    const uint32_t last = abut__calendar_bucket(kinetic->part);
    for (uint32_t bucket = side_events->present; bucket <= last; ++bucket) {
        const uint32_t end = side_events->end[bucket];
        uint32_t kept = side_events->begin[bucket];
        for (uint32_t i = kept; i < end; ++i) {
            if (i + AHEAD < side_events->total) {
                prefetch_event(kinetic, &events[i + AHEAD]);
            }
            if (events[i].time <= kinetic->part) {
                take_event(r, &events[i]);
                --side_events->waiting;
            } else {
                events[kept++] = events[i];
            }
        }
        side_events->end[bucket] = kept;
    }
    side_events->present = last;
}

static void update_blocks(const abut__kinetic_run* r, uint32_t due) {
    abut__kinetic* kinetic = r->kinetic;
    const abut__tree* tree = r->tree;
    for (uint32_t i = 0; i < due; ++i) {
        const uint32_t member = kinetic->list[i];
        const uint32_t sides = due_sides(kinetic, member);
        if (member >= kinetic->block_count) {
            mark(kinetic, member - kinetic->block_count, sides);
            continue;
        }
        const uint32_t changed = abut__kinetic_renew_block(r, member, sides);
        abut__kinetic_schedule(kinetic, member);
        count_visit(&kinetic->counts, sides, changed);
        pass_up(kinetic, tree->block_parent[member], tree->block_slot[member], changed);
    }
}

static void update_node(abut__kinetic* kinetic, const abut__tree* tree, uint32_t node) {
    const uint32_t member = kinetic->block_count + node;
    const uint32_t sides = kinetic->due[node];
    const uint32_t failed = due_sides(kinetic, member);
    const uint32_t parent = tree->nodes[node].parent;
    kinetic->due[node] = 0;
    abut__extremes found;
    abut__kinetic_node_extremes(kinetic, tree, node, sides, &found);
    const uint32_t changed = abut__kinetic_put(kinetic, member, NULL, sides, &found, parent,
                                               tree->nodes[node].slot);
    abut__kinetic_schedule(kinetic, member);
    count_visit(&kinetic->counts, failed, changed);
    pass_up(kinetic, parent, tree->nodes[node].slot, changed);
}

// Children come after their parents, so a loop from the last to the first visits no node twice.
static void update_nodes(abut__kinetic* kinetic, const abut__tree* tree) {
    for (size_t w = word_count(kinetic); w-- > 0;) {
        while (kinetic->dirty[w] != 0) {
            const uint32_t bit = 63 - (uint32_t)__builtin_clzll(kinetic->dirty[w]);
            kinetic->dirty[w] &= ~(UINT64_C(1) << bit);
            update_node(kinetic, tree, (uint32_t)(64 * w) + bit);
        }
    }
}

static void step(const abut__kinetic_run* r, float part) {
    abut__kinetic* kinetic = r->kinetic;
    abut__kinetic_counts* counts = &kinetic->counts;
    const uint64_t visits = counts->visits;
    kinetic->part = part;
    take_events(r);
    const uint32_t due = abut__calendar_advance(&kinetic->calendar, part, is_due, kinetic,
                                                kinetic->list);
    update_blocks(r, due);
    update_nodes(kinetic, r->tree);
    ++counts->steps;
    counts->most_visits = counts->visits - visits > counts->most_visits ? counts->visits - visits
                                                                        : counts->most_visits;
}

// Returns whether time should run backwards. The stored events reach ahead in one direction, so
// going on in that direction is cheap. Turning round once pays off for many steps back.
static bool runs_back(const abut__kinetic* kinetic, const abut__kinetic_segment* segment,
                      float part) {
    const bool back = kinetic->back;
    const uint32_t first = kinetic->points.key[back ? 1 : 0];
    if (first != segment->key[0] || kinetic->points.key[back ? 0 : 1] != segment->key[1]) {
        return first == segment->key[1];
    }
    return (back ? 1 - part : part) >= kinetic->part ? back : !back;
}

// Returns the segment in the direction of time.
static abut__kinetic_segment oriented(const abut__kinetic_segment* segment, bool back) {
    abut__kinetic_segment turned = *segment;
    for (int e = 0; e < 2 && back; ++e) {
        turned.source[e] = segment->source[1 - e];
        turned.boxes[e] = segment->boxes[1 - e];
        turned.places[e] = segment->places[1 - e];
        turned.key[e] = segment->key[1 - e];
    }
    return turned;
}

// Returns whether the stored data are those of the segment, at some part of it.
static bool is_current(const abut__kinetic* kinetic, const abut__kinetic_segment* segment) {
    return kinetic->points.key[0] == segment->key[0] && kinetic->points.key[1] == segment->key[1] &&
           kinetic->part >= 0;
}

// Sides that were found with a greater tolerance remain valid.
static void widen_extent(abut__kinetic* kinetic, float extent) {
    kinetic->extent = extent > kinetic->extent ? extent : kinetic->extent;
    kinetic->tolerance = ABUT__KINETIC_TOLERANCE * kinetic->extent;
}

// Starts to note changes of lines, if the last state is complete.
static void begin_changes(abut__kinetic* kinetic) {
    if (kinetic->settled) {
        memset(kinetic->marks, 0, word_count(kinetic) * sizeof *kinetic->marks);
        ++kinetic->serial;
        kinetic->settled = false;
    }
}

void abut__kinetic_go(abut__kinetic* kinetic, const abut__tree* tree,
                      const abut__kinetic_segment* segment, float part) {
    begin_changes(kinetic);
    kinetic->back = runs_back(kinetic, segment, part);
    const abut__kinetic_segment ahead = oriented(segment, kinetic->back);
    const abut__kinetic_run r = {kinetic, tree, &ahead};
    const float time = kinetic->back ? 1 - part : part;
    const bool goes_on = is_current(kinetic, &ahead) && time >= kinetic->part;
    kinetic->extent = goes_on ? kinetic->extent : 0;
    widen_extent(kinetic, segment->extent);
    if (goes_on) {
        step(&r, time);
    } else {
        abut__kinetic_enter(&r, time);
    }
    kinetic->settled = true;
}

// A block whose vertices may have other positions at both ends.
static void repair_block(const abut__kinetic_run* r, uint32_t b) {
    abut__kinetic* kinetic = r->kinetic;
    const uint32_t parent = r->tree->block_parent[b];
    abut__key_points_drop(&kinetic->points, b);
    const uint32_t changed = abut__kinetic_isolate_block(r, b);
    abut__kinetic_schedule(kinetic, b);
    count_visit(&kinetic->counts, 0, changed);
    ++kinetic->counts.blocks_updated;
    abut__kinetic_note_change(kinetic, parent);
    mark(kinetic, parent, changed);
}

static void repair_blocks(const abut__kinetic_run* r, const uint64_t* blocks) {
    for (size_t w = 0; w < ((size_t)r->tree->block_count + 63) / 64; ++w) {
        for (uint64_t left = blocks[w]; left != 0; left &= left - 1) {
            repair_block(r, (uint32_t)(64 * w) + (uint32_t)__builtin_ctzll(left));
        }
    }
}

void abut__kinetic_update(abut__kinetic* kinetic, const abut__tree* tree,
                          const abut__kinetic_segment* segment, const uint64_t* blocks) {
    const abut__kinetic_segment ahead = oriented(segment, kinetic->back);
    if (!is_current(kinetic, &ahead)) {
        abut__kinetic_forget(kinetic);
        return;
    }
    const abut__kinetic_run r = {kinetic, tree, &ahead};
    begin_changes(kinetic);
    widen_extent(kinetic, segment->extent);
    repair_blocks(&r, blocks);
    update_nodes(kinetic, tree);
}

void abut__kinetic_update_edited(abut__kinetic* kinetic, const abut__tree* tree,
                                 const abut__kinetic_segment* segment,
                                 const abut__descent* descent) {
    const abut__kinetic_segment ahead = oriented(segment, kinetic->back);
    kinetic->edited = false;
    if (!is_current(kinetic, &ahead)) {
        abut__kinetic_forget(kinetic);
        return;
    }
    const abut__kinetic_run r = {kinetic, tree, &ahead};
    begin_changes(kinetic);
    widen_extent(kinetic, segment->extent);
    for (uint32_t n = 0; n < tree->node_count; ++n) {
        if (abut__descent_has(descent->changed, n)) {
            abut__kinetic_note_change(kinetic, n);
            mark(kinetic, n, ALL_SIDES);
        }
    }
    repair_blocks(&r, descent->placed);
    update_nodes(kinetic, tree);
}
