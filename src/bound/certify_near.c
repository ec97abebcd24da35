// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Finds the blocks that are so near to each other at rest that the pair gets a certificate of its
// own: those that share vertices, and those with little space between them. Pairs of nodes above such
// blocks get one, too.
#include "base/sort.h"
#include "bound/certify.h"

#define NEAR_PAIRS 16u  // limit per block or node, on average

static double box_distance(const double a[2][3], const double b[2][3]) {
    double gap[3];
    for (int d = 0; d < 3; ++d) {
        gap[d] = fmax(0, fmax(a[0][d] - b[1][d], b[0][d] - a[1][d]));
    }
    return abut__length(gap);
}

bool abut__certify_may_be_near(const abut__certifier* m, abut__ref a, abut__ref b) {
    const uint32_t x = abut__part_of(m, a);
    const uint32_t y = abut__part_of(m, b);
    return box_distance((const double(*)[3])m->clusters[x].place.box,
                        (const double(*)[3])m->clusters[y].place.box) <= m->reach[x] + m->reach[y];
}

static void add_near(abut__certifier* m, uint32_t a, uint32_t b) {
    uint64_t* key = abut__push(m->made->context, &m->near, 1);
    if (key == NULL) {
        m->out_of_memory = true;
    } else {
        *key = a < b ? (uint64_t)a << 32 | b : (uint64_t)b << 32 | a;
    }
}

// Adds the near pairs of blocks under two nodes or blocks, except for links, which are added
// before.
static void find_near(abut__certifier* m, abut__ref a, abut__ref b) {
    if (m->near.count >= m->near_most || !abut__certify_may_be_near(m, a, b)) {
        return;
    }
    if (abut__is_block(a) && abut__is_block(b)) {
        if (!abut__blocks_linked(m->links, abut__block_of(a), abut__block_of(b))) {
            add_near(m, abut__block_of(a), abut__block_of(b));
        }
        return;
    }
    const bool first = abut__opens_first(m, a, b);
    const abut__node* node = &m->tree->nodes[first ? a : b];
    for (uint32_t k = 0; k < node->count; ++k) {
        find_near(m, first ? node->child[k] : a, first ? b : node->child[k]);
    }
}

// Adds two nodes, and the near pairs of nodes under them, one child each.
static void find_near_nodes(abut__certifier* m, abut__ref a, abut__ref b) {
    if (abut__is_block(a) || abut__is_block(b) || m->near_nodes.count >= m->near_nodes_most) {
        return;
    }
    if (!abut__certify_may_be_near(m, a, b)) {
        return;
    }
    uint64_t* key = abut__push(m->made->context, &m->near_nodes, 1);
    if (key == NULL) {
        m->out_of_memory = true;
        return;
    }
    *key = a < b ? (uint64_t)a << 32 | b : (uint64_t)b << 32 | a;
    const abut__node* nodes = m->tree->nodes;
    for (uint32_t i = 0; i < nodes[a].count; ++i) {
        for (uint32_t k = 0; k < nodes[b].count; ++k) {
            find_near_nodes(m, nodes[a].child[i], nodes[b].child[k]);
        }
    }
}

bool abut__certify_near_nodes(abut__certifier* m) {
    const abut__tree* tree = m->tree;
    m->near_nodes_most = NEAR_PAIRS * tree->node_count;
    for (uint32_t n = 0; n < tree->node_count; ++n) {
        const abut__node* node = &tree->nodes[n];
        for (uint32_t i = 0; i < node->count; ++i) {
            for (uint32_t k = i + 1; k < node->count; ++k) {
                find_near_nodes(m, node->child[i], node->child[k]);
            }
        }
    }
    const size_t count = m->near_nodes.count;
    uint64_t* scratch = abut__alloc(m->made->context, count + 1, sizeof *scratch);
    if (scratch != NULL && count > 0) {
        abut__sort_keys(m->near_nodes.data, scratch, count);
    }
    abut__free(m->made->context, scratch, count + 1, sizeof *scratch);
    return scratch != NULL && !m->out_of_memory;
}

// Sorts all pairs except for links, which stay first in their own order.
static bool sort_near(const abut__certifier* m) {
    const size_t links = m->links->count;
    const size_t count = m->near.count - links;
    uint64_t* scratch = abut__alloc(m->made->context, count + 1, sizeof *scratch);
    if (scratch != NULL && count > 0) {
        abut__sort_keys(m->near.data + links, scratch, count);
    }
    abut__free(m->made->context, scratch, count + 1, sizeof *scratch);
    return scratch != NULL;
}

bool abut__certify_near(abut__certifier* m) {
    const abut__tree* tree = m->tree;
    for (uint32_t i = 0; i < m->links->count; ++i) {
        add_near(m, m->links->list[i].a, m->links->list[i].b);
    }
    m->near_most = m->links->count + NEAR_PAIRS * tree->block_count;
    for (uint32_t n = 0; n < tree->node_count; ++n) {
        const abut__node* node = &tree->nodes[n];
        for (uint32_t i = 0; i < node->count; ++i) {
            for (uint32_t k = i + 1; k < node->count; ++k) {
                find_near(m, node->child[i], node->child[k]);
            }
        }
    }
    return !m->out_of_memory && sort_near(m);
}
