// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Queries of kinetic trees: the vertices of sides, and the four measures of kinetic structures.
#include "bound/kinetic/aabb_parts.h"
#include "bound/kinetic/planes.h"

uint32_t abut__kinetic_vertex(const abut__kinetic* kinetic, const abut__tree* tree, abut__ref ref,
                              uint32_t side) {
    while (!abut__is_block(ref)) {
        ref = tree->nodes[ref].child[kinetic->held[kinetic->block_count + ref][side]];
    }
    const uint32_t block = abut__block_of(ref);
    return abut__kinetic_block_vertex(kinetic, tree->blocks[block], block, side);
}

static double per(uint64_t count, uint64_t of) {
    return of > 0 ? (double)count / (double)of : 0;
}

static abut__kinetic_measures measures_of(const abut__kinetic_counts* counts, uint32_t vertices) {
    return (abut__kinetic_measures){
        .events_per_vertex = per(counts->events, vertices),
        .updates_per_event = per(counts->updates, counts->events),
        .outer_per_inner = per(counts->outer, counts->events),
    };
}

// Sides with events, a bit each, per member.
static void find_certificates(const abut__kinetic* kinetic, uint8_t* sides) {
    const abut__side_events* side_events = &kinetic->side_events;
    for (uint32_t m = 0; m < kinetic->block_count + kinetic->node_count; ++m) {
        const bool has = m < kinetic->block_count ? kinetic->held[m][ABUT__HELD_ALONE] != 0
                                                  : m > kinetic->block_count;  // not the root
        for (uint32_t side = 0; side < ABUT__SIDES && has; ++side) {
            sides[m] |= (uint8_t)((kinetic->next[m][side] < 1) << side);
        }
    }
    for (uint32_t bucket = side_events->present; bucket < ABUT__CALENDAR_BUCKETS; ++bucket) {
        for (uint32_t i = side_events->begin[bucket]; i < side_events->end[bucket]; ++i) {
            const abut__side_event* event = &side_events->events[i];
            if (kinetic->held[event->block][ABUT__HELD_ALONE] == 0) {
                sides[event->block] |= (uint8_t)(1u << event->place / 8 % 8);
            }
        }
    }
}

// Counts sides with events, and the most of them that have the same extreme vertex.
static uint64_t count_certificates(const abut__kinetic* kinetic, const abut__tree* tree,
                                   const uint8_t* sides, uint32_t* shares, uint32_t* most) {
    uint64_t certificates = 0;
    for (uint32_t m = 0; m < kinetic->block_count + kinetic->node_count; ++m) {
        const abut__ref ref = m < kinetic->block_count ? m | ABUT__REF_BLOCK
                                                       : m - kinetic->block_count;
        for (uint32_t left = sides[m]; left != 0; left &= left - 1, ++certificates) {
            const uint32_t side = (uint32_t)__builtin_ctz(left);
            const uint32_t share = ++shares[abut__kinetic_vertex(kinetic, tree, ref, side)];
            *most = share > *most ? share : *most;
        }
    }
    return certificates;
}

bool abut__kinetic_measure(const abut__kinetic* kinetic, const abut__tree* tree,
                           uint32_t vertex_count, abut__kinetic_measures* out) {
    const uint32_t members = kinetic->block_count + kinetic->node_count;
    uint32_t* shares = abut__alloc_zero(kinetic->context, vertex_count, sizeof *shares);
    uint8_t* sides = abut__alloc_zero(kinetic->context, members, sizeof *sides);
    const bool made = shares != NULL && sides != NULL;
    if (made) {
        *out = measures_of(&kinetic->counts, vertex_count);
        find_certificates(kinetic, sides);
        const uint64_t count = count_certificates(kinetic, tree, sides, shares,
                                                  &out->most_per_vertex);
        out->certificates_per_node = per(count, members);
        out->queue_per_node = per(
            (uint64_t)kinetic->calendar.waiting + kinetic->side_events.waiting, members);
    }
    abut__free(kinetic->context, shares, vertex_count, sizeof *shares);
    abut__free(kinetic->context, sides, members, sizeof *sides);
    return made;
}

bool abut__boxtree_measure(const abut__boxtree* boxtree, uint32_t vertex_count,
                           abut__kinetic_measures* out) {
    uint32_t* shares = abut__alloc_zero(boxtree->context, vertex_count, sizeof *shares);
    if (shares == NULL) {
        return false;
    }
    *out = measures_of(&boxtree->counts, vertex_count);
    for (uint32_t k = 0; k < boxtree->heap.waiting; ++k) {
        const uint32_t plane = abut__plane_turn(boxtree, boxtree->heap.order[k]);
        const uint32_t share = ++shares[abut__plane_of(boxtree, plane)->from];
        out->most_per_vertex = share > out->most_per_vertex ? share : out->most_per_vertex;
    }
    abut__free(boxtree->context, shares, vertex_count, sizeof *shares);
    out->queue_per_node = per(boxtree->heap.waiting, boxtree->split_count);
    out->certificates_per_node = out->queue_per_node;  // one per plane
    return true;
}
