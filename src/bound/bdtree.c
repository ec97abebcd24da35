// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Builds a bounded deformation tree from the blocks up. The union of the children's intervals is as
// tight as the parent's own, so only blocks read vertices.
#include "bound/bdtree.h"

#include <float.h>
#include <math.h>

#include "base/rounding.h"
#include "bound/lists.h"
#include "bound/slopes.h"

#define NODE_ROW ((size_t)ABUT__NODE_ROWS * ABUT__FAN)
#define SLOPED_ROW ((size_t)ABUT__SLOPED_ROWS * ABUT__FAN)

// Row 0 is the range of the rest positions, row 1 + j the range of the displacements of field j.
typedef abut__range interval;

typedef struct sway {
    double all;
    double axis[3];
} sway;

typedef struct maker {
    abut__bdtree* made;
    const abut__tree* tree;
    const abut_mesh* mesh;
    const abut__fields* fields;
    abut__bd_what what;
    size_t rows;                   // 1 + number of fields
    interval* nodes;               // per node: `rows` intervals
    sway* sways;                   // per node: the greatest of its children
    interval* children;            // of the current node: `rows` intervals for each
    abut__moments* moments;        // per node: `rows` of them; NULL: slopes are not wanted
    abut__moments* child_moments;  // of the current node: `rows` for each child
    double* counts;                // per node: vertices below it
    double extent;                 // half the greatest side of the mesh's box
    abut__slope* slopes;           // of the current node: three times `rows` for each child
    uint32_t* moved;               // per field: vertices of the current block that it moves
} maker;

// ---- which fields act on which part

// Assigns every node and block its place in the data, from the lists of fields.
static bool lay_out(const maker* m, const abut__field_lists* lists) {
    abut__bdtree* made = m->made;
    for (uint32_t n = 0; n < made->node_count; ++n) {
        made->nodes[n] = (abut__bd_part){made->node_floats, lists->nodes[n].first,
                                         lists->nodes[n].count};
        made->node_floats += NODE_ROW * (made->nodes[n].field_count + 1);
    }
    for (uint32_t b = 0; b < made->block_count; ++b) {
        made->blocks[b] = (abut__bd_part){made->block_floats, lists->blocks[b].first,
                                          lists->blocks[b].count};
        made->block_floats += (size_t)abut__modal_row(m->tree->blocks[b]->vertex_count) *
                              (made->blocks[b].field_count + 1);
    }
    made->node_data = abut__alloc(made->context, made->node_floats, sizeof(float));
    made->block_data = abut__alloc_zero(made->context, made->block_floats, sizeof(float));
    return made->node_data != NULL && made->block_data != NULL;
}

static bool list_and_lay_out(const maker* m) {
    abut__field_lists lists;
    const bool done = abut__field_lists_make(m->made->context, m->tree, m->fields->count,
                                             abut__mark_fields, m->fields, &lists) &&
                      lay_out(m, &lists);
    m->made->fields = lists.ids;
    lists.ids = (abut__uint32s){0};
    abut__field_lists_free(&lists);
    return done;
}

// ---- filling in the data

static void rest_of(const maker* m, uint32_t vertex, double out[3]) {
    abut__mesh_rest_near(m->mesh, vertex, out);
}

// Stores one vertex of a block: its rest position and the displacements of the block's fields.
static void fill_vertex(const maker* m, uint32_t b, uint32_t place) {
    const abut__modal_lanes lanes = abut__bdtree_block(m->made, b);
    const abut__block* block = m->tree->blocks[b];
    const size_t count = block->vertex_count;
    const uint32_t vertex = block->vertex[place];
    float* row = m->made->block_data + m->made->blocks[b].data + place;
    double value[3];
    rest_of(m, vertex, value);
    for (size_t d = 0; d < 3; ++d) {
        row[count * d] = (float)value[d];
    }
    const abut__field_list own = abut__fields_of(m->fields, vertex);
    for (uint32_t k = 0, next = 0; k < lanes.field_count; ++k) {
        row += abut__modal_row(block->vertex_count);
        if (next < own.count && m->fields->ids[own.first + next] == lanes.fields[k]) {
            abut__fields_value(m->fields, vertex, next++, value);
            for (size_t d = 0; d < 3; ++d) {
                row[count * d] = (float)value[d];
            }
        }
    }
}

