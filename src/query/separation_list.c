// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// The kinetic separation list: see separation_list.h.
#include "query/separation_list.h"

#include "base/offset.h"
#include "query/list_users.h"
#include "view/segment.h"

#include <math.h>

#define ROOM_AT_FIRST 32u  // opened pairs
#define PAD 0x1p-18        // see separation_list.h: 64 u
#define SLACK 1.25         // factor that pads may grow by before everything is examined again

// ---- memory

abut__list* abut__list_make(const abut_context* context, abut__list_form form) {
    abut__list* list = abut__alloc_zero(context, 1, sizeof *list);
    if (list != NULL) {
        list->context = context;
        list->form = form;
        list->unused = ABUT__NONE;
    }
    return list;
}

static void free_queue(abut__list* list) {
    abut__calendar_free(&list->calendar, list->context);
    abut__heap_free(&list->heap, list->context);
}

void abut__list_free(abut__list* list) {
    if (list != NULL) {
        free_queue(list);
        abut__drop(list->context, &list->opened);
        abut__drop(list->context, &list->todo);
        abut__drop(list->context, &list->leafy);
        abut__drop(list->context, &list->users[0]);
        abut__drop(list->context, &list->users[1]);
        abut__free(list->context, list, 1, sizeof *list);
    }
}

static abut__opened* opened_at(const abut__list* list, uint32_t number) {
    return list->opened.data + number;
}

// ---- the queue

static void wait_for(abut__list* list, uint32_t number, float due) {
    opened_at(list, number)->due = due;
    if (list->form == ABUT__LIST_BATCHED) {
        // a time just before the end is not the end
        const float last = 1 - 0x1p-24f;
        abut__calendar_set(&list->calendar, number, due <= 1 && due > last ? last : due);
    } else {
        // heaps take times below 1, and a window's times include 1
        abut__heap_set(&list->heap, number, 0.5 * (double)due);
    }
}

static bool make_queue(abut__list* list, uint32_t members) {
    free_queue(list);
    const bool made = list->form == ABUT__LIST_BATCHED
                          ? abut__calendar_init(&list->calendar, list->context, members)
                          : abut__heap_init(&list->heap, list->context, members);
    if (made && list->form == ABUT__LIST_BATCHED) {
        abut__calendar_clear(&list->calendar, list->part);
    }
    for (uint32_t i = 0; i < list->opened.count && made; ++i) {
        if (opened_at(list, i)->used) {
            wait_for(list, i, opened_at(list, i)->due);
        }
    }
    return made;
}

// reserves memory for one more opened pair
static bool make_room(abut__list* list) {
    const size_t count = list->opened.count;
    if (list->unused != ABUT__NONE || count < list->opened.capacity) {
        return true;
    }
    const size_t room = count == 0 ? ROOM_AT_FIRST : 2 * count;
    return room < ABUT__NONE && abut__reserve(list->context, &list->opened, room) &&
           abut__reserve(list->context, &list->todo, 2 * list->opened.capacity) &&
           abut__reserve(list->context, &list->leafy, list->opened.capacity) &&
           make_queue(list, (uint32_t)list->opened.capacity);
}

static void add_todo(abut__list* list, uint32_t number) {
    ABUT_ASSERT(list->todo.count < list->todo.capacity);
    list->todo.data[list->todo.count++] = number;
}

// ---- opened pairs

// the relevant children of a node or block
typedef struct part_of {
    uint32_t node;
    uint32_t children;  // a bit each
} part_of;

static part_of part_of_ref(const abut__tree* tree, abut__ref ref) {
    return abut__is_block(ref)
               ? (part_of){abut__ref_parent(tree, ref), 1u << abut__ref_slot(tree, ref)}
               : (part_of){ref, (1u << tree->nodes[ref].count) - 1};
}

static const abut__tree* tree_of(const abut__list* list, int side) {
    return &list->side[side].body->shape->tree;
}

static abut__ref child_of(const abut__list* list, const abut__opened* o, int side, uint32_t lane) {
    const uint32_t slot = side == 0 ? lane / 8 : lane % 8;
    return tree_of(list, side)->nodes[o->node[side]].child[slot];
}

