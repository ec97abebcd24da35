// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Leaf actions within one body. Nearly all overlapping boxes of a surface belong to neighbours,
// triangles that share a vertex. These never become candidates: a bit matrix excludes them inside
// each block, bit masks exclude them between linked blocks, and other blocks share at most hubs. A
// query that wants neighbours lets them become candidates, and decide.c distinguishes them.
#include "query/query.h"

void abut__self_block(const abut__run* run, abut__worker* worker, uint32_t job, uint32_t block) {
    abut__candidates_inside(run, worker, job, block);
}

static bool blocks_certified(const abut__run* run, abut__worker* worker, uint32_t job, uint32_t a,
                             uint32_t b) {
    const abut__view* view = &run->jobs[job].view[0];
    const bool apart = view->proves && abut__view_blocks_apart(view, a, b);
    worker->reader.counters.blocks_certified += apart;
    return apart;
}

// for pairs of blocks that no descent has tested: links, and entries of fronts
static bool hubs_skip(const abut__run* run, uint32_t job, uint32_t a, uint32_t b) {
    const abut__job* j = &run->jobs[job];
    return abut__may_skip(j) && abut__hubs_skip(run, j, a | ABUT__REF_BLOCK, b | ABUT__REF_BLOCK);
}

// For blocks that share no class, or only hubs, which links omit. Linked blocks come with the links
// of a node above; entries of them exist only in fronts.
void abut__self_blocks(const abut__run* run, abut__worker* worker, uint32_t job, uint32_t a,
                       uint32_t b) {
    if (run->keep &&
        (abut__blocks_linked(run->jobs[job].links, a, b) || hubs_skip(run, job, a, b))) {
        return;
    }
    if (!blocks_certified(run, worker, job, a, b)) {
        abut__candidates_between(run, worker, job, a, b, NULL);
    }
}

// returns which of at most sixteen links are proven apart, a bit each
static uint32_t links_apart(const abut__run* run, abut__worker* worker, uint32_t job,
                            uint32_t first, uint32_t count) {
    const abut__view* view = &run->jobs[job].view[0];
    const uint32_t apart = view->proves ? abut__view_links_apart(view, first, count) : 0;
    worker->reader.counters.blocks_certified += (uint64_t)__builtin_popcount(apart);
    return apart;
}

void abut__self_links(const abut__run* run, abut__worker* worker, uint32_t job, uint32_t node) {
    const abut__links* links = run->jobs[job].links;
    const uint32_t end = links->node_first[node + 1];
    for (uint32_t first = links->node_first[node]; first < end;) {
        const uint32_t next = (first / ABUT__GROUP + 1) * ABUT__GROUP;
        const uint32_t count = (next < end ? next : end) - first;
        const uint32_t apart = links_apart(run, worker, job, first, count);
        worker->reader.counters.boxes_tested += count;
        worker->spent += count;
        for (uint32_t left = ((1u << count) - 1) & ~apart; left != 0; left &= left - 1) {
            const abut__link* link = &links->list[first + (uint32_t)__builtin_ctz(left)];
            if (hubs_skip(run, job, link->a, link->b)) {
                continue;
            }
            abut__candidates_between(run, worker, job, link->a, link->b,
                                     run->def->include_neighbours ? NULL : link);
        }
        first += count;
    }
}
