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

// The certificate of a node under construction.
typedef struct node_work {
    const abut__certifier* m;
    abut__cluster aimed;
    const abut__cluster* cluster;  // points to `aimed`
    abut__cluster_row* rows;       // memory for `aimed`
    float* map;
    size_t stride;
    double gap;
    float* memory;  // for limits
    abut__limits limits;
    float* room[2];  // for rows of clusters with other fields
} node_work;

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

static void add_far_blocks(node_work* w, uint32_t a, uint32_t b) {
    const abut__certifier* m = w->m;
    const uint32_t count_a = abut__subset_count(m->tree->blocks[a]);
    const uint32_t count_b = abut__subset_count(m->tree->blocks[b]);
    for (uint32_t g = 0; g < count_a; ++g) {
        for (uint32_t h = 0; h < count_b; ++h) {
            if (!add_clusters(w, abut__subsets_of(m, a) + g, abut__subsets_of(m, b) + h, true)) {
                w->gap = 0;  // neither listed as near nor apart: the list of near pairs was full
                return;
            }
        }
    }
}

typedef void add_fn(node_work* w, abut__ref a, abut__ref b);

// Raises the limits by everything under `a` against everything under `b`: by their clusters, or by
// `add_below` for the parts of the one that opens first.
static void add_parts(node_work* w, abut__ref a, abut__ref b, add_fn* add_below) {
    const abut__certifier* m = w->m;
    if (add_clusters(w, &m->sketches[abut__part_of(m, a)], &m->sketches[abut__part_of(m, b)],
                     false)) {
        return;
    }
    if (abut__is_block(a) && abut__is_block(b)) {
        add_far_blocks(w, abut__block_of(a), abut__block_of(b));
        return;
    }
    const bool first = abut__opens_first(m, a, b);
    const abut__node* node = &m->tree->nodes[first ? a : b];
    for (uint32_t k = 0; k < node->count; ++k) {
        add_below(w, first ? node->child[k] : a, first ? b : node->child[k]);
    }
}

// The same, except near pairs.
static void add_far(node_work* w, abut__ref a, abut__ref b) {
    const bool blocks = abut__is_block(a) && abut__is_block(b);
    if (w->gap != 0 && !(blocks && is_near(w->m, abut__block_of(a), abut__block_of(b)))) {
        add_parts(w, a, b, add_far);
    }
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

// The same by the certificates of pairs, where there are some.
static void add_between(node_work* w, abut__ref a, abut__ref b) {
    if (w->gap == 0) {
        return;
    }
    const abut__certificate* made = certificate_between(w->m->made, a, b);
    if (made != NULL) {
        add_part(w, made);
    } else {
        add_parts(w, a, b, add_between);
    }
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

static void certify_node_pair(node_work* w, uint32_t number) {
    const abut__certifier* m = w->m;
    const uint64_t key = m->near_nodes.data[number];
    const uint32_t a = (uint32_t)(key >> 32);
    const uint32_t b = (uint32_t)key;
    abut__certificate* out = &m->made->node_pairs[number];
    const abut__cluster* parts[2] = {&m->clusters[a], &m->clusters[b]};
    abut__cluster both;
    abut__cluster_start(&both, &m->units, ABUT__AT(m->made->fields.data, out->first_field),
                        out->field_count, w->rows, NULL);
    abut__certify_sum(&both, parts, 2);
    begin_limits(w, &both);
    for (uint32_t i = 0; i < m->tree->nodes[a].count; ++i) {
        for (uint32_t k = 0; k < m->tree->nodes[b].count; ++k) {
            add_between(w, m->tree->nodes[a].child[i], m->tree->nodes[b].child[k]);
        }
    }
    out->gap = w->gap;
    abut__certificate_put(m, w->cluster, &w->limits, out);
}

static void certify_node(node_work* w, uint32_t n, const uint32_t* pairs, uint32_t pair_count) {
    abut__certificates* made = w->m->made;
    const abut__node* node = &w->m->tree->nodes[n];
    begin_limits(w, &w->m->clusters[n]);
    for (uint32_t k = 0; k < node->count; ++k) {
        const abut__ref child = node->child[k];
        add_part(w, abut__is_block(child) ? &made->blocks[abut__block_of(child)]
                                          : &made->nodes[child]);
    }
    for (uint32_t k = 0; k < pair_count; ++k) {
        add_part(w, &made->pairs[pairs[k]]);
    }
    for (uint32_t i = 0; i < node->count; ++i) {
        for (uint32_t k = i + 1; k < node->count; ++k) {
            add_far(w, node->child[i], node->child[k]);
        }
    }
    made->nodes[n].gap = w->gap;
    abut__certificate_put(w->m, w->cluster, &w->limits, &made->nodes[n]);
}

// Allocates memory in an arena; false: there is none.
static bool reserve_work(const abut__certifier* m, abut__arena* arena, node_work* w) {
    const size_t stride = abut__sketch_stride(m->units.field_count) + (size_t)16;
    const size_t rows = ABUT__SKETCH_ROWS * stride;
    float* memory = abut__arena_push(arena, 4 * stride + 3 * rows, sizeof *memory);
    abut__cluster_row* own = abut__arena_push(arena, stride, sizeof *own);
    if (memory == NULL || own == NULL) {
        return false;
    }
    float* rest = memory + 4 * stride;
    *w = (node_work){
        .m = m, .rows = own, .map = rest + 2 * rows, .memory = memory, .room = {rest, rest + rows}};
    return true;
}

// Nodes have greater numbers than those above them, so pairs below come first.
bool abut__certify_node_pairs(const abut__certifier* m) {
    abut__arena arena = abut__arena_make(m->made->context);
    node_work w;
    const bool room = reserve_work(m, &arena, &w);
    for (uint32_t p = m->made->index.node_pair_count; p-- > 0 && room;) {
        certify_node_pair(&w, p);
    }
    abut__arena_release(&arena);
    return room;
}

bool abut__certify_nodes(const abut__certifier* m) {
    abut__arena arena = abut__arena_make(m->made->context);
    node_work w;
    uint32_t* first = abut__arena_push(&arena, m->tree->node_count + (size_t)1, sizeof *first);
    uint32_t* order = abut__arena_push(&arena, m->made->index.pair_count + (size_t)1,
                                       sizeof *order);
    const bool room = reserve_work(m, &arena, &w) && first != NULL && order != NULL;
    if (room) {
        order_pairs(m, first, order);
        for (uint32_t n = m->tree->node_count; n-- > 0;) {
            certify_node(&w, n, order + first[n], first[n + 1] - first[n]);
        }
    }
    abut__arena_release(&arena);
    return room;
}