static size_t count_of(uint64_t lanes) {
    return (size_t)__builtin_popcountll(lanes);
}

// sets the lanes of a pair of nodes or blocks that is opened
static void set_lanes(const abut__list* list, abut__ref a, abut__ref b, abut__opened* o) {
    const part_of parts[2] = {part_of_ref(tree_of(list, 0), a), part_of_ref(tree_of(list, 1), b)};
    const bool self = list->self && a == b;
    *o = (abut__opened){.node = {parts[0].node, parts[1].node},
                        .first = ABUT__NONE,
                        .leaf = ABUT__NONE,
                        .used = true};
    for (uint32_t i = 0; i < ABUT__FAN; ++i) {
        const uint64_t later = self ? parts[1].children & ~((2u << i) - 1) : parts[1].children;
        const uint64_t there = parts[0].children >> i & 1;
        o->valid |= there * later << 8 * i;
        o->always |= there * self << 9 * i;
    }
    o->box_count = (uint8_t)(count_of(parts[0].children) + count_of(parts[1].children));
    o->pair_count = (uint8_t)count_of(o->valid);
    for (uint64_t left = o->valid | o->always; left != 0; left &= left - 1) {
        const uint32_t lane = (uint32_t)__builtin_ctzll(left);
        const bool blocks = abut__is_block(child_of(list, o, 0, lane)) &&
                            abut__is_block(child_of(list, o, 1, lane));
        o->inner |= (uint64_t)!blocks << lane;
    }
}

// whether an opened pair itself has leaves
static bool is_leafy(const abut__opened* o) {
    return (o->overlap & ~o->inner) != 0 || o->always != 0;
}

// adds an opened pair to the leafy ones, or removes it
static void update_leafy(abut__list* list, uint32_t number, bool leafy) {
    abut__opened* o = opened_at(list, number);
    uint32_t* all = list->leafy.data;
    if (leafy && o->leaf == ABUT__NONE) {
        list->in_order = false;
        o->leaf = (uint32_t)list->leafy.count;
        all[list->leafy.count++] = number;
    } else if (!leafy && o->leaf != ABUT__NONE) {
        list->in_order = false;
        const uint32_t last = all[--list->leafy.count];
        all[o->leaf] = last;
        opened_at(list, last)->leaf = o->leaf;
        o->leaf = ABUT__NONE;
    }
}

// adds an opened pair's entries to the list's counts, or subtracts them
static void count(abut__list* list, const abut__opened* o, bool add) {
    const size_t entries = count_of(o->valid | o->always) - count_of(o->overlap & o->inner);
    const size_t leaves = count_of(o->overlap & ~o->inner);
    list->entry_count += add ? entries : 0 - entries;
    list->leaf_count += add ? leaves : 0 - leaves;
}

static bool open_pair(abut__list* list, abut__ref a, abut__ref b, uint32_t parent, uint32_t lane) {
    if (!make_room(list)) {
        return false;
    }
    uint32_t number = list->unused;
    if (number != ABUT__NONE) {
        list->unused = opened_at(list, number)->next;
    } else {
        number = (uint32_t)list->opened.count++;
    }
    abut__opened* o = opened_at(list, number);
    set_lanes(list, a, b, o);
    o->parent = parent;
    o->lane = (uint8_t)lane;
    o->due = INFINITY;
    uint32_t* place = NULL;
    if (parent != ABUT__NONE) {
        place = &opened_at(list, parent)->first;
        while (*place != ABUT__NONE && opened_at(list, *place)->lane < lane) {
            place = &opened_at(list, *place)->next;
        }
    }
    o->next = place != NULL ? *place : ABUT__NONE;
    if (place != NULL) {
        *place = number;
    }
    ++list->opened_count;
    count(list, o, true);
    abut__list_users_add(list, number);
    add_todo(list, number);
    return true;
}

