// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Makes the certificates of nodes from those of their children, those of the near pairs between the
// children, and far clusters under different children.
//
// Let X and Y be far clusters, with c the difference of their means, D = |c|, and every distance
// d_ab along some direction at least d. In X a field has the map G_X about its mean displacement,
// with an error of at most e_X; likewise in Y. For any E such that (H + E) c is the difference of
// the mean displacements, the residuals of a vertex of X and one of Y differ by at most
//
//   |G_X - H - E| radius_X + |G_Y - H - E| radius_Y + e_X + e_Y.
//
// E starts as 0 or as the mean of G_X and G_Y minus H. If w is then missing from the image of c,
// (w c^T - c v^T) / D^2 is added, where v is the part of w across c: a rotation for v, which causes
// no strain, and a stretch along c for the rest. So the change of distance of far clusters limits
// the certificate, not their rotation. The kernel modal_far computes this.
//
// Certificates of pairs of nodes are made likewise, from those of pairs of their children.
#include "bound/certify.h"

#include "base/offset.h"

#define SLACK 1.2f  // a bound at most this factor above the greatest so far is good enough

// Two nodes or blocks, everything under which is still to be added.
typedef struct open_pair {
    abut__ref a;
    abut__ref b;
} open_pair;

// The certificate of a node, or of a pair of nodes, under construction.
typedef struct abut__node_work {
    abut__certifier* m;
    abut__arena arena;
    uint32_t* first;  // near pairs by their lowest common nodes n: order[first[n] .. first[n + 1])
    uint32_t* order;
    open_pair* open;
    uint32_t open_count;
    int pass;  // of the current one; 0: not begun
    abut__cluster aimed;
    const abut__cluster* cluster;  // points to `aimed`
    abut__cluster_row* rows;       // memory for `aimed`
    float* map;
    size_t stride;
    double gap;
    float* memory;  // for limits
    abut__limits limits;
    float* room[2];  // for rows of clusters with other fields
} abut__node_work;
typedef abut__node_work node_work;

static void raise(float* most, float* enough, double value) {
    const float up = nextafterf((float)value, INFINITY);
    *most = up > *most ? up : *most;
    *enough = SLACK * up > *enough ? SLACK * up : *enough;
}

// A row of a part's certificate in units of the shape.
typedef struct part_row {
    double map[3][3];
    double origin[3];  // in rows of w_j only
    double full;
    double strain;
} part_row;

static part_row read_row(const node_work* w, const float* row, uint32_t field) {
    const double unit = w->m->units.length / w->m->units.amount[field];
    part_row out;
    for (int i = 0; i < 9; ++i) {
        out.map[i / 3][i % 3] = (double)row[i] * unit;
    }
    const bool weight = field < w->m->units.paired && field % 2 == 1;
    for (int d = 0; d < 3; ++d) {
        out.origin[d] = weight ? (double)row[3 + d] / w->m->units.length : 0;
        out.map[1][d] = weight ? 0 : out.map[1][d];
    }
    out.full = (double)row[9] * unit;
    out.strain = (double)row[10] * unit;
    return out;
}

// Moves the origin of a row of w_j (p - origin) by `step`.
static void move_origin(part_row* row, const part_row* weight, const double step[3]) {
    for (int i = 0; i < 9; ++i) {
        row->map[i / 3][i % 3] -= step[i / 3] * weight->map[0][i % 3];
    }
    const double more = abut__length(step) * (weight->full + 1e-12 * abut__length(weight->map[0]));
    row->full += more;
    row->strain += more;
}

// Raises the limits by a part of the node that has a certificate of its own.
static void add_part(node_work* w, const abut__certificate* part) {
    if (part->gap == INFINITY || w->gap == 0) {
        return;
    }
    ++w->m->spent;
    w->gap = fmin(w->gap, part->gap);
    const abut__cluster* cluster = w->cluster;
    const abut__limits* limits = &w->limits;
    const uint32_t* fields = ABUT__AT(w->m->made->fields.data, part->first_field);
    const float* row = ABUT__AT(w->m->made->data, part->data);
    uint32_t next = 0;
    for (uint32_t k = 0; k < cluster->field_count && w->gap > 0; ++k) {
        const uint32_t field = cluster->fields[k];
        const bool listed = next < part->field_count && fields[next] == field;
        part_row own = {0};
        if (listed) {
            own = read_row(w, row, field);
        }
        if (listed && k < cluster->paired && k % 2 == 0) {
            const part_row weight = read_row(w, row + ABUT__CERTIFICATE_ROW, field + 1);
            double step[3];
            for (int d = 0; d < 3; ++d) {
                step[d] = cluster->pairs[k / 2].origin[d] - weight.origin[d];
            }
            move_origin(&own, &weight, step);
        }
        for (int i = 0; i < 9; ++i) {
            own.map[i / 3][i % 3] -= cluster->rows[k].map[i / 3][i % 3];
        }
        raise(&limits->full[k], &limits->enough_full[k],
              (own.full + abut__norm((const double(*)[3])own.map)) * (1 + 1e-12));
        raise(&limits->strain[k], &limits->enough_strain[k],
              (own.strain + abut__norm_symmetric((const double(*)[3])own.map)) * (1 + 1e-12));
        next += listed;
        row += listed ? ABUT__CERTIFICATE_ROW : 0;
    }
}

