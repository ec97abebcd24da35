// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Making a bounded deformation tree, from the blocks up. Intervals of children unite to those of
// their parent without getting looser, so nothing but blocks looks at vertices.
#include "bound/bdtree.h"

#include <math.h>

#include "base/rounding.h"

#define NODE_ROW ((size_t)6 * ABUT__FAN)

// Least and greatest displacement under a node or block: the rest positions first, then every
// field. Three axes each.
typedef struct interval {
    double lo[3];
    double hi[3];
} interval;

typedef struct maker {
    abut__bdtree* made;
    const abut__tree* tree;
    const abut_mesh* mesh;
    const abut__fields* fields;
    const double (*axes)[3];  // of the boxes of nodes; NULL: the shape's
    abut__bd_what what;
    size_t words;  // 64 fields each
    size_t rows;   // 1 + fields
    uint64_t* node_bits;
    uint64_t* block_bits;
    interval* nodes;     // per node: `rows` of them
    double* sways;       // per node: the greatest of its children's
    interval* children;  // of the present node: `rows` for each
} maker;

// ---- which fields have a part where

static void mark_block(const maker* m, uint32_t b) {
    const abut__block* block = m->tree->blocks[b];
    for (uint32_t v = 0; v < block->vertex_count; ++v) {
        const abut__field_list list = abut__fields_of(m->fields, block->vertex[v]);
        for (uint32_t k = 0; k < list.count; ++k) {
            const uint32_t field = m->fields->ids[list.first + k];
            m->block_bits[b * m->words + field / 64] |= UINT64_C(1) << field % 64;
        }
    }
}

static const uint64_t* child_bits(const maker* m, abut__ref child) {
    return abut__is_block(child) ? m->block_bits + abut__block_of(child) * m->words
                                 : m->node_bits + child * m->words;
}

static void mark_all(const maker* m) {
    for (uint32_t b = 0; b < m->tree->block_count; ++b) {
        mark_block(m, b);
    }
    for (uint32_t n = m->tree->node_count; n-- > 0;) {
        const abut__node* node = &m->tree->nodes[n];
        for (uint32_t k = 0; k < node->count; ++k) {
            const uint64_t* bits = child_bits(m, node->child[k]);
            for (size_t w = 0; w < m->words; ++w) {
                m->node_bits[n * m->words + w] |= bits[w];
            }
        }
    }
}

// writes the list of fields of a part, or finds that the last one written is the same
static bool list_fields(const maker* m, const uint64_t* bits, const uint64_t* last_bits,
                        const abut__bd_part* last, abut__bd_part* part) {
    if (last_bits != NULL && memcmp(bits, last_bits, m->words * sizeof *bits) == 0) {
        part->first_field = last->first_field;
        part->field_count = last->field_count;
        return true;
    }
    abut__vector* out = &m->made->fields;
    part->first_field = (uint32_t)out->count;
    part->field_count = 0;
    for (uint32_t f = 0; f < m->fields->count; ++f) {
        if ((bits[f / 64] >> f % 64 & 1) == 0) {
            continue;
        }
        uint32_t* place = abut__vector_push(m->made->context, out, 1, sizeof *place);
        if (place == NULL) {
            return false;
        }
        *place = f;
        ++part->field_count;
    }
    return true;
}

// lists of fields and places of data for all parts
static bool lay_out(const maker* m) {
    abut__bdtree* made = m->made;
    for (uint32_t n = 0; n < made->node_count; ++n) {
        const uint64_t* bits = m->node_bits + n * m->words;
        if (!list_fields(m, bits, n > 0 ? bits - m->words : NULL, made->nodes + n - (n > 0),
                         &made->nodes[n])) {
            return false;
        }
        made->nodes[n].data = made->node_floats;
        made->node_floats += NODE_ROW * (made->nodes[n].field_count + 1);
    }
    for (uint32_t b = 0; b < made->block_count; ++b) {
        const uint64_t* bits = m->block_bits + b * m->words;
        if (!list_fields(m, bits, b > 0 ? bits - m->words : NULL, made->blocks + b - (b > 0),
                         &made->blocks[b])) {
            return false;
        }
        made->blocks[b].data = made->block_floats;
        made->block_floats += (size_t)abut__modal_row(m->tree->blocks[b]->vertex_count) *
                              (made->blocks[b].field_count + 1);
    }
    made->node_data = abut__alloc(made->context, made->node_floats, sizeof(float));
    made->block_data = abut__alloc_zero(made->context, made->block_floats, sizeof(float));
    return made->node_data != NULL && made->block_data != NULL;
}

// ---- filling in

static void rest_of(const maker* m, uint32_t vertex, double out[3]) {
    abut__mesh_rest(m->mesh, vertex, out);
}

// one vertex of a block: rest position and the fields of the block's list
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

static void turn_to_axes(const maker* m, double value[3]) {
    if (m->axes != NULL) {
        const double given[3] = {value[0], value[1], value[2]};
        for (int d = 0; d < 3; ++d) {
            const double* a = m->axes[d];
            value[d] = (a[0] * given[0] + a[1] * given[1]) + a[2] * given[2];
        }
    }
}

