// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Builds bounds of convex combinations from the blocks up. The limits of a parent are the union of
// those of its children, so only blocks read vertices.
#include "bound/convex.h"

#include <math.h>

#include "base/rounding.h"

// ---- blocks

// A block under construction. It has at most 64 vertices, but any number of nodes may influence one
// of them.
typedef struct block_maker {
    const abut_mesh* mesh;
    const abut__weights* weights;
    const abut__block* block;
    uint32_t node_count;
    uint32_t* nodes;      // scratch: room for all influences of the block
    uint32_t* of_vertex;  // scratch: per node, the number of vertices that it influences
} block_maker;

// Merges another ascending list into an ascending list, in place. Returns the new length.
static uint32_t merge_nodes(uint32_t* list, uint32_t count, const uint32_t* more, uint32_t number) {
    uint32_t fresh = 0;
    for (uint32_t k = 0, i = 0; k < number; ++k) {
        while (i < count && list[i] < more[k]) {
            ++i;
        }
        fresh += i == count || list[i] != more[k];
    }
    uint32_t to = count + fresh;
    for (uint32_t i = count, k = number;
         k > 0 && to > i;) {  // backwards, so that no entry is overwritten unread
        if (i > 0 && list[i - 1] > more[k - 1]) {
            list[--to] = list[--i];
        } else {
            i -= i > 0 && list[i - 1] == more[k - 1];
            list[--to] = more[--k];
        }
    }
    return count + fresh;
}

static uint32_t group_count_of(const abut__block* block) {
    return (block->vertex_count + ABUT__GROUP - 1) / ABUT__GROUP;
}

// Lists the nodes that influence the vertices [first .. end), each once, ascending.
static uint32_t nodes_of(const block_maker* m, uint32_t first, uint32_t end, uint32_t* out) {
    uint32_t count = 0;
    for (uint32_t v = first; v < end && v < m->block->vertex_count; ++v) {
        const size_t* own = &m->weights->first[m->block->vertex[v]];
        count = merge_nodes(out, count, m->weights->nodes + own[0], (uint32_t)(own[1] - own[0]));
    }
    return count;
}

static uint32_t place_of(const uint32_t* nodes, uint32_t count, uint32_t node) {
    uint32_t lo = 0;
    while (count > 1) {
        const uint32_t half = count / 2;
        lo = nodes[lo + half] <= node ? lo + half : lo;
        count -= half;
    }
    return lo;
}

// Fills in one group of sixteen vertices: the nodes that influence them, and their weights.
static void fill_group(const block_maker* m, uint32_t group, uint32_t* nodes, float* weights,
                       uint32_t* first) {
    const uint32_t begin = ABUT__GROUP * group;
    const uint32_t count = nodes_of(m, begin, begin + ABUT__GROUP, m->nodes);
    memcpy(nodes + first[group], m->nodes, count * sizeof *nodes);
    first[group + 1] = first[group] + count;
    float* rows = weights + (size_t)ABUT__GROUP * first[group];
    memset(rows, 0, (size_t)count * ABUT__GROUP * sizeof *rows);
    for (uint32_t lane = 0; lane < ABUT__GROUP && begin + lane < m->block->vertex_count; ++lane) {
        const uint32_t vertex = m->block->vertex[begin + lane];
        for (size_t i = m->weights->first[vertex]; i < m->weights->first[vertex + 1]; ++i) {
            const uint32_t row = place_of(m->nodes, count, m->weights->nodes[i]);
            rows[(size_t)ABUT__GROUP * row + lane] = (float)abut__weight(m->weights, i);
        }
    }
}

