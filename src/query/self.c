// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Self: leaf actions within one body. Nearly all overlapping boxes of a surface belong to
// triangles that share a vertex, so those are never made candidates: a matrix of bits inside each
// block, lists of bits between linked blocks, and nothing to look up between all others.
#include "query/query.h"

// Rows with neighbours left out and counted, or left in when the query wants neighbours.
static uint64_t without(const abut__run* run, abut__worker* worker, uint64_t row,
                        uint64_t adjacent) {
    if (run->def->neighbours) {
        return row;
    }
    worker->counters.pairs_adjacent += (uint64_t)__builtin_popcountll(row & adjacent);
    return row & ~adjacent;
}

void abut__self_block(const abut__run* run, abut__worker* worker, uint32_t job, uint32_t block) {
    const abut__job* j = &run->jobs[job];
    const abut__block* fixed = j->a->shape->tree.blocks[block];
    uint64_t rows[ABUT__BLOCK_TRIANGLES];
    if (j->unbounded) {
        for (uint32_t i = 0; i < fixed->triangle_count; ++i) {
            rows[i] = fixed->valid;
        }
    } else {
        const abut__block_boxes* boxes = abut__pool_get(run->scene, j->a, block, &worker->room[0],
                                                        &worker->counters);
        run->kernels->overlap_blocks(boxes, fixed->valid, boxes, fixed->valid, &j->shift, rows);
    }
    for (uint32_t i = 0; i < fixed->triangle_count; ++i) {
        const uint64_t after = rows[i] & ~((UINT64_C(2) << i) - 1);
        const uint64_t row = without(run, worker, after, ~fixed->later[i]);
        abut__candidates_add_row(run, worker, job, block, i, block, row);
    }
}

// blocks that share no class, or share only hubs, which links leave out
void abut__self_blocks(const abut__run* run, abut__worker* worker, uint32_t job, uint32_t a,
                       uint32_t b) {
    const abut__job* j = &run->jobs[job];
    const abut__tree* tree = &j->a->shape->tree;
    if (abut__blocks_linked(tree, a, b)) {
        return;  // comes with the links
    }
    uint64_t rows[ABUT__BLOCK_TRIANGLES];
    uint64_t lanes = abut__overlapping_lanes(run, worker, j, a, b, rows);
    for (; lanes != 0; lanes &= lanes - 1) {
        const uint32_t i = (uint32_t)__builtin_ctzll(lanes);
        abut__candidates_add_row(run, worker, job, a, i, b, rows[i]);
    }
}

void abut__self_links(const abut__run* run, abut__worker* worker, uint32_t job, uint32_t node) {
    const abut__job* j = &run->jobs[job];
    const abut__tree* tree = &j->a->shape->tree;
    const abut__node* n = &tree->nodes[node];
    for (uint32_t k = 0; k < n->link_count; ++k) {
        const abut__link* link = &tree->links[n->link_first + k];
        uint64_t rows[ABUT__BLOCK_TRIANGLES];
        uint64_t lanes = abut__overlapping_lanes(run, worker, j, link->a, link->b, rows);
        ++worker->counters.boxes_tested;
        ++worker->spent;
        for (; lanes != 0; lanes &= lanes - 1) {
            const uint32_t i = (uint32_t)__builtin_ctzll(lanes);
            const uint64_t row = without(run, worker, rows[i], abut__link_row(tree, link, i));
            abut__candidates_add_row(run, worker, job, link->a, i, link->b, row);
        }
    }
}