static void release_pair(abut__list* list, uint32_t number) {
    abut__opened* o = opened_at(list, number);
    wait_for(list, number, INFINITY);
    count(list, o, false);
    update_leafy(list, number, false);
    abut__list_users_remove(list, number);
    o->used = false;
    o->next = list->unused;
    list->unused = number;
    --list->opened_count;
}

// closes the pair and everything below it, bottom-up, because released pairs lose their links
static void close_pair(abut__list* list, uint32_t top) {
    uint32_t number = top;
    for (;;) {
        abut__opened* o = opened_at(list, number);
        if (o->first != ABUT__NONE) {
            number = o->first;
            continue;
        }
        const uint32_t parent = o->parent;
        const uint32_t next = o->next;
        release_pair(list, number);
        if (number == top) {
            return;
        }
        opened_at(list, parent)->first = next;
        number = parent;
    }
}

// closes opened lanes that no longer overlap
static void close_lanes(abut__list* list, uint32_t number, uint64_t lanes) {
    uint32_t* place = &opened_at(list, number)->first;
    while (*place != ABUT__NONE) {
        const uint32_t child = *place;
        abut__opened* o = opened_at(list, child);
        if ((lanes >> o->lane & 1) != 0) {
            *place = o->next;
            o->next = ABUT__NONE;
            close_pair(list, child);
        } else {
            place = &o->next;
        }
    }
}

static bool open_lanes(abut__list* list, uint32_t number, uint64_t lanes) {
    for (; lanes != 0; lanes &= lanes - 1) {
        const uint32_t lane = (uint32_t)__builtin_ctzll(lanes);
        const abut__opened* o = opened_at(list, number);  // the array may have moved
        if (!open_pair(list, child_of(list, o, 0, lane), child_of(list, o, 1, lane), number,
                       lane)) {
            return false;
        }
    }
    return true;
}

// ---- examining pairs

// returns the boxes of a node's children at both ends of the window
static void ends_of(const abut__list* list, int of, uint32_t node, abut__boxes8 room[4],
                    const abut__boxes8* ends[2]) {
    const abut__list_side* side = &list->side[of];
    const abut__kernels* kernels = list->context->kernels;
    if (!side->moves) {
        ends[0] = ends[1] = abut__view_bound(&list->job->view[of], node, &room[0]);
        return;
    }
    const abut__boxes8* before = &side->segment.boxes[0][node];
    const abut__boxes8* after = &side->segment.boxes[1][node];
    for (int e = 0; e < 2; ++e) {
        ends[e] = e == 0 ? before : after;
        if (!side->whole) {
            kernels->flight_boxes(before, after, side->part[e], 0, &room[e]);
            ends[e] = &room[e];
        }
        if (side->body->turned) {
            kernels->turn_boxes(ends[e], tree_of(list, of)->nodes[node].count, &side->turn,
                                &room[2 + e]);
            ends[e] = &room[2 + e];
        }
    }
}

static bool change_lanes(abut__list* list, uint32_t number, uint64_t overlap) {
    abut__opened* o = opened_at(list, number);
    const uint64_t met = overlap & ~o->overlap;
    const uint64_t parted = o->overlap & ~overlap;
    list->counts.met += count_of(met);
    list->counts.parted += count_of(parted);
    count(list, o, false);
    o->overlap = overlap;
    count(list, o, true);
    update_leafy(list, number, is_leafy(o));
    if ((parted & o->inner) != 0) {
        close_lanes(list, number, parted & o->inner);
    }
    return open_lanes(list, number, met & o->inner);
}

static bool examine(abut__list* list, uint32_t number) {
    abut__opened* o = opened_at(list, number);
    abut__boxes8 room[2][4];
    const abut__boxes8* ends[2][2];
    ends_of(list, 0, o->node[0], room[0], ends[0]);
    if (list->self && o->node[0] == o->node[1]) {
        ends[1][0] = ends[0][0];
        ends[1][1] = ends[0][1];
    } else {
        ends_of(list, 1, o->node[1], room[1], ends[1]);
    }
    float due;
    const uint64_t overlap = o->always | list->context->kernels->list_pairs(ends[0], ends[1],
                                                                            &list->shift, o->valid,
                                                                            list->part, &due);
    ++list->counts.looked;
    list->work->boxes_computed += o->box_count;
    list->work->boxes_tested += o->pair_count;
    // the next event is after this instant
    wait_for(list, number, due > list->part ? due : nextafterf(list->part, 2));
    return overlap == o->overlap || change_lanes(list, number, overlap);
}