static void start_limit(abut__limit* limit) {
    *limit = (abut__limit){
        INFINITY, 0, {INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
}

// Computes the limits of a block's nodes. A vertex that a node does not influence has weight 0.
static void fill_limits(const block_maker* m, const uint32_t* nodes, abut__limit* limits) {
    memset(m->of_vertex, 0, m->node_count * sizeof *m->of_vertex);
    for (uint32_t k = 0; k < m->node_count; ++k) {
        start_limit(&limits[k]);
    }
    for (uint32_t v = 0; v < m->block->vertex_count; ++v) {
        const uint32_t vertex = m->block->vertex[v];
        double p[3];
        abut__mesh_rest_near(m->mesh, vertex, p);
        for (size_t i = m->weights->first[vertex]; i < m->weights->first[vertex + 1]; ++i) {
            const uint32_t k = place_of(nodes, m->node_count, m->weights->nodes[i]);
            const double weight = abut__weight(m->weights, i);
            abut__limit* limit = &limits[k];
            ++m->of_vertex[k];
            limit->least = fminf(limit->least, abut__round_down(weight));
            limit->most = fmaxf(limit->most, abut__round_up(weight));
            for (int d = 0; d < 3; ++d) {
                limit->lo[d] = fminf(limit->lo[d], abut__round_down(p[d]));
                limit->hi[d] = fmaxf(limit->hi[d], abut__round_up(p[d]));
            }
        }
    }
    for (uint32_t k = 0; k < m->node_count; ++k) {
        if (m->of_vertex[k] < m->block->vertex_count) {
            limits[k].least = 0;
        }
    }
}

// Offsets of the parts of a block's memory, one after the other.
typedef struct block_parts {
    size_t limits;
    size_t nodes;
    size_t group_nodes;
    size_t weights;
    size_t influences;
    size_t runs;
    size_t order;
    size_t size;
} block_parts;

// A block has entries of groups, or influences of its vertices one by one.
static block_parts parts_of(uint32_t node_count, uint32_t group_entries, uint32_t influences) {
    const size_t ordered = influences > 0 ? ABUT__BLOCK_VERTICES : 0;
    block_parts p;
    p.weights = (sizeof(abut__convex_block) + 63) & ~(size_t)63;
    p.limits = p.weights + (size_t)group_entries * ABUT__GROUP * sizeof(float);
    p.nodes = p.limits + node_count * sizeof(abut__limit);
    p.group_nodes = p.nodes + node_count * sizeof(uint32_t);
    p.influences = p.group_nodes + group_entries * sizeof(uint32_t);
    p.runs = p.influences + influences * sizeof(abut__blend_influence);
    p.order = p.runs + ordered * sizeof(abut__blend_run);
    p.size = p.order + ordered * sizeof(uint32_t);
    return p;
}

static uint32_t count_group_entries(const block_maker* m) {
    uint32_t sum = 0;
    for (uint32_t g = 0; g < group_count_of(m->block); ++g) {
        const uint32_t begin = ABUT__GROUP * g;
        sum += nodes_of(m, begin, begin + ABUT__GROUP, m->nodes);
    }
    return sum;
}

static uint32_t influences_of(const block_maker* m, uint32_t vertex) {
    const size_t* own = &m->weights->first[m->block->vertex[vertex]];
    return (uint32_t)(own[1] - own[0]);
}

// Lists the vertices by their number of influences, in runs.
static void sort_vertices(const block_maker* m, uint32_t* vertices, abut__blend_run* runs,
                          uint32_t* run_count) {
    for (uint32_t v = 0; v < m->block->vertex_count; ++v) {
        const uint32_t own = influences_of(m, v);
        uint32_t at = v;
        for (; at > 0 && influences_of(m, vertices[at - 1]) > own; --at) {
            vertices[at] = vertices[at - 1];
        }
        vertices[at] = v;
    }
    uint32_t count = 0;
    for (uint32_t i = 0; i < m->block->vertex_count; ++i) {
        const uint32_t own = influences_of(m, vertices[i]);
        if (count == 0 || runs[count - 1].influences != own) {
            runs[count++] = (abut__blend_run){own, 0};
        }
        ++runs[count - 1].vertices;
    }
    *run_count = count;
}

// Fills in the influences of the vertices one by one.
static void fill_order(const block_maker* m, const block_parts* p, abut__convex_block* made) {
    char* base = (char*)made;
    abut__blend_influence* influences = (abut__blend_influence*)(void*)(base + p->influences);
    abut__blend_run* runs = (abut__blend_run*)(void*)(base + p->runs);
    uint32_t* vertices = (uint32_t*)(void*)(base + p->order);
    made->order = (abut__blend_order){runs, 0, vertices, influences};
    sort_vertices(m, vertices, runs, &made->order.run_count);
    for (uint32_t i = 0; i < m->block->vertex_count; ++i) {
        const size_t* own = &m->weights->first[m->block->vertex[vertices[i]]];
        for (size_t k = own[0]; k < own[1]; ++k) {
            *influences++ = (abut__blend_influence){m->weights->nodes[k],
                                                    (float)abut__weight(m->weights, k)};
        }
    }
}

static void fill_block(const block_maker* m, const block_parts* p, bool ordered,
                       abut__convex_block* made) {
    char* base = (char*)made;
    uint32_t* nodes = (uint32_t*)(void*)(base + p->nodes);
    uint32_t* group_nodes = (uint32_t*)(void*)(base + p->group_nodes);
    abut__limit* limits = (abut__limit*)(void*)(base + p->limits);
    float* weights = (float*)(void*)(base + p->weights);
    (void)nodes_of(m, 0, ABUT__BLOCK_VERTICES, m->nodes);
    memcpy(nodes, m->nodes, m->node_count * sizeof *nodes);
    fill_limits(m, nodes, limits);
    made->node_count = m->node_count;
    made->nodes = nodes;
    made->limits = limits;
    made->lanes.vertex_count = m->block->vertex_count;
    made->lanes.nodes = group_nodes;
    made->lanes.weights = weights;
    made->lanes.first[0] = 0;
    for (uint32_t g = 0; g < group_count_of(m->block) && !ordered; ++g) {
        fill_group(m, g, group_nodes, weights, made->lanes.first);
    }
    if (ordered) {
        fill_order(m, p, made);
    }
    for (uint32_t v = 0; v < ABUT__BLOCK_VERTICES; ++v) {
        double p3[3];
        abut__mesh_rest_near(m->mesh, m->block->vertex[v], p3);
        for (int d = 0; d < 3; ++d) {
            made->rest.xyz[d][v] = (float)p3[d];
        }
    }
}

static uint32_t all_influences(const block_maker* m) {
    uint32_t sum = 0;
    for (uint32_t v = 0; v < m->block->vertex_count; ++v) {
        sum += influences_of(m, v);
    }
    return sum;
}

// Whether vertices one by one take clearly less work than in groups. In a group each of its nodes
// takes twelve products for sixteen vertices; one by one, each influence takes sixteen products for
// one vertex, and the end of a vertex as much as ten influences.
static bool is_less_alone(const block_maker* m, uint32_t influences, uint32_t group_entries) {
    const uint64_t alone = influences + 10 * (uint64_t)m->block->vertex_count;
    return 12 * (uint64_t)group_entries > alone + alone / 4;
}

static abut__convex_block* make_block(const abut_context* context, const abut_mesh* mesh,
                                      const abut__weights* weights, const abut__block* block) {
    block_maker m = {.mesh = mesh, .weights = weights, .block = block};
    const uint32_t room = all_influences(&m);
    abut__convex_block* made = NULL;
    uint32_t* scratch = abut__alloc(context, room, 2 * sizeof *scratch);
    if (scratch != NULL) {
        m.nodes = scratch;
        m.of_vertex = scratch + room;
        const uint32_t group_entries = count_group_entries(&m);
        m.node_count = nodes_of(&m, 0, ABUT__BLOCK_VERTICES, m.nodes);
        const bool ordered = is_less_alone(&m, room, group_entries);
        const block_parts parts = ordered ? parts_of(m.node_count, 0, room)
                                          : parts_of(m.node_count, group_entries, 0);
        made = abut__alloc_zero(context, 1, parts.size);
        if (made != NULL) {
            made->context = context;
            made->size = parts.size;
            atomic_init(&made->holders, 1);
            fill_block(&m, &parts, ordered, made);
        }
    }
    abut__free(context, scratch, room, 2 * sizeof *scratch);
    return made;
}

void abut__convex_points(const abut__kernels* kernels, const abut__convex_block* block,
                         const abut__columns* transforms, const abut__block_points* rest,
                         abut__block_points* points) {
    if (block->order.run_count == 0) {
        kernels->blend_points(&block->lanes, transforms, rest, points);
        return;
    }
    const uint32_t count = block->lanes.vertex_count;
    float from[3 * ABUT__BLOCK_VERTICES + 1];
    float to[3 * ABUT__BLOCK_VERTICES];
    for (size_t v = 0; v < count; ++v) {
        from[3 * v] = rest->xyz[0][v];
        from[3 * v + 1] = rest->xyz[1][v];
        from[3 * v + 2] = rest->xyz[2][v];
    }
    from[3 * (size_t)count] = 0;
    kernels->blend_order(&block->order, transforms, from, to);
    const uint32_t lanes = (count + ABUT__GROUP - 1) / ABUT__GROUP * ABUT__GROUP;
    for (size_t v = 0; v < lanes; ++v) {  // those beyond the last vertex repeat the first
        const size_t at = v < count ? 3 * v : 0;
        points->xyz[0][v] = to[at];
        points->xyz[1][v] = to[at + 1];
        points->xyz[2][v] = to[at + 2];
    }
}

static void release_block(abut__convex_block* block) {
    if (block != NULL && atomic_fetch_sub_explicit(&block->holders, 1, memory_order_acq_rel) == 1) {
        abut__free(block->context, block, 1, block->size);
    }
}

// ---- nodes

// The limits of everything under a child: parallel lists, ascending by node.
typedef struct limit_list {
    const uint32_t* nodes;
    const abut__limit* limits;
    uint32_t count;
} limit_list;

typedef struct maker {
    abut__convex* made;
    const abut__tree* tree;
    const abut_mesh* mesh;
    const abut__weights* weights;
    const abut__convex_past* past;
    bool plain;
    // Limits that belong to the rows of `made`; needed during construction only.
    ABUT__VECTOR(abut__limit) limits;
    // Scratch, per node of the motion:
    abut__limit* sum;
    uint32_t* seen;  // number of children whose lists have the node
    uint32_t* touched;
    uint64_t* marks;  // one bit per node that was seen, to list them in order
    atomic_bool failed;
} maker;

static uint32_t words_of(const abut__weights* weights) {
    return weights->node_count / 64 + 1;
}

static limit_list list_of_part(const maker* m, const abut__convex_part* part) {
    return (limit_list){m->made->nodes.data + part->first, m->limits.data + part->first,
                        part->count};
}

static limit_list list_of_block(const maker* m, abut__ref child) {
    const abut__convex_block* block = m->made->blocks[abut__block_of(child)];
    return (limit_list){block->nodes, block->limits, block->node_count};
}

static void unite(abut__limit* sum, const abut__limit* more) {
    sum->least = fminf(sum->least, more->least);
    sum->most = fmaxf(sum->most, more->most);
    for (int d = 0; d < 3; ++d) {
        sum->lo[d] = fminf(sum->lo[d], more->lo[d]);
        sum->hi[d] = fmaxf(sum->hi[d], more->hi[d]);
    }
}

// Lists the marked nodes in ascending order and clears the marks.
static uint32_t list_marked(const maker* m) {
    uint32_t count = 0;
    for (uint32_t w = 0; w < words_of(m->weights); ++w) {
        for (uint64_t left = m->marks[w]; left != 0; left &= left - 1) {
            m->touched[count++] = 64 * w + (uint32_t)__builtin_ctzll(left);
        }
        m->marks[w] = 0;
    }
    return count;
}

// Unites the lists of the children in the scratch memory. Returns the number of nodes in `touched`.
static uint32_t unite_children(const maker* m, uint32_t n) {
    const uint32_t children = m->tree->nodes[n].count;
    for (uint32_t k = 0; k < children; ++k) {
        const limit_list list = list_of_part(m, &m->made->parts[n][k]);
        for (uint32_t i = 0; i < list.count; ++i) {
            const uint32_t node = list.nodes[i];
            if (m->seen[node] == 0) {
                m->marks[node / 64] |= UINT64_C(1) << node % 64;
                m->sum[node] = list.limits[i];
            } else {
                unite(&m->sum[node], &list.limits[i]);
            }
            ++m->seen[node];
        }
    }
    const uint32_t count = list_marked(m);
    for (uint32_t i = 0; i < count; ++i) {
        if (m->seen[m->touched[i]] < children) {  // its weight is 0 somewhere below
            m->sum[m->touched[i]].least = 0;
        }
        m->seen[m->touched[i]] = 0;
    }
    return count;
}

// Writes the numbers of one influence for the kernel. The half width covers the rounding of the
// centre.
static void put_row(const abut__limit* limit, float row[ABUT__CONVEX_ROW]) {
    for (int d = 0; d < 3; ++d) {
        const float middle = 0.5f * limit->lo[d] + 0.5f * limit->hi[d];
        const double above = (double)limit->hi[d] - (double)middle;
        const double below = (double)middle - (double)limit->lo[d];
        row[d] = middle;
        row[4 + d] = abut__round_up(above > below ? above : below);
    }
    row[3] = limit->least;
    row[7] = abut__round_up((double)limit->most - (double)limit->least);
}

// Makes room for the list of a child. False: no memory.
static bool push_part(maker* m, uint32_t count, abut__convex_part* part) {
    const abut_context* context = m->made->context;
    part->first = (uint32_t)m->made->nodes.count;
    part->count = count;
    return abut__push(context, &m->made->nodes, count) != NULL &&
           abut__push(context, &m->limits, count) != NULL &&
           abut__push(context, &m->made->rows, count) != NULL;
}

// Fills in the rows of a list that is complete.
static void finish_part(const maker* m, abut__convex_part* part) {
    const limit_list list = list_of_part(m, part);
    float(*rows)[ABUT__CONVEX_ROW] = m->made->rows.data + part->first;
    abut__limit all = list.limits[0];
    double sum = 0;
    for (uint32_t i = 0; i < list.count; ++i) {
        unite(&all, &list.limits[i]);
        sum += (double)list.limits[i].least;
    }
    part->rest = (float)(1 - sum);
    for (uint32_t i = 0; i < list.count; ++i) {
        abut__limit own = m->plain ? all : list.limits[i];
        own.least = list.limits[i].least;
        own.most = list.limits[i].most;
        put_row(&own, rows[i]);
    }
}

static bool fill_child(maker* m, uint32_t n, uint32_t k) {
    const abut__ref child = m->tree->nodes[n].child[k];
    abut__convex_part* part = &m->made->parts[n][k];
    const bool is_block = abut__is_block(child);
    const uint32_t count = is_block ? list_of_block(m, child).count : unite_children(m, child);
    if (!push_part(m, count, part)) {
        return false;
    }
    uint32_t* nodes = m->made->nodes.data + part->first;
    abut__limit* limits = m->limits.data + part->first;
    for (uint32_t i = 0; i < count; ++i) {
        nodes[i] = is_block ? list_of_block(m, child).nodes[i] : m->touched[i];
        limits[i] = is_block ? list_of_block(m, child).limits[i] : m->sum[nodes[i]];
    }
    finish_part(m, part);
    return true;
}

// Reserves memory. An edited shape has about as many rows as the older one. False: no memory.
static bool reserve_rows(maker* m) {
    const abut_context* context = m->made->context;
    const size_t before = m->past != NULL ? m->past->convex->nodes.count : 0;
    const size_t room = before + before / 8;
    return abut__reserve(context, &m->made->nodes, room) &&
           abut__reserve(context, &m->limits, room) && abut__reserve(context, &m->made->rows, room);
}

// Children come after their parents, so the loop runs backwards.
static bool fill_nodes(maker* m) {
    const abut_context* context = m->made->context;
    const size_t count = m->weights->node_count;
    m->sum = abut__alloc(context, count, sizeof *m->sum);
    m->seen = abut__alloc_zero(context, count, sizeof *m->seen);
    m->touched = abut__alloc(context, count, sizeof *m->touched);
    m->marks = abut__alloc_zero(context, words_of(m->weights), sizeof *m->marks);
    bool done = m->sum != NULL && m->seen != NULL && m->touched != NULL && m->marks != NULL &&
                reserve_rows(m);
    for (uint32_t n = m->tree->node_count; n-- > 0 && done;) {
        for (uint32_t k = 0; k < m->tree->nodes[n].count && done; ++k) {
            done = fill_child(m, n, k);
        }
    }
    abut__free(context, m->sum, count, sizeof *m->sum);
    abut__free(context, m->seen, count, sizeof *m->seen);
    abut__free(context, m->touched, count, sizeof *m->touched);
    abut__free(context, m->marks, words_of(m->weights), sizeof *m->marks);
    abut__drop(context, &m->limits);
    return done;
}

// ---- blocks taken over from an older shape

static bool is_changed(const uint8_t* changed, const abut__block* block) {
    bool any = false;
    for (uint32_t v = 0; v < block->vertex_count && changed != NULL; ++v) {
        any |= changed[block->vertex[v]] != 0;
    }
    return any;
}

static void take_old_blocks(maker* m) {
    const abut__convex_past* past = m->past;
    const uint32_t count = past != NULL ? past->count : 0;
    for (uint32_t b = 0; b < count; ++b) {
        if (!is_changed(past->changed, m->tree->blocks[b])) {
            m->made->blocks[b] = past->convex->blocks[past->blocks[b]];
            atomic_fetch_add_explicit(&m->made->blocks[b]->holders, 1, memory_order_relaxed);
            ++m->made->taken;
        }
    }
}

#define BLOCKS_PER_TASK 64u

static void fill_blocks(void* argument, uint32_t index, uint32_t worker) {
    (void)worker;
    maker* m = argument;
    for (uint32_t b = BLOCKS_PER_TASK * index;
         b < BLOCKS_PER_TASK * (index + 1) && b < m->tree->block_count; ++b) {
        if (m->made->blocks[b] == NULL) {
            m->made->blocks[b] = make_block(m->made->context, m->mesh, m->weights,
                                            m->tree->blocks[b]);
            if (m->made->blocks[b] == NULL) {
                atomic_store(&m->failed, true);
            }
        }
    }
}

abut__convex* abut__convex_make(const abut_context* context, const abut__tree* tree,
                                const abut_mesh* mesh, const abut__weights* weights, bool plain,
                                const abut__convex_past* past) {
    abut__convex* made = abut__alloc_zero(context, 1, sizeof *made);
    if (made == NULL) {
        return NULL;
    }
    made->context = context;
    made->node_count = tree->node_count;
    made->block_count = tree->block_count;
    made->blocks = abut__alloc_zero(context, tree->block_count, sizeof *made->blocks);
    made->parts = abut__alloc_zero(context, tree->node_count, sizeof *made->parts);
    maker m = {
        .made = made, .tree = tree, .mesh = mesh, .weights = weights, .past = past, .plain = plain};
    atomic_init(&m.failed, made->blocks == NULL || made->parts == NULL);
    if (!atomic_load(&m.failed)) {
        take_old_blocks(&m);
        abut__run_tasks(context, (tree->block_count + BLOCKS_PER_TASK - 1) / BLOCKS_PER_TASK,
                        fill_blocks, &m);
    }
    if (atomic_load(&m.failed) || !fill_nodes(&m)) {
        abut__convex_free(made);
        return NULL;
    }
    return made;
}

void abut__convex_free(abut__convex* convex) {
    if (convex == NULL) {
        return;
    }
    const abut_context* context = convex->context;
    for (uint32_t b = 0; b < convex->block_count && convex->blocks != NULL; ++b) {
        release_block(convex->blocks[b]);
    }
    abut__free(context, convex->blocks, convex->block_count, sizeof *convex->blocks);
    abut__free(context, convex->parts, convex->node_count, sizeof *convex->parts);
    abut__drop(context, &convex->rows);
    abut__drop(context, &convex->nodes);
    abut__free(context, convex, 1, sizeof *convex);
}