static void fill_blocks(void* argument, uint32_t index, uint32_t worker) {
    (void)worker;
    const maker* m = argument;
    const uint32_t end = m->made->block_count - 64 * index < 64 ? m->made->block_count
                                                                : 64 * index + 64;
    for (uint32_t b = 64 * index; b < end; ++b) {
        for (uint32_t v = 0; v < m->tree->blocks[b]->vertex_count; ++v) {
            fill_vertex(m, b, v);
        }
    }
}

static void widen(interval* i, const double value[3]) {
    for (int d = 0; d < 3; ++d) {
        i->lo[d] = value[d] < i->lo[d] ? value[d] : i->lo[d];
        i->hi[d] = value[d] > i->hi[d] ? value[d] : i->hi[d];
    }
}

static const double nothing[3] = {0, 0, 0};

// Also adds the vertex to moments, unless they are NULL.
static void widen_vertex(const maker* m, uint32_t vertex, interval* out, abut__moments* moments) {
    double p[3];
    double value[3];
    rest_of(m, vertex, p);
    widen(&out[0], m->what == ABUT__BD_POSITIONS ? p : nothing);
    if (moments != NULL) {
        abut__moments_add(&moments[0], p, p);
    }
    const abut__field_list own = abut__fields_of(m->fields, vertex);
    for (uint32_t k = 0; k < own.count; ++k) {
        const uint32_t field = m->fields->ids[own.first + k];
        abut__fields_value(m->fields, vertex, k, value);
        widen(&out[1 + field], value);
        ++m->moved[field];
        if (moments != NULL) {
            abut__moments_add(&moments[1 + field], p, value);
        }
    }
}

