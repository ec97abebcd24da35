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
// E is 0 or the mean of G_X and G_Y less H, and then what makes it fit: for w of c left, the skew
// part (w c^T - c w^T) / D^2 for w across c, which strains nothing, and w c^T / D^2 for w along it.
#include "base/sort.h"
#include "bound/certificate.h"
#include "bound/cluster.h"
#include "bound/separation.h"

#define MAGNITUDE_MOST 1e60  // greater numbers are not certified: squares of squares might overflow
#define NEAR 0.25            // blocks nearer than this part of their radii get a certificate
#define NEAR_PAIRS 16u       // that many a block, in the mean
#define TASK_SETS 16u        // blocks or pairs in a task
#define ENOUGH 1.2           // a bound this much above the maximum so far is not made tighter

typedef struct maker {
    abut__certificates* made;
    const abut__tree* tree;
    const abut__links* links;
    const abut_mesh* mesh;
    const abut__fields* fields;
    const abut__bdtree* bdtree;
    abut__cluster* clusters;  // of nodes, then of blocks
    abut__cluster_row* rows;
    size_t row_count;
    double* reach;  // per cluster: how far its blocks look for near ones, at most
    abut__lane_order* orders;
    struct workshop* shops;  // one a worker
    uint32_t shop_count;
    abut__vector near;  // of uint64_t: lower block << 32 | upper block
    uint32_t near_most;
    bool out_of_memory;
} maker;

// what a worker needs to make the certificate of one or two blocks
typedef struct workshop {
    abut__separation separation;
    abut__cluster cluster;
    abut__cluster_row* rows;
    double (*displacement)[3];
} workshop;

static uint32_t cluster_of(const maker* m, abut__ref ref) {
    return abut__is_block(ref) ? m->tree->node_count + abut__block_of(ref) : ref;
}

// ---- rows of certificates

static float rounded_up(double x) {
    const float f = (float)x;
    return (double)f < x ? nextafterf(f, INFINITY) : f;
}

// what cannot be summed up safely in float is infinite
static float limit_up(double x) {
    return x <= 0x1p60 ? rounded_up(x) : INFINITY;
}

static void put_row(float* row, const double map[3][3], double full, double strain) {
    for (int i = 0; i < 9; ++i) {
        row[i] = (float)map[i / 3][i % 3];
    }
    row[9] = limit_up(full);
    row[10] = limit_up(strain);
    row[11] = limit_up(abut__norm_frobenius(map));
}

// ---- blocks and pairs of blocks

static void take_residuals(const maker* m, workshop* shop, const abut__block* const block[2],
                           bool errors) {
    abut__separation* s = &shop->separation;
    abut__cluster* cluster = &shop->cluster;
    uint32_t place = 0;
    for (int side = 0; side < 2 && block[side] != NULL; ++side) {
        for (uint32_t v = 0; v < block[side]->vertex_count; ++v, ++place) {
            double offset[3];
            for (int d = 0; d < 3; ++d) {
                offset[d] = s->position[place][d] - cluster->mean[d];
            }
            if (errors) {
                cluster->radius = fmax(cluster->radius, abut__length(offset) * (1 + 1e-12));
            }
            abut__displacements(m->fields, block[side]->vertex[v], cluster->fields,
                                cluster->field_count, shop->displacement);
            double* out = abut__separation_residual(s, place);
            for (uint32_t k = 0; k < cluster->field_count; ++k) {
                double r[3];
                const double scale = abut__cluster_residual(&cluster->rows[k], offset,
                                                            shop->displacement[k], r);
                s->scale[k] = fmax(s->scale[k], scale);
                for (size_t d = 0; d < 3; ++d) {
                    out[d * s->stride + k] = r[d];
                }
                if (errors) {
                    cluster->rows[k].error = fmax(cluster->rows[k].error,
                                                  abut__length(r) + 1e-12 * scale);
                }
            }
        }
    }
}