// Raises the limits by two clusters. Returns false if they may touch, or if smaller clusters would
// give better limits and `last` is false.
static bool add_clusters(node_work* w, const abut__sketch* x, const abut__sketch* y, bool last) {
    abut__far_geometry geometry;
    double gap;
    ++w->m->spent;
    if (!abut__places_apart(&x->place, &y->place, &geometry, &gap)) {
        return false;
    }
    const float* rows_x = abut__sketch_rows(x, w->cluster, w->room[0]);
    const float* rows_y = abut__sketch_rows(y, w->cluster, w->room[1]);
    if (!w->m->made->context->kernels->modal_far(rows_x, rows_y, w->map, w->stride, &geometry, last,
                                                 &w->limits)) {
        return false;
    }
    w->gap = fmin(w->gap, gap * w->m->units.length);
    return true;
}

static bool is_near(const abut__certifier* m, uint32_t a, uint32_t b) {
    const uint32_t lower = a < b ? a : b;
    const uint32_t upper = a < b ? b : a;
    for (uint32_t p = m->made->index.pair_first[lower]; p < m->made->index.pair_first[lower + 1];
         ++p) {
        if (m->made->index.pair_other[p] == upper) {
            return true;
        }
    }
    return false;
}

// Raises the limits by a subset of one block against another block.
static void add_far_subset(node_work* w, const abut__sketch* subset, uint32_t other) {
    const abut__certifier* m = w->m;
    const uint32_t count = abut__subset_count(m->tree->blocks[other]);
    if (add_clusters(w, subset, &m->sketches[m->tree->node_count + other], false)) {
        return;
    }
    for (uint32_t h = 0; h < count && w->gap != 0; ++h) {
        if (!add_clusters(w, subset, abut__subsets_of(m, other) + h, true)) {
            w->gap = 0;  // neither listed as near nor apart: the list of near pairs was full
        }
    }
}

static void add_far_blocks(node_work* w, uint32_t a, uint32_t b) {
    const uint32_t count = abut__subset_count(w->m->tree->blocks[a]);
    for (uint32_t g = 0; g < count && w->gap != 0; ++g) {
        add_far_subset(w, abut__subsets_of(w->m, a) + g, b);
    }
}

// Raises the limits by everything under `a` against everything under `b`. Returns true if that is
// left to the parts of the one that opens first.
typedef bool add_fn(node_work* w, abut__ref a, abut__ref b);

static bool add_parts(node_work* w, abut__ref a, abut__ref b) {
    const abut__certifier* m = w->m;
    if (add_clusters(w, &m->sketches[abut__part_of(m, a)], &m->sketches[abut__part_of(m, b)],
                     false)) {
        return false;
    }
    if (abut__is_block(a) && abut__is_block(b)) {
        add_far_blocks(w, abut__block_of(a), abut__block_of(b));
        return false;
    }
    return true;
}

// The same, except near pairs.
static bool add_far(node_work* w, abut__ref a, abut__ref b) {
    const bool blocks = abut__is_block(a) && abut__is_block(b);
    return !(blocks && is_near(w->m, abut__block_of(a), abut__block_of(b))) && add_parts(w, a, b);
}

// Returns the certificate of a pair of blocks or of nodes; NULL: it has none.
static const abut__certificate* certificate_between(const abut__certificates* made, abut__ref a,
                                                    abut__ref b) {
    if (abut__is_block(a) && abut__is_block(b)) {
        const abut__certificate_range near = abut__certificate_of_pair(
            &made->index, abut__block_of(a), abut__block_of(b));
        return near.lanes != 0 ? &made->pairs[near.first + near.lane] : NULL;
    }
    const uint32_t number = !abut__is_block(a) && !abut__is_block(b)
                                ? abut__certificate_node_pair(&made->index, a, b)
                                : ABUT__NONE;
    return number != ABUT__NONE ? &made->node_pairs[number] : NULL;
}

// The same by the certificates of pairs alone, where there are some.
static bool add_certified(node_work* w, abut__ref a, abut__ref b) {
    const abut__certificate* made = certificate_between(w->m->made, a, b);
    if (made != NULL) {
        add_part(w, made);
    }
    return made == NULL && !(abut__is_block(a) && abut__is_block(b)) &&
           abut__certify_may_be_near(w->m, a, b);
}

