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
    const uint64_t* pairs;  // of nodes, if their contours are wanted instead
    uint32_t pair_count;
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

// Chains the edges, and adds the loop as entry n if they form exactly one. False: no memory.
static bool add_loop(finder* f, uint32_t n, edges* e) {
    if (e->count < 3 || e->count > ABUT__CONTOUR_MOST) {
        return true;
    }
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

// Joins the edges of several surfaces, which must all be fit.
static bool join(finder* f, const edges* const* parts, uint32_t part_count, edges* out) {
    size_t total = 0;
    for (uint32_t i = 0; i < part_count; ++i) {
        total += parts[i]->count;
    }
    abut__keyed* items = scratch(f, total);
    if (items == NULL) {
        return false;
    }
    size_t count = 0;
    for (uint32_t i = 0; i < part_count; ++i) {
        for (uint32_t e = 0; e < parts[i]->count; ++e) {
            items[count++] = keyed_edge(parts[i]->list[e] >> 32, parts[i]->list[e] & UINT32_MAX);
        }
    }
    *out = (edges){NULL, 0, true};
    return cancel(f, items, count, out);
}

// Tells whether two surfaces share an edge. Lists that cancel() made are ascending.
static bool share_edge(const edges* a, const edges* b) {
    for (uint32_t i = 0, k = 0; i < a->count && k < b->count;) {
        const uint64_t x = keyed_edge(a->list[i] >> 32, a->list[i] & UINT32_MAX).key;
        const uint64_t y = keyed_edge(b->list[k] >> 32, b->list[k] & UINT32_MAX).key;
        if (x == y) {
            return true;
        }
        i += x < y;
        k += y < x;
    }
    return false;
}

// Adds the contours of pairs of nodes that share edges.
static bool add_pairs(finder* f) {
    for (uint32_t p = 0; p < f->pair_count; ++p) {
        const edges* const parts[2] = {&f->of_node[f->pairs[p] >> 32],
                                       &f->of_node[f->pairs[p] & UINT32_MAX]};
        edges both;
        if (!parts[0]->fit || !parts[1]->fit || !share_edge(parts[0], parts[1])) {
            continue;
        }
        if (!join(f, parts, 2, &both) || (both.fit && !add_loop(f, p, &both))) {
            return false;
        }
    }
    return true;
}

static bool node_edges(finder* f, uint32_t n) {
    const abut__node* node = &f->tree->nodes[n];
    edges child[ABUT__FAN];
    const edges* parts[ABUT__FAN];
    edges* out = &f->of_node[n];
    *out = (edges){NULL, 0, true};
    f->blocks_under[n] = 0;
    for (uint32_t i = 0; i < node->count; ++i) {
        if (!child_edges(f, node->child[i], &child[i])) {
            return false;
        }
        parts[i] = &child[i];
        out->fit = out->fit && child[i].fit;
        f->blocks_under[n] += abut__is_block(node->child[i]) ? 1 : f->blocks_under[node->child[i]];
    }
    return !out->fit || join(f, parts, node->count, out);
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
        if (f->pairs == NULL && e->fit && f->blocks_under[n] >= ABUT__CONTOUR_BLOCKS_LEAST &&
            !add_loop(f, n, e)) {
            return false;
        }
    }
    return true;
}

static abut__contours* make(finder* f, uint32_t entries) {
    const abut_context* context = f->tree->context;
    abut__contours* out = abut__alloc_zero(context, 1, sizeof *out);
    if (out == NULL) {
        return NULL;
    }
    out->entry_count = entries;
    out->first = abut__alloc_zero(context, entries, sizeof *out->first);
    out->count = abut__alloc_zero(context, entries, sizeof *out->count);
    f->out = out;
    f->arena = abut__arena_make(context);
    const bool room = entries == 0 || (out->first != NULL && out->count != NULL);
    const bool done = room && find(f) && add_pairs(f);
    abut__arena_release(&f->arena);
    abut__drop(context, &f->keyed);
    if (!done) {
        abut__contours_free(context, out);
        return NULL;
    }
    return out;
}

abut__contours* abut__contours_make(const abut__tree* tree) {
    return make(&(finder){.tree = tree}, tree->node_count);
}

abut__contours* abut__contours_make_pairs(const abut__tree* tree, const uint64_t* pairs,
                                          uint32_t count) {
    return make(&(finder){.tree = tree, .pairs = pairs, .pair_count = count}, count);
}

void abut__contours_free(const abut_context* context, abut__contours* contours) {
    if (contours != NULL) {
        abut__free(context, contours->first, contours->entry_count, sizeof *contours->first);
        abut__free(context, contours->count, contours->entry_count, sizeof *contours->count);
        abut__drop(context, &contours->vertices);
        abut__free(context, contours, 1, sizeof *contours);
    }
}
