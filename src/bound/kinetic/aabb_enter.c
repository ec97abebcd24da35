// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Enters a segment: extends the certificates of the kinetic AABB tree over it.
#include <math.h>
#include <string.h>

#include "bound/kinetic/aabb_parts.h"

#define NODES_PER_TASK ABUT__NODES_PER_TASK
#define AHEAD 4u  // nodes to prefetch

// Writes the lines of the vertices that a block holds into lanes, at one end.
static void write_vertices(const abut__source* source, const uint32_t* held, uint32_t k,
                           abut__boxes8* lanes) {
    if (!source->is_double && source->stride == 3 * sizeof(float)) {
        const float* xyz = (const float*)(const void*)source->data;
        for (uint32_t d = 0; d < 3; ++d) {
            lanes->lo[d][k] = xyz[3 * (size_t)held[d] + d];
            lanes->hi[d][k] = xyz[3 * (size_t)held[3 + d] + d];
        }
        return;
    }
    for (uint32_t d = 0; d < 3; ++d) {
        lanes->lo[d][k] = abut__coordinate(source, held[d], d);
        lanes->hi[d][k] = abut__coordinate(source, held[3 + d], d);
    }
}

// Writes the lines that a child holds into the lanes of a node, at one end.
static void write_held(const abut__kinetic_run* r, uint32_t n, uint32_t k, int end) {
    abut__kinetic* kinetic = r->kinetic;
    const abut__ref child = r->tree->nodes[n].child[k];
    abut__boxes8* lanes = &kinetic->ends[end][n];
    if (abut__is_block(child)) {
        write_vertices(&r->segment->source[end], kinetic->held[abut__block_of(child)], k, lanes);
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
static void renew_children(const abut__kinetic_run* r, uint32_t n, const unsteady* sides,
                           abut__side_scan* scan) {
    abut__kinetic* kinetic = r->kinetic;
    for (uint32_t left = sides->children; left != 0; left &= left - 1) {
        const uint32_t k = (uint32_t)__builtin_ctz(left);
        const abut__ref child = r->tree->nodes[n].child[k];
        const uint32_t first = sides->at[0][k];
        const uint32_t other = first | sides->at[1][k];
        if (abut__is_block(child)) {
            kinetic->renewed[abut__block_of(child)] = (uint8_t)other;
            abut__kinetic_enter_block(r, scan, abut__block_of(child), first, other);
        } else {
            abut__extremes found;
            kinetic->renewed[kinetic->block_count + child] = (uint8_t)other;
            abut__kinetic_node_extremes(kinetic, r->tree, child, other, &found);
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
    bool stretched;  // there are stretches for the positions
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

// Prefetches the vertices that write_held() will read, or all of the block if that is simpler.
static void prefetch_block(const entry* e, uint32_t b) {
    const abut__source source = e->r.segment->source[1];
    const float* xyz = (const float*)(const void*)source.data;
    const abut__stretch* list;
    const uint32_t stretches = abut__kinetic_stretches(&e->r, b, 1, &list);
    for (uint32_t i = 0; i < stretches; ++i) {
        __builtin_prefetch(xyz + abut__stretch_first(list[i]));
        __builtin_prefetch(xyz + abut__stretch_first(list[i]) + 14);
    }
    const uint32_t* held = e->r.kinetic->held[b];
    for (uint32_t side = 0; side < ABUT__SIDES && stretches == 0; ++side) {
        __builtin_prefetch(source.data + held[side] * source.stride);
    }
}

static void prefetch_held(const entry* e, uint32_t n) {
    const abut__node* node = &e->r.tree->nodes[n];
    for (uint32_t k = 0; k < node->count; ++k) {
        if (abut__is_block(node->child[k])) {
            prefetch_block(e, abut__block_of(node->child[k]));
        }
    }
}

static void hold_blocks(const entry* e, uint32_t n, unsteady* sides) {
    const abut__node* node = &e->r.tree->nodes[n];
    const uint32_t blocks = blocks_below(node);
    for (int end = 0; end < 2; ++end) {
        for (uint32_t k = (e->known >> end & 1) != 0 ? 0 : blocks; k != 0; k &= k - 1) {
            write_held(&e->r, n, (uint32_t)__builtin_ctz(k), end);
        }
    }
    find_unsteady(&e->r, n, blocks, sides);
}

// With stretches, vertices are prefetched before they are compared, and what is unsteady is computed
// at once. Without, the vertices of unsteady blocks are prefetched and computed later.
static void enter_blocks(void* argument, uint32_t index, uint32_t worker) {
    const entry* e = argument;
    const uint32_t first = index * NODES_PER_TASK;
    const uint32_t left = e->r.tree->node_count - first;
    const uint32_t count = left < NODES_PER_TASK ? left : NODES_PER_TASK;
    unsteady sides[NODES_PER_TASK];
    abut__side_scan scan;
    (void)worker;
    scan.task = index;
    scan.side_count = scan.line_count = 0;
    for (uint32_t i = 0; i < AHEAD && i < count && e->far; ++i) {
        prefetch_held(e, first + i);
    }
    for (uint32_t i = 0; i < count; ++i) {
        if (e->far && i + AHEAD < count) {
            prefetch_held(e, first + i + AHEAD);
        }
        hold_blocks(e, first + i, &sides[i]);
        if (e->stretched) {
            renew_children(&e->r, first + i, &sides[i], &scan);
        } else if (e->far) {
            prefetch_scans(e, first + i, sides[i].children);
        }
    }
    for (uint32_t i = 0; i < count && !e->stretched; ++i) {
        renew_children(&e->r, first + i, &sides[i], &scan);
    }
    abut__kinetic_end_scan(&e->r, &scan);
}

static void enter_by_places(void* argument, uint32_t index, uint32_t worker) {
    const entry* e = argument;
    (void)worker;
    abut__kinetic_enter_places(&e->r, index);
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
    renew_children(r, n, &sides, NULL);
}

static void swap_lines(abut__kinetic* kinetic) {
    abut__boxes8* lines = kinetic->ends[0];
    kinetic->ends[0] = kinetic->ends[1];
    kinetic->ends[1] = lines;
}

// Schedules what got events. Their order must not depend on threads.
static void schedule_renewed(abut__kinetic* kinetic, float part) {
    const bool lonely = atomic_load(&kinetic->lonely);
    abut__side_events_sort(&kinetic->side_events, part);
    abut__calendar_clear(&kinetic->calendar, part);
    for (uint32_t m = 0; m < (uint32_t)abut__kinetic_member_count(kinetic); ++m) {
        if (m == kinetic->block_count || kinetic->renewed[m] == 0) {
            continue;
        }
        kinetic->counts.renewals += abut__kinetic_count_sides(kinetic->renewed[m]);
        if (m > kinetic->block_count || (lonely && kinetic->held[m][ABUT__HELD_ALONE] != 0)) {
            abut__kinetic_schedule(kinetic, m);
        }
    }
}

// Lets all blocks hold the extreme vertices at the end of the segment: the first guess for the next.
static void finish_segment(abut__kinetic* kinetic) {
    abut__side_events* side_events = &kinetic->side_events;
    for (uint32_t bucket = side_events->present; bucket < ABUT__CALENDAR_BUCKETS; ++bucket) {
        for (uint32_t i = side_events->begin[bucket]; i < side_events->end[bucket]; ++i) {
            const abut__side_event* event = &side_events->events[i];
            if (kinetic->held[event->block][ABUT__HELD_ALONE] == 0) {
                abut__kinetic_put_event(kinetic, event);
            }
        }
    }
    abut__side_events_clear(side_events);
}

// No block is alone in a new segment.
static void join_blocks(abut__kinetic* kinetic) {
    const bool lonely = atomic_load(&kinetic->lonely);
    for (uint32_t b = 0; b < kinetic->block_count && lonely; ++b) {
        kinetic->held[b][ABUT__HELD_ALONE] = 0;
    }
    atomic_store(&kinetic->lonely, false);
}

// Enters the blocks of a segment by tasks.
static void enter_all_blocks(const abut__kinetic_run* r, uint32_t known) {
    abut__kinetic* kinetic = r->kinetic;
    const bool placed = r->segment->places[0] != NULL && r->segment->places[1] != NULL;
    entry e = {.r = *r, .known = known};
    const abut__stretch* list;
    e.stretched = abut__kinetic_stretches(r, 0, 1, &list) > 0;
    e.far = r->tree->block_count > ABUT__KINETIC_NEAR || e.known == 0;
    for (int end = 0; end < 2; ++end) {
        kinetic->places[end] = placed ? r->segment->places[end] : NULL;
    }
    kinetic->stretches = r->segment->stretches;
    abut__run_tasks(kinetic->context, kinetic->side_events.task_count,
                    placed ? enter_by_places : enter_blocks, &e);
}

// Enters a segment: blocks first, those of many nodes per task, then nodes, children before
// parents. Lines at a keyframe that both segments share are known. What a side holds from the last
// segment is only a guess, which the boxes at both ends prove or refute. So any segment may follow
// any other, and errors do not add up.
void abut__kinetic_enter(const abut__kinetic_run* r, float part) {
    abut__kinetic* kinetic = r->kinetic;
    const abut__tree* tree = r->tree;
    bool swapped;
    finish_segment(kinetic);
    join_blocks(kinetic);
    const uint32_t known = abut__key_points_take(&kinetic->points, r->segment->key, &swapped);
    if (swapped) {
        swap_lines(kinetic);
    }
    kinetic->part = part;
    memset(kinetic->renewed, 0, abut__kinetic_member_count(kinetic));
    float* next = kinetic->next[kinetic->block_count];
    for (size_t i = 0; i < (size_t)ABUT__SIDES * kinetic->node_count; ++i) {
        next[i] = INFINITY;
    }
    enter_all_blocks(r, known);
    for (uint32_t n = tree->node_count; n-- > 0;) {
        enter_nodes(r, n);
    }
    schedule_renewed(kinetic, part);
    ++kinetic->serial;
    ++kinetic->counts.starts;
}
