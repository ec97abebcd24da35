// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// The kinetic AABB tree, event by event.
#include "bound/kinetic/events.h"

#include <math.h>

#include "mesh/mesh.h"

// ---- the heap: the earliest first, and the lowest number among equals

static abut__event_side* side_of(const abut__events* events, uint32_t number) {
    return &events->sides[number / ABUT__SIDES][number % ABUT__SIDES];
}

static bool earlier(const abut__events* events, uint32_t a, uint32_t b) {
    const double time_a = side_of(events, a)->time;
    const double time_b = side_of(events, b)->time;
    return time_a < time_b || (time_a == time_b && a < b);
}

static void put_at(abut__events* events, uint32_t place, uint32_t number) {
    events->heap[place] = number;
    side_of(events, number)->place = place;
}

static void rise(abut__events* events, uint32_t place, uint32_t number) {
    while (place > 0 && earlier(events, number, events->heap[(place - 1) / 2])) {
        put_at(events, place, events->heap[(place - 1) / 2]);
        place = (place - 1) / 2;
    }
    put_at(events, place, number);
}

static void sink(abut__events* events, uint32_t place, uint32_t number) {
    for (;;) {
        uint32_t child = 2 * place + 1;
        if (child >= events->heap_count) {
            break;
        }
        if (child + 1 < events->heap_count &&
            earlier(events, events->heap[child + 1], events->heap[child])) {
            ++child;
        }
        if (!earlier(events, events->heap[child], number)) {
            break;
        }
        put_at(events, place, events->heap[child]);
        place = child;
    }
    put_at(events, place, number);
}

static void take_out(abut__events* events, uint32_t number) {
    const uint32_t place = side_of(events, number)->place;
    side_of(events, number)->place = ABUT__NONE;
    const uint32_t last = events->heap[--events->heap_count];
    if (last != number) {
        put_at(events, place, last);
        rise(events, place, last);
        sink(events, side_of(events, last)->place, last);
    }
}

static void reschedule(abut__events* events, uint32_t number, double time) {
    abut__event_side* side = side_of(events, number);
    if (side->place != ABUT__NONE) {
        take_out(events, number);
    }
    side->time = time;
    if (time < 1) {
        rise(events, events->heap_count++, number);
        events->most_waiting = events->heap_count > events->most_waiting ? events->heap_count
                                                                         : events->most_waiting;
    }
}

// ---- lines

typedef struct line {
    double before;  // outwards: the greater, the more extreme
    double after;
} line;

static double slope_of(line l) {
    return l.after - l.before;
}

static double value_at(line l, double part) {
    return l.before * (1 - part) + l.after * part;
}

static uint32_t candidate_count(const abut__events* events, uint32_t member) {
    return member < events->block_count ? events->tree->blocks[member]->vertex_count
                                        : events->tree->nodes[member - events->block_count].count;
}

static uint32_t member_of(const abut__events* events, abut__ref ref) {
    return abut__is_block(ref) ? abut__block_of(ref) : events->block_count + ref;
}

// line i of those that a side chooses from, as floats
static void read_line(const abut__events* events, uint32_t member, uint32_t side, uint32_t i,
                      float out[2]) {
    if (member < events->block_count) {
        const uint32_t vertex = events->tree->blocks[member]->vertex[i];
        for (int e = 0; e < 2; ++e) {
            const abut__source* source = &events->source[e];
            double p[3];
            abut__read_position(source->data, source->stride, source->is_double, vertex, p);
            out[e] = (float)p[side % 3];
        }
    } else {
        const abut__node* node = &events->tree->nodes[member - events->block_count];
        const abut__event_side* of = &events->sides[member_of(events, node->child[i])][side];
        out[0] = of->before;
        out[1] = of->after;
    }
}

static line outwards(uint32_t side, const float ends[2]) {
    const double sign = side < 3 ? -1 : 1;
    return (line){sign * (double)ends[0], sign * (double)ends[1]};
}

static line line_of(const abut__event_side* of, uint32_t side) {
    const float ends[2] = {of->before, of->after};
    return outwards(side, ends);
}

