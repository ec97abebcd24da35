// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// The kinetic AABB tree, by batches of events.
#include "bound/kinetic/aabb.h"

#include <math.h>
#include <string.h>

#include "base/rounding.h"

#define ALL_SIDES ((1u << ABUT__SIDES) - 1)
#define BLOCKS_PER_TASK 256u

// ---- memory

static size_t member_count(const abut__kinetic* kinetic) {
    return (size_t)kinetic->block_count + kinetic->node_count;
}

static size_t word_count(const abut__kinetic* kinetic) {
    return ((size_t)kinetic->node_count + 63) / 64;
}

static size_t block_words(const abut__kinetic* kinetic) {
    return ((size_t)kinetic->block_count + 63) / 64;
}

static bool make_members(abut__kinetic* kinetic) {
    const abut_context* context = kinetic->context;
    const size_t members = member_count(kinetic);
    kinetic->next = abut__alloc(context, members, sizeof *kinetic->next);
    kinetic->which = abut__alloc_zero(context, members, sizeof *kinetic->which);
    kinetic->renewed = abut__alloc(context, kinetic->block_count, sizeof *kinetic->renewed);
    kinetic->list = abut__alloc(context, members, sizeof *kinetic->list);
    kinetic->due = abut__alloc_zero(context, kinetic->node_count, sizeof *kinetic->due);
    kinetic->dirty = abut__alloc_zero(context, word_count(kinetic), sizeof *kinetic->dirty);
    bool made = kinetic->next != NULL && kinetic->which != NULL && kinetic->list != NULL &&
                kinetic->due != NULL && kinetic->dirty != NULL && kinetic->renewed != NULL;
    for (int e = 0; e < 2; ++e) {
        kinetic->points[e] = abut__alloc(context, kinetic->block_count, sizeof *kinetic->points[e]);
        kinetic->stored[e] = abut__alloc_zero(context, block_words(kinetic), sizeof(uint64_t));
        kinetic->ends[e] = abut__alloc(context, kinetic->node_count, sizeof(abut__boxes8));
        made = made && kinetic->points[e] != NULL && kinetic->stored[e] != NULL &&
               kinetic->ends[e] != NULL;
    }
    return abut__calendar_init(&kinetic->calendar, context, (uint32_t)members) && made;
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
        abut__free(context, kinetic->points[e], kinetic->block_count, sizeof *kinetic->points[e]);
        abut__free(context, kinetic->stored[e], block_words(kinetic), sizeof(uint64_t));
        abut__free(context, kinetic->ends[e], kinetic->node_count, sizeof(abut__boxes8));
    }
    abut__free(context, kinetic->renewed, kinetic->block_count, sizeof *kinetic->renewed);
    abut__free(context, kinetic->next, members, sizeof *kinetic->next);
    abut__free(context, kinetic->which, members, sizeof *kinetic->which);
    abut__free(context, kinetic->list, members, sizeof *kinetic->list);
    abut__free(context, kinetic->due, kinetic->node_count, sizeof *kinetic->due);
    abut__free(context, kinetic->dirty, word_count(kinetic), sizeof *kinetic->dirty);
    abut__calendar_free(&kinetic->calendar, context);
    abut__free(context, kinetic, 1, sizeof *kinetic);
}

void abut__kinetic_forget(abut__kinetic* kinetic) {
    kinetic->key[0] = kinetic->key[1] = ABUT__NONE;
    kinetic->part = -1;
}

// ---- the extremes of a node or block

// A tree with the segment that it is in, in the direction of time.
typedef struct run {
    abut__kinetic* kinetic;
    const abut__tree* tree;
    const abut__kinetic_segment* segment;
} run;

// Reads the points of a block at both ends, unless they are stored.
static void gather(const run* r, uint32_t b) {
    abut__kinetic* kinetic = r->kinetic;
    const uint64_t bit = UINT64_C(1) << b % 64;
    for (int e = 0; e < 2; ++e) {
        if ((kinetic->stored[e][b / 64] & bit) == 0) {
            kinetic->context->kernels->gather_points(r->tree->blocks[b], r->segment->source[e],
                                                     &kinetic->points[e][b]);
            kinetic->stored[e][b / 64] |= bit;
        }
    }
}