// examines pairs that were opened, and those opened below them
static bool examine_todo(abut__list* list) {
    while (list->todo.count > 0) {
        if (!examine(list, list->todo.data[--list->todo.count])) {
            return false;
        }
    }
    return true;
}

// returns the next pair in the order of the descent, with or without those below this one
static uint32_t following(const abut__list* list, uint32_t number, bool below) {
    const abut__opened* o = opened_at(list, number);
    if (below && o->first != ABUT__NONE) {
        return o->first;
    }
    while (o->next == ABUT__NONE && o->parent != ABUT__NONE) {
        o = opened_at(list, o->parent);
    }
    return o->next;
}

// Changes since the list was last updated.
typedef struct changes {
    bool any;
    uint64_t since[2];                // boxes of a side that were changed later,
    const abut__descent* descent[2];  // and those that an edit has changed; NULL: none
    bool lines[2];                    // or a kinetic tree
} changes;

static bool is_touched(const abut__list* list, const changes* c, int s, uint32_t node) {
    const abut__list_side* side = &list->side[s];
    return side->moves &&
           ((side->segment.touched != NULL && side->segment.touched[node] > c->since[s]) ||
            (c->descent[s] != NULL && abut__descent_has(c->descent[s]->touched, node)));
}

// examines all pairs from the top, or those whose boxes some changes affect
static bool examine_from_top(abut__list* list, const changes* c) {
    for (uint32_t number = 0; number != ABUT__NONE;) {
        const abut__opened* o = opened_at(list, number);
        const bool wanted = c == NULL || is_touched(list, c, 0, o->node[0]) ||
                            is_touched(list, c, 1, o->node[1]);
        if (wanted && !examine(list, number)) {
            return false;
        }
        if (c == NULL) {
            list->todo.count = 0;  // newly opened pairs come next anyway
        }
        number = following(list, number, wanted);
    }
    return examine_todo(list);
}

static bool is_due(const void* of, uint32_t member, float time) {
    const abut__list* list = of;
    return opened_at(list, member)->due <= time;
}

static bool advance_batched(abut__list* list, float part) {
    uint32_t* due = list->todo.data;
    list->todo.count = abut__calendar_advance(&list->calendar, part, is_due, list, due);
    list->counts.events += list->todo.count;
    list->part = part;
    // pairs taken out of the calendar are examined, unless a parent has been closed
    while (list->todo.count > 0) {
        const uint32_t number = list->todo.data[--list->todo.count];
        if (opened_at(list, number)->used && !examine(list, number)) {
            return false;
        }
    }
    return true;
}

static bool advance_by_event(abut__list* list, float part) {
    uint32_t number;
    list->part = part;
    while (abut__heap_due(&list->heap, 0.5 * (double)part, &number)) {
        ++list->counts.events;
        if (!examine(list, number) || !examine_todo(list)) {
            return false;
        }
    }
    return true;
}

// ---- windows

void abut__list_empty(abut__list* list) {
    for (uint32_t i = 0; i < list->opened.count; ++i) {
        wait_for(list, i, INFINITY);
    }
    list->opened.count = list->todo.count = list->leafy.count = 0;
    list->unused = ABUT__NONE;
    list->entry_count = list->leaf_count = list->opened_count = 0;
    list->ready = false;
}

static void start_side(const abut__job* job, const abut__body* body, abut__list_side* side) {
    side->body = body;
    side->moves = abut__body_segment(body, &side->segment) &&
                  (job->self || !side->segment.is_curved);
    side->tight = side->moves && side->segment.lines[0] != NULL;
    for (int e = 0; e < 2 && side->tight; ++e) {
        side->segment.boxes[e] = side->segment.lines[e];
        side->segment.pad = side->segment.line_pad;
    }
}

