// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Making certificates, from the blocks up. Only blocks and pairs of near blocks look at triangles;
// a node is made of the certificates of its children and of the near pairs between them, and of far
// clusters under different children.
//
// Far clusters X and Y, with means c apart, D = |c|, and every distance d_ab along some direction
// at least d. Fields have in X the map G_X about the mean displacement, off by at most e_X, likewise
// in Y. With any E such that (H + E) c = the difference of the mean displacements, the residuals of
// a vertex of X and one of Y differ by at most
//
//   |G_X - H - E| radius_X + |G_Y - H - E| radius_Y + e_X + e_Y.
//
// E starts as 0 or as the mean of G_X and G_Y less H, and then comes what makes it fit: if w is left
// of c, (w c^T - c v^T) / D^2, where v is the part of w across c: a rotation for that part, which
// strains nothing, and a stretch along c for the rest. So far clusters are limited by how much
// their distance changes, not by how far they turn. That is done by a kernel (modal_far).
#include "base/sort.h"
#include "bound/certificate.h"
#include "bound/separation.h"

#define MAGNITUDE_MOST 1e60  // shapes with greater numbers are not certified
#define FACTOR_MOST 0x1p60   // fields that are steeper, or less than its inverse, are not
#define NEAR 0.25            // blocks nearer than this part of their radii get a certificate
#define NEAR_PAIRS 16u       // that many a block, in the mean
#define SLACK 1.2f           // a bound this much above the greatest so far is good enough
#define TASK_SETS 16u        // blocks or pairs in a task

// what a worker needs to make the certificate of one or two blocks
typedef struct workshop {
    abut__separation separation;
    abut__cluster_row* rows;
    double (*displacement)[3];
    float* sketch;
} workshop;

typedef struct maker {
    abut__certificates* made;
    const abut__tree* tree;
    const abut__links* links;
    const abut__bdtree* bdtree;
    abut__units units;
    uint32_t parts;           // nodes and blocks
    abut__cluster* clusters;  // of nodes, then of blocks
    abut__cluster_row* rows;
    size_t row_count;
    abut__sketch* sketches;  // of nodes, of blocks, and of blocks' subsets, ABUT__SUBSETS each
    float* sketch_rows;
    size_t sketch_floats;
    double* reach;  // per cluster: how far its blocks look for near ones, at most
    abut__lane_order* orders;
    workshop* shops;  // one a worker
    uint32_t shop_count;
    abut__vector near;  // of uint64_t: lower block << 32 | upper block
    uint32_t near_most;
    bool out_of_memory;
} maker;

static uint32_t part_of(const maker* m, abut__ref ref) {
    return abut__is_block(ref) ? m->tree->node_count + abut__block_of(ref) : ref;
}
static const abut__sketch* subsets_of(const maker* m, uint32_t block) {
    return m->sketches + m->parts + (size_t)ABUT__SUBSETS * block;
}

// ---- rows of certificates

// What cannot be summed up safely in float is infinite.
static float limit_up(double x) {
    const float f = (float)x;
    return x <= FACTOR_MOST ? ((double)f < x ? nextafterf(f, INFINITY) : f) : INFINITY;
}

// from units of the shape to true ones: exact, since these are powers of two
static void put_rows(const maker* m, const abut__certificate* out, const abut__cluster* cluster,
                     const abut__limits* limits) {
    float* row = m->made->data + out->data;
    for (uint32_t k = 0; k < cluster->field_count; ++k, row += ABUT__CERTIFICATE_ROW) {
        const double(*map)[3] = (const double(*)[3])cluster->rows[k].map;
        const double factor = m->units.amount[cluster->fields[k]] / m->units.length;
        const bool good = factor < FACTOR_MOST && factor > 1 / FACTOR_MOST;
        for (int i = 0; i < 9; ++i) {
            row[i] = good ? (float)(map[i / 3][i % 3] * factor) : 0;
        }
        row[9] = good ? limit_up((double)limits->full[k] * factor) : INFINITY;
        row[10] = good ? limit_up((double)limits->strain[k] * factor) : INFINITY;
        row[11] = good ? limit_up(abut__norm_frobenius(map) * factor) : INFINITY;
    }
}

