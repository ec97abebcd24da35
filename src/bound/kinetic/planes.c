// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Planes of the kinetic BoxTree: see planes.h.
#include "bound/kinetic/planes.h"

#include <math.h>

#include "bound/kinetic/side_lines.h"

// ---- the vertex that a plane holds at the beginning of a segment

static uint32_t side_of(const abut__boxtree* boxtree, uint32_t plane) {
    return boxtree->splits[plane / 2].axis + (plane % 2 == 0 ? 3 : 0);
}

static abut__line line_of(const abut__boxtree* boxtree, uint32_t vertex, uint32_t side) {
    const double sign = abut__side_sign(side);
    const abut__source* source = boxtree->segment.source;
    return (abut__line){sign * (double)abut__coordinate(&source[0], vertex, side % 3),
                        sign * (double)abut__coordinate(&source[1], vertex, side % 3)};
}

// Returns the end of some children's boxes, and the first child that has it.
static double end_of(const abut__boxes8* boxes, uint32_t side, uint32_t lanes, uint32_t* child) {
    const float* at = abut__kinetic_lanes(boxes, side);
    const float sign = side < 3 ? -1 : 1;
    float most = -INFINITY;
    for (uint32_t left = lanes; left != 0; left &= left - 1) {
        const uint32_t k = (uint32_t)__builtin_ctz(left);
        *child = sign * at[k] > most ? k : *child;
        most = sign * at[k] > most ? sign * at[k] : most;
    }
    return (double)most;
}

// Returns the extreme vertex of some children at the beginning: descends where the box ends there.
static uint32_t seek_first(const abut__boxtree* boxtree, uint32_t node, uint32_t lanes,
                           uint32_t side) {
    const abut__tree* tree = boxtree->tree;
    uint32_t k = 0;
    (void)end_of(&boxtree->segment.boxes[0][node], side, lanes, &k);
    abut__ref ref = tree->nodes[node].child[k];
    while (!abut__is_block(ref)) {
        k = 0;
        (void)end_of(&boxtree->segment.boxes[0][ref], side, (1u << tree->nodes[ref].count) - 1, &k);
        ref = tree->nodes[ref].child[k];
    }
    const abut__block* block = tree->blocks[abut__block_of(ref)];
    const float sign = side < 3 ? -1 : 1;
    const abut__source* source = &boxtree->segment.source[0];
    uint32_t found = block->vertex[0];
    float most = sign * abut__coordinate(source, found, side % 3);
    for (uint32_t v = 1; v < block->vertex_count; ++v) {
        const float x = sign * abut__coordinate(source, block->vertex[v], side % 3);
        found = x > most ? block->vertex[v] : found;
        most = x > most ? x : most;
    }
    return found;
}

// ---- the next event

typedef struct search {
    const abut__boxtree* boxtree;
    uint32_t side;
    double sign;
    abut__line held;
    double limit;  // rivals end above it
    double first;  // the time of the first event so far,
    double slope;  // and the slope of its line
    uint32_t vertex;
} search;

// Returns when a line overtakes the held one. It ends above it.
static double crossing(const search* s, abut__line line) {
    const double gap = s->held.before - line.before;
    return gap > 0 ? gap / (gap + (line.after - s->held.after)) : 0;
}

static void search_block(search* s, const abut__block* block) {
    const abut__source* source = s->boxtree->segment.source;
    const uint32_t axis = s->side % 3;
    for (uint32_t v = 0; v < block->vertex_count; ++v) {
        const double after = s->sign * (double)abut__coordinate(&source[1], block->vertex[v], axis);
        if (after > s->limit) {
            const double before = s->sign *
                                  (double)abut__coordinate(&source[0], block->vertex[v], axis);
            const double time = crossing(s, (abut__line){before, after});
            if (time < s->first || (time == s->first && after - before > s->slope)) {
                s->first = time;
                s->slope = after - before;
                s->vertex = block->vertex[v];
            }
        }
    }
}

// Computes when the boxes of some children overtake; returns those that do.
static uint32_t find_ahead(const search* s, uint32_t node, uint32_t lanes,
                           double times[ABUT__FAN]) {
    const float* before = abut__kinetic_lanes(&s->boxtree->segment.boxes[0][node], s->side);
    const float* after = abut__kinetic_lanes(&s->boxtree->segment.boxes[1][node], s->side);
    uint32_t ahead = 0;
    for (uint32_t left = lanes; left != 0; left &= left - 1) {
        const uint32_t k = (uint32_t)__builtin_ctz(left);
        const abut__line line = {s->sign * (double)before[k], s->sign * (double)after[k]};
        if (line.after > s->limit) {
            times[k] = crossing(s, line);
            ahead |= 1u << k;
        }
    }
    return ahead;
}

