// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// What is said about a kinetic tree: the vertices of its sides, and the four measures by which kinetic
// structures are judged.
#include "bound/kinetic/aabb.h"

uint32_t abut__kinetic_vertex(const abut__kinetic* kinetic, const abut__tree* tree, abut__ref ref,
                              uint32_t side) {
    while (!abut__is_block(ref)) {
        ref = tree->nodes[ref].child[kinetic->which[kinetic->block_count + ref][side]];
    }
    const uint32_t block = abut__block_of(ref);
    return tree->blocks[block]->vertex[kinetic->which[block][side]];
}

static double per(uint64_t count, uint64_t of) {
    return of > 0 ? (double)count / (double)of : 0;
}

bool abut__kinetic_measure(const abut__kinetic* kinetic, const abut__tree* tree,
                           uint32_t vertex_count, abut__kinetic_measures* out) {
    uint32_t* shares = abut__alloc_zero(kinetic->context, vertex_count, sizeof *shares);
    if (shares == NULL) {
        return false;
    }
    const abut__kinetic_counts* counts = &kinetic->counts;
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
    *out = (abut__kinetic_measures){
        .queue_per_node = per(kinetic->calendar.waiting, members),
        .certificates_per_node = per(certificates, members),
        .most_per_vertex = most,
        .events_per_vertex = per(counts->events, vertex_count),
        .updates_per_event = per(counts->updates, counts->events),
        .outer_per_inner = per(counts->outer, counts->events),
    };
    return true;
}