// measures the set that the shop's cluster fits
static void certify_set(const maker* m, workshop* shop, const abut__block* const block[2],
                        const abut__lane_order* const order[2], bool errors,
                        abut__certificate* out) {
    abut__separation* s = &shop->separation;
    abut__separation_begin(s, m->mesh, block, order, shop->cluster.field_count);
    take_residuals(m, shop, block, errors);
    abut__separation_measure(s);
    out->gap = s->gap;
    for (uint32_t k = 0; k < shop->cluster.field_count; ++k) {
        put_row(m->made->data + out->data + (size_t)ABUT__CERTIFICATE_ROW * k,
                (const double(*)[3])shop->cluster.rows[k].map, s->full[k], s->strain[k]);
    }
}

static void certify_block(const maker* m, workshop* shop, uint32_t b) {
    const abut__block* block[2] = {m->tree->blocks[b], NULL};
    abut__cluster* own = &m->clusters[m->tree->node_count + b];
    m->orders[b] = abut__lane_order_make(m->mesh, block[0]);
    for (uint32_t v = 0; v < block[0]->vertex_count; ++v) {
        double p[3];
        abut__read_position(m->mesh->positions, 3 * abut__scalar_size(m->mesh->scalar),
                            m->mesh->scalar == ABUT_FLOAT64, block[0]->vertex[v], p);
        abut__displacements(m->fields, block[0]->vertex[v], own->fields, own->field_count,
                            shop->displacement);
        abut__cluster_add_vertex(own, p, (const double(*)[3])shop->displacement);
    }
    abut__cluster_fit(own);
    shop->cluster = *own;
    const abut__lane_order* order[2] = {&m->orders[b], NULL};
    certify_set(m, shop, block, order, true, &m->made->blocks[b]);
    own->radius = shop->cluster.radius;
    m->reach[m->tree->node_count + b] = NEAR * own->radius;
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
    const abut__block* block[2];
    const abut__lane_order* order[2];
    abut__cluster_start(&shop->cluster, (const uint32_t*)m->made->fields.data + out->first_field,
                        out->field_count, shop->rows);
    for (int i = 0; i < 2; ++i) {
        block[i] = m->tree->blocks[side[i]];
        order[i] = &m->orders[side[i]];
        abut__cluster_add(&shop->cluster, &m->clusters[m->tree->node_count + side[i]]);
    }
    abut__cluster_fit(&shop->cluster);
    certify_set(m, shop, block, order, false, out);
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

// near pairs of blocks under two nodes or blocks; links are known already
static void find_near(maker* m, abut__ref a, abut__ref b) {
    const uint32_t x = cluster_of(m, a);
    const uint32_t y = cluster_of(m, b);
    const double distance = box_distance((const double(*)[3])m->clusters[x].box,
                                         (const double(*)[3])m->clusters[y].box);
    if (distance > m->reach[x] + m->reach[y] || m->near.count >= m->near_most) {
        return;
    }
    if (abut__is_block(a) && abut__is_block(b)) {
        if (!abut__blocks_linked(m->links, abut__block_of(a), abut__block_of(b))) {
            add_near(m, abut__block_of(a), abut__block_of(b));
        }
        return;
    }
    const bool open_a = !abut__is_block(a) &&
                        (abut__is_block(b) || m->clusters[x].radius >= m->clusters[y].radius);
    const abut__node* node = &m->tree->nodes[open_a ? a : b];
    for (uint32_t k = 0; k < node->count; ++k) {
        find_near(m, open_a ? node->child[k] : a, open_a ? b : node->child[k]);
    }
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
    const size_t count = m->near.count;
    uint64_t* scratch = abut__alloc(m->made->context, count + 1, sizeof *scratch);
    if (scratch == NULL || m->out_of_memory) {
        abut__free(m->made->context, scratch, count + 1, sizeof *scratch);
        return false;
    }
    if (count > 0) {
        abut__sort_keys(m->near.data, scratch, count);
    }
    abut__free(m->made->context, scratch, count + 1, sizeof *scratch);
    return true;
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
    // often the list is the one before it
    const abut__certificate* last = out - (out > m->made->pairs);
    if (last != out && last->field_count == out->field_count && out->field_count > 0) {
        uint32_t* all = fields->data;
        if (memcmp(all + last->first_field, all + out->first_field,
                   out->field_count * sizeof *all) == 0) {
            fields->count = out->first_field;
            out->first_field = last->first_field;
        }
    }
    return true;
}

// places of all certificates' rows, and memory for them
static void place_rows(abut__certificates* made, abut__certificate* out) {
    out->data = made->floats;
    made->floats += (size_t)ABUT__CERTIFICATE_ROW * out->field_count;
}

static bool lay_out_pairs(maker* m) {
    abut__certificates* made = m->made;
    const uint64_t* keys = m->near.data;
    made->pair_count = (uint32_t)m->near.count;
    made->pairs = abut__alloc_zero(made->context, made->pair_count, sizeof *made->pairs);
    made->pair_other = abut__alloc(made->context, made->pair_count, sizeof *made->pair_other);
    made->pair_first = abut__alloc_zero(made->context, made->block_count + 1u,
                                        sizeof *made->pair_first);
    if (made->pair_first == NULL ||
        (made->pair_count > 0 && (made->pairs == NULL || made->pair_other == NULL))) {
        return false;
    }
    for (uint32_t p = 0; p < made->pair_count; ++p) {
        const uint32_t lower = (uint32_t)(keys[p] >> 32);
        made->pair_other[p] = (uint32_t)keys[p];
        ++made->pair_first[lower + 1];
        if (!join_fields(m, lower, made->pair_other[p], &made->pairs[p])) {
            return false;
        }
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
    double gap;
    double* full;        // per field: the greatest so far of what cannot be made less
    double* strain;      // likewise
    double* loose_full;  // the greatest bound that was good enough
    double* loose_strain;
    double* bound;  // [2][fields]: of the present pair of clusters
} node_work;

static void raise(double* most, double value) {
    *most = value > *most ? value : *most;
}

// a part of the node with a certificate of its own
static void add_part(node_work* w, const abut__certificate* part, const uint32_t* fields) {
    if (part->gap == INFINITY || w->gap == 0) {
        return;
    }
    w->gap = fmin(w->gap, part->gap);
    uint32_t next = 0;
    for (uint32_t k = 0; k < w->cluster->field_count && w->gap > 0; ++k) {
        const double(*map)[3] = (const double(*)[3])w->cluster->rows[k].map;
        double turn[3][3];
        double full = 0;
        double strain = 0;
        const bool listed = next < part->field_count &&
                            fields[part->first_field + next] == w->cluster->fields[k];
        const float* row = w->m->made->data + part->data + (size_t)ABUT__CERTIFICATE_ROW * next;
        for (int i = 0; i < 9; ++i) {
            turn[i / 3][i % 3] = (listed ? (double)row[i] : 0) - map[i / 3][i % 3];
        }
        if (listed) {
            full = (double)row[9];
            strain = (double)row[10];
            ++next;
        }
        raise(&w->full[k], (full + abut__norm((const double(*)[3])turn)) * (1 + 1e-12));
        raise(&w->strain[k],
              (strain + abut__norm_symmetric((const double(*)[3])turn)) * (1 + 1e-12));
    }
}

// Two far clusters: means `c` apart, all distances along some direction at least `gap`.
typedef struct far_pair {
    const abut__cluster* x;
    const abut__cluster* y;
    double c[3];
    double distance;
    double gap;
} far_pair;

// along the line of means by balls and by boxes, and along axes
static far_pair far_pair_make(const abut__cluster* x, const abut__cluster* y) {
    far_pair f = {.x = x, .y = y};
    for (int d = 0; d < 3; ++d) {
        f.c[d] = x->mean[d] - y->mean[d];
    }
    f.distance = abut__length(f.c);
    double gap = f.distance - x->radius - y->radius;
    double along = 0;
    double axis = -INFINITY;
    for (int d = 0; d < 3; ++d) {
        const double above = x->box[0][d] - y->box[1][d];
        const double below = x->box[1][d] - y->box[0][d];
        along += f.c[d] * (f.c[d] > 0 ? above : below);
        axis = fmax(axis, fmax(above, -below));
    }
    gap = fmax(gap, along / f.distance);
    gap = fmax(gap, axis);
    // the error of all of these is below 2^-50 of the sizes involved
    f.gap = f.distance > 1e-140 ? gap - 1e-14 * (f.distance + x->radius + y->radius) : 0;
    return f;
}

// the bounds of one field, when E starts from `from`
static void far_bound_from(const far_pair* f, const double map[3][3], const abut__cluster_row* x,
                           const abut__cluster_row* y, double share, double* full, double* strain) {
    double e[3][3];
    double rest[3];
    for (int i = 0; i < 9; ++i) {
        const double mean = 0.5 * (x->map[i / 3][i % 3] + y->map[i / 3][i % 3]);
        e[i / 3][i % 3] = share * (mean - map[i / 3][i % 3]);
    }
    double scale = 0;
    for (int d = 0; d < 3; ++d) {
        const double own[3] = {map[d][0] + e[d][0], map[d][1] + e[d][1], map[d][2] + e[d][2]};
        const double apart = x->mean[d] - y->mean[d];
        rest[d] = apart - abut__dot(own, f->c);
        scale += fabs(apart);
    }
    const double square = f->distance * f->distance;
    const double along = abut__dot(rest, f->c) / square;
    for (int r = 0; r < 3; ++r) {
        for (int c = 0; c < 3; ++c) {
            const double across_c = rest[c] - along * f->c[c];
            e[r][c] += (rest[r] * f->c[c] - f->c[r] * across_c) / square;
        }
    }
    double turn_x[3][3];
    double turn_y[3][3];
    for (int i = 0; i < 9; ++i) {
        const double own = map[i / 3][i % 3] + e[i / 3][i % 3];
        turn_x[i / 3][i % 3] = x->map[i / 3][i % 3] - own;
        turn_y[i / 3][i % 3] = y->map[i / 3][i % 3] - own;
        scale += fabs(own) * f->distance;
    }
    const double residual = abut__norm_frobenius((const double(*)[3])turn_x) * f->x->radius +
                            abut__norm_frobenius((const double(*)[3])turn_y) * f->y->radius +
                            x->error + y->error + 1e-12 * scale;
    *full = (abut__norm((const double(*)[3])e) + residual / f->gap) * (1 + 1e-12);
    *strain = (abut__norm_symmetric((const double(*)[3])e) + residual / f->gap) * (1 + 1e-12);
}

// Whether the bounds of all fields are good enough; if `last`, they are taken as they are.
static bool far_bound(node_work* w, const far_pair* f, bool last) {
    uint32_t place_x = 0;
    uint32_t place_y = 0;
    const size_t count = w->cluster->field_count;
    for (uint32_t k = 0; k < count; ++k) {
        const uint32_t field = w->cluster->fields[k];
        const double(*map)[3] = (const double(*)[3])w->cluster->rows[k].map;
        const abut__cluster_row* x = abut__cluster_row_of(f->x, field, &place_x);
        const abut__cluster_row* y = abut__cluster_row_of(f->y, field, &place_y);
        double full;
        double strain;
        far_bound_from(f, map, x, y, 0, &full, &strain);
        if (last || !(full <= ENOUGH * w->full[k] && strain <= ENOUGH * w->strain[k])) {
            double other_full;
            double other_strain;
            far_bound_from(f, map, x, y, 1, &other_full, &other_strain);
            full = fmin(full, other_full);
            strain = fmin(strain, other_strain);
        }
        if (!last && !(full <= ENOUGH * w->full[k] && strain <= ENOUGH * w->strain[k])) {
            return false;
        }
        w->bound[k] = full;
        w->bound[count + k] = strain;
    }
    for (uint32_t k = 0; k < count; ++k) {
        raise(last ? &w->full[k] : &w->loose_full[k], w->bound[k]);
        raise(last ? &w->strain[k] : &w->loose_strain[k], w->bound[count + k]);
    }
    w->gap = fmin(w->gap, f->gap);
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

// everything under `a` against everything under `b`, near pairs excepted
static void add_far(node_work* w, abut__ref a, abut__ref b) {
    const maker* m = w->m;
    if (w->gap == 0) {
        return;
    }
    const bool blocks = abut__is_block(a) && abut__is_block(b);
    if (blocks && is_near(m, abut__block_of(a), abut__block_of(b))) {
        return;
    }
    const abut__cluster* x = &m->clusters[cluster_of(m, a)];
    const abut__cluster* y = &m->clusters[cluster_of(m, b)];
    const far_pair f = far_pair_make(x, y);
    if (f.gap > 0 && far_bound(w, &f, blocks)) {
        return;
    }
    if (blocks) {
        w->gap = 0;  // not near, and yet not apart: there were too many near ones
        return;
    }
    const bool open_a = !abut__is_block(a) && (abut__is_block(b) || x->radius >= y->radius);
    const abut__node* node = &m->tree->nodes[open_a ? a : b];
    for (uint32_t k = 0; k < node->count; ++k) {
        add_far(w, open_a ? node->child[k] : a, open_a ? b : node->child[k]);
    }
}

static void fit_node(const maker* m, uint32_t n) {
    const abut__node* node = &m->tree->nodes[n];
    abut__cluster* own = &m->clusters[n];
    m->reach[n] = 0;
    for (uint32_t k = 0; k < node->count; ++k) {
        const uint32_t child = cluster_of(m, node->child[k]);
        abut__cluster_add(own, &m->clusters[child]);
        m->reach[n] = fmax(m->reach[n], m->reach[child]);
    }
    abut__cluster_fit(own);
    for (uint32_t k = 0; k < node->count; ++k) {
        abut__cluster_cover(own, &m->clusters[cluster_of(m, node->child[k])]);
    }
}

static uint32_t common_node(const abut__tree* tree, uint32_t a, uint32_t b) {
    a = tree->block_parent[a];
    b = tree->block_parent[b];
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
        ++first[common_node(tree, (uint32_t)(keys[p] >> 32), (uint32_t)keys[p])];
    }
    uint32_t sum = 0;
    for (uint32_t n = 0; n <= tree->node_count; ++n) {
        sum += first[n];
        first[n] = sum;
    }
    for (uint32_t p = m->made->pair_count; p-- > 0;) {
        order[--first[common_node(tree, (uint32_t)(keys[p] >> 32), (uint32_t)keys[p])]] = p;
    }
}

static void certify_node(node_work* w, uint32_t n, const uint32_t* pairs, uint32_t pair_count) {
    const maker* m = w->m;
    abut__certificates* made = m->made;
    const abut__node* node = &m->tree->nodes[n];
    abut__certificate* out = &made->nodes[n];
    w->cluster = &m->clusters[n];
    w->gap = INFINITY;
    memset(w->full, 0, 4 * m->fields->count * sizeof *w->full);
    for (uint32_t k = 0; k < node->count; ++k) {
        const abut__ref child = node->child[k];
        add_part(w,
                 abut__is_block(child) ? &made->blocks[abut__block_of(child)] : &made->nodes[child],
                 m->bdtree->fields.data);
    }
    for (uint32_t k = 0; k < pair_count; ++k) {
        add_part(w, &made->pairs[pairs[k]], made->fields.data);
    }
    for (uint32_t i = 0; i < node->count; ++i) {
        for (uint32_t k = i + 1; k < node->count; ++k) {
            add_far(w, node->child[i], node->child[k]);
        }
    }
    out->gap = w->gap;
    for (uint32_t k = 0; k < w->cluster->field_count; ++k) {
        put_row(made->data + out->data + (size_t)ABUT__CERTIFICATE_ROW * k,
                (const double(*)[3])w->cluster->rows[k].map, fmax(w->full[k], w->loose_full[k]),
                fmax(w->strain[k], w->loose_strain[k]));
    }
}

static bool certify_nodes(const maker* m) {
    const abut_context* context = m->made->context;
    const size_t fields = m->fields->count + (size_t)1;
    abut__arena arena = abut__arena_make(context);
    double* memory = abut__arena_push(&arena, 6 * fields, sizeof *memory);
    uint32_t* first = abut__arena_push(&arena, m->tree->node_count + (size_t)1, sizeof *first);
    uint32_t* order = abut__arena_push(&arena, m->made->pair_count + (size_t)1, sizeof *order);
    const bool room = memory != NULL && first != NULL && order != NULL;
    if (room) {
        const size_t count = m->fields->count;
        node_work w = {.m = m,
                       .full = memory,
                       .strain = memory + count,
                       .loose_full = memory + 2 * count,
                       .loose_strain = memory + 3 * count,
                       .bound = memory + 4 * count};
        order_pairs(m, first, order);
        for (uint32_t n = m->tree->node_count; n-- > 0;) {
            certify_node(&w, n, order + first[n], first[n + 1] - first[n]);
        }
    }
    abut__arena_release(&arena);
    return room;
}

// ---- all of it

// whether no number of the shape is so large that its square of a square might overflow
static bool is_moderate(const maker* m) {
    bool moderate = true;
    for (uint32_t f = 0; f < m->fields->count; ++f) {
        moderate &= m->fields->most[f] < MAGNITUDE_MOST;
    }
    for (uint32_t v = 0; v < m->mesh->vertex_count; ++v) {
        double p[3];
        abut__read_position(m->mesh->positions, 3 * abut__scalar_size(m->mesh->scalar),
                            m->mesh->scalar == ABUT_FLOAT64, v, p);
        moderate &= fabs(p[0]) < MAGNITUDE_MOST && fabs(p[1]) < MAGNITUDE_MOST &&
                    fabs(p[2]) < MAGNITUDE_MOST;
    }
    return moderate;
}

// certificates and clusters of nodes and blocks: fields as in the tree of bounds
static void lay_out(maker* m) {
    abut__certificates* made = m->made;
    const uint32_t* fields = m->bdtree->fields.data;
    abut__cluster_row* rows = m->rows;
    for (uint32_t i = 0; i < m->tree->node_count + m->tree->block_count; ++i) {
        const bool node = i < m->tree->node_count;
        const uint32_t b = i - m->tree->node_count;
        const abut__bd_part* part = node ? &m->bdtree->nodes[i] : &m->bdtree->blocks[b];
        abut__certificate* out = node ? &made->nodes[i] : &made->blocks[b];
        out->first_field = part->first_field;
        out->field_count = part->field_count;
        place_rows(made, out);
        abut__cluster_start(&m->clusters[i], fields + part->first_field, part->field_count, rows);
        rows += part->field_count;
    }
}

static bool certify_all(maker* m) {
    abut__certificates* made = m->made;
    const abut__tree* tree = m->tree;
    lay_out(m);
    // blocks, then which are near, then the memory of all the rest; so blocks' rows come first
    const size_t floats = made->floats;
    float* early = abut__alloc_zero(made->context, floats + ABUT__CERTIFICATE_PAD, sizeof *early);
    if (early == NULL) {
        return false;
    }
    made->data = early;
    abut__run_tasks(made->context, (tree->block_count + TASK_SETS - 1) / TASK_SETS, certify_blocks,
                    m);
    made->data = NULL;
    for (uint32_t n = tree->node_count; n-- > 0;) {
        fit_node(m, n);
    }
    bool done = list_near(m) && lay_out_pairs(m);
    for (uint32_t p = 0; p < made->pair_count && done; ++p) {
        place_rows(made, &made->pairs[p]);
    }
    made->floats += ABUT__CERTIFICATE_PAD;
    made->data = done ? abut__alloc_zero(made->context, made->floats, sizeof *made->data) : NULL;
    done = made->data != NULL;
    if (done) {
        memcpy(made->data, early, floats * sizeof *early);
    }
    abut__free(made->context, early, floats + ABUT__CERTIFICATE_PAD, sizeof *early);
    if (done) {
        abut__run_tasks(made->context, (made->pair_count + TASK_SETS - 1) / TASK_SETS,
                        certify_pairs, m);
    }
    return done && certify_nodes(m);
}

static bool reserve(maker* m) {
    const abut_context* context = m->made->context;
    const size_t parts = m->tree->node_count + (size_t)m->tree->block_count;
    const size_t fields = m->fields->count + (size_t)1;
    m->row_count = 1;
    for (uint32_t n = 0; n < m->tree->node_count; ++n) {
        m->row_count += m->bdtree->nodes[n].field_count;
    }
    for (uint32_t b = 0; b < m->tree->block_count; ++b) {
        m->row_count += m->bdtree->blocks[b].field_count;
    }
    m->clusters = abut__alloc(context, parts, sizeof *m->clusters);
    m->rows = abut__alloc(context, m->row_count, sizeof *m->rows);
    m->reach = abut__alloc(context, parts, sizeof *m->reach);
    m->orders = abut__alloc(context, m->tree->block_count, sizeof *m->orders);
    m->shop_count = abut__worker_count(context);
    m->shops = abut__alloc_zero(context, m->shop_count, sizeof *m->shops);
    bool room = m->clusters != NULL && m->rows != NULL && m->reach != NULL && m->orders != NULL &&
                m->shops != NULL;
    for (uint32_t i = 0; i < m->shop_count && room; ++i) {
        workshop* shop = &m->shops[i];
        shop->rows = abut__alloc(context, fields, sizeof *shop->rows);
        shop->displacement = abut__alloc(context, fields, sizeof *shop->displacement);
        room = abut__separation_make(context, m->fields->count, &shop->separation) &&
               shop->rows != NULL && shop->displacement != NULL;
    }
    return room;
}

static void release(maker* m) {
    const abut_context* context = m->made->context;
    const size_t parts = m->tree->node_count + (size_t)m->tree->block_count;
    const size_t fields = m->fields->count + (size_t)1;
    for (uint32_t i = 0; i < m->shop_count && m->shops != NULL; ++i) {
        workshop* shop = &m->shops[i];
        abut__free(context, shop->rows, fields, sizeof *shop->rows);
        abut__free(context, shop->displacement, fields, sizeof *shop->displacement);
        if (shop->separation.context != NULL) {
            abut__separation_free(&shop->separation);
        }
    }
    abut__free(context, m->shops, m->shop_count, sizeof *m->shops);
    abut__free(context, m->clusters, parts, sizeof *m->clusters);
    abut__free(context, m->rows, m->row_count, sizeof *m->rows);
    abut__free(context, m->reach, parts, sizeof *m->reach);
    abut__free(context, m->orders, m->tree->block_count, sizeof *m->orders);
    abut__vector_free(context, &m->near, sizeof(uint64_t));
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
    made->pair_first = NULL;
    maker m = {.made = made,
               .tree = tree,
               .links = links,
               .mesh = mesh,
               .fields = fields,
               .bdtree = bdtree};
    bool done = made->nodes != NULL && made->blocks != NULL;
    if (done && is_moderate(&m)) {
        done = reserve(&m) && certify_all(&m);
    } else if (done) {  // none holds, then
        made->pair_first = abut__alloc_zero(context, made->block_count + 1u,
                                            sizeof *made->pair_first);
        done = made->pair_first != NULL;
    }
    release(&m);
    if (!done) {
        abut__certificates_free(made);
        return NULL;
    }
    return made;
}