static void block_extremes(const run* r, uint32_t b, uint32_t sides, abut__extremes* out) {
    const abut__kinetic* kinetic = r->kinetic;
    gather(r, b);
    kinetic->context->kernels->kinetic_block(&kinetic->points[0][b], &kinetic->points[1][b],
                                             r->tree->blocks[b]->vertex_count, sides, kinetic->part,
                                             kinetic->tolerance, out);
}

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

// Writes the extremes to the parent's lanes; returns the sides whose line has changed.
static uint32_t put(abut__kinetic* kinetic, uint32_t member, uint32_t sides,
                    const abut__extremes* found, uint32_t parent, uint32_t slot) {
    uint32_t changed = 0;
    for (uint32_t left = sides; left != 0; left &= left - 1) {
        const uint32_t side = (uint32_t)__builtin_ctz(left);
        float* before = abut__kinetic_lane(&kinetic->ends[0][parent], side, slot);
        float* after = abut__kinetic_lane(&kinetic->ends[1][parent], side, slot);
        if (*before != found->before[side] || *after != found->after[side]) {
            *before = found->before[side];
            *after = found->after[side];
            changed |= 1u << side;
        }
        kinetic->next[member][side] = found->next[side];
        kinetic->which[member][side] = found->which[side];
    }
    return changed;
}

static void schedule(abut__kinetic* kinetic, uint32_t member) {
    abut__calendar_set(&kinetic->calendar, member, first_time(kinetic, member));
}

// ---- entering a segment

// Points stored for a keyframe remain: a segment mostly follows or precedes the last one.
static void take_keys(abut__kinetic* kinetic, const uint32_t key[2]) {
    if (kinetic->key[1] == key[0] || kinetic->key[0] == key[1]) {
        abut__block_points* points = kinetic->points[0];
        uint64_t* stored = kinetic->stored[0];
        const uint32_t first = kinetic->key[0];
        kinetic->points[0] = kinetic->points[1];
        kinetic->stored[0] = kinetic->stored[1];
        kinetic->key[0] = kinetic->key[1];
        kinetic->points[1] = points;
        kinetic->stored[1] = stored;
        kinetic->key[1] = first;
    }
    for (int e = 0; e < 2; ++e) {
        if (kinetic->key[e] != key[e]) {
            memset(kinetic->stored[e], 0, block_words(kinetic) * sizeof(uint64_t));
        }
        kinetic->key[e] = key[e];
    }
}

static float coordinate(const abut__source* source, uint32_t vertex, uint32_t axis) {
    const void* place = source->data + vertex * source->stride;
    return source->is_double ? (float)abut__as_float(((const double*)place)[axis])
                             : ((const float*)place)[axis];
}

// Returns the sides whose lines are extreme at both ends, up to the tolerance: the boxes at both
// ends are known. These lines are extreme throughout.
static uint32_t steady_sides(const abut__kinetic* kinetic, const abut__extremes* lines,
                             const abut__kinetic_segment* segment, uint32_t parent, uint32_t slot) {
    const abut__boxes8* before = &segment->boxes[0][parent];
    const abut__boxes8* after = &segment->boxes[1][parent];
    const float tolerance = kinetic->tolerance;
    uint32_t sides = 0;
    for (uint32_t d = 0; d < 3; ++d) {
        sides |= (uint32_t)((lines->before[d] - before->lo[d][slot] <= tolerance) &
                            (lines->after[d] - after->lo[d][slot] <= tolerance))
                 << d;
        sides |= (uint32_t)((before->hi[d][slot] - lines->before[3 + d] <= tolerance) &
                            (after->hi[d][slot] - lines->after[3 + d] <= tolerance))
                 << (3 + d);
    }
    return sides;
}

