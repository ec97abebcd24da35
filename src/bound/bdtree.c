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

#define NODE_ROW ((size_t)6 * ABUT__FAN)

// The range of one quantity under a node or block, for three axes. Row 0 is the range of the rest
// positions, row 1 + j the range of the displacements of field j.
typedef struct interval {
    double lo[3];
    double hi[3];
} interval;

typedef struct maker {
    abut__bdtree* made;
    const abut__tree* tree;
    const abut_mesh* mesh;
    const abut__fields* fields;
    abut__bd_what what;
    size_t rows;         // 1 + number of fields
    interval* nodes;     // per node: `rows` intervals
    double* sways;       // per node: the greatest sway of its children
    interval* children;  // of the current node: `rows` intervals for each
    uint32_t* moved;     // per field: vertices of the current block that it moves
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
    abut__mesh_rest(m->mesh, vertex, out);
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

static void widen_vertex(const maker* m, uint32_t vertex, interval* out) {
    double value[3];
    rest_of(m, vertex, value);
    widen(&out[0], m->what == ABUT__BD_POSITIONS ? value : nothing);
    const abut__field_list own = abut__fields_of(m->fields, vertex);
    for (uint32_t k = 0; k < own.count; ++k) {
        const uint32_t field = m->fields->ids[own.first + k];
        abut__fields_value(m->fields, vertex, k, value);
        widen(&out[1 + field], value);
        ++m->moved[field];
    }
}

// A field that does not list a vertex does not move it, so its interval must contain 0.
static void block_intervals(const maker* m, const abut__block* block, interval* out) {
    for (size_t r = 0; r < m->rows; ++r) {
        out[r] = (interval){{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
    }
    memset(m->moved, 0, m->rows * sizeof *m->moved);
    for (uint32_t v = 0; v < block->vertex_count; ++v) {
        widen_vertex(m, block->vertex[v], out);
    }
    for (uint32_t f = 0; f < m->fields->count; ++f) {
        if (m->moved[f] < block->vertex_count) {
            widen(&out[1 + f], nothing);
        }
    }
}

static void child_intervals(const maker* m, abut__ref child, interval* out) {
    if (abut__is_block(child)) {
        block_intervals(m, m->tree->blocks[abut__block_of(child)], out);
    } else {
        memcpy(out, m->nodes + child * m->rows, m->rows * sizeof *out);
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

// Returns how far a vertex moves at most when the coordinates change by a vector of length 1.
static double vertex_sway(const maker* m, uint32_t vertex) {
    double sum = 0;
    for (uint32_t k = 0; k < abut__fields_of(m->fields, vertex).count; ++k) {
        double u[3];
        abut__fields_value(m->fields, vertex, k, u);
        sum += u[0] * u[0] + u[1] * u[1] + u[2] * u[2];
    }
    return sqrt(sum) * (1 + 0x1p-40);
}

static double child_sway(const maker* m, abut__ref child) {
    if (!abut__is_block(child)) {
        return m->sways[child];
    }
    const abut__block* block = m->tree->blocks[abut__block_of(child)];
    double most = 0;
    for (uint32_t v = 0; v < block->vertex_count; ++v) {
        const double own = vertex_sway(m, block->vertex[v]);
        most = own > most ? own : most;
    }
    return most;
}

static void put_empty(float* row, uint32_t k, bool rest) {
    for (size_t d = 0; d < 3; ++d) {
        row[ABUT__FAN * d + k] = 0;
        row[ABUT__FAN * (d + 3) + k] = rest ? -INFINITY : 0;
    }
}

static void fill_node(const maker* m, uint32_t n) {
    const abut__node* node = &m->tree->nodes[n];
    const abut__modal_lanes lanes = abut__bdtree_node(m->made, n);
    interval* own = m->nodes + n * m->rows;
    m->sways[n] = 0;
    for (uint32_t k = 0; k < node->count; ++k) {
        const double sway = child_sway(m, node->child[k]);
        m->made->sway[n][k] = abut__round_up(sway);
        m->sways[n] = sway > m->sways[n] ? sway : m->sways[n];
        interval* child = m->children + k * m->rows;
        child_intervals(m, node->child[k], child);
        for (size_t r = 0; r < m->rows; ++r) {
            own[r] = k == 0 ? child[r] : own[r];
            widen(&own[r], child[r].lo);
            widen(&own[r], child[r].hi);
        }
    }
    float* row = m->made->node_data + m->made->nodes[n].data;
    for (uint32_t r = 0; r <= lanes.field_count; ++r, row += NODE_ROW) {
        const size_t from = r == 0 ? 0 : 1 + lanes.fields[r - 1];
        for (uint32_t k = 0; k < ABUT__FAN; ++k) {
            if (k < node->count) {
                put_interval(row, k, &m->children[k * m->rows + from]);
            } else {
                put_empty(row, k, r == 0);
            }
        }
    }
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
        fill_node(m, n);
    }
    fill_root(m);
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
    made->nodes = abut__alloc(context, tree->node_count, sizeof *made->nodes);
    made->blocks = abut__alloc(context, tree->block_count, sizeof *made->blocks);
    maker m = {.made = made, .tree = tree, .mesh = mesh, .fields = fields, .what = what};
    m.rows = fields->count + (size_t)1;
    made->field_count = fields->count;
    made->root = abut__alloc_zero(context, m.rows, ABUT__MODAL_BOX * sizeof *made->root);
    made->sway = abut__alloc_zero(context, tree->node_count, sizeof *made->sway);
    m.sways = abut__alloc(context, tree->node_count, sizeof *m.sways);
    m.nodes = abut__alloc(context, tree->node_count, m.rows * sizeof(interval));
    m.children = abut__alloc(context, ABUT__FAN, m.rows * sizeof(interval));
    m.moved = abut__alloc(context, m.rows, sizeof *m.moved);
    const bool done = made->nodes != NULL && made->blocks != NULL && m.nodes != NULL &&
                      m.children != NULL && m.moved != NULL && made->sway != NULL &&
                      m.sways != NULL && made->root != NULL && fill_all(&m);
    abut__free(context, m.nodes, tree->node_count, m.rows * sizeof(interval));
    abut__free(context, m.sways, tree->node_count, sizeof *m.sways);
    abut__free(context, m.children, ABUT__FAN, m.rows * sizeof(interval));
    abut__free(context, m.moved, m.rows, sizeof *m.moved);
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
    abut__free(context, bdtree->nodes, bdtree->node_count, sizeof *bdtree->nodes);
    abut__free(context, bdtree->blocks, bdtree->block_count, sizeof *bdtree->blocks);
    abut__free(context, bdtree->root, bdtree->field_count + (size_t)1,
               ABUT__MODAL_BOX * sizeof *bdtree->root);
    abut__free(context, bdtree->node_data, bdtree->node_floats, sizeof(float));
    abut__free(context, bdtree->sway, bdtree->node_count, sizeof *bdtree->sway);
    abut__free(context, bdtree->block_data, bdtree->block_floats, sizeof(float));
    abut__drop(context, &bdtree->fields);
    abut__free(context, bdtree, 1, sizeof *bdtree);
}