// The same for all that has no such certificate. Limits that are great already spare most of it.
static bool add_between(node_work* w, abut__ref a, abut__ref b) {
    return certificate_between(w->m->made, a, b) == NULL && add_parts(w, a, b);
}

static void open_later(node_work* w, abut__ref a, abut__ref b) {
    w->open[w->open_count++] = (open_pair){a, b};
}

// Works on open pairs. False: the slice has spent its units before the end.
static bool add_open(node_work* w, add_fn* add, uint64_t limit) {
    const abut__certifier* m = w->m;
    while (w->open_count > 0 && w->gap != 0) {
        if (m->spent >= limit) {
            return false;
        }
        const open_pair pair = w->open[--w->open_count];
        ++w->m->spent;
        if (add(w, pair.a, pair.b)) {
            const bool first = abut__opens_first(m, pair.a, pair.b);
            const abut__node* node = &m->tree->nodes[first ? pair.a : pair.b];
            for (uint32_t k = node->count; k-- > 0;) {
                open_later(w, first ? node->child[k] : pair.a, first ? pair.b : node->child[k]);
            }
        }
    }
    w->open_count = 0;
    return true;
}

static void fit_node(const abut__certifier* m, uint32_t n) {
    const abut__node* node = &m->tree->nodes[n];
    abut__cluster* own = &m->clusters[n];
    const abut__cluster* parts[ABUT__FAN];
    m->reach[n] = 0;
    for (uint32_t k = 0; k < node->count; ++k) {
        const uint32_t child = abut__part_of(m, node->child[k]);
        parts[k] = &m->clusters[child];
        m->reach[n] = fmax(m->reach[n], m->reach[child]);
    }
    abut__certify_sum(own, parts, node->count);
    for (uint32_t k = 0; k < node->count; ++k) {
        abut__cluster_cover(own, parts[k]);
    }
    abut__sketch_make(own, m->sketches[n].rows, &m->sketches[n]);
}

void abut__certify_fit_nodes(const abut__certifier* m) {
    for (uint32_t n = m->tree->node_count; n-- > 0;) {
        fit_node(m, n);
    }
}

// Sorts near pairs by their lowest common nodes n: order[first[n] .. first[n + 1]).
static void order_pairs(const abut__certifier* m, uint32_t* first, uint32_t* order) {
    const abut__tree* tree = m->tree;
    const uint64_t* keys = m->near.data;
    memset(first, 0, (tree->node_count + (size_t)1) * sizeof *first);
    for (uint32_t p = 0; p < m->made->index.pair_count; ++p) {
        ++first[abut__common_node(tree, (uint32_t)(keys[p] >> 32), (uint32_t)keys[p])];
    }
    uint32_t sum = 0;
    for (uint32_t n = 0; n <= tree->node_count; ++n) {
        sum += first[n];
        first[n] = sum;  // the end of the range of n, which is filled backwards
    }
    for (uint32_t p = m->made->index.pair_count; p-- > 0;) {
        order[--first[abut__common_node(tree, (uint32_t)(keys[p] >> 32), (uint32_t)keys[p])]] = p;
    }
}

// Starts a certificate for the fields of a cluster.
static void begin_limits(node_work* w, const abut__cluster* cluster) {
    w->aimed = abut__certify_aim(cluster, w->rows, w->map);
    w->cluster = &w->aimed;
    w->stride = abut__sketch_stride(w->cluster->field_count);
    w->gap = INFINITY;
    w->limits = abut__limits_start(w->memory, w->cluster, SLACK, SLACK);
}

static void open_children(node_work* w, uint32_t a, uint32_t b) {
    const abut__node* nodes = w->m->tree->nodes;
    for (uint32_t i = nodes[a].count; i-- > 0;) {
        for (uint32_t k = nodes[b].count; k-- > (a == b ? i + 1 : 0);) {
            open_later(w, nodes[a].child[i], nodes[b].child[k]);
        }
    }
}

static void begin_node_pair(node_work* w, uint32_t a, uint32_t b, const abut__certificate* out) {
    const abut__certifier* m = w->m;
    const abut__cluster* parts[2] = {&m->clusters[a], &m->clusters[b]};
    abut__cluster both;
    abut__cluster_start(&both, &m->units, ABUT__AT(m->made->fields.data, out->first_field),
                        out->field_count, w->rows, NULL);
    abut__certify_sum(&both, parts, 2);
    begin_limits(w, &both);
    const abut__certificate* const nodes[2] = {&m->made->nodes[a], &m->made->nodes[b]};
    abut__certify_content(m, w->cluster, nodes, &w->limits);
}