bool abut__list_fits(const abut__job* job, const bool rests[2], abut__list_side sides[2]) {
    const abut__body* bodies[2] = {job->view[0].body, job->view[1].body};
    bool may_rest[2];
    bool fits = !job->unbounded;
    for (int s = 0; s < 2; ++s) {
        const abut__body* body = bodies[s];
        start_side(job, body, &sides[s]);
        may_rest[s] = (rests[s] || body->is_static) && !job->self &&
                      abut__body_state(body, 1)->bad_vertex == ABUT__NONE;
        fits = fits && !body->unbounded && (sides[s].moves || may_rest[s]);
    }
    if (fits && sides[0].moves && sides[1].moves &&
        sides[0].segment.time != sides[1].segment.time) {
        // one of them moves, the other one must have stopped
        fits = may_rest[0] || may_rest[1];
        sides[may_rest[1] ? 1 : 0].moves = sides[may_rest[1] ? 1 : 0].tight = false;
    }
    return fits && (sides[0].moves || sides[1].moves);
}

static bool same_tree(const abut__list_side* known, const abut__list_side* now) {
    return known->body == now->body && known->serial == now->body->shape->serial;
}

// returns how the current shape derives from the one that a side was made for; NULL: it is the
// same, or does not derive from it
static const abut__descent* descent_of(const abut__list_side* known, const abut__list_side* now) {
    const abut__descent* descent = now->moves && known->moves ? now->segment.descent : NULL;
    return descent != NULL && known->body == now->body && descent->from == known->serial &&
                   known->segment.from == now->segment.from && known->segment.to == now->segment.to
               ? descent
               : NULL;
}

// whether all changes of a kinetic tree's boxes since the list was last updated are marked
static bool is_followed(const abut__list_side* known, const abut__list_side* now) {
    return known->tight == now->tight &&
           (!now->tight || now->segment.serial - known->segment.serial <= 1);
}

// whether a side is the one that the list was made for, except perhaps for some changed boxes
static bool same_side(const abut__list_side* known, const abut__list_side* now) {
    return (same_tree(known, now) || descent_of(known, now) != NULL) &&
           known->moves == now->moves && is_followed(known, now) &&
           (now->moves ? known->segment.epoch == now->segment.epoch
                       : known->stamp == now->body->stamp) &&
           abut__frames_equal(&known->frame, &now->body->frame);
}

static double extent_of(const abut__list_side* side) {
    return side->moves ? (double)side->segment.extent
                       : (double)abut__body_state(side->body, 1)->extent;
}

// returns the shift that gaps need now, with pads scaled by `slack`
static void shift_of(const abut__job* job, const abut__list_side sides[2], double slack,
                     abut__shift* shift) {
    double size = 2 * (extent_of(&sides[0]) + extent_of(&sides[1]));
    double pad = (double)ABUT__TINY;
    for (int d = 0; d < 3; ++d) {
        const double lo = fabs((double)job->shift.lo[d]);
        const double hi = fabs((double)job->shift.hi[d]);
        size += lo > hi ? lo : hi;
    }
    for (int s = 0; s < 2; ++s) {
        pad += sides[s].moves ? (double)sides[s].segment.pad : 0;
    }
    pad = slack * (pad + PAD * size);
    for (int d = 0; d < 3; ++d) {
        shift->lo[d] = (float)((double)job->shift.lo[d] - pad);
        shift->hi[d] = (float)((double)job->shift.hi[d] + pad);
    }
}

static bool shift_holds(const abut__shift* known, const abut__shift* needed) {
    bool holds = true;
    for (int d = 0; d < 3; ++d) {
        holds = holds && known->lo[d] <= needed->lo[d] && needed->hi[d] <= known->hi[d];
    }
    return holds;
}

static double time_of(const abut__list_side sides[2]) {
    return sides[0].moves ? sides[0].segment.time : sides[1].segment.time;
}

