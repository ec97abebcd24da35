// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// The kinetic AABB tree, by batches of events.
#include "bound/kinetic/aabb.h"

#include <math.h>
#include <string.h>

#include "bound/kinetic/line.h"
#include "bound/kinetic/side_lines.h"

#define ALL_SIDES ((1u << ABUT__SIDES) - 1)
#define NODES_PER_TASK 16u
#define AHEAD 4u               // events to prefetch
#define BLOCKS_IN_CACHE 1500u  // as in a refit

// ---- memory

static size_t member_count(const abut__kinetic* kinetic) {
    return (size_t)kinetic->block_count + kinetic->node_count;
}

static size_t word_count(const abut__kinetic* kinetic) {
    return ((size_t)kinetic->node_count + 63) / 64;
}

static bool make_members(abut__kinetic* kinetic) {
    const abut_context* context = kinetic->context;
    const size_t members = member_count(kinetic);
    kinetic->next = abut__alloc(context, members, sizeof *kinetic->next);
    kinetic->held = abut__alloc_zero(context, members, sizeof *kinetic->held);
    kinetic->rivals = abut__alloc(context, kinetic->block_count, sizeof *kinetic->rivals);
    kinetic->rival = abut__alloc(context, kinetic->node_count, sizeof *kinetic->rival);
    kinetic->renewed = abut__alloc_zero(context, members, sizeof *kinetic->renewed);
    kinetic->list = abut__alloc(context, members, sizeof *kinetic->list);
    kinetic->due = abut__alloc_zero(context, kinetic->node_count, sizeof *kinetic->due);
    kinetic->dirty = abut__alloc_zero(context, word_count(kinetic), sizeof *kinetic->dirty);
    bool made = kinetic->next != NULL && kinetic->held != NULL && kinetic->rivals != NULL &&
                kinetic->rival != NULL && kinetic->list != NULL && kinetic->due != NULL &&
                kinetic->dirty != NULL && kinetic->renewed != NULL;
    for (int e = 0; e < 2; ++e) {
        kinetic->ends[e] = abut__alloc(context, kinetic->node_count, sizeof(abut__boxes8));
        made = made && kinetic->ends[e] != NULL;
    }
    made = abut__key_points_init(&kinetic->points, context, kinetic->block_count) && made;
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
    kinetic->block_count = tree->block_count;
    kinetic->node_count = tree->node_count;
    if (!make_members(kinetic)) {
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
    const size_t members = member_count(kinetic);
    for (int e = 0; e < 2; ++e) {
        abut__free(context, kinetic->ends[e], kinetic->node_count, sizeof(abut__boxes8));
    }
    abut__key_points_free(&kinetic->points, context);
    abut__free(context, kinetic->renewed, members, sizeof *kinetic->renewed);
    abut__free(context, kinetic->next, members, sizeof *kinetic->next);
    abut__free(context, kinetic->held, members, sizeof *kinetic->held);
    abut__free(context, kinetic->rivals, kinetic->block_count, sizeof *kinetic->rivals);
    abut__free(context, kinetic->rival, kinetic->node_count, sizeof *kinetic->rival);
    abut__free(context, kinetic->list, members, sizeof *kinetic->list);
    abut__free(context, kinetic->due, kinetic->node_count, sizeof *kinetic->due);
    abut__free(context, kinetic->dirty, word_count(kinetic), sizeof *kinetic->dirty);
    abut__calendar_free(&kinetic->calendar, context);
    abut__free(context, kinetic, 1, sizeof *kinetic);
}

void abut__kinetic_forget(abut__kinetic* kinetic) {
    const uint32_t none[2] = {ABUT__NONE, ABUT__NONE};
    bool swapped;
    abut__key_points_take(&kinetic->points, none, &swapped);
    kinetic->part = -1;
}

// ---- the extremes of a node or block

static void node_extremes(const abut__kinetic* kinetic, const abut__tree* tree, uint32_t node,
                          uint32_t sides, abut__extremes* out) {
    kinetic->context->kernels->kinetic_node(&kinetic->ends[0][node], &kinetic->ends[1][node],
                                            tree->nodes[node].count, sides, kinetic->part, out);
}

// Returns the time when the first of the six sides is overtaken.
static float first_time(const abut__kinetic* kinetic, uint32_t member) {
    const float* next = kinetic->next[member];
    float first = next[0];
    for (uint32_t side = 1; side < ABUT__SIDES; ++side) {
        first = next[side] < first ? next[side] : first;
    }
    return first;
}

static void schedule(abut__kinetic* kinetic, uint32_t member) {
    abut__calendar_set(&kinetic->calendar, member, first_time(kinetic, member));
}

// ---- entering a segment

// Returns the number of sides in a set. There is a table because not every processor can count bits.
static uint64_t count_sides(uint32_t sides) {
    static const uint8_t of_three[8] = {0, 1, 1, 2, 1, 2, 2, 3};
    return (uint64_t)of_three[sides & 7] + of_three[sides >> 3];
}

// Writes the lines that a child holds into the lanes of a node, at one end.
static void write_held(const abut__kinetic_run* r, uint32_t n, uint32_t k, int end) {
    abut__kinetic* kinetic = r->kinetic;
    const abut__ref child = r->tree->nodes[n].child[k];
    abut__boxes8* lanes = &kinetic->ends[end][n];
    if (abut__is_block(child)) {
        const uint32_t* vertices = kinetic->held[abut__block_of(child)];
        const abut__source* source = &r->segment->source[end];
        for (uint32_t d = 0; d < 3; ++d) {
            lanes->lo[d][k] = abut__coordinate(source, vertices[d], d);
            lanes->hi[d][k] = abut__coordinate(source, vertices[3 + d], d);
        }
    } else {
        const uint32_t* slots = kinetic->held[kinetic->block_count + child];
        const abut__boxes8* below = &kinetic->ends[end][child];
        for (uint32_t d = 0; d < 3; ++d) {
            lanes->lo[d][k] = below->lo[d][slots[d]];
            lanes->hi[d][k] = below->hi[d][slots[3 + d]];
        }
    }
}

// The sides of a node's children whose lines are not extreme at an end.
typedef struct unsteady {
    uint32_t children;  // those that have such sides, a bit each
    uint8_t at[2][ABUT__FAN];
} unsteady;

static void find_unsteady(const abut__kinetic_run* r, uint32_t n, uint32_t children,
                          unsteady* out) {
    const abut__kinetic* kinetic = r->kinetic;
    uint32_t found = 0;
    for (int e = 0; e < 2; ++e) {
        found |= kinetic->context->kernels->kinetic_unsteady(
            &kinetic->ends[e][n], &r->segment->boxes[e][n], kinetic->tolerance, out->at[e]);
    }
    out->children = children & found;
}

// Extends the certificates of some children of a node over a segment. A side keeps its line if that
// is extreme at both ends, because then it is extreme throughout. Only other sides are computed.
static void renew_children(const abut__kinetic_run* r, uint32_t n, const unsteady* sides) {
    abut__kinetic* kinetic = r->kinetic;
    uint32_t used = 0;
    for (uint32_t left = sides->children; left != 0; left &= left - 1) {
        const uint32_t k = (uint32_t)__builtin_ctz(left);
        const abut__ref child = r->tree->nodes[n].child[k];
        const uint32_t first = sides->at[0][k];
        const uint32_t other = first | sides->at[1][k];
        if (abut__is_block(child)) {
            kinetic->renewed[abut__block_of(child)] = (uint8_t)other;
            abut__kinetic_enter_block(r, abut__block_of(child), first, other, &used);
        } else {
            abut__extremes found;
            kinetic->renewed[kinetic->block_count + child] = (uint8_t)other;
            node_extremes(kinetic, r->tree, child, other, &found);
            (void)abut__kinetic_put(kinetic, kinetic->block_count + child, NULL, other, &found, n,
                                    k);
        }
    }
}

// Returns the children of a node that are blocks, a bit each.
static uint32_t blocks_below(const abut__node* node) {
    uint32_t blocks = 0;
    for (uint32_t k = 0; k < node->count; ++k) {
        blocks |= (uint32_t)abut__is_block(node->child[k]) << k;
    }
    return blocks;
}

typedef struct entry {
    abut__kinetic_run r;
    uint32_t known;  // a bit for each end whose lines are already in the lanes
    bool far;        // vertices are hardly in the second-level cache
} entry;

// Prefetches the vertices of blocks that will be scanned.
static void prefetch_scans(const entry* e, uint32_t n, uint32_t children) {
    for (uint32_t left = children; left != 0; left &= left - 1) {
        const abut__ref child = e->r.tree->nodes[n].child[__builtin_ctz(left)];
        const abut__block* block = e->r.tree->blocks[abut__block_of(child)];
        for (int end = 0; end < 2; ++end) {
            const abut__source source = e->r.segment->source[end];
            for (uint32_t v = 0; v < block->vertex_count; v += 3) {
                __builtin_prefetch(source.data + block->vertex[v] * source.stride);
            }
        }
    }
}

// Prefetches what write_held() will read.
static void prefetch_held(const entry* e, uint32_t n) {
    const abut__node* node = &e->r.tree->nodes[n];
    const abut__source source = e->r.segment->source[1];
    for (uint32_t k = 0; k < node->count; ++k) {
        if (abut__is_block(node->child[k])) {
            const uint32_t* held = e->r.kinetic->held[abut__block_of(node->child[k])];
            for (uint32_t side = 0; side < ABUT__SIDES; ++side) {
                __builtin_prefetch(source.data + held[side] * source.stride);
            }
        }
    }
}

static void hold_blocks(const entry* e, uint32_t n, unsteady* sides) {
    const uint32_t blocks = blocks_below(&e->r.tree->nodes[n]);
    for (int end = 0; end < 2; ++end) {
        for (uint32_t k = (e->known >> end & 1) != 0 ? 0 : blocks; k != 0; k &= k - 1) {
            write_held(&e->r, n, (uint32_t)__builtin_ctz(k), end);
        }
    }
    find_unsteady(&e->r, n, blocks, sides);
}

// First finds what is unsteady below all nodes of the task, then computes it.
static void enter_blocks(void* argument, uint32_t index, uint32_t worker) {
    const entry* e = argument;
    const uint32_t first = index * NODES_PER_TASK;
    const uint32_t left = e->r.tree->node_count - first;
    const uint32_t count = left < NODES_PER_TASK ? left : NODES_PER_TASK;
    unsteady sides[NODES_PER_TASK];
    (void)worker;
    for (uint32_t i = 0; i < count; ++i) {
        if (e->far && i + 2 < count) {
            prefetch_held(e, first + i + 2);
        }
        hold_blocks(e, first + i, &sides[i]);
        if (e->far) {
            prefetch_scans(e, first + i, sides[i].children);
        }
    }
    for (uint32_t i = 0; i < count; ++i) {
        renew_children(&e->r, first + i, &sides[i]);
    }
}

static void enter_nodes(const abut__kinetic_run* r, uint32_t n) {
    const abut__node* node = &r->tree->nodes[n];
    const uint32_t nodes = ((1u << node->count) - 1) & ~blocks_below(node);
    if (nodes == 0) {
        return;
    }
    for (uint32_t k = nodes; k != 0; k &= k - 1) {
        write_held(r, n, (uint32_t)__builtin_ctz(k), 0);
        write_held(r, n, (uint32_t)__builtin_ctz(k), 1);
    }
    unsteady sides;
    find_unsteady(r, n, nodes, &sides);
    renew_children(r, n, &sides);
}

static void swap_lines(abut__kinetic* kinetic) {
    abut__boxes8* lines = kinetic->ends[0];
    kinetic->ends[0] = kinetic->ends[1];
    kinetic->ends[1] = lines;
}

// Schedules what got events. The order of the calendar must not depend on threads.
static void schedule_renewed(abut__kinetic* kinetic, float part) {
    abut__calendar_clear(&kinetic->calendar, part);
    for (uint32_t m = 0; m < (uint32_t)member_count(kinetic); ++m) {
        if (m != kinetic->block_count && kinetic->renewed[m] != 0) {
            schedule(kinetic, m);
            kinetic->counts.renewals += count_sides(kinetic->renewed[m]);
        }
    }
}

// Enters a segment: blocks first, those of many nodes per task, then nodes, children before
// parents. Lines at a keyframe that both segments share are known. What a side holds from the last
// segment is only a guess, which the boxes at both ends prove or refute. So any segment may follow
// any other, and errors do not add up.
static void enter(const abut__kinetic_run* r, float part) {
    abut__kinetic* kinetic = r->kinetic;
    const abut__tree* tree = r->tree;
    bool swapped;
    entry e = {*r, abut__key_points_take(&kinetic->points, r->segment->key, &swapped), false};
    e.far = tree->block_count > BLOCKS_IN_CACHE || e.known == 0;
    if (swapped) {
        swap_lines(kinetic);
    }
    kinetic->part = part;
    memset(kinetic->renewed, 0, member_count(kinetic));
    float* next = kinetic->next[0];
    for (size_t i = 0; i < ABUT__SIDES * member_count(kinetic); ++i) {
        next[i] = INFINITY;
    }
    abut__run_tasks(kinetic->context, (tree->node_count + NODES_PER_TASK - 1) / NODES_PER_TASK,
                    enter_blocks, &e);
    for (uint32_t n = tree->node_count; n-- > 0;) {
        enter_nodes(r, n);
    }
    schedule_renewed(kinetic, part);
    ++kinetic->counts.starts;
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
    return first_time(of, member) <= time;
}

static void count_visit(abut__kinetic_counts* counts, uint32_t failed, uint32_t changed) {
    counts->visits += 1;
    counts->events += count_sides(failed);
    counts->outer += count_sides(failed & changed);
    counts->updates += count_sides(changed);
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
        schedule(kinetic, member);
    }
}

