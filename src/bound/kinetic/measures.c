// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Queries of kinetic trees: the vertices of sides, and the four measures of kinetic structures.
#include "bound/kinetic/aabb.h"
#include "bound/kinetic/planes.h"

uint32_t abut__kinetic_vertex(const abut__kinetic* kinetic, const abut__tree* tree, abut__ref ref,
                              uint32_t side) {
    while (!abut__is_block(ref)) {
        ref = tree->nodes[ref].child[kinetic->held[kinetic->block_count + ref][side]];
    }
    return kinetic->held[abut__block_of(ref)][side];
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

bool abut__kinetic_measure(const abut__kinetic* kinetic, const abut__tree* tree,
                           uint32_t vertex_count, abut__kinetic_measures* out) {
    uint32_t* shares = abut__alloc_zero(kinetic->context, vertex_count, sizeof *shares);
    if (shares == NULL) {
        return false;
    }
    const uint32_t members = kinetic->block_count + kinetic->node_count;
    uint64_t certificates = 0;
    uint32_t most = 0;
    for (uint32_t m = 0; m < members; ++m) {
        if (m == kinetic->block_count) {
            continue;  // the root
        }
        const abut__ref ref = m < kinetic->block_count ? m | ABUT__REF_BLOCK
                                                       : m - kinetic->block_count;
        for (uint32_t side = 0; side < ABUT__SIDES; ++side) {
            if (kinetic->next[m][side] < 1) {
                const uint32_t share = ++shares[abut__kinetic_vertex(kinetic, tree, ref, side)];
                most = share > most ? share : most;
                ++certificates;
            }
        }
    }
    abut__free(kinetic->context, shares, vertex_count, sizeof *shares);
    *out = measures_of(&kinetic->counts, vertex_count);
    out->queue_per_node = per(kinetic->calendar.waiting, members);
    out->certificates_per_node = per(certificates, members);
    out->most_per_vertex = most;
    return true;
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