static void widen(interval* i, const double value[3]) {
    for (int d = 0; d < 3; ++d) {
        i->lo[d] = value[d] < i->lo[d] ? value[d] : i->lo[d];
        i->hi[d] = value[d] > i->hi[d] ? value[d] : i->hi[d];
    }
}

// a field that does not list a vertex does not move it
static void widen_vertex(const maker* m, uint32_t vertex, interval* out) {
    static const double nothing[3] = {0, 0, 0};
    double value[3];
    rest_of(m, vertex, value);
    turn_to_axes(m, value);
    widen(&out[0], m->what == ABUT__BD_POSITIONS ? value : nothing);
    const abut__field_list own = abut__fields_of(m->fields, vertex);
    uint32_t next = 0;
    for (uint32_t f = 0; f < m->fields->count; ++f) {
        if (next < own.count && m->fields->ids[own.first + next] == f) {
            abut__fields_value(m->fields, vertex, next++, value);
            turn_to_axes(m, value);
            widen(&out[1 + f], value);
        } else {
            widen(&out[1 + f], nothing);
        }
    }
}

static void child_intervals(const maker* m, abut__ref child, interval* out) {
    if (!abut__is_block(child)) {
        memcpy(out, m->nodes + child * m->rows, m->rows * sizeof *out);
        return;
    }
    for (size_t r = 0; r < m->rows; ++r) {
        out[r] = (interval){{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
    }
    const abut__block* block = m->tree->blocks[abut__block_of(child)];
    for (uint32_t v = 0; v < block->vertex_count; ++v) {
        widen_vertex(m, block->vertex[v], out);
    }
}

// middle and half of an interval, in lane k; half takes up the rounding of the middle
static void put_interval(float* row, uint32_t k, const interval* i) {
    for (size_t d = 0; d < 3; ++d) {
        const float middle = (float)(0.5 * i->lo[d] + 0.5 * i->hi[d]);
        const double above = i->hi[d] - (double)middle;
        const double below = (double)middle - i->lo[d];
        row[ABUT__FAN * d + k] = middle;
        row[ABUT__FAN * (d + 3) + k] = abut__round_up(above > below ? above : below);
    }
}

// how far a vertex moves at most when the coordinates change by a vector of length 1
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

static bool fill_all(maker* m) {
    abut__bdtree* made = m->made;
    mark_all(m);
    if (!lay_out(m)) {
        return false;
    }
    abut__run_tasks(made->context, (made->block_count + 63) / 64, fill_blocks, m);
    for (uint32_t n = made->node_count; n-- > 0;) {
        fill_node(m, n);
    }
    return true;
}

abut__bdtree* abut__bdtree_make(const abut_context* context, const abut__tree* tree,
                                const abut_mesh* mesh, const abut__fields* fields,
                                abut__bd_what what, const double (*axes)[3]) {
    abut__bdtree* made = abut__alloc_zero(context, 1, sizeof *made);
    if (made == NULL) {
        return NULL;
    }
    made->context = context;
    made->node_count = tree->node_count;
    made->block_count = tree->block_count;
    made->nodes = abut__alloc(context, tree->node_count, sizeof *made->nodes);
    made->blocks = abut__alloc(context, tree->block_count, sizeof *made->blocks);
    maker m = {
        .made = made, .tree = tree, .mesh = mesh, .fields = fields, .axes = axes, .what = what};
    m.words = fields->count / 64 + 1;
    m.rows = fields->count + (size_t)1;
    m.node_bits = abut__alloc_zero(context, tree->node_count, m.words * sizeof(uint64_t));
    m.block_bits = abut__alloc_zero(context, tree->block_count, m.words * sizeof(uint64_t));
    made->sway = abut__alloc_zero(context, tree->node_count, sizeof *made->sway);
    m.sways = abut__alloc(context, tree->node_count, sizeof *m.sways);
    m.nodes = abut__alloc(context, tree->node_count, m.rows * sizeof(interval));
    m.children = abut__alloc(context, ABUT__FAN, m.rows * sizeof(interval));
    const bool done = made->nodes != NULL && made->blocks != NULL && m.node_bits != NULL &&
                      m.block_bits != NULL && m.nodes != NULL && m.children != NULL &&
                      made->sway != NULL && m.sways != NULL && fill_all(&m);
    abut__free(context, m.node_bits, tree->node_count, m.words * sizeof(uint64_t));
    abut__free(context, m.block_bits, tree->block_count, m.words * sizeof(uint64_t));
    abut__free(context, m.nodes, tree->node_count, m.rows * sizeof(interval));
    abut__free(context, m.sways, tree->node_count, sizeof *m.sways);
    abut__free(context, m.children, ABUT__FAN, m.rows * sizeof(interval));
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
    abut__free(context, bdtree->node_data, bdtree->node_floats, sizeof(float));
    abut__free(context, bdtree->sway, bdtree->node_count, sizeof *bdtree->sway);
    abut__free(context, bdtree->block_data, bdtree->block_floats, sizeof(float));
    abut__vector_free(context, &bdtree->fields, sizeof(uint32_t));
    abut__free(context, bdtree, 1, sizeof *bdtree);
}