// Makes the certificate of a pair of nodes, or a part of it. True: it is done.
static bool certify_node_pair(node_work* w, uint32_t number, uint64_t limit) {
    const abut__certifier* m = w->m;
    const uint64_t key = m->near_nodes.data[number];
    const uint32_t a = (uint32_t)(key >> 32);
    const uint32_t b = (uint32_t)key;
    abut__certificate* out = &m->made->node_pairs[number];
    if (w->pass == 0) {
        begin_node_pair(w, a, b, out);
        open_children(w, a, b);
        w->pass = 1;
    }
    if (w->pass == 1) {
        if (!add_open(w, add_certified, limit)) {
            return false;
        }
        open_children(w, a, b);
        w->pass = 2;
    }
    if (!add_open(w, add_between, limit)) {
        return false;
    }
    w->pass = 0;
    out->gap = w->gap;
    abut__certificate_put(m, w->cluster, &w->limits, out);
    return true;
}

static void begin_node(node_work* w, uint32_t n) {
    const abut__certificates* made = w->m->made;
    const abut__node* node = &w->m->tree->nodes[n];
    begin_limits(w, &w->m->clusters[n]);
    for (uint32_t k = 0; k < node->count; ++k) {
        const abut__ref child = node->child[k];
        add_part(w, abut__is_block(child) ? &made->blocks[abut__block_of(child)]
                                          : &made->nodes[child]);
    }
    for (uint32_t k = w->first[n]; k < w->first[n + 1]; ++k) {
        add_part(w, &made->pairs[w->order[k]]);
    }
}

static bool certify_node(node_work* w, uint32_t n, uint64_t limit) {
    abut__certificate* out = &w->m->made->nodes[n];
    if (w->pass == 0) {
        begin_node(w, n);
        open_children(w, n, n);
        w->pass = 1;
    }
    if (!add_open(w, add_far, limit)) {
        return false;
    }
    w->pass = 0;
    out->gap = w->gap;
    abut__certificate_put(w->m, w->cluster, &w->limits, out);
    return true;
}

// ---- all of them

// Pairs of children, and for each level that is opened the children of one node.
static size_t open_room(const abut__tree* tree) {
    return (size_t)ABUT__FAN * (ABUT__FAN + 2 * (size_t)tree->depth + 2);
}

// Allocates memory in an arena; false: there is none.
static bool reserve_work(node_work* w) {
    const abut__certifier* m = w->m;
    const size_t stride = abut__sketch_stride(m->units.field_count) + (size_t)16;
    const size_t rows = ABUT__SKETCH_ROWS * stride;
    float* memory = abut__arena_push(&w->arena, 4 * stride + 3 * rows, sizeof *memory);
    w->rows = abut__arena_push(&w->arena, stride, sizeof *w->rows);
    w->open = abut__arena_push(&w->arena, open_room(m->tree), sizeof *w->open);
    w->first = abut__arena_push(&w->arena, m->tree->node_count + (size_t)1, sizeof *w->first);
    w->order = abut__arena_push(&w->arena, m->made->index.pair_count + (size_t)1, sizeof *w->order);
    if (memory == NULL || w->rows == NULL || w->open == NULL || w->first == NULL ||
        w->order == NULL) {
        return false;
    }
    float* rest = memory + 4 * stride;
    w->memory = memory;
    w->map = rest + 2 * rows;
    w->room[0] = rest;
    w->room[1] = rest + rows;
    return true;
}

bool abut__certify_begin_nodes(abut__certifier* m) {
    m->work = abut__alloc_zero(m->made->context, 1, sizeof *m->work);
    if (m->work == NULL) {
        return false;
    }
    m->work->m = m;
    m->work->arena = abut__arena_make(m->made->context);
    if (!reserve_work(m->work)) {
        return false;
    }
    order_pairs(m, m->work->first, m->work->order);
    m->next = m->tree->node_count;
    return true;
}

void abut__certify_end_nodes(abut__certifier* m) {
    if (m->work != NULL) {
        abut__arena_release(&m->work->arena);
        abut__free(m->made->context, m->work, 1, sizeof *m->work);
    }
}

// Nodes have greater numbers than those above them, so pairs below come first.
void abut__certify_node_pairs(abut__certifier* m, uint64_t limit) {
    while (m->next > 0 && m->spent < limit) {
        m->next -= certify_node_pair(m->work, m->next - 1, limit);
    }
    if (m->next == 0) {
        m->phase = ABUT__CERTIFY_GROUP;
    }
}

void abut__certify_nodes(abut__certifier* m, uint64_t limit) {
    while (m->next > 0 && m->spent < limit) {
        m->next -= certify_node(m->work, m->next - 1, limit);
    }
    if (m->next == 0) {
        m->phase = ABUT__CERTIFY_NODE_PAIRS;
        m->next = m->made->index.node_pair_count;
    }
}