// ---- blocks and pairs of blocks

static abut__set_block set_block(const maker* m, uint32_t block) {
    return (abut__set_block){m->tree->blocks[block], &m->orders[block], subsets_of(m, block)};
}

static void certify_set(const maker* m, workshop* shop, const abut__cluster* cluster,
                        const float* map, const abut__set_block block[2], abut__certificate* out) {
    abut__separation* s = &shop->separation;
    abut__separation_begin(s, &m->units, cluster, map, block, shop->displacement);
    abut__separation_measure(s);
    out->gap = s->gap;
    put_rows(m, out, cluster, &s->limits);
}

// adds a vertex to a cluster, or makes it cover the vertex
typedef void (*vertex_step)(abut__cluster*, const double*, const double (*)[3]);
static void take_vertex(const maker* m, workshop* shop, abut__cluster* cluster, uint32_t vertex,
                        vertex_step step) {
    double p[3];
    abut__units_position(&m->units, vertex, p);
    abut__units_displacements(&m->units, vertex, cluster->fields, cluster->field_count,
                              shop->displacement);
    step(cluster, p, (const double(*)[3])shop->displacement);
}

static void sketch_subset(const maker* m, workshop* shop, uint32_t b, uint32_t subset) {
    static const vertex_step steps[2] = {abut__cluster_add_vertex, abut__cluster_cover_vertex};
    const abut__block* block = m->tree->blocks[b];
    const uint32_t first = subset * ABUT__SUBSET;
    abut__sketch* out = (abut__sketch*)subsets_of(m, b) + subset;
    abut__cluster cluster;
    abut__cluster_start(&cluster, m->clusters[m->tree->node_count + b].fields,
                        m->clusters[m->tree->node_count + b].field_count, shop->rows);
    for (int step = 0; step < 2; ++step) {
        uint64_t taken = 0;
        for (uint32_t k = first; k < first + ABUT__SUBSET && k < block->triangle_count; ++k) {
            for (int c = 0; c < 3; ++c) {
                const uint32_t place = block->corner[c][m->orders[b].lane[k]];
                if ((taken >> place & 1) == 0) {
                    take_vertex(m, shop, &cluster, block->vertex[place], steps[step]);
                }
                taken |= UINT64_C(1) << place;
            }
        }
        if (step == 0) {
            abut__cluster_fit(&cluster);
        }
    }
    abut__sketch_make(&cluster, out->rows, out);
}

static void certify_block(const maker* m, workshop* shop, uint32_t b) {
    const abut__block* block = m->tree->blocks[b];
    const uint32_t part = m->tree->node_count + b;
    abut__cluster* own = &m->clusters[part];
    m->orders[b] = abut__lane_order_make(m->units.mesh, block);
    for (uint32_t v = 0; v < block->vertex_count; ++v) {
        take_vertex(m, shop, own, block->vertex[v], abut__cluster_add_vertex);
    }
    abut__cluster_fit(own);
    for (uint32_t v = 0; v < block->vertex_count; ++v) {
        take_vertex(m, shop, own, block->vertex[v], abut__cluster_cover_vertex);
    }
    abut__sketch_make(own, m->sketches[part].rows, &m->sketches[part]);
    for (uint32_t g = 0; g < abut__subset_count(block); ++g) {
        sketch_subset(m, shop, b, g);
    }
    const abut__set_block set[2] = {set_block(m, b), {NULL, NULL, NULL}};
    certify_set(m, shop, own, m->sketches[part].rows, set, &m->made->blocks[b]);
    m->reach[part] = NEAR * own->place.radius;
}

static void certify_blocks(void* argument, uint32_t index, uint32_t worker) {
    const maker* m = argument;
    const uint32_t count = m->tree->block_count;
    for (uint32_t b = TASK_SETS * index; b < count && b < TASK_SETS * (index + 1); ++b) {
        certify_block(m, &m->shops[worker], b);
    }
}