// Recurses as deep as the tree.
static void search_children(search* s, uint32_t node, uint32_t lanes) {
    const abut__tree* tree = s->boxtree->tree;
    double times[ABUT__FAN];
    uint32_t ahead = find_ahead(s, node, lanes, times);
    while (ahead != 0) {
        uint32_t k = (uint32_t)__builtin_ctz(ahead);
        for (uint32_t left = ahead & (ahead - 1); left != 0; left &= left - 1) {
            const uint32_t other = (uint32_t)__builtin_ctz(left);
            k = times[other] < times[k] ? other : k;
        }
        if (times[k] > s->first) {
            return;
        }
        ahead &= ~(1u << k);
        const abut__ref child = tree->nodes[node].child[k];
        if (abut__is_block(child)) {
            search_block(s, tree->blocks[abut__block_of(child)]);
        } else {
            search_children(s, child, (1u << tree->nodes[child].count) - 1);
        }
    }
}

// Finds the vertex that overtakes the held one, and schedules it.
static void predict(abut__boxtree* boxtree, uint32_t plane) {
    const abut__boxtree_split* split = &boxtree->splits[plane / 2];
    abut__plane* of = abut__plane_of(boxtree, plane);
    const uint32_t side = side_of(boxtree, plane);
    search s = {.boxtree = boxtree,
                .side = side,
                .sign = abut__side_sign(side),
                .held = of->line,
                .limit = of->line.after + boxtree->tolerance,
                .first = INFINITY,
                .vertex = ABUT__NONE};
    search_children(&s, split->node, split->lanes[plane % 2]);
    of->rival = s.vertex;
    abut__heap_set(&boxtree->heap, abut__plane_turn(boxtree, plane), s.first);
}

// ---- certificates

static void replace(abut__boxtree* boxtree, uint32_t plane, uint32_t vertex) {
    *abut__plane_of(boxtree, plane) = (abut__plane){
        .line = line_of(boxtree, vertex, side_of(boxtree, plane)), .from = vertex};
    predict(boxtree, plane);
}

void abut__plane_certify(abut__boxtree* boxtree, uint32_t plane) {
    const abut__boxtree_split* split = &boxtree->splits[plane / 2];
    const uint32_t lanes = split->lanes[plane % 2];
    const uint32_t side = side_of(boxtree, plane);
    abut__plane* of = abut__plane_of(boxtree, plane);
    const uint32_t turn = abut__plane_turn(boxtree, plane);
    uint32_t child = 0;
    of->line = of->from != ABUT__NONE ? line_of(boxtree, of->from, side)
                                      : (abut__line){-INFINITY, -INFINITY};
    const double first = end_of(&boxtree->segment.boxes[0][split->node], side, lanes, &child);
    if (first - of->line.before > boxtree->tolerance) {
        of->from = seek_first(boxtree, split->node, lanes, side);
        of->line = line_of(boxtree, of->from, side);
    }
    const double last = end_of(&boxtree->segment.boxes[1][split->node], side, lanes, &child);
    if (last - of->line.after <= boxtree->tolerance) {
        abut__heap_set(&boxtree->heap, turn, INFINITY);
        return;
    }
    predict(boxtree, plane);
    ++boxtree->counts.renewals;
    while (boxtree->heap.time[turn] <= boxtree->part) {
        replace(boxtree, plane, of->rival);
    }
}

// Returns the next plane above that bounds the same side of the same vertices, or ABUT__NONE.
static uint32_t plane_above(const abut__boxtree* boxtree, uint32_t plane) {
    const uint32_t axis = boxtree->splits[plane / 2].axis;
    uint32_t below = plane / 2;
    for (uint32_t s = boxtree->splits[below].parent; s != ABUT__NONE;
         s = boxtree->splits[s].parent) {
        if (boxtree->splits[s].axis == axis && boxtree->splits[s].child[plane % 2] == below) {
            return 2 * s + plane % 2;
        }
        below = s;
    }
    return ABUT__NONE;
}

void abut__plane_handle(abut__boxtree* boxtree, uint32_t plane) {
    const uint32_t before = abut__plane_of(boxtree, plane)->from;
    const uint32_t vertex = abut__plane_of(boxtree, plane)->rival;
    ++boxtree->counts.events;
    ++boxtree->counts.outer;
    while (plane != ABUT__NONE && abut__plane_of(boxtree, plane)->from == before) {
        replace(boxtree, plane, vertex);
        ++boxtree->counts.updates;
        ++boxtree->counts.visits;
        plane = plane_above(boxtree, plane);
    }
}