static void update_blocks(const abut__kinetic_run* r, uint32_t due) {
    abut__kinetic* kinetic = r->kinetic;
    const abut__tree* tree = r->tree;
    for (uint32_t i = 0; i < due; ++i) {
        const uint32_t member = kinetic->list[i];
        if (i + 2 * AHEAD < due) {
            __builtin_prefetch(kinetic->next[kinetic->list[i + 2 * AHEAD]]);
        }
        if (i + AHEAD < due && kinetic->list[i + AHEAD] < kinetic->block_count) {
            abut__kinetic_prefetch(r, kinetic->list[i + AHEAD]);
        }
        const uint32_t sides = due_sides(kinetic, member);
        if (member >= kinetic->block_count) {
            mark(kinetic, member - kinetic->block_count, sides);
            continue;
        }
        const uint32_t changed = abut__kinetic_renew_block(r, member, sides);
        schedule(kinetic, member);
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
    node_extremes(kinetic, tree, node, sides, &found);
    const uint32_t changed = abut__kinetic_put(kinetic, member, NULL, sides, &found, parent,
                                               tree->nodes[node].slot);
    schedule(kinetic, member);
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

void abut__kinetic_go(abut__kinetic* kinetic, const abut__tree* tree,
                      const abut__kinetic_segment* segment, float part) {
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
        enter(&r, time);
    }
}

// A block whose vertices may have other positions at both ends.
static void repair_block(const abut__kinetic_run* r, uint32_t b) {
    abut__kinetic* kinetic = r->kinetic;
    const uint32_t parent = r->tree->block_parent[b];
    abut__key_points_drop(&kinetic->points, b);
    const uint32_t changed = abut__kinetic_repair_block(r, b);
    schedule(kinetic, b);
    count_visit(&kinetic->counts, 0, changed);
    ++kinetic->counts.blocks_updated;
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
    widen_extent(kinetic, segment->extent);
    repair_blocks(&r, blocks);
    update_nodes(kinetic, tree);
}

// ---- edits

static void take_over_member(abut__kinetic* kinetic, uint32_t member, const abut__kinetic* before,
                             uint32_t from) {
    if (from == ABUT__NONE) {
        for (uint32_t side = 0; side < ABUT__SIDES; ++side) {
            kinetic->next[member][side] = INFINITY;  // until it is repaired
        }
        return;
    }
    memcpy(kinetic->next[member], before->next[from], sizeof kinetic->next[member]);
    memcpy(kinetic->held[member], before->held[from], sizeof kinetic->held[member]);
    schedule(kinetic, member);
}

static void take_over(abut__kinetic* kinetic, const abut__kinetic* before,
                      const abut__descent* descent) {
    memcpy(kinetic->points.key, before->points.key, sizeof kinetic->points.key);
    kinetic->back = before->back;
    kinetic->part = before->part;
    kinetic->extent = before->extent;
    kinetic->tolerance = before->tolerance;
    kinetic->counts = before->counts;
    kinetic->edited = true;
    abut__calendar_clear(&kinetic->calendar, kinetic->part);
    for (uint32_t b = 0; b < kinetic->block_count; ++b) {
        const uint32_t from = descent->block[b];
        if (from != ABUT__NONE) {
            abut__key_points_copy(&kinetic->points, b, &before->points, from);
            for (uint32_t side = 0; side < ABUT__SIDES; ++side) {
                kinetic->rivals[b][side].count = ABUT__RIVALS_FEW + 1;
            }
        }
        take_over_member(kinetic, b, before, from);
    }
    for (uint32_t n = 1; n < kinetic->node_count; ++n) {
        const uint32_t from = descent->node[n];
        take_over_member(kinetic, kinetic->block_count + n, before,
                         from != ABUT__NONE ? before->block_count + from : ABUT__NONE);
    }
    for (int e = 0; e < 2; ++e) {
        abut__descent_lanes(descent, before->ends[e], kinetic->ends[e]);
    }
}

abut__kinetic* abut__kinetic_descend(const abut__kinetic* before, const abut__tree* tree,
                                     const abut__descent* descent) {
    if (before->part < 0 || before->edited) {
        return NULL;
    }
    abut__kinetic* made = abut__kinetic_make(before->context, tree);
    if (made != NULL) {
        take_over(made, before, descent);
    }
    return made;
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
    widen_extent(kinetic, segment->extent);
    for (uint32_t n = 1; n < tree->node_count; ++n) {
        mark(kinetic, n, abut__descent_has(descent->changed, n) ? ALL_SIDES : 0);
    }
    repair_blocks(&r, descent->placed);
    update_nodes(kinetic, tree);
}
