// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Refits blocks first, many per task, and writes each box into its parent's lanes. Then it refits
// the nodes from the last to the first, since children come after their parents.
#include "bound/refit.h"

#include <float.h>
#include <math.h>

#define BLOCKS_PER_TASK 256u
#define BLOCKS_PER_STRIP 16u  // their vertices and boxes fit the first-level cache
#define PREFETCH_VERTICES 3u  // number of blocks ahead
#define PREFETCH_BLOCK 8u
#define BLOCKS_IN_CACHE 1500u  // with fewer blocks the vertices stay in the second-level cache

typedef struct refit_work {
    const abut_context* context;
    const abut__tree* tree;
    const abut__stretches* stretches;
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

// Prefetches the vertices of a later block, which are scattered over the caller's array. Neighbours
// in one cache line are prefetched once.
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

// Prefetches the counts and the vertices of a block.
static void prefetch_block(const abut__block* block) {
    for (size_t line = 0; line < 192; line += 64) {
        __builtin_prefetch((const char*)block + line);
    }
}

// Bounds a block, reading its vertices one by one.
static void bound_block(const refit_work* work, uint32_t b, abut__box3* box) {
    const abut__block* block = work->tree->blocks[b];
    if (!work->context->kernels->block_bounds(block, work->source, box)) {
        note_bad_vertices(work, block);
        *box = (abut__box3){{-INFINITY, -INFINITY, -INFINITY}, {INFINITY, INFINITY, INFINITY}};
    }
}

static void bound_scattered(const refit_work* work, uint32_t first, uint32_t count,
                            abut__box3* boxes) {
    const abut__tree* tree = work->tree;
    const bool far = tree->block_count > BLOCKS_IN_CACHE;
    for (uint32_t k = 0; k < count; ++k) {
        const uint32_t b = first + k;
        if (far && b + PREFETCH_BLOCK < tree->block_count) {
            prefetch_block(tree->blocks[b + PREFETCH_BLOCK]);
            prefetch_vertices(tree->blocks[b + PREFETCH_VERTICES], work->source);
        }
        bound_block(work, b, &boxes[k]);
    }
}

// Finds where the extreme vertices of a block are, one by one.
static void place_block(const refit_work* work, uint32_t b, const abut__box3* box) {
    const abut__block* block = work->tree->blocks[b];
    const abut__stretch* list = work->stretches->list + work->stretches->first[b];
    const uint32_t stretches = work->stretches->first[b + 1] - work->stretches->first[b];
    const float* xyz = (const float*)(const void*)work->source.data;
    abut__side_places* places = &work->out->places[b];
    *places = (abut__side_places){0};
    for (uint32_t i = 0; i < (stretches > 0 ? 8 * stretches : block->vertex_count); ++i) {
        if (stretches > 0 && 3 * (i % 8) + 3 > 16 - abut__stretch_spare(list[i / 8])) {
            continue;
        }
        const float* p = stretches > 0 ? xyz + abut__stretch_first(list[i / 8]) + 3 * (i % 8)
                                       : xyz + 3 * (size_t)block->vertex[i];
        for (int d = 0; d < 3; ++d) {
            places->of[d] = p[d] == box->lo[d] ? (uint8_t)i : places->of[d];
            places->of[3 + d] = p[d] == box->hi[d] ? (uint8_t)i : places->of[3 + d];
        }
    }
}

static void bound_stretched(const refit_work* work, uint32_t first, uint32_t count,
                            abut__box3* boxes) {
    const uint32_t* at = work->stretches->first + first;
    const float* xyz = (const float*)(const void*)work->source.data;
    const abut__stretch* list = work->stretches->list;
    abut__side_places* places = work->out->places;
    const abut__kernels* kernels = work->context->kernels;
    const bool sound = places != NULL
                           ? kernels->stretch_places(list, at, count, xyz, boxes, places + first)
                           : kernels->stretch_bounds(list, at, count, xyz, boxes);
    const float* origin = work->source.origin;
    for (uint32_t b = 0; b < count; ++b) {
        for (int d = 0; d < 3; ++d) {  // the kernel subtracts none; rounding preserves order
            boxes[b].lo[d] -= origin[d];
            boxes[b].hi[d] -= origin[d];
        }
        if (!sound || at[b] == at[b + 1]) {
            bound_block(work, first + b, &boxes[b]);
            if (places != NULL) {
                place_block(work, first + b, &boxes[b]);
            }
        }
    }
}

// Prefetches the places where boxes will be written. Blocks of one node mostly follow each other,
// but a repeated prefetch costs less than a branch that is hard to predict.
static void prefetch_boxes(const refit_work* work, uint32_t first, uint32_t count) {
    for (uint32_t b = first; b < first + count; ++b) {
        const char* place = (const char*)&work->out->boxes[work->tree->block_parent[b]];
        __builtin_prefetch(place, 1);
        __builtin_prefetch(place + 64, 1);
        __builtin_prefetch(place + 128, 1);
    }
}

static void refit_strip(const refit_work* work, uint32_t first, uint32_t count) {
    const abut__tree* tree = work->tree;
    abut__box3 boxes[BLOCKS_PER_STRIP];
    prefetch_boxes(work, first, count);
    (abut__stretches_suit(work->stretches, &work->source) ? bound_stretched : bound_scattered)(
        work, first, count, boxes);
    for (uint32_t k = 0; k < count; ++k) {
        const uint32_t b = first + k;
        abut__boxes_put(&work->out->boxes[tree->block_parent[b]], tree->block_slot[b], &boxes[k]);
    }
}

static uint32_t task_count(const abut__tree* tree) {
    return (tree->block_count + BLOCKS_PER_TASK - 1) / BLOCKS_PER_TASK;
}

static void refit_blocks(void* argument, uint32_t index, uint32_t worker) {
    const refit_work* work = argument;
    // Both kinds of tasks are mixed evenly, so that a thread with a share of them in a row finds
    // many vertices that it copied in its cache.
    const uint64_t beside = work->beside.count;
    const uint64_t all = beside + task_count(work->tree);
    const uint32_t before = (uint32_t)(index * beside / all);
    if ((index + 1) * beside / all > before) {
        work->beside.task(work->beside.argument, before, worker);
        return;
    }
    uint32_t first = (index - before) * BLOCKS_PER_TASK;
    const uint32_t left = work->tree->block_count - first;
    const uint32_t end = first + (left < BLOCKS_PER_TASK ? left : BLOCKS_PER_TASK);
    for (; first < end; first += BLOCKS_PER_STRIP) {
        refit_strip(work, first, end - first < BLOCKS_PER_STRIP ? end - first : BLOCKS_PER_STRIP);
    }
}

// Writes the box around a node's children into its parent's lanes.
static void refit_node(const abut_context* context, const abut__tree* tree, uint32_t n,
                       abut__refit_boxes* out) {
    const abut__node* node = &tree->nodes[n];
    abut__box3 box;
    context->kernels->node_bounds(&out->boxes[n], node->count, &box);
    if (n == 0) {
        out->root = box;
    } else {
        abut__boxes_put(&out->boxes[node->parent], node->slot, &box);
    }
}

static void refit_nodes(const abut_context* context, const abut__tree* tree,
                        abut__refit_boxes* out) {
    for (uint32_t n = tree->node_count; n-- > 0;) {
        refit_node(context, tree, n, out);
    }
}

static float greater(float a, float b) {
    return a > b ? a : b;
}

// Returns the greatest magnitude of a coordinate. Blocks with a vertex that is not finite do not
// count, because one bad vertex would make all boxes useless.
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

void abut__refit(const abut_context* context, const abut__tree* tree,
                 const abut__stretches* stretches, abut__source source, abut__beside beside,
                 abut__refit_boxes* out) {
    refit_work work = {context, tree, stretches, source, beside, out};
    atomic_store(&out->bad_vertex, ABUT__NONE);
    abut__run_tasks(context, beside.count + task_count(tree), refit_blocks, &work);
    refit_nodes(context, tree, out);
    out->extent = extent_of(tree, out);
}

static void refit_block(const refit_work* work, uint32_t b) {
    const abut__tree* tree = work->tree;
    abut__box3 box;
    bound_block(work, b, &box);
    abut__boxes_put(&work->out->boxes[tree->block_parent[b]], tree->block_slot[b], &box);
}

void abut__refit_marked(const abut_context* context, const abut__tree* tree, abut__source source,
                        const uint64_t* blocks, uint64_t* nodes, abut__refit_boxes* out) {
    const refit_work work = {context, tree, NULL, source, (abut__beside){0}, out};
    for (uint32_t w = 0; w <= (tree->block_count - 1) / 64; ++w) {
        for (uint64_t left = blocks[w]; left != 0; left &= left - 1) {
            const uint32_t b = 64 * w + (uint32_t)__builtin_ctzll(left);
            const uint32_t parent = tree->block_parent[b];
            refit_block(&work, b);
            nodes[parent / 64] |= UINT64_C(1) << parent % 64;
        }
    }
    for (uint32_t w = (tree->node_count - 1) / 64 + 1; w-- > 0;) {
        while (nodes[w] != 0) {  // children come after their parents: start with the last
            const uint32_t n = 64 * w + 63 - (uint32_t)__builtin_clzll(nodes[w]);
            const uint32_t parent = tree->nodes[n].parent;
            refit_node(context, tree, n, out);
            nodes[w] &= ~(UINT64_C(1) << n % 64);
            if (parent != ABUT__NONE) {
                nodes[parent / 64] |= UINT64_C(1) << parent % 64;
            }
        }
    }
    out->extent = extent_of(tree, out);
}

uint32_t abut__refit_descend(const abut_context* context, const abut__tree* tree,
                             const abut__descent* descent, abut__source source,
                             const abut__refit_boxes* before, abut__refit_boxes* out) {
    const refit_work work = {context, tree, NULL, source, (abut__beside){0}, out};
    uint32_t looks = 0;
    atomic_store(&out->bad_vertex, ABUT__NONE);
    out->root = before->root;
    abut__descent_lanes(descent, before->boxes, out->boxes);
    for (uint32_t w = 0; w <= (tree->block_count - 1) / 64; ++w) {
        for (uint64_t left = descent->placed[w]; left != 0; left &= left - 1, ++looks) {
            refit_block(&work, 64 * w + (uint32_t)__builtin_ctzll(left));
        }
    }
    for (uint32_t w = (tree->node_count - 1) / 64 + 1; w-- > 0;) {
        for (uint64_t left = descent->touched[w]; left != 0; ++looks) {
            const uint32_t bit = 63 - (uint32_t)__builtin_clzll(left);  // children first
            refit_node(context, tree, 64 * w + bit, out);
            left &= ~(UINT64_C(1) << bit);
        }
    }
    out->extent = extent_of(tree, out);
    return looks;
}