static void certify_pair(const maker* m, workshop* shop, uint32_t pair) {
    const uint64_t key = ((const uint64_t*)m->near.data)[pair];
    const uint32_t side[2] = {(uint32_t)(key >> 32), (uint32_t)key};
    abut__certificate* out = &m->made->pairs[pair];
    abut__cluster cluster;
    abut__sketch sketch;
    abut__cluster_start(&cluster, (const uint32_t*)m->made->fields.data + out->first_field,
                        out->field_count, shop->rows);
    for (int i = 0; i < 2; ++i) {
        abut__cluster_add(&cluster, &m->clusters[m->tree->node_count + side[i]]);
    }
    abut__cluster_fit(&cluster);
    abut__sketch_make(&cluster, shop->sketch, &sketch);
    const abut__set_block set[2] = {set_block(m, side[0]), set_block(m, side[1])};
    certify_set(m, shop, &cluster, sketch.rows, set, out);
}

static void certify_pairs(void* argument, uint32_t index, uint32_t worker) {
    const maker* m = argument;
    const uint32_t count = m->made->pair_count;
    for (uint32_t p = TASK_SETS * index; p < count && p < TASK_SETS * (index + 1); ++p) {
        certify_pair(m, &m->shops[worker], p);
    }
}

// ---- which blocks are near

static double box_distance(const double a[2][3], const double b[2][3]) {
    double gap[3];
    for (int d = 0; d < 3; ++d) {
        gap[d] = fmax(0, fmax(a[0][d] - b[1][d], b[0][d] - a[1][d]));
    }
    return abut__length(gap);
}

static void add_near(maker* m, uint32_t a, uint32_t b) {
    uint64_t* key = abut__vector_push(m->made->context, &m->near, 1, sizeof *key);
    if (key == NULL) {
        m->out_of_memory = true;
    } else {
        *key = a < b ? (uint64_t)a << 32 | b : (uint64_t)b << 32 | a;
    }
}

// which of two to open: the larger one, if it is a node
static bool opens_first(const maker* m, abut__ref a, abut__ref b) {
    return !abut__is_block(a) && (abut__is_block(b) || m->clusters[part_of(m, a)].place.radius >=
                                                           m->clusters[part_of(m, b)].place.radius);
}

// near pairs of blocks under two nodes or blocks; links are known already
static void find_near(maker* m, abut__ref a, abut__ref b) {
    const uint32_t x = part_of(m, a);
    const uint32_t y = part_of(m, b);
    const double distance = box_distance((const double(*)[3])m->clusters[x].place.box,
                                         (const double(*)[3])m->clusters[y].place.box);
    if (distance > m->reach[x] + m->reach[y] || m->near.count >= m->near_most) {
        return;
    }
    if (abut__is_block(a) && abut__is_block(b)) {
        if (!abut__blocks_linked(m->links, abut__block_of(a), abut__block_of(b))) {
            add_near(m, abut__block_of(a), abut__block_of(b));
        }
        return;
    }
    const bool first = opens_first(m, a, b);
    const abut__node* node = &m->tree->nodes[first ? a : b];
    for (uint32_t k = 0; k < node->count; ++k) {
        find_near(m, first ? node->child[k] : a, first ? b : node->child[k]);
    }
}

static bool sort_near(const maker* m) {
    const size_t count = m->near.count;
    uint64_t* scratch = abut__alloc(m->made->context, count + 1, sizeof *scratch);
    if (scratch != NULL && count > 0) {
        abut__sort_keys(m->near.data, scratch, count);
    }
    abut__free(m->made->context, scratch, count + 1, sizeof *scratch);
    return scratch != NULL;
}

