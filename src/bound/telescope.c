// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Builds the tree by Kruskal's algorithm, from the greatest shared weights down, and the sums.
#include "bound/telescope.h"

#include <stdlib.h>

#include "base/sort.h"

typedef struct maker {
    const abut__weights* weights;
    abut__telescope* made;
    abut__keyed* edges;  // pairs of nodes with their shared weights
    abut__keyed* scratch;
    size_t edge_room;
    size_t edge_count;
    uint32_t* group;       // of a node, for Kruskal's algorithm; marks afterwards
    uint32_t* first_edge;  // per node: its first edge of the tree
    uint32_t* ends;        // far ends of the tree's edges, both ways
    uint32_t* queue;
    double* sum;  // per node
} maker;

// ---- edges

static uint32_t heaviest(const abut__weights* weights, uint32_t vertex) {
    size_t best = weights->first[vertex];
    for (size_t i = best; i < weights->first[vertex + 1]; ++i) {
        best = abut__weight(weights, i) > abut__weight(weights, best) ? i : best;
    }
    return (uint32_t)(best - weights->first[vertex]);
}

static uint64_t bits_of(double x) {
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}
static double double_of(uint64_t bits) {
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

// Adds edges from every vertex's heaviest node to its others, by the product of weights.
static void collect_edges(maker* m) {
    const abut__weights* w = m->weights;
    for (uint32_t v = 0; v < w->vertex_count; ++v) {
        const size_t top = w->first[v] + heaviest(w, v);
        for (size_t i = w->first[v]; i < w->first[v + 1]; ++i) {
            if (i != top) {
                const uint64_t a = w->nodes[i < top ? i : top];
                const uint64_t b = w->nodes[i < top ? top : i];
                m->edges[m->edge_count++] = (abut__keyed){
                    a << 32 | b, bits_of(abut__weight(w, i) * abut__weight(w, top))};
            }
        }
    }
}

// Sums up equal edges and sorts by shared weight, ascending. Positive doubles sort as integers.
static void sum_edges(maker* m) {
    if (m->edge_count == 0) {
        return;
    }
    abut__sort_keyed(m->edges, m->scratch, m->edge_count);
    size_t kept = 0;
    for (size_t i = 1; i < m->edge_count; ++i) {
        abut__keyed* last = &m->edges[kept];
        if (m->edges[i].key == last->key) {
            last->value = bits_of(double_of(last->value) + double_of(m->edges[i].value));
        } else {
            m->edges[++kept] = m->edges[i];
        }
    }
    m->edge_count = kept + 1;
    for (size_t i = 0; i < m->edge_count; ++i) {
        m->edges[i] = (abut__keyed){m->edges[i].value, m->edges[i].key};
    }
    abut__sort_keyed(m->edges, m->scratch, m->edge_count);
}

// ---- the tree

static uint32_t group_of(uint32_t* group, uint32_t node) {
    while (group[node] != node) {
        group[node] = group[group[node]];
        node = group[node];
    }
    return node;
}

// Stores the edges of a greatest spanning forest in `scratch`.
static void choose_edges(maker* m) {
    for (uint32_t j = 0; j < m->weights->node_count; ++j) {
        m->group[j] = j;
    }
    size_t kept = 0;
    for (size_t i = m->edge_count; i-- > 0;) {
        const uint64_t key = m->edges[i].value;
        const uint32_t a = group_of(m->group, (uint32_t)(key >> 32));
        const uint32_t b = group_of(m->group, (uint32_t)key);
        if (a != b) {
            m->group[a] = b;
            m->scratch[kept++].key = key;
        }
    }
    m->edge_count = kept;
}

static void list_ends(maker* m) {
    const uint32_t nodes = m->weights->node_count;
    memset(m->first_edge, 0, ((size_t)nodes + 1) * sizeof *m->first_edge);
    for (size_t i = 0; i < m->edge_count; ++i) {
        ++m->first_edge[m->scratch[i].key >> 32];
        ++m->first_edge[m->scratch[i].key & UINT32_MAX];
    }
    uint32_t end = 0;
    for (uint32_t j = 0; j <= nodes; ++j) {
        end += m->first_edge[j];
        m->first_edge[j] = end;  // filled backwards
    }
    for (size_t i = 0; i < m->edge_count; ++i) {
        const uint32_t a = (uint32_t)(m->scratch[i].key >> 32);
        const uint32_t b = (uint32_t)m->scratch[i].key;
        m->ends[--m->first_edge[a]] = b;
        m->ends[--m->first_edge[b]] = a;
    }
}

// Sets the parents of all nodes reachable from one. queue[0 .. end) are done; returns the new end.
static uint32_t attach(maker* m, uint32_t from, uint32_t parent, uint32_t end) {
    uint16_t* parents = m->made->parent;
    uint32_t next = end;
    parents[from] = (uint16_t)parent;
    m->queue[end++] = from;
    m->group[from] = 1;
    for (; next < end; ++next) {
        const uint32_t a = m->queue[next];
        for (uint32_t i = m->first_edge[a]; i < m->first_edge[a + 1]; ++i) {
            const uint32_t b = m->ends[i];
            if (m->group[b] == 0) {
                m->group[b] = 1;
                parents[b] = (uint16_t)a;
                m->queue[end++] = b;
            }
        }
    }
    return end;
}

// Chooses the node with the most neighbours as the root, which keeps paths short.
static void attach_all(maker* m) {
    const uint32_t nodes = m->weights->node_count;
    uint32_t root = 0;
    for (uint32_t j = 1; j < nodes; ++j) {
        const uint32_t own = m->first_edge[j + 1] - m->first_edge[j];
        root = own > m->first_edge[root + 1] - m->first_edge[root] ? j : root;
    }
    memset(m->group, 0, nodes * sizeof *m->group);
    m->made->root = root;
    uint32_t end = attach(m, root, root, 0);
    for (uint32_t j = 0; j < nodes; ++j) {
        if (m->group[j] == 0) {
            end = attach(m, j, root, end);
        }
    }
}

// ---- sums

static int compare_nodes(const void* a, const void* b) {
    const uint32_t x = *(const uint32_t*)a;
    const uint32_t y = *(const uint32_t*)b;
    return x < y ? -1 : x > y;
}

// Lists the nodes on the paths from a vertex's nodes to the root, with the sums of their weights;
// returns their number.
static uint32_t sum_vertex(maker* m, uint32_t vertex) {
    const abut__weights* w = m->weights;
    uint32_t count = 0;
    for (size_t i = w->first[vertex]; i < w->first[vertex + 1]; ++i) {
        for (uint32_t b = w->nodes[i]; b != m->made->root; b = m->made->parent[b]) {
            if (m->group[b] == 0) {
                m->queue[count++] = b;
                m->sum[b] = 0;
            }
            ++m->group[b];  // number of the vertex's nodes below b
            m->sum[b] += abut__weight(w, i);
        }
    }
    for (uint32_t k = 0; k < count; ++k) {
        const uint32_t b = m->queue[k];
        m->sum[b] = m->group[b] == w->first[vertex + 1] - w->first[vertex] ? 1 : m->sum[b];
        m->group[b] = 0;
    }
    return count;
}

static bool sum_all(maker* m) {
    const abut__weights* w = m->weights;
    abut__weights* sums = m->made->sums;
    memset(m->group, 0, w->node_count * sizeof *m->group);
    sums->first = abut__alloc_zero(w->context, (size_t)w->vertex_count + 1, sizeof *sums->first);
    for (uint32_t v = 0; v < w->vertex_count && sums->first != NULL; ++v) {
        sums->first[v + 1] = sums->first[v] + sum_vertex(m, v);
    }
    sums->room = (sums->first != NULL ? sums->first[w->vertex_count] : 0) + 1;
    sums->nodes = abut__alloc(w->context, sums->room, sizeof *sums->nodes);
    sums->values = abut__alloc(w->context, sums->room, sizeof(double));
    if (sums->first == NULL || sums->nodes == NULL || sums->values == NULL) {
        return false;
    }
    for (uint32_t v = 0; v < w->vertex_count; ++v) {
        const uint32_t count = sum_vertex(m, v);
        qsort(m->queue, count, sizeof *m->queue, compare_nodes);
        sums->most = count > sums->most ? count : sums->most;
        for (uint32_t k = 0; k < count; ++k) {
            sums->nodes[sums->first[v] + k] = m->queue[k];
            ((double*)sums->values)[sums->first[v] + k] = m->sum[m->queue[k]];
        }
    }
    return true;
}

// ---- construction

static bool make_in(abut__arena* arena, maker* m) {
    const size_t nodes = m->weights->node_count;
    m->edge_room = m->weights->first[m->weights->vertex_count] + 1 + nodes;
    m->edges = abut__arena_push(arena, m->edge_room, sizeof *m->edges);
    m->scratch = abut__arena_push(arena, m->edge_room, sizeof *m->scratch);
    m->group = abut__arena_push(arena, nodes, sizeof *m->group);
    m->first_edge = abut__arena_push(arena, nodes + 1, sizeof *m->first_edge);
    m->ends = abut__arena_push(arena, 2 * nodes, sizeof *m->ends);
    m->queue = abut__arena_push(arena, nodes, sizeof *m->queue);
    m->sum = abut__arena_push(arena, nodes, sizeof *m->sum);
    if (m->edges == NULL || m->scratch == NULL || m->group == NULL || m->first_edge == NULL ||
        m->ends == NULL || m->queue == NULL || m->sum == NULL) {
        return false;
    }
    collect_edges(m);
    sum_edges(m);
    choose_edges(m);
    list_ends(m);
    attach_all(m);
    return sum_all(m);
}

bool abut__telescope_make(const abut__weights* weights, abut__telescope* made) {
    abut_context* context = weights->context;
    *made = (abut__telescope){.parent = abut__alloc(context, weights->node_count, sizeof(uint16_t)),
                              .sums = abut__alloc_zero(context, 1, sizeof *made->sums)};
    if (made->sums == NULL) {
        return false;
    }
    made->sums->context = context;
    atomic_init(&made->sums->holders, 1);
    made->sums->node_count = weights->node_count;
    made->sums->vertex_count = weights->vertex_count;
    made->sums->scalar = ABUT_SCALAR_F64;
    abut__arena arena = abut__arena_make(context);
    maker m = {.weights = weights, .made = made};
    const bool done = made->parent != NULL && make_in(&arena, &m);
    abut__arena_release(&arena);
    return done;
}

void abut__telescope_free(const abut__weights* weights, abut__telescope* telescope) {
    abut__free(weights->context, telescope->parent, weights->node_count, sizeof(uint16_t));
    abut__weights_release(telescope->sums);
}