// Extends the certificates of a block over a segment. A side keeps its vertex if that is extreme at
// both ends. Only other sides are computed, and returned.
static uint32_t enter_block(const run* r, uint32_t b, abut__extremes* found) {
    const abut__kinetic* kinetic = r->kinetic;
    const abut__kinetic_segment* segment = r->segment;
    const abut__block* block = r->tree->blocks[b];
    for (uint32_t side = 0; side < ABUT__SIDES; ++side) {
        const uint32_t vertex = block->vertex[kinetic->which[b][side]];
        found->before[side] = coordinate(&segment->source[0], vertex, side % 3);
        found->after[side] = coordinate(&segment->source[1], vertex, side % 3);
        found->next[side] = INFINITY;
        found->which[side] = kinetic->which[b][side];
    }
    const uint32_t other = ALL_SIDES & ~steady_sides(kinetic, found, segment,
                                                     r->tree->block_parent[b],
                                                     r->tree->block_slot[b]);
    if (other != 0) {
        block_extremes(r, b, other, found);
    }
    return other;
}

static void enter_blocks(void* argument, uint32_t index, uint32_t worker) {
    const run* r = argument;
    const abut__tree* tree = r->tree;
    const uint32_t first = index * BLOCKS_PER_TASK;
    const uint32_t left = tree->block_count - first;
    const uint32_t end = first + (left < BLOCKS_PER_TASK ? left : BLOCKS_PER_TASK);
    (void)worker;
    for (uint32_t b = first; b < end; ++b) {
        abut__extremes found;
        r->kinetic->renewed[b] = (uint8_t)enter_block(r, b, &found);
        put(r->kinetic, b, ALL_SIDES, &found, tree->block_parent[b], tree->block_slot[b]);
    }
}

static uint32_t enter_node(const run* r, uint32_t n) {
    abut__kinetic* kinetic = r->kinetic;
    const abut__node* node = &r->tree->nodes[n];
    const uint32_t member = kinetic->block_count + n;
    abut__extremes found;
    for (uint32_t side = 0; side < ABUT__SIDES; ++side) {
        const uint32_t k = kinetic->which[member][side];
        found.before[side] = *abut__kinetic_lane(&kinetic->ends[0][n], side, k);
        found.after[side] = *abut__kinetic_lane(&kinetic->ends[1][n], side, k);
        found.next[side] = INFINITY;
        found.which[side] = (uint8_t)k;
    }
    const uint32_t other = ALL_SIDES &
                           ~steady_sides(kinetic, &found, r->segment, node->parent, node->slot);
    node_extremes(kinetic, r->tree, n, other, &found);
    put(kinetic, member, ALL_SIDES, &found, node->parent, node->slot);
    return other;
}

static void note_entered(abut__kinetic* kinetic, uint32_t member, uint32_t renewed) {
    if (renewed != 0) {
        schedule(kinetic, member);
        kinetic->counts.renewals += (uint64_t)__builtin_popcount(renewed);
    }
}

// Enters a segment: blocks first, many per task, each in its own lanes of its parent. Then the
// nodes and the calendar, serially, because the order of the calendar must not depend on threads.
// The vertices from the last segment are only guesses, which the boxes at both ends prove or
// refute. So any segment may follow any other, and errors do not add up.
static void enter(const run* r, float part) {
    abut__kinetic* kinetic = r->kinetic;
    const abut__tree* tree = r->tree;
    kinetic->part = part;
    take_keys(kinetic, r->segment->key);
    abut__run_tasks(kinetic->context, (tree->block_count + BLOCKS_PER_TASK - 1) / BLOCKS_PER_TASK,
                    enter_blocks, (void*)r);
    abut__calendar_clear(&kinetic->calendar, part);
    for (uint32_t b = 0; b < tree->block_count; ++b) {
        note_entered(kinetic, b, kinetic->renewed[b]);
    }
    for (uint32_t n = tree->node_count; n-- > 1;) {
        note_entered(kinetic, kinetic->block_count + n, enter_node(r, n));
    }
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
    counts->events += (uint64_t)__builtin_popcount(failed);
    counts->outer += (uint64_t)__builtin_popcount(failed & changed);
    counts->updates += (uint64_t)__builtin_popcount(changed);
}

