// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Refit. Blocks first, many to a task, each box straight into its parent's lanes; then the nodes
// from the last to the first, since children come after their parents.
#include "bound/refit.h"

#include <float.h>
#include <math.h>

#define BLOCKS_PER_TASK 64u
#define PREFETCH_VERTICES 3u  // blocks ahead
#define PREFETCH_BLOCK 8u
#define BLOCKS_IN_CACHE 1500u  // fewer than this and their vertices stay in the second cache

typedef struct refit_work {
    const abut_context* context;
    const abut__tree* tree;
    abut__source source;
    abut__beside beside;
    abut__refit_boxes* out;
} refit_work;

static void note_bad_vertices(const refit_work* work, const abut__block* block) {
    for (uint32_t v = 0; v < block->vertex_count; ++v) {
        double p[3];
        abut__read_position(work->source.data, work->source.stride, work->source.is_double,
                            block->vertex[v], p);
        if (fabs(p[0]) <= DBL_MAX && fabs(p[1]) <= DBL_MAX && fabs(p[2]) <= DBL_MAX) {
            continue;
        }
        unsigned least = atomic_load(&work->out->bad_vertex);
        while (block->vertex[v] < least &&
               !atomic_compare_exchange_weak(&work->out->bad_vertex, &least, block->vertex[v])) {
        }
    }
}

// Vertices of a block are scattered over the caller's array: asking for those of a later block now
// hides most of the wait. Neighbours in a line are asked for once.
static void prefetch_vertices(const abut__block* block, abut__source source) {
    uintptr_t last = 0;
    for (uint32_t v = 0; v < block->vertex_count; ++v) {
        const char* place = source.data + block->vertex[v] * source.stride;
        if ((uintptr_t)place >> 6 != last) {
            __builtin_prefetch(place);
            last = (uintptr_t)place >> 6;
        }
    }
}

// the counts and the vertices of a block
static void prefetch_block(const abut__block* block) {
    for (size_t line = 0; line < 192; line += 64) {
        __builtin_prefetch((const char*)block + line);
    }
}

static void refit_blocks(void* argument, uint32_t index, uint32_t worker) {
    const refit_work* work = argument;
    const abut__tree* tree = work->tree;
    if (index < work->beside.count) {
        work->beside.task(work->beside.argument, index, worker);
        return;
    }
    const uint32_t first = (index - work->beside.count) * BLOCKS_PER_TASK;
    const uint32_t end = tree->block_count - first < BLOCKS_PER_TASK ? tree->block_count
                                                                     : first + BLOCKS_PER_TASK;
    const bool far = tree->block_count > BLOCKS_IN_CACHE;
    for (uint32_t b = first; b < end; ++b) {
        if (far && b + PREFETCH_BLOCK < tree->block_count) {
            prefetch_block(tree->blocks[b + PREFETCH_BLOCK]);
            prefetch_vertices(tree->blocks[b + PREFETCH_VERTICES], work->source);
        }
        abut__box3 box;
        if (!work->context->kernels->block_bounds(tree->blocks[b], work->source, &box)) {
            note_bad_vertices(work, tree->blocks[b]);
            box = (abut__box3){{-INFINITY, -INFINITY, -INFINITY}, {INFINITY, INFINITY, INFINITY}};
        }
        abut__boxes_put(&work->out->boxes[tree->block_parent[b]], tree->block_slot[b], &box);
    }
}

static void refit_nodes(const abut__tree* tree, abut__refit_boxes* out) {
    for (uint32_t n = tree->node_count; n-- > 0;) {
        const abut__node* node = &tree->nodes[n];
        const abut__box3 box = abut__boxes_around(&out->boxes[n], node->count);
        const abut__box3 empty = {{INFINITY, INFINITY, INFINITY},
                                  {-INFINITY, -INFINITY, -INFINITY}};
        for (uint32_t k = node->count; k < ABUT__FAN; ++k) {
            abut__boxes_put(&out->boxes[n], k, &empty);
        }
        if (n == 0) {
            out->root = box;
        } else {
            abut__boxes_put(&out->boxes[node->parent], node->slot, &box);
        }
    }
}

static float greater(float a, float b) {
    return a > b ? a : b;
}

// the greatest magnitude of a coordinate; blocks with a vertex that is not finite do not count, or
// one bad vertex would make all boxes useless
static float extent_of(const abut__tree* tree, const abut__refit_boxes* refit) {
    float extent = 0;
    if (atomic_load(&((abut__refit_boxes*)refit)->bad_vertex) == ABUT__NONE) {
        for (int d = 0; d < 3; ++d) {
            extent = greater(extent, greater(fabsf(refit->root.lo[d]), fabsf(refit->root.hi[d])));
        }
        return extent;
    }
    for (uint32_t b = 0; b < tree->block_count; ++b) {
        const abut__boxes8* boxes = &refit->boxes[tree->block_parent[b]];
        const uint32_t slot = tree->block_slot[b];
        for (int d = 0; d < 3 && boxes->lo[0][slot] > -INFINITY; ++d) {
            extent = greater(extent, greater(fabsf(boxes->lo[d][slot]), fabsf(boxes->hi[d][slot])));
        }
    }
    return extent;
}

void abut__refit(const abut_context* context, const abut__tree* tree, abut__source source,
                 abut__beside beside, abut__refit_boxes* out) {
    refit_work work = {context, tree, source, beside, out};
    const uint32_t tasks = (tree->block_count + BLOCKS_PER_TASK - 1) / BLOCKS_PER_TASK;
    atomic_store(&out->bad_vertex, ABUT__NONE);
    abut__run_tasks(context, beside.count + tasks, refit_blocks, &work);
    refit_nodes(tree, out);
    out->extent = extent_of(tree, out);
}
