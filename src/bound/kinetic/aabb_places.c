// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Enters a segment whose keyframes know where the extreme vertices of blocks are. Two words per
// block tell which sides have the same extreme vertex at both ends. Those take their lines from the
// boxes, and no vertex is read. In large meshes much of the time goes into reading vertices that
// have left the caches.
#include <math.h>
#include <string.h>

#include "bound/kinetic/aabb_parts.h"

#define AHEAD 8u  // blocks to prefetch

// A block with sides that get a vertex.
typedef struct turned {
    uint32_t block;
    uint32_t node;
    uint8_t slot;
    uint8_t sides;  // those with different extreme vertices at the ends
} turned;

typedef struct turned_list {
    uint32_t count;
    turned of[ABUT__NODES_PER_TASK * ABUT__FAN];
} turned_list;

// Gives all sides of the blocks below a node the lines of its boxes, and lists the blocks where that
// is not enough. Lanes of nodes are written later.
static void take_boxes(const abut__kinetic_run* r, uint32_t n, turned_list* list) {
    abut__kinetic* kinetic = r->kinetic;
    const abut__kinetic_segment* segment = r->segment;
    const abut__node* node = &r->tree->nodes[n];
    kinetic->ends[0][n] = segment->boxes[0][n];
    kinetic->ends[1][n] = segment->boxes[1][n];
    for (uint32_t k = 0; k < node->count; ++k) {
        if (!abut__is_block(node->child[k])) {
            continue;
        }
        const uint32_t b = abut__block_of(node->child[k]);
        const uint32_t sides = abut__places_differ(&segment->places[0][b], &segment->places[1][b]);
        if (sides != 0) {
            __builtin_prefetch(segment->stretches->list + segment->stretches->first[b]);
            __builtin_prefetch(kinetic->held[b], 1);
            list->of[list->count++] = (turned){b, n, (uint8_t)k, (uint8_t)sides};
        }
    }
}

// Prefetches the vertices of a block at the end of the segment.
static void prefetch_turned(const abut__kinetic_run* r, const turned* t) {
    const float* xyz = (const float*)(const void*)r->segment->source[1].data;
    const abut__stretch* list;
    const uint32_t stretches = abut__kinetic_stretches(r, t->block, 1, &list);
    for (uint32_t i = 0; i < stretches; ++i) {
        __builtin_prefetch(xyz + abut__stretch_first(list[i]));
        __builtin_prefetch(xyz + abut__stretch_first(list[i]) + 14);
    }
}

// Whether a vertex is extreme at an end of the segment. If so, a side gets its line there.
static bool try_end(const abut__kinetic_run* r, const turned* t, uint32_t side, uint32_t vertex,
                    int end) {
    const float* xyz = (const float*)(const void*)r->segment->source[end].data;
    const float box = abut__kinetic_lanes(&r->segment->boxes[end][t->node], side)[t->slot];
    const float x = xyz[3 * (size_t)vertex + side % 3];
    if (!(fabsf(x - box) <= r->kinetic->tolerance)) {
        return false;
    }
    *abut__kinetic_lane(&r->kinetic->ends[end][t->node], side, t->slot) = x;
    return true;
}

// Lets a side hold the vertex whose place is that at the beginning, or the one that it has from the
// last segment, if one of them is extreme at both ends: vertices may be equal. Otherwise it holds the
// first of these. Returns whether others overtake it.
static bool hold_side(const abut__kinetic_run* r, const turned* t, uint32_t side) {
    const abut__kinetic_segment* segment = r->segment;
    const float* xyz = (const float*)(const void*)segment->source[1].data;
    uint32_t* held = &r->kinetic->held[t->block][side];
    const uint32_t vertex = abut__place_vertex(segment->stretches, r->tree->blocks[t->block],
                                               t->block, segment->places[0][t->block].of[side]);
    const bool extreme = try_end(r, t, side, vertex, 1);
    if (!extreme && try_end(r, t, side, *held, 1) && try_end(r, t, side, *held, 0)) {
        return false;
    }
    *held = vertex;
    *abut__kinetic_lane(&r->kinetic->ends[1][t->node], side,
                        t->slot) = xyz[3 * (size_t)vertex + side % 3];
    return !extreme;
}

// All sides have their vertices before the first is scanned, since that may set the block apart.
static void turn_block(const abut__kinetic_run* r, const turned* t, abut__side_scan* scan) {
    uint32_t overtaken = 0;
    for (uint32_t left = t->sides; left != 0; left &= left - 1) {
        const uint32_t side = (uint32_t)__builtin_ctz(left);
        overtaken |= (uint32_t)hold_side(r, t, side) << side;
    }
    r->kinetic->renewed[t->block] = (uint8_t)overtaken;
    for (uint32_t left = overtaken; left != 0; left &= left - 1) {
        abut__kinetic_scan_side(r, scan, t->block, (uint32_t)__builtin_ctz(left));
    }
}

void abut__kinetic_enter_places(const abut__kinetic_run* r, uint32_t task) {
    const uint32_t first = task * ABUT__NODES_PER_TASK;
    const uint32_t left = r->tree->node_count - first;
    const uint32_t count = left < ABUT__NODES_PER_TASK ? left : ABUT__NODES_PER_TASK;
    turned_list list;
    abut__side_scan scan;
    scan.task = task;
    scan.side_count = scan.line_count = list.count = 0;
    for (uint32_t i = 0; i < count; ++i) {
        take_boxes(r, first + i, &list);
    }
    for (uint32_t i = 0; i < AHEAD && i < list.count; ++i) {
        prefetch_turned(r, &list.of[i]);
    }
    for (uint32_t i = 0; i < list.count; ++i) {
        if (i + AHEAD < list.count) {
            prefetch_turned(r, &list.of[i + AHEAD]);
        }
        turn_block(r, &list.of[i], &scan);
    }
    abut__kinetic_end_scan(r, &scan);
}