static void update_blocks(const run* r, uint32_t due) {
    abut__kinetic* kinetic = r->kinetic;
    const abut__tree* tree = r->tree;
    for (uint32_t i = 0; i < due; ++i) {
        const uint32_t member = kinetic->list[i];
        const uint32_t sides = due_sides(kinetic, member);
        if (member >= kinetic->block_count) {
            mark(kinetic, member - kinetic->block_count, sides);
            continue;
        }
        abut__extremes found;
        block_extremes(r, member, sides, &found);
        const uint32_t changed = put(kinetic, member, sides, &found, tree->block_parent[member],
                                     tree->block_slot[member]);
        schedule(kinetic, member);
        count_visit(&kinetic->counts, sides, changed);
        mark(kinetic, tree->block_parent[member], changed);
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
    const uint32_t changed = put(kinetic, member, sides, &found, parent, tree->nodes[node].slot);
    schedule(kinetic, member);
    count_visit(&kinetic->counts, failed, changed);
    mark(kinetic, parent, changed);
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

static void step(const run* r, float part) {
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
    const uint32_t first = kinetic->key[back ? 1 : 0];
    if (first != segment->key[0] || kinetic->key[back ? 0 : 1] != segment->key[1]) {
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
    return kinetic->key[0] == segment->key[0] && kinetic->key[1] == segment->key[1] &&
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
    const run r = {kinetic, tree, &ahead};
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
static void repair_block(const run* r, uint32_t b) {
    abut__kinetic* kinetic = r->kinetic;
    const uint32_t parent = r->tree->block_parent[b];
    abut__extremes found;
    for (int e = 0; e < 2; ++e) {
        kinetic->stored[e][b / 64] &= ~(UINT64_C(1) << b % 64);
    }
    (void)enter_block(r, b, &found);
    const uint32_t changed = put(kinetic, b, ALL_SIDES, &found, parent, r->tree->block_slot[b]);
    schedule(kinetic, b);
    count_visit(&kinetic->counts, 0, changed);
    ++kinetic->counts.blocks_updated;
    mark(kinetic, parent, changed);
}

static void repair_blocks(const run* r, const uint64_t* blocks) {
    for (size_t w = 0; w < block_words(r->kinetic); ++w) {
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
    const run r = {kinetic, tree, &ahead};
    widen_extent(kinetic, segment->extent);
    repair_blocks(&r, blocks);
    update_nodes(kinetic, tree);
}

// ---- edits

static void take_over_block(abut__kinetic* kinetic, uint32_t b, const abut__kinetic* before,
                            uint32_t from) {
    for (int e = 0; e < 2; ++e) {
        if (abut__descent_has(before->stored[e], from)) {
            kinetic->points[e][b] = before->points[e][from];
            kinetic->stored[e][b / 64] |= UINT64_C(1) << b % 64;
        }
    }
}

static void take_over_member(abut__kinetic* kinetic, uint32_t member, const abut__kinetic* before,
                             uint32_t from) {
    if (from == ABUT__NONE) {
        for (uint32_t side = 0; side < ABUT__SIDES; ++side) {
            kinetic->next[member][side] = INFINITY;  // until it is repaired
        }
        memset(kinetic->which[member], 0, sizeof kinetic->which[member]);
        return;
    }
    memcpy(kinetic->next[member], before->next[from], sizeof kinetic->next[member]);
    memcpy(kinetic->which[member], before->which[from], sizeof kinetic->which[member]);
    schedule(kinetic, member);
}

static void take_over(abut__kinetic* kinetic, const abut__kinetic* before,
                      const abut__descent* descent) {
    memcpy(kinetic->key, before->key, sizeof kinetic->key);
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
            take_over_block(kinetic, b, before, from);
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
    const run r = {kinetic, tree, &ahead};
    widen_extent(kinetic, segment->extent);
    for (uint32_t n = 1; n < tree->node_count; ++n) {
        mark(kinetic, n, abut__descent_has(descent->changed, n) ? ALL_SIDES : 0);
    }
    repair_blocks(&r, descent->placed);
    update_nodes(kinetic, tree);
}