// The greatest line at a part among those steeper than some slope, the steepest of equals; false: no
// line is that steep.
static bool choose(abut__events* events, uint32_t member, uint32_t side, double part,
                   double steeper_than) {
    abut__event_side* of = &events->sides[member][side];
    bool found = false;
    double value = -INFINITY;
    double slope = -INFINITY;
    for (uint32_t i = 0; i < candidate_count(events, member); ++i) {
        float ends[2];
        read_line(events, member, side, i, ends);
        const line l = outwards(side, ends);
        const double now = value_at(l, part);
        const double steep = slope_of(l);
        if (steep > steeper_than && (now > value || (now == value && steep > slope))) {
            found = true;
            value = now;
            slope = steep;
            of->which = i;
            of->before = ends[0];
            of->after = ends[1];
        }
    }
    return found;
}

// when the side's line is first overtaken by one that ends above it
static double next_time(const abut__events* events, uint32_t member, uint32_t side) {
    const line held = line_of(&events->sides[member][side], side);
    double first = INFINITY;
    for (uint32_t i = 0; i < candidate_count(events, member); ++i) {
        float ends[2];
        read_line(events, member, side, i, ends);
        const line l = outwards(side, ends);
        const double steeper = slope_of(l) - slope_of(held);
        if (l.after > held.after && steeper > 0) {
            const double time = (held.before - l.before) / steeper;
            first = time < first ? time : first;
        }
    }
    return first > events->part ? first : events->part;
}

static void foresee(abut__events* events, uint32_t member, uint32_t side) {
    reschedule(events, member * ABUT__SIDES + side, next_time(events, member, side));
}

// ---- events

// Replaces the line in the ancestors that had it; the first that did not may be overtaken earlier.
static void pass_on(abut__events* events, uint32_t member, uint32_t side) {
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
            to->before = from->before;
            to->after = from->after;
            ++events->counts.updates;
        }
        foresee(events, member, side);
        if (!had) {
            return;
        }
    }
}

static void handle(abut__events* events, uint32_t number) {
    const uint32_t member = number / ABUT__SIDES;
    const uint32_t side = number % ABUT__SIDES;
    const abut__event_side* of = side_of(events, number);
    ++events->counts.events;
    ++events->counts.visits;
    events->part = of->time;
    if (choose(events, member, side, events->part, slope_of(line_of(of, side)))) {
        ++events->counts.outer;
        ++events->counts.updates;
        foresee(events, member, side);
        pass_on(events, member, side);
    } else {
        reschedule(events, number, INFINITY);
    }
}

void abut__events_go(abut__events* events, double part) {
    while (events->heap_count > 0 && side_of(events, events->heap[0])->time <= part) {
        handle(events, events->heap[0]);
    }
    events->part = part;
    ++events->counts.steps;
}

// ---- the rest

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
    events->heap = abut__alloc(context, members * ABUT__SIDES, sizeof *events->heap);
    if (events->sides == NULL || events->heap == NULL) {
        abut__events_free(events);
        return false;
    }
    // blocks first, then nodes from the last to the first, all but the root
    for (uint32_t i = 0; i + 1 < members; ++i) {
        const uint32_t member = i < events->block_count
                                    ? i
                                    : (uint32_t)members - 1 - (i - events->block_count);
        for (uint32_t side = 0; side < ABUT__SIDES; ++side) {
            events->sides[member][side].place = ABUT__NONE;
            choose(events, member, side, 0, -INFINITY);
            foresee(events, member, side);
        }
    }
    events->counts.starts = 1;
    return true;
}

void abut__events_free(abut__events* events) {
    const size_t members = member_count(events);
    abut__free(events->context, events->sides, members, sizeof *events->sides);
    abut__free(events->context, events->heap, members * ABUT__SIDES, sizeof *events->heap);
    *events = (abut__events){0};
}

abut__box3 abut__events_box(const abut__events* events, abut__ref ref) {
    const abut__event_side* sides = events->sides[member_of(events, ref)];
    abut__box3 box;
    for (uint32_t d = 0; d < 3; ++d) {
        box.lo[d] = (float)-value_at(line_of(&sides[d], d), events->part);
        box.hi[d] = (float)value_at(line_of(&sides[3 + d], 3 + d), events->part);
    }
    return box;
}