static void set_turn(abut__list_side* side) {
    side->turn.pad = ABUT__TURN_PAD * (side->segment.extent + side->segment.pad) + ABUT__TINY;
    for (int d = 0; d < 3; ++d) {
        for (int e = 0; e < 3; ++e) {
            side->turn.r[d][e] = (float)side->body->frame.r[d][e];
        }
    }
}

static void take_side(abut__list_side* side, const abut__list_side* from) {
    side->body = from->body;
    side->moves = from->moves;
    side->tight = from->tight;
    side->frame = from->body->frame;
    side->serial = from->body->shape->serial;
    side->stamp = from->body->stamp;
    if (from->moves) {
        side->segment = from->segment;
    }
}

// sets where the window lies in a side's segment
static void fit_window(const abut__list* list, abut__list_side* side) {
    if (!side->moves) {
        return;
    }
    const double length = side->segment.to - side->segment.from;
    const double ends[2] = {list->from - side->segment.from, list->to - side->segment.from};
    side->whole = ends[0] == 0 && list->to == side->segment.to;
    for (int e = 0; e < 2; ++e) {
        side->part[e] = length > 0 && length < INFINITY ? (float)(ends[e] / length) : 0;
    }
    if (side->body->turned) {
        set_turn(side);
    }
}

static float part_at(const abut__list* list, double time) {
    const double length = list->to - list->from;
    return length > 0 && length < INFINITY ? (float)((time - list->from) / length) : 0;
}

// starts a window: for another window, other boxes, or an earlier time
static bool start_window(abut__list* list, const abut__job* job, double margin,
                         const abut__list_side sides[2]) {
    const bool same = list->ready && list->self == job->self &&
                      same_tree(&list->side[0], &sides[0]) && same_tree(&list->side[1], &sides[1]);
    if (!same) {
        abut__list_empty(list);
    }
    list->self = job->self;
    list->margin = margin;
    list->from = -INFINITY;
    list->to = INFINITY;
    for (int s = 0; s < 2; ++s) {
        take_side(&list->side[s], &sides[s]);
        if (sides[s].moves) {
            list->from = sides[s].segment.from > list->from ? sides[s].segment.from : list->from;
            list->to = sides[s].segment.to < list->to ? sides[s].segment.to : list->to;
        }
    }
    fit_window(list, &list->side[0]);
    fit_window(list, &list->side[1]);
    shift_of(job, sides, SLACK, &list->shift);
    list->part = part_at(list, time_of(sides));
    if (list->form == ABUT__LIST_BATCHED && list->calendar.member_count > 0) {
        abut__calendar_clear(&list->calendar, list->part);
    }
    ++list->counts.windows;
    list->ready = true;
    if (!abut__list_users_start(list)) {
        return false;
    }
    if (!same) {
        return open_pair(list, 0, 0, ABUT__NONE, 0) && examine_todo(list);
    }
    return examine_from_top(list, NULL);
}

// whether some boxes changed since the list was last updated
static bool boxes_changed(const abut__list_side* known, const abut__list_side* now) {
    return now->moves && (now->tight || known->segment.change != now->segment.change ||
                          known->serial != now->body->shape->serial);
}

// whether the list can continue from its instant
static bool can_continue(const abut__list* list, const abut__job* job, double margin,
                         const abut__list_side sides[2]) {
    const double time = time_of(sides);
    if (!list->ready || list->self != job->self || list->margin != margin ||
        !same_side(&list->side[0], &sides[0]) || !same_side(&list->side[1], &sides[1]) ||
        !(list->from <= time && time <= list->to && part_at(list, time) >= list->part)) {
        return false;
    }
    if (!boxes_changed(&list->side[0], &sides[0]) && !boxes_changed(&list->side[1], &sides[1])) {
        return true;
    }
    abut__shift needed;
    shift_of(job, sides, 1, &needed);
    return shift_holds(&list->shift, &needed);
}

// ---- edited shapes

// The new slots of a node's children, by their old ones; ABUT__NEW_CHILD: gone, or elsewhere.
typedef struct slots_now {
    uint8_t at[ABUT__FAN];
} slots_now;

