// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Finds contours bottom-up. The boundary of a node is what remains of its children's boundaries
// after edges that run both ways cancel. A directed edge that occurs twice, or an edge of more than
// two triangles, excludes the node and all nodes above it. Edges connect vertices, not classes: the
// copies of a vertex at a seam may move apart, and then the surface has a boundary there.
#include "tree/contour.h"

#include "base/sort.h"

typedef struct edges {
    uint64_t* list;  // from << 32 | to
    uint32_t count;
    bool fit;
} edges;

typedef struct finder {
    const abut__tree* tree;
    abut__contours* out;
    abut__arena arena;
    ABUT__VECTOR(abut__keyed) keyed;  // scratch
    edges* of_node;
    uint32_t* blocks_under;
} finder;

static uint64_t edge_of(uint64_t from, uint64_t to) {
    return from << 32 | to;
}

// Cancels opposite edges among `count` keyed ones and stores the rest.
static bool cancel(finder* f, abut__keyed* items, size_t count, edges* out) {
    abut__sort_keyed(items, items + count, count);
    out->list = abut__arena_push(&f->arena, count + 1, sizeof *out->list);
    if (out->list == NULL) {
        return false;
    }
    for (size_t i = 0; i < count;) {
        size_t end = i + 1;
        while (end < count && items[end].key == items[i].key) {
            ++end;
        }
        const uint64_t low = items[i].key >> 32;
        const uint64_t high = items[i].key & UINT32_MAX;
        if (end - i == 1) {
            out->list[out->count++] = items[i].value == 0 ? edge_of(low, high) : edge_of(high, low);
        } else if (end - i > 2 || items[i].value == items[i + 1].value) {
            out->fit = false;
        }
        i = end;
    }
    return true;
}

static abut__keyed* scratch(finder* f, size_t count) {
    return abut__renew(f->tree->context, &f->keyed, 2 * count + 1);
}

static abut__keyed keyed_edge(uint64_t from, uint64_t to) {
    return from < to ? (abut__keyed){edge_of(from, to), 0} : (abut__keyed){edge_of(to, from), 1};
}

static bool block_edges(finder* f, const abut__block* block, edges* out) {
    abut__keyed* items = scratch(f, 3 * (size_t)block->triangle_count);
    if (items == NULL) {
        return false;
    }
    *out = (edges){NULL, 0, true};
    size_t count = 0;
    for (uint32_t k = 0; k < block->triangle_count; ++k) {
        for (int c = 0; c < 3; ++c) {
            const uint32_t from = block->vertex[block->corner[c][k]];
            const uint32_t to = block->vertex[block->corner[(c + 1) % 3][k]];
            out->fit = out->fit && from != to;
            items[count++] = keyed_edge(from, to);
        }
    }
    return cancel(f, items, count, out);
}

static bool child_edges(finder* f, abut__ref child, edges* out) {
    if (!abut__is_block(child)) {
        *out = f->of_node[child];
        return true;
    }
    return block_edges(f, f->tree->blocks[abut__block_of(child)], out);
}

static bool node_edges(finder* f, uint32_t n) {
    const abut__node* node = &f->tree->nodes[n];
    edges child[ABUT__FAN];
    edges* out = &f->of_node[n];
    *out = (edges){NULL, 0, true};
    size_t total = 0;
    f->blocks_under[n] = 0;
    for (uint32_t i = 0; i < node->count; ++i) {
        if (!child_edges(f, node->child[i], &child[i])) {
            return false;
        }
        total += child[i].count;
        out->fit = out->fit && child[i].fit;
        f->blocks_under[n] += abut__is_block(node->child[i]) ? 1 : f->blocks_under[node->child[i]];
    }
    if (!out->fit) {
        return true;
    }
    abut__keyed* items = scratch(f, total);
    if (items == NULL) {
        return false;
    }
    size_t count = 0;
    for (uint32_t i = 0; i < node->count; ++i) {
        for (uint32_t e = 0; e < child[i].count; ++e) {
            items[count++] = keyed_edge(child[i].list[e] >> 32, child[i].list[e] & UINT32_MAX);
        }
    }
    return cancel(f, items, count, out);
}

