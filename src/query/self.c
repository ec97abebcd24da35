// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Self: leaf actions within one body. Nearly all overlapping boxes of a surface belong to
// triangles that share a vertex, so those are never made candidates: a matrix of bits inside each
// block, lists of bits between linked blocks, and nothing to look up between all others. A query
// that wants neighbours, too, leaves them in and tells them apart when they are decided.
#include "query/query.h"

void abut__self_block(const abut__run* run, abut__worker* worker, uint32_t job, uint32_t block) {
    abut__candidates_inside(run, worker, job, block);
}

static bool blocks_apart(const abut__run* run, abut__worker* worker, uint32_t job, uint32_t a,
                         uint32_t b) {
    const abut__body* body = run->jobs[job].a;
    const bool apart = abut__proofs_help(run->def) &&
                       body->shape->ops->blocks_apart(body->shape, abut__body_state(body, 1), a, b);
    worker->counters.blocks_apart += apart;
    return apart;
}

// blocks that share no class, or share only hubs, which links leave out
void abut__self_blocks(const abut__run* run, abut__worker* worker, uint32_t job, uint32_t a,
                       uint32_t b) {
    if (!abut__blocks_linked(run->jobs[job].links, a, b) && !blocks_apart(run, worker, job, a, b)) {
        abut__candidates_between(run, worker, job, a, b, NULL);
    }
    // linked ones come with the links of a node above
}

void abut__self_links(const abut__run* run, abut__worker* worker, uint32_t job, uint32_t node) {
    const abut__links* links = run->jobs[job].links;
    for (uint32_t i = links->node_first[node]; i < links->node_first[node + 1]; ++i) {
        const abut__link* link = &links->list[i];
        ++worker->counters.boxes_tested;
        ++worker->spent;
        if (!blocks_apart(run, worker, job, link->a, link->b)) {
            abut__candidates_between(run, worker, job, link->a, link->b,
                                     run->def->neighbours ? NULL : link);
        }
    }
}