// A field that does not list a vertex does not move it, so its interval must contain 0.
static void block_intervals(const maker* m, const abut__block* block, interval* out,
                            abut__moments* moments) {
    for (size_t r = 0; r < m->rows; ++r) {
        out[r] = (interval){{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
    }
    memset(m->moved, 0, m->rows * sizeof *m->moved);
    if (moments != NULL) {
        memset(moments, 0, m->rows * sizeof *moments);
    }
    for (uint32_t v = 0; v < block->vertex_count; ++v) {
        widen_vertex(m, block->vertex[v], out, moments);
    }
    for (uint32_t f = 0; f < m->fields->count; ++f) {
        if (m->moved[f] < block->vertex_count) {
            widen(&out[1 + f], nothing);
        }
    }
}

static void child_intervals(const maker* m, abut__ref child, interval* out,
                            abut__moments* moments) {
    if (abut__is_block(child)) {
        block_intervals(m, m->tree->blocks[abut__block_of(child)], out, moments);
        return;
    }
    memcpy(out, m->nodes + child * m->rows, m->rows * sizeof *out);
    if (moments != NULL) {
        memcpy(moments, m->moments + child * m->rows, m->rows * sizeof *moments);
    }
}

// Stores the middle and half width of an interval in lane k. The half width covers the rounding of
// the middle.
static void put_interval(float* row, uint32_t k, const interval* i) {
    for (size_t d = 0; d < 3; ++d) {
        const float middle = (float)(0.5 * i->lo[d] + 0.5 * i->hi[d]);
        const double above = i->hi[d] - (double)middle;
        const double below = (double)middle - i->lo[d];
        row[ABUT__FAN * d + k] = middle;
        row[ABUT__FAN * (d + 3) + k] = abut__round_up(above > below ? above : below);
    }
}

// Returns an upper bound of the greatest eigenvalue of a symmetric matrix without negative ones. The
// trace of its n-th power is at least the n-th power of that eigenvalue, and at most three times
// it. n is 2^6, which makes the root 0.9 % too great at most. Squares are scaled to the trace 1.
static double greatest_eigenvalue(double m[3][3]) {
    enum { ROUNDS = 6 };
    double scale = 0;  // the matrix is the first one to the power 2^round, times 2^-scale
    for (int round = 0; round < ROUNDS; ++round) {
        double square[3][3];
        const double trace = m[0][0] + m[1][1] + m[2][2];
        if (!(trace > 0) || !isfinite(trace)) {
            return round == 0 ? trace : 0;
        }
        scale = 2 * (scale + log2(trace));
        for (int i = 0; i < 9; ++i) {
            const double* row = m[i / 3];
            const int e = i % 3;
            square[i / 3][e] = (row[0] * m[0][e] + row[1] * m[1][e] + row[2] * m[2][e]) /
                               (trace * trace);
        }
        memcpy(m, square, sizeof square);
    }
    return exp2((scale + log2(m[0][0] + m[1][1] + m[2][2])) / (1 << ROUNDS));
}

// Returns how far a vertex moves at most when the coordinates change by a vector of length 1.
static sway vertex_sway(const maker* m, uint32_t vertex) {
    double matrix[3][3] = {{0}};
    sway out;
    for (uint32_t k = 0; k < abut__fields_of(m->fields, vertex).count; ++k) {
        double u[3];
        abut__fields_value(m->fields, vertex, k, u);
        for (int i = 0; i < 9; ++i) {
            matrix[i / 3][i % 3] += u[i / 3] * u[i % 3];
        }
    }
    for (int d = 0; d < 3; ++d) {
        out.axis[d] = sqrt(matrix[d][d]) * (1 + 0x1p-40);
    }
    out.all = sqrt(greatest_eigenvalue(matrix)) * (1 + 0x1p-20);
    return out;
}

static void raise_sway(sway* most, const sway* other) {
    most->all = other->all > most->all ? other->all : most->all;
    for (int d = 0; d < 3; ++d) {
        most->axis[d] = other->axis[d] > most->axis[d] ? other->axis[d] : most->axis[d];
    }
}

static sway child_sway(const maker* m, abut__ref child) {
    if (!abut__is_block(child)) {
        return m->sways[child];
    }
    const abut__block* block = m->tree->blocks[abut__block_of(child)];
    sway most = {0, {0, 0, 0}};
    for (uint32_t v = 0; v < block->vertex_count; ++v) {
        const sway own = vertex_sway(m, block->vertex[v]);
        raise_sway(&most, &own);
    }
    return most;
}

static void put_sway(const maker* m, uint32_t node, uint32_t k, const sway* own) {
    abut__sways* out = &m->made->sways[node];
    out->all[k] = abut__round_up(own->all);
    for (int d = 0; d < 3; ++d) {
        out->axis[d][k] = abut__round_up(own->axis[d]);
    }
    raise_sway(&m->sways[node], own);
}

// ---- slopes

static double count_below(const maker* m, abut__ref ref) {
    return abut__is_block(ref) ? m->tree->blocks[abut__block_of(ref)]->vertex_count
                               : m->counts[ref];
}

static void add_moments(const maker* m, uint32_t node, const abut__moments* child, double count) {
    m->counts[node] += count;
    for (size_t r = 0; r < m->rows; ++r) {
        abut__moments* own = &m->moments[node * m->rows + r];
        for (int d = 0; d < 3; ++d) {
            own->u[d] += child[r].u[d];
            own->pu[d] += child[r].pu[d];
        }
    }
}

// Finds the slopes of a node's children; false: there are none.
static bool find_slopes(const maker* m, uint32_t n, size_t counts[ABUT__FAN]) {
    const abut__node* node = &m->tree->nodes[n];
    bool any = false;
    for (uint32_t k = 0; k < node->count; ++k) {
        const abut__moments* moments = m->child_moments + k * m->rows;
        const double count = count_below(m, node->child[k]);
        add_moments(m, n, moments, count);
        const interval* ranges = m->children + k * m->rows;
        abut__slope_task task = {.tree = m->tree,
                                 .mesh = m->mesh,
                                 .fields = m->fields,
                                 .ref = node->child[k],
                                 .count = count,
                                 .ranges = ranges,
                                 .moments = moments,
                                 .extent = m->extent};
        for (int d = 0; d < 3; ++d) {
            task.centre[d] = (double)(float)(0.5 * ranges->lo[d] + 0.5 * ranges->hi[d]);
            task.half[d] = 0.5 * (ranges->hi[d] - ranges->lo[d]);
        }
        counts[k] = abut__slopes_find(&task, m->slopes + 3 * k * m->rows);
        any = any || counts[k] > 0;
    }
    return any;
}

static void put_empty(float* row, uint32_t k, bool rest) {
    for (size_t d = 0; d < 3; ++d) {
        row[ABUT__FAN * d + k] = 0;
        row[ABUT__FAN * (d + 3) + k] = rest ? -INFINITY : 0;
    }
}

// Puts a slope into lane k, and into the row of its field what it leaves.
static void put_slope(float* row, uint32_t k, const abut__slope* slope) {
    const interval left = {{slope->lo, slope->lo, slope->lo}, {slope->hi, slope->hi, slope->hi}};
    float own[NODE_ROW];
    put_interval(own, k, &left);
    const size_t d = (size_t)slope->axis;
    row[ABUT__FAN * d + k] = own[k];
    row[ABUT__FAN * (d + 3) + k] = own[ABUT__FAN * 3 + k];
    row[ABUT__FAN * (d + 6) + k] = slope->slope;
}

static void fill_rows(const maker* m, uint32_t n, float* row, size_t width) {
    const abut__node* node = &m->tree->nodes[n];
    const abut__bd_part* part = &m->made->nodes[n];
    const uint32_t* fields = ABUT__AT(m->made->fields.data, part->first_field);
    for (uint32_t r = 0; r <= part->field_count; ++r, row += width) {
        const size_t from = r == 0 ? 0 : 1 + (size_t)fields[r - 1];
        for (uint32_t k = 0; k < ABUT__FAN; ++k) {
            if (k < node->count) {
                put_interval(row, k, &m->children[k * m->rows + from]);
            } else {
                put_empty(row, k, r == 0);
            }
        }
        for (size_t i = NODE_ROW; i < width; ++i) {
            row[i] = r == 0 ? 1 : 0;
        }
    }
}

static void fill_slopes(const maker* m, uint32_t n, float* rows, const size_t counts[ABUT__FAN]) {
    const abut__bd_part* part = &m->made->nodes[n];
    const uint32_t* fields = ABUT__AT(m->made->fields.data, part->first_field);
    for (uint32_t k = 0; k < m->tree->nodes[n].count; ++k) {
        const abut__slope* slopes = m->slopes + 3 * k * m->rows;
        size_t next = 0;
        for (uint32_t r = 1; r <= part->field_count; ++r) {
            for (; next < counts[k] && slopes[next].field == fields[r - 1]; ++next) {
                put_slope(rows + r * SLOPED_ROW, k, &slopes[next]);
            }
        }
    }
}

static bool fill_node(const maker* m, uint32_t n) {
    const abut__node* node = &m->tree->nodes[n];
    abut__bdtree* made = m->made;
    interval* own = m->nodes + n * m->rows;
    for (uint32_t k = 0; k < node->count; ++k) {
        if (made->sways != NULL) {
            const sway moved = child_sway(m, node->child[k]);
            put_sway(m, n, k, &moved);
        }
        interval* child = m->children + k * m->rows;
        child_intervals(m, node->child[k], child,
                        m->moments != NULL ? m->child_moments + k * m->rows : NULL);
        for (size_t r = 0; r < m->rows; ++r) {
            own[r] = k == 0 ? child[r] : own[r];
            widen(&own[r], child[r].lo);
            widen(&own[r], child[r].hi);
        }
    }
    size_t counts[ABUT__FAN] = {0};
    if (m->moments == NULL || !find_slopes(m, n, counts)) {
        fill_rows(m, n, made->node_data + made->nodes[n].data, NODE_ROW);
        return true;
    }
    const size_t first = made->sloped_data.count;
    float* rows = abut__push(made->context, &made->sloped_data,
                             SLOPED_ROW * (made->nodes[n].field_count + 1));
    if (rows != NULL) {
        made->nodes[n].data = first;
        made->sloped[n] = true;
        fill_rows(m, n, rows, SLOPED_ROW);
        fill_slopes(m, n, rows, counts);
    }
    return rows != NULL;
}

// Finds slopes of the whole shape, and puts what they leave into the rows of the root.
static bool fill_root_slopes(const maker* m) {
    abut__slope_task task = {.tree = m->tree,
                             .mesh = m->mesh,
                             .fields = m->fields,
                             .ref = 0,
                             .count = m->counts[0],
                             .ranges = m->nodes,
                             .moments = m->moments,
                             .extent = m->extent};
    memcpy(task.centre, m->made->root, sizeof task.centre);
    memcpy(task.half, m->made->root + 3, sizeof task.half);
    const size_t count = abut__slopes_find(&task, m->slopes);
    if (count == 0) {
        return true;
    }
    m->made->root_slopes = abut__alloc_zero(m->made->context, m->rows, 3 * sizeof(double));
    for (size_t i = 0; i < count && m->made->root_slopes != NULL; ++i) {
        const abut__slope* slope = &m->slopes[i];
        const size_t row = 1 + (size_t)slope->field;
        const double middle = 0.5 * slope->lo + 0.5 * slope->hi;
        const double half = fmax(slope->hi - middle, middle - slope->lo);
        m->made->root_slopes[3 * row + (size_t)slope->axis] = (double)slope->slope;
        m->made->root[ABUT__MODAL_BOX * row + (size_t)slope->axis] = middle;
        m->made->root[ABUT__MODAL_BOX * row + 3 + (size_t)slope->axis] = half + 0x1p-50 * half;
    }
    return m->made->root_slopes != NULL;
}

// Fills in the box of the whole shape in double, for callers that need only that box. Half widths
// stay finite, so that a coordinate of 0 contributes exactly 0.
static void fill_root(const maker* m) {
    for (size_t r = 0; r < m->rows; ++r) {
        double* row = m->made->root + ABUT__MODAL_BOX * r;
        for (size_t d = 0; d < 3; ++d) {
            const interval* i = &m->nodes[r];
            const double middle = 0.5 * i->lo[d] + 0.5 * i->hi[d];
            const double half = fmax(i->hi[d] - middle, middle - i->lo[d]);
            row[d] = middle;
            row[3 + d] = fmin(half + 0x1p-50 * half, DBL_MAX);
        }
    }
}

static bool fill_all(maker* m) {
    abut__bdtree* made = m->made;
    if (!list_and_lay_out(m)) {
        return false;
    }
    abut__run_tasks(made->context, (made->block_count + 63) / 64, fill_blocks, m);
    for (uint32_t n = made->node_count; n-- > 0;) {
        if (!fill_node(m, n)) {
            return false;
        }
    }
    fill_root(m);
    return m->moments == NULL || fill_root_slopes(m);
}

static double extent_of(const abut_mesh* mesh) {
    interval box = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
    for (uint32_t v = 0; v < mesh->vertex_count; ++v) {
        double p[3];
        abut__mesh_rest_near(mesh, v, p);
        widen(&box, p);
    }
    return 0.5 * fmax(fmax(box.hi[0] - box.lo[0], box.hi[1] - box.lo[1]), box.hi[2] - box.lo[2]);
}

// Allocates what the maker needs, all zero; false: no memory.
static bool reserve(maker* m, abut__arena* arena) {
    const uint32_t count = m->made->node_count;
    m->sways = abut__arena_push(arena, count, sizeof *m->sways);
    m->nodes = abut__arena_push(arena, count, m->rows * sizeof *m->nodes);
    m->children = abut__arena_push(arena, ABUT__FAN, m->rows * sizeof *m->children);
    m->moved = abut__arena_push(arena, m->rows, sizeof *m->moved);
    if (m->sways == NULL || m->nodes == NULL || m->children == NULL || m->moved == NULL) {
        return false;
    }
    memset(m->sways, 0, count * sizeof *m->sways);
    if (m->what != ABUT__BD_POSITIONS || m->fields->count == 0) {
        return true;
    }
    m->moments = abut__arena_push(arena, count, m->rows * sizeof *m->moments);
    m->child_moments = abut__arena_push(arena, ABUT__FAN, m->rows * sizeof *m->child_moments);
    m->counts = abut__arena_push(arena, count, sizeof *m->counts);
    m->slopes = abut__arena_push(arena, ABUT__FAN, 3 * m->rows * sizeof *m->slopes);
    if (m->moments == NULL || m->child_moments == NULL || m->counts == NULL || m->slopes == NULL) {
        return false;
    }
    memset(m->moments, 0, count * m->rows * sizeof *m->moments);
    memset(m->counts, 0, count * sizeof *m->counts);
    m->extent = extent_of(m->mesh);
    return true;
}

abut__bdtree* abut__bdtree_make(const abut_context* context, const abut__tree* tree,
                                const abut_mesh* mesh, const abut__fields* fields,
                                abut__bd_what what) {
    abut__bdtree* made = abut__alloc_zero(context, 1, sizeof *made);
    if (made == NULL) {
        return NULL;
    }
    made->context = context;
    made->node_count = tree->node_count;
    made->block_count = tree->block_count;
    made->field_count = fields->count;
    maker m = {.made = made, .tree = tree, .mesh = mesh, .fields = fields, .what = what};
    m.rows = fields->count + (size_t)1;
    made->nodes = abut__alloc(context, tree->node_count, sizeof *made->nodes);
    made->sloped = abut__alloc_zero(context, tree->node_count, sizeof *made->sloped);
    made->blocks = abut__alloc(context, tree->block_count, sizeof *made->blocks);
    made->root = abut__alloc_zero(context, m.rows, ABUT__MODAL_BOX * sizeof *made->root);
    const bool sways = fields->count >= ABUT__FIELDS_TO_WIDEN;
    made->sways = sways ? abut__alloc_zero(context, tree->node_count, sizeof *made->sways) : NULL;
    abut__arena arena = abut__arena_make(context);
    const bool done = made->nodes != NULL && made->sloped != NULL && made->blocks != NULL &&
                      made->root != NULL && (made->sways != NULL) == sways && reserve(&m, &arena) &&
                      fill_all(&m);
    abut__arena_release(&arena);
    if (!done) {
        abut__bdtree_free(made);
        return NULL;
    }
    return made;
}

void abut__bdtree_free(abut__bdtree* bdtree) {
    if (bdtree == NULL) {
        return;
    }
    const abut_context* context = bdtree->context;
    const size_t rows = bdtree->field_count + (size_t)1;
    abut__free(context, bdtree->nodes, bdtree->node_count, sizeof *bdtree->nodes);
    abut__free(context, bdtree->sloped, bdtree->node_count, sizeof *bdtree->sloped);
    abut__free(context, bdtree->blocks, bdtree->block_count, sizeof *bdtree->blocks);
    abut__free(context, bdtree->root, rows, ABUT__MODAL_BOX * sizeof *bdtree->root);
    abut__free(context, bdtree->root_slopes, rows, 3 * sizeof *bdtree->root_slopes);
    abut__free(context, bdtree->node_data, bdtree->node_floats, sizeof(float));
    abut__drop(context, &bdtree->sloped_data);
    abut__free(context, bdtree->sways, bdtree->node_count, sizeof *bdtree->sways);
    abut__free(context, bdtree->block_data, bdtree->block_floats, sizeof(float));
    abut__drop(context, &bdtree->fields);
    abut__free(context, bdtree, 1, sizeof *bdtree);
}