static slots_now slots_of(const abut__descent* descent, uint32_t node) {
    slots_now now;
    for (uint32_t k = 0; k < ABUT__FAN; ++k) {
        now.at[k] = descent == NULL ? (uint8_t)k : ABUT__NEW_CHILD;
    }
    for (uint32_t k = 0; k < ABUT__FAN && descent != NULL; ++k) {
        if (descent->slot[node][k] != ABUT__NEW_CHILD) {
            now.at[descent->slot[node][k]] = (uint8_t)k;
        }
    }
    return now;
}

// returns a lane's new number; ABUT__NONE: it no longer exists
static uint32_t lane_now(const slots_now slots[2], uint32_t lane) {
    const uint32_t i = slots[0].at[lane / 8];
    const uint32_t j = slots[1].at[lane % 8];
    return i == ABUT__NEW_CHILD || j == ABUT__NEW_CHILD ? ABUT__NONE : 8 * i + j;
}

// renumbers the lanes of a pair; slots keep their order, and so do its opened lanes
static void move_lanes(abut__list* list, uint32_t number, const slots_now slots[2],
                       const abut__opened* fresh) {
    abut__opened* o = opened_at(list, number);
    uint64_t overlap = 0;
    uint64_t gone = 0;
    for (uint64_t left = o->overlap; left != 0; left &= left - 1) {
        const uint32_t lane = (uint32_t)__builtin_ctzll(left);
        const uint32_t now = lane_now(slots, lane);
        overlap |= now != ABUT__NONE ? UINT64_C(1) << now : 0;
        gone |= now == ABUT__NONE ? UINT64_C(1) << lane : 0;
    }
    close_lanes(list, number, gone);
    for (uint32_t child = o->first; child != ABUT__NONE; child = opened_at(list, child)->next) {
        opened_at(list, child)->lane = (uint8_t)lane_now(slots, opened_at(list, child)->lane);
    }
    count(list, o, false);
    o->valid = fresh->valid;
    o->always = fresh->always;
    o->inner = fresh->inner;
    o->box_count = fresh->box_count;
    o->pair_count = fresh->pair_count;
    o->overlap = overlap;
    count(list, o, true);
    update_leafy(list, number, is_leafy(o));
}

// Updates a pair for edited trees; its parent is updated already.
static void follow_pair(abut__list* list, uint32_t number, const abut__descent* const descent[2]) {
    abut__opened* o = opened_at(list, number);
    const abut__opened* parent = o->parent != ABUT__NONE ? opened_at(list, o->parent) : NULL;
    const abut__ref refs[2] = {parent != NULL ? child_of(list, parent, 0, o->lane) : 0,
                               parent != NULL ? child_of(list, parent, 1, o->lane) : 0};
    abut__opened fresh;
    slots_now slots[2];
    bool changed = false;
    set_lanes(list, refs[0], refs[1], &fresh);
    for (int s = 0; s < 2; ++s) {
        const uint32_t node = fresh.node[s];
        const bool is_changed = descent[s] != NULL && abut__descent_has(descent[s]->changed, node);
        slots[s] = slots_of(is_changed ? descent[s] : NULL, node);
        changed = changed || is_changed;
        o->node[s] = node;
    }
    if (changed) {
        move_lanes(list, number, slots, &fresh);
    }
}

// Renumbers all pairs for edited trees. False: no memory.
static bool follow_edits(abut__list* list, const abut__descent* const descent[2]) {
    abut__list_users_end(list);
    for (uint32_t number = 0; number != ABUT__NONE; number = following(list, number, true)) {
        follow_pair(list, number, descent);
    }
    list->in_order = false;
    ++list->counts.edits;
    return abut__list_users_start(list);
}