static bool list_near(maker* m) {
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

// the fields of two blocks: both lists are ascending
static bool join_fields(const maker* m, uint32_t a, uint32_t b, abut__certificate* out) {
    const abut__modal_lanes x = abut__bdtree_block(m->bdtree, a);
    const abut__modal_lanes y = abut__bdtree_block(m->bdtree, b);
    abut__vector* fields = &m->made->fields;
    out->first_field = (uint32_t)fields->count;
    for (uint32_t i = 0, k = 0; i < x.field_count || k < y.field_count;) {
        uint32_t* place = abut__vector_push(m->made->context, fields, 1, sizeof *place);
        if (place == NULL) {
            return false;
        }
        const uint32_t next_x = i < x.field_count ? x.fields[i] : UINT32_MAX;
        const uint32_t next_y = k < y.field_count ? y.fields[k] : UINT32_MAX;
        *place = next_x < next_y ? next_x : next_y;
        i += next_x == *place;
        k += next_y == *place;
    }
    out->field_count = (uint32_t)fields->count - out->first_field;
    return true;
}

// often the list of a pair is that of the pair before it
static void share_fields(abut__certificates* made, abut__certificate* out) {
    const uint32_t* all = made->fields.data;
    if (out > made->pairs && out[-1].field_count == out->field_count && out->field_count > 0 &&
        memcmp(all + out[-1].first_field, all + out->first_field, out->field_count * sizeof *all) ==
            0) {
        made->fields.count = out->first_field;
        out->first_field = out[-1].first_field;
    }
}

static void place_rows(abut__certificates* made, abut__certificate* out) {
    out->data = made->floats;
    made->floats += (size_t)ABUT__CERTIFICATE_ROW * out->field_count;
}

static bool lay_out_pairs(const maker* m) {
    abut__certificates* made = m->made;
    const uint64_t* keys = m->near.data;
    made->pair_count = (uint32_t)m->near.count;
    made->pairs = abut__alloc_zero(made->context, made->pair_count, sizeof *made->pairs);
    made->pair_other = abut__alloc(made->context, made->pair_count, sizeof *made->pair_other);
    if (made->pair_count > 0 && (made->pairs == NULL || made->pair_other == NULL)) {
        return false;
    }
    for (uint32_t p = 0; p < made->pair_count; ++p) {
        const uint32_t lower = (uint32_t)(keys[p] >> 32);
        made->pair_other[p] = (uint32_t)keys[p];
        ++made->pair_first[lower + 1];
        if (!join_fields(m, lower, made->pair_other[p], &made->pairs[p])) {
            return false;
        }
        share_fields(made, &made->pairs[p]);
        place_rows(made, &made->pairs[p]);
    }
    for (uint32_t b = 0; b < made->block_count; ++b) {
        made->pair_first[b + 1] += made->pair_first[b];
    }
    return true;
}

// ---- nodes

// the certificate of a node in the making
typedef struct node_work {
    const maker* m;
    const abut__cluster* cluster;
    const float* map;
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

// a part of the node with a certificate of its own
static void add_part(node_work* w, const abut__certificate* part, const uint32_t* fields) {
    if (part->gap == INFINITY || w->gap == 0) {
        return;
    }
    w->gap = fmin(w->gap, part->gap);
    const abut__limits* limits = &w->limits;
    const float* row = w->m->made->data + part->data;
    uint32_t next = 0;
    for (uint32_t k = 0; k < w->cluster->field_count && w->gap > 0; ++k) {
        const double(*map)[3] = (const double(*)[3])w->cluster->rows[k].map;
        const uint32_t field = w->cluster->fields[k];
        const double unit = w->m->units.length / w->m->units.amount[field];
        const bool listed = next < part->field_count && fields[part->first_field + next] == field;
        double turn[3][3];
        for (int i = 0; i < 9; ++i) {
            turn[i / 3][i % 3] = (listed ? (double)row[i] * unit : 0) - map[i / 3][i % 3];
        }
        const double full = listed ? (double)row[9] * unit : 0;
        const double strain = listed ? (double)row[10] * unit : 0;
        raise(&limits->full[k], &limits->enough_full[k],
              (full + abut__norm((const double(*)[3])turn)) * (1 + 1e-12));
        raise(&limits->strain[k], &limits->enough_strain[k],
              (strain + abut__norm_symmetric((const double(*)[3])turn)) * (1 + 1e-12));
        next += listed;
        row += listed ? ABUT__CERTIFICATE_ROW : 0;
    }
}

// Raises the limits by two clusters. False: they may touch, or there is more to be gained.
static bool add_clusters(node_work* w, const abut__sketch* x, const abut__sketch* y, bool last) {
    abut__far_geometry geometry;
    double gap;
    if (!abut__places_apart(&x->place, &y->place, &geometry, &gap)) {
        return false;
    }
    const uint32_t* fields = w->cluster->fields;
    const uint32_t count = w->cluster->field_count;
    const float* rows_x = abut__sketch_rows(x, fields, count, w->room[0]);
    const float* rows_y = abut__sketch_rows(y, fields, count, w->room[1]);
    if (!w->m->made->context->kernels->modal_far(rows_x, rows_y, w->map, w->stride, &geometry, last,
                                                 &w->limits)) {
        return false;
    }
    w->gap = fmin(w->gap, gap * w->m->units.length);
    return true;
}

static bool is_near(const maker* m, uint32_t a, uint32_t b) {
    const uint32_t lower = a < b ? a : b;
    const uint32_t upper = a < b ? b : a;
    for (uint32_t p = m->made->pair_first[lower]; p < m->made->pair_first[lower + 1]; ++p) {
        if (m->made->pair_other[p] == upper) {
            return true;
        }
    }
    return false;
}

static void add_far_blocks(node_work* w, uint32_t a, uint32_t b) {
    const maker* m = w->m;
    const uint32_t count_a = abut__subset_count(m->tree->blocks[a]);
    const uint32_t count_b = abut__subset_count(m->tree->blocks[b]);
    for (uint32_t g = 0; g < count_a; ++g) {
        for (uint32_t h = 0; h < count_b; ++h) {
            if (!add_clusters(w, subsets_of(m, a) + g, subsets_of(m, b) + h, true)) {
                w->gap = 0;  // not near, and yet not apart: there were too many near ones
                return;
            }
        }
    }
}

// everything under `a` against everything under `b`, near pairs excepted
static void add_far(node_work* w, abut__ref a, abut__ref b) {
    const maker* m = w->m;
    const bool blocks = abut__is_block(a) && abut__is_block(b);
    if (w->gap == 0 || (blocks && is_near(m, abut__block_of(a), abut__block_of(b))) ||
        add_clusters(w, &m->sketches[part_of(m, a)], &m->sketches[part_of(m, b)], false)) {
        return;
    }
    if (blocks) {
        add_far_blocks(w, abut__block_of(a), abut__block_of(b));
        return;
    }
    const bool first = opens_first(m, a, b);
    const abut__node* node = &m->tree->nodes[first ? a : b];
    for (uint32_t k = 0; k < node->count; ++k) {
        add_far(w, first ? node->child[k] : a, first ? b : node->child[k]);
    }
}

static void fit_node(const maker* m, uint32_t n) {
    const abut__node* node = &m->tree->nodes[n];
    abut__cluster* own = &m->clusters[n];
    m->reach[n] = 0;
    for (uint32_t k = 0; k < node->count; ++k) {
        const uint32_t child = part_of(m, node->child[k]);
        abut__cluster_add(own, &m->clusters[child]);
        m->reach[n] = fmax(m->reach[n], m->reach[child]);
    }
    abut__cluster_fit(own);
    for (uint32_t k = 0; k < node->count; ++k) {
        abut__cluster_cover(own, &m->clusters[part_of(m, node->child[k])]);
    }
    abut__sketch_make(own, m->sketches[n].rows, &m->sketches[n]);
}

static uint32_t common_node(const abut__tree* tree, uint64_t pair) {
    uint32_t a = tree->block_parent[pair >> 32];
    uint32_t b = tree->block_parent[pair & UINT32_MAX];
    while (a != b) {
        if (tree->nodes[a].depth >= tree->nodes[b].depth) {
            a = tree->nodes[a].parent;
        } else {
            b = tree->nodes[b].parent;
        }
    }
    return a;
}

// near pairs in the order of their lowest common nodes; order[first[n] .. first[n + 1])
static void order_pairs(const maker* m, uint32_t* first, uint32_t* order) {
    const abut__tree* tree = m->tree;
    const uint64_t* keys = m->near.data;
    memset(first, 0, (tree->node_count + (size_t)1) * sizeof *first);
    for (uint32_t p = 0; p < m->made->pair_count; ++p) {
        ++first[common_node(tree, keys[p])];
    }
    uint32_t sum = 0;
    for (uint32_t n = 0; n <= tree->node_count; ++n) {
        sum += first[n];
        first[n] = sum;  // the end of n's range: filled backwards
    }
    for (uint32_t p = m->made->pair_count; p-- > 0;) {
        order[--first[common_node(tree, keys[p])]] = p;
    }
}

static void certify_node(node_work* w, uint32_t n, const uint32_t* pairs, uint32_t pair_count) {
    abut__certificates* made = w->m->made;
    const abut__node* node = &w->m->tree->nodes[n];
    w->cluster = &w->m->clusters[n];
    w->map = w->m->sketches[n].rows;
    w->stride = abut__sketch_stride(w->cluster->field_count);
    w->gap = INFINITY;
    w->limits = abut__limits_start(w->memory, w->cluster->field_count, SLACK, SLACK);
    for (uint32_t k = 0; k < node->count; ++k) {
        const abut__ref child = node->child[k];
        add_part(w,
                 abut__is_block(child) ? &made->blocks[abut__block_of(child)] : &made->nodes[child],
                 w->m->bdtree->fields.data);
    }
    for (uint32_t k = 0; k < pair_count; ++k) {
        add_part(w, &made->pairs[pairs[k]], made->fields.data);
    }
    for (uint32_t i = 0; i < node->count; ++i) {
        for (uint32_t k = i + 1; k < node->count; ++k) {
            add_far(w, node->child[i], node->child[k]);
        }
    }
    made->nodes[n].gap = w->gap;
    put_rows(w->m, &made->nodes[n], w->cluster, &w->limits);
}

static bool certify_nodes(const maker* m) {
    abut__arena arena = abut__arena_make(m->made->context);
    const size_t stride = abut__sketch_stride(m->units.fields->count) + (size_t)16;
    const size_t rows = ABUT__SKETCH_ROWS * stride;
    float* memory = abut__arena_push(&arena, 4 * stride + 2 * rows, sizeof *memory);
    uint32_t* first = abut__arena_push(&arena, m->tree->node_count + (size_t)1, sizeof *first);
    uint32_t* order = abut__arena_push(&arena, m->made->pair_count + (size_t)1, sizeof *order);
    const bool room = memory != NULL && first != NULL && order != NULL;
    if (room) {
        float* rest = memory + 4 * stride;
        node_work w = {.m = m, .memory = memory, .room = {rest, rest + rows}};
        order_pairs(m, first, order);
        for (uint32_t n = m->tree->node_count; n-- > 0;) {
            certify_node(&w, n, order + first[n], first[n + 1] - first[n]);
        }
    }
    abut__arena_release(&arena);
    return room;
}

// ---- all of it

// certificates, clusters and sketches of nodes and blocks: fields as in the tree of bounds
static void lay_out(const maker* m) {
    abut__certificates* made = m->made;
    const uint32_t* fields = m->bdtree->fields.data;
    abut__cluster_row* rows = m->rows;
    float* sketch = m->sketch_rows;
    for (uint32_t i = 0; i < m->parts; ++i) {
        const bool node = i < m->tree->node_count;
        const uint32_t b = i - m->tree->node_count;
        const abut__bd_part* part = node ? &m->bdtree->nodes[i] : &m->bdtree->blocks[b];
        abut__certificate* out = node ? &made->nodes[i] : &made->blocks[b];
        const size_t floats = (size_t)ABUT__SKETCH_ROWS * abut__sketch_stride(part->field_count);
        out->first_field = part->first_field;
        out->field_count = part->field_count;
        place_rows(made, out);
        abut__cluster_start(&m->clusters[i], fields + part->first_field, part->field_count, rows);
        rows += part->field_count;
        m->sketches[i].rows = sketch;
        sketch += floats;
        for (uint32_t g = 0; g < ABUT__SUBSETS && !node; ++g, sketch += floats) {
            ((abut__sketch*)subsets_of(m, b))[g].rows = sketch;
        }
    }
}

// Rows of pairs come behind those of nodes and blocks, once it is known which blocks are near.
static bool grow_rows(abut__certificates* made, size_t before) {
    const size_t floats = made->floats + 1;
    float* grown = abut__alloc_zero(made->context, floats, sizeof *grown);
    if (grown != NULL && made->data != NULL) {
        memcpy(grown, made->data, before * sizeof *grown);
    }
    abut__free(made->context, made->data, before, sizeof *made->data);
    made->data = grown;
    made->floats = grown != NULL ? floats : 0;
    return grown != NULL;
}

static uint32_t task_count(uint32_t sets) {
    return (sets + TASK_SETS - 1) / TASK_SETS;
}

static bool certify_all(maker* m) {
    abut__certificates* made = m->made;
    lay_out(m);
    if (!grow_rows(made, 0)) {
        return false;
    }
    abut__run_tasks(made->context, task_count(made->block_count), certify_blocks, m);
    for (uint32_t n = m->tree->node_count; n-- > 0;) {
        fit_node(m, n);
    }
    const size_t before = made->floats;
    if (!list_near(m) || !lay_out_pairs(m)) {
        made->floats = before;
        return false;
    }
    if (!grow_rows(made, before)) {
        return false;
    }
    abut__run_tasks(made->context, task_count(made->pair_count), certify_pairs, m);
    return certify_nodes(m);
}

static void count_rows(maker* m) {
    m->row_count = m->sketch_floats = 1;
    for (uint32_t i = 0; i < m->parts; ++i) {
        const bool node = i < m->tree->node_count;
        const uint32_t fields = node ? m->bdtree->nodes[i].field_count
                                     : m->bdtree->blocks[i - m->tree->node_count].field_count;
        m->row_count += fields;
        m->sketch_floats += (size_t)ABUT__SKETCH_ROWS * abut__sketch_stride(fields) *
                            (node ? 1 : 1 + ABUT__SUBSETS);
    }
}

static size_t sketch_count(const maker* m) {
    return m->parts + (size_t)ABUT__SUBSETS * m->tree->block_count;
}

static bool open_shop(const maker* m, workshop* shop) {
    const abut_context* context = m->made->context;
    const size_t fields = m->units.fields->count + (size_t)1;
    const size_t floats = ABUT__SKETCH_ROWS * (fields + 16);
    shop->rows = abut__alloc(context, fields, sizeof *shop->rows);
    shop->displacement = abut__alloc(context, fields, sizeof *shop->displacement);
    shop->sketch = abut__alloc(context, floats, sizeof *shop->sketch);
    return abut__separation_make(context, m->units.fields->count, &shop->separation) &&
           shop->rows != NULL && shop->displacement != NULL && shop->sketch != NULL;
}

static void close_shop(const maker* m, workshop* shop) {
    const abut_context* context = m->made->context;
    const size_t fields = m->units.fields->count + (size_t)1;
    abut__free(context, shop->rows, fields, sizeof *shop->rows);
    abut__free(context, shop->displacement, fields, sizeof *shop->displacement);
    abut__free(context, shop->sketch, ABUT__SKETCH_ROWS * (fields + 16), sizeof *shop->sketch);
    abut__separation_free(&shop->separation);
}

static bool reserve(maker* m) {
    const abut_context* context = m->made->context;
    count_rows(m);
    m->clusters = abut__alloc(context, m->parts, sizeof *m->clusters);
    m->rows = abut__alloc(context, m->row_count, sizeof *m->rows);
    m->sketches = abut__alloc(context, sketch_count(m), sizeof *m->sketches);
    m->sketch_rows = abut__alloc(context, m->sketch_floats, sizeof *m->sketch_rows);
    m->reach = abut__alloc(context, m->parts, sizeof *m->reach);
    m->orders = abut__alloc(context, m->tree->block_count, sizeof *m->orders);
    m->shop_count = abut__worker_count(context);
    m->shops = abut__alloc_zero(context, m->shop_count, sizeof *m->shops);
    bool room = m->clusters != NULL && m->rows != NULL && m->sketches != NULL &&
                m->sketch_rows != NULL && m->reach != NULL && m->orders != NULL && m->shops != NULL;
    for (uint32_t i = 0; i < m->shop_count && room; ++i) {
        room = open_shop(m, &m->shops[i]);
    }
    return room;
}

static void release(maker* m) {
    const abut_context* context = m->made->context;
    for (uint32_t i = 0; i < m->shop_count && m->shops != NULL; ++i) {
        close_shop(m, &m->shops[i]);
    }
    abut__free(context, m->shops, m->shop_count, sizeof *m->shops);
    abut__free(context, m->clusters, m->parts, sizeof *m->clusters);
    abut__free(context, m->rows, m->row_count, sizeof *m->rows);
    abut__free(context, m->sketches, sketch_count(m), sizeof *m->sketches);
    abut__free(context, m->sketch_rows, m->sketch_floats, sizeof *m->sketch_rows);
    abut__free(context, m->reach, m->parts, sizeof *m->reach);
    abut__free(context, m->orders, m->tree->block_count, sizeof *m->orders);
    abut__vector_free(context, &m->near, sizeof(uint64_t));
    abut__units_free(&m->units);
}

// whether no number of the shape is so large that its square of a square might overflow
static bool is_moderate(const abut_mesh* mesh, const abut__fields* fields) {
    bool moderate = true;
    for (uint32_t f = 0; f < fields->count; ++f) {
        moderate &= fields->most[f] < MAGNITUDE_MOST;
    }
    for (uint32_t v = 0; v < mesh->vertex_count; ++v) {
        double p[3];
        abut__mesh_rest(mesh, v, p);
        moderate &= fabs(p[0]) < MAGNITUDE_MOST && fabs(p[1]) < MAGNITUDE_MOST &&
                    fabs(p[2]) < MAGNITUDE_MOST;
    }
    return moderate;
}

abut__certificates* abut__certificates_make(const abut_context* context, const abut__tree* tree,
                                            const abut__links* links, const abut_mesh* mesh,
                                            const abut__fields* fields,
                                            const abut__bdtree* bdtree) {
    abut__certificates* made = abut__alloc_zero(context, 1, sizeof *made);
    if (made == NULL) {
        return NULL;
    }
    made->context = context;
    made->bdtree = bdtree;
    made->node_count = tree->node_count;
    made->block_count = tree->block_count;
    made->nodes = abut__alloc_zero(context, tree->node_count, sizeof *made->nodes);
    made->blocks = abut__alloc_zero(context, tree->block_count, sizeof *made->blocks);
    made->pair_first = abut__alloc_zero(context, made->block_count + 1u, sizeof *made->pair_first);
    bool done = made->nodes != NULL && made->blocks != NULL && made->pair_first != NULL;
    if (done && is_moderate(mesh, fields)) {  // otherwise none holds
        maker m = {.made = made, .tree = tree, .links = links, .bdtree = bdtree};
        m.parts = tree->node_count + tree->block_count;
        done = abut__units_make(context, mesh, fields, &m.units) && reserve(&m) && certify_all(&m);
        release(&m);
    }
    done = done && abut__certificates_group(made, fields->count);
    if (!done) {
        abut__certificates_free(made);
        return NULL;
    }
    return made;
}