// Returns the index of the edge that starts at a vertex. The edges are sorted by start.
static uint32_t edge_from(const edges* e, uint32_t vertex) {
    uint32_t lo = 0;
    uint32_t hi = e->count;
    while (lo < hi) {
        const uint32_t middle = (lo + hi) / 2;
        if (e->list[middle] >> 32 < vertex) {
            lo = middle + 1;
        } else {
            hi = middle;
        }
    }
    return lo;
}

// Chains the edges, and adds the loop if they form exactly one. False: no memory.
static bool add_loop(finder* f, uint32_t n, edges* e) {
    abut__keyed* room = scratch(f, e->count);
    uint32_t* loop = abut__push(f->tree->context, &f->out->vertices, e->count);
    if (room == NULL || loop == NULL) {
        return false;
    }
    const size_t first = f->out->vertices.count - e->count;
    abut__sort_keys(e->list, (uint64_t*)room, e->count);
    bool single = true;
    for (uint32_t i = 1; i < e->count; ++i) {
        single = single && e->list[i] >> 32 != e->list[i - 1] >> 32;
    }
    uint32_t length = 0;
    uint32_t at = 0;
    while (single && length < e->count) {
        loop[length++] = (uint32_t)(e->list[at] >> 32);
        const uint32_t to = (uint32_t)e->list[at];
        at = edge_from(e, to);
        single = at < e->count && e->list[at] >> 32 == to && (at != 0 || length == e->count);
    }
    if (single && at == 0) {
        f->out->first[n] = (uint32_t)first;
        f->out->count[n] = e->count;
    } else {
        f->out->vertices.count = first;
    }
    return true;
}

static bool find(finder* f) {
    const uint32_t nodes = f->tree->node_count;
    f->of_node = abut__arena_push(&f->arena, nodes, sizeof *f->of_node);
    f->blocks_under = abut__arena_push(&f->arena, nodes, sizeof *f->blocks_under);
    if (f->of_node == NULL || f->blocks_under == NULL) {
        return false;
    }
    for (uint32_t n = nodes; n-- > 0;) {
        if (!node_edges(f, n)) {
            return false;
        }
        edges* e = &f->of_node[n];
        if (e->fit && f->blocks_under[n] >= ABUT__CONTOUR_BLOCKS_LEAST && e->count >= 3 &&
            e->count <= ABUT__CONTOUR_MOST && !add_loop(f, n, e)) {
            return false;
        }
    }
    return true;
}

abut__contours* abut__contours_make(const abut__tree* tree) {
    const abut_context* context = tree->context;
    abut__contours* out = abut__alloc_zero(context, 1, sizeof *out);
    if (out == NULL) {
        return NULL;
    }
    out->node_count = tree->node_count;
    out->first = abut__alloc_zero(context, tree->node_count, sizeof *out->first);
    out->count = abut__alloc_zero(context, tree->node_count, sizeof *out->count);
    finder f = {.tree = tree, .out = out, .arena = abut__arena_make(context)};
    const bool done = out->first != NULL && out->count != NULL && find(&f);
    abut__arena_release(&f.arena);
    abut__drop(context, &f.keyed);
    if (!done) {
        abut__contours_free(context, out);
        return NULL;
    }
    return out;
}

void abut__contours_free(const abut_context* context, abut__contours* contours) {
    if (contours != NULL) {
        abut__free(context, contours->first, contours->node_count, sizeof *contours->first);
        abut__free(context, contours->count, contours->node_count, sizeof *contours->count);
        abut__drop(context, &contours->vertices);
        abut__free(context, contours, 1, sizeof *contours);
    }
}