// takes over the changed boxes
static void take_changes(abut__list* list, const abut__list_side sides[2], changes* c) {
    *c = (changes){.any = false};
    for (int s = 0; s < 2; ++s) {
        abut__list_side* side = &list->side[s];
        c->since[s] = UINT64_MAX;
        if (sides[s].tight) {
            c->lines[s] = side->segment.serial != sides[s].segment.serial;
            c->descent[s] = descent_of(side, &sides[s]);
            side->segment = sides[s].segment;
            side->serial = sides[s].body->shape->serial;
        } else if (boxes_changed(side, &sides[s])) {
            c->any = true;
            c->since[s] = side->segment.change;
            c->descent[s] = descent_of(side, &sides[s]);
            side->segment = sides[s].segment;
            side->serial = sides[s].body->shape->serial;
        }
    }
}

// examines the pairs with boxes that a kinetic tree has changed; a parent may have closed some
static bool examine_changed(abut__list* list, int side) {
    abut__list_users_of_changes(list, side);
    while (list->todo.count > 0) {
        const uint32_t number = list->todo.data[--list->todo.count];
        if (opened_at(list, number)->used) {
            ++list->counts.changed;
            if (!examine(list, number)) {
                return false;
            }
        }
    }
    return true;
}

static bool continue_list(abut__list* list, const abut__list_side sides[2]) {
    const float part = part_at(list, time_of(sides));
    changes c;
    take_changes(list, sides, &c);
    if ((c.descent[0] != NULL || c.descent[1] != NULL) && !follow_edits(list, c.descent)) {
        return false;
    }
    for (int s = 0; s < 2; ++s) {
        const float last = list->part;
        list->part = part;  // at which the new boxes are right
        if (c.lines[s] && !examine_changed(list, s)) {
            return false;
        }
        list->part = last;
    }
    if (part > list->part &&
        !(list->form == ABUT__LIST_BATCHED ? advance_batched : advance_by_event)(list, part)) {
        return false;
    }
    list->counts.repaired += c.any;
    return !c.any || examine_from_top(list, &c);
}

bool abut__list_go(abut__list* list, const abut__job* job, double margin,
                   const abut__list_side sides[2], abut_counters* work) {
    list->job = job;
    list->work = work;
    const bool done = can_continue(list, job, margin, sides)
                          ? continue_list(list, sides)
                          : start_window(list, job, margin, sides);
    if (!done) {
        abut__list_empty(list);
    }
    return done;
}

// ---- leaves

// Puts leaves in the order of the descent, not of events: then queries of the same state cut the
// same tasks, whose memory stops growing.
static void put_in_order(abut__list* list) {
    list->leafy.count = 0;
    for (uint32_t number = 0; number != ABUT__NONE; number = following(list, number, true)) {
        abut__opened* o = opened_at(list, number);
        if (o->leaf != ABUT__NONE) {
            o->leaf = (uint32_t)list->leafy.count;
            list->leafy.data[list->leafy.count++] = number;
        }
    }
    list->in_order = true;
}

bool abut__list_leaves(abut__list* list, const abut__job* job, uint32_t job_index,
                       abut__entries* entries) {
    const size_t links = job->self ? job->view[0].tree->node_count : 0;
    if (!abut__reserve(list->context, entries, entries->count + list->leaf_count + links)) {
        return false;
    }
    if (!list->in_order) {
        put_in_order(list);
    }
    abut__entry* const begin = entries->data;
    abut__entry* out = ABUT__AT(begin, entries->count);
    for (size_t i = 0; i < list->leafy.count; ++i) {
        const abut__opened* o = opened_at(list, list->leafy.data[i]);
        for (uint64_t left = o->overlap & ~o->inner; left != 0; left &= left - 1) {
            const uint32_t lane = (uint32_t)__builtin_ctzll(left);
            *out++ = (abut__entry){job_index, child_of(list, o, 0, lane),
                                   child_of(list, o, 1, lane), ABUT__ENTRY_LISTED};
        }
        if (o->always != 0 && abut__links_at(job->links, o->node[0]) > 0) {
            *out++ = (abut__entry){job_index, o->node[0], ABUT__LINKS, ABUT__ENTRY_LISTED};
        }
    }
    entries->count = begin != NULL ? (size_t)(out - begin) : 0;
    return true;
}
