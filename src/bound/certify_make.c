// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Makes all certificates of a shape, from the blocks up, in slices: each call of
// abut__certifier_work() goes on where the last one stopped. Certificates do not depend on the
// slices, nor on the number of threads.
#include "bound/certify.h"

#include "base/offset.h"

#define MAGNITUDE_MOST 1e60  // shapes with greater numbers get no proofs
#define NODES_USUAL 4u       // nodes that move a set of a blend shape

// Assigns the rows of the certificates of nodes and blocks.
static void lay_out_certificates(const abut__certifier* m, const abut__field_lists* lists) {
    abut__certificates* made = m->made;
    for (uint32_t i = 0; i < m->parts; ++i) {
        const uint32_t b = i - m->tree->node_count;
        const bool node = i < m->tree->node_count;
        const abut__field_list* list = node ? &lists->nodes[i] : &lists->blocks[b];
        abut__certificate* out = node ? &made->nodes[i] : &made->blocks[b];
        out->wide = abut__certify_is_wide(m, ABUT__AT(made->fields.data, list->first), list->count);
        out->first_field = list->first;
        out->field_count = out->wide || (m->sample && (node || !abut__certify_is_made(m, b)))
                               ? 0
                               : list->count;
        abut__certificate_place(made, out);
    }
}

static const abut__certificate* part_certificate(const abut__certifier* m, uint32_t part) {
    const uint32_t nodes = m->tree->node_count;
    return part < nodes ? &m->made->nodes[part] : &m->made->blocks[part - nodes];
}

// Lists the fields of nodes and blocks, with a copy for clusters: the lists of certificates grow by
// those of pairs, and move.
static bool list_fields(abut__certifier* m) {
    abut__field_lists lists;
    const bool done = abut__field_lists_make(m->made->context, m->tree, m->units.field_count,
                                             abut__units_mark, &m->units, &lists);
    m->made->fields = lists.ids;
    lists.ids = (abut__uint32s){0};
    m->list_count = m->made->fields.count;
    if (done) {
        m->list = abut__alloc(m->made->context, m->list_count, sizeof *m->list);
        lay_out_certificates(m, &lists);
    }
    if (done && m->list != NULL) {
        memcpy(m->list, m->made->fields.data, m->list_count * sizeof *m->list);
    }
    abut__field_lists_free(&lists);
    return done && (m->list != NULL || m->list_count == 0);
}

// Assigns memory to the clusters and sketches of nodes and blocks.
static void lay_out(const abut__certifier* m) {
    abut__cluster_row* rows = m->rows;
    abut__cluster_pair* pairs = m->pairs;
    float* sketch = m->sketch_rows;
    for (uint32_t i = 0; i < m->parts; ++i) {
        const abut__certificate* part = part_certificate(m, i);
        const size_t floats = (size_t)ABUT__SKETCH_ROWS * abut__sketch_stride(part->field_count);
        abut__cluster_start(&m->clusters[i], &m->units, ABUT__AT(m->list, part->first_field),
                            part->field_count, rows, pairs);
        rows += part->field_count;
        pairs += m->clusters[i].paired / 2;
        m->sketches[i].rows = sketch;
        sketch += floats;
        const uint32_t b = i - m->tree->node_count;
        for (uint32_t g = 0; g < ABUT__SUBSETS && i >= m->tree->node_count; ++g, sketch += floats) {
            ((abut__sketch*)abut__subsets_of(m, b))[g].rows = sketch;
        }
    }
}

// Makes room for the rows of pairs behind those of nodes and blocks.
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

static void count_rows(abut__certifier* m) {
    m->row_count = m->sketch_floats = 1;
    for (uint32_t i = 0; i < m->parts; ++i) {
        const bool node = i < m->tree->node_count;
        const uint32_t fields = part_certificate(m, i)->field_count;
        m->row_count += fields;
        m->sketch_floats += (size_t)ABUT__SKETCH_ROWS * abut__sketch_stride(fields) *
                            (node ? 1 : 1 + ABUT__SUBSETS);
    }
}

static size_t sketch_count(const abut__certifier* m) {
    return m->parts + (size_t)ABUT__SUBSETS * m->tree->block_count;
}

static bool allocate_memory(const abut__certifier* m, abut__certifier_memory* memory) {
    const abut_context* context = m->made->context;
    const size_t fields = m->units.field_count + (size_t)1;
    const size_t floats = ABUT__SKETCH_ROWS * (fields + 16);
    memory->rows = abut__alloc(context, fields, sizeof *memory->rows);
    memory->pairs = abut__alloc(context, fields, sizeof *memory->pairs);
    memory->displacement = abut__alloc(context, ABUT__BLOCK_VERTICES * fields,
                                       sizeof *memory->displacement);
    memory->sketch = abut__alloc(context, floats, sizeof *memory->sketch);
    return abut__separation_make(context, m->units.field_count, &memory->separation) &&
           memory->rows != NULL && memory->pairs != NULL && memory->displacement != NULL &&
           memory->sketch != NULL;
}

static void free_memory(const abut__certifier* m, abut__certifier_memory* memory) {
    const abut_context* context = m->made->context;
    const size_t fields = m->units.field_count + (size_t)1;
    abut__free(context, memory->rows, fields, sizeof *memory->rows);
    abut__free(context, memory->pairs, fields, sizeof *memory->pairs);
    abut__free(context, memory->displacement, ABUT__BLOCK_VERTICES * fields,
               sizeof *memory->displacement);
    abut__free(context, memory->sketch, ABUT__SKETCH_ROWS * (fields + 16), sizeof *memory->sketch);
    abut__separation_free(&memory->separation);
}

static bool reserve(abut__certifier* m) {
    const abut_context* context = m->made->context;
    count_rows(m);
    m->clusters = abut__alloc(context, m->parts, sizeof *m->clusters);
    m->rows = abut__alloc(context, m->row_count, sizeof *m->rows);
    m->pair_count = m->units.paired > 0 ? m->row_count / 2 + 1 : 1;
    m->pairs = abut__alloc_zero(context, m->pair_count, sizeof *m->pairs);
    m->sketches = abut__alloc(context, sketch_count(m), sizeof *m->sketches);
    m->sketch_rows = abut__alloc(context, m->sketch_floats, sizeof *m->sketch_rows);
    m->reach = abut__alloc(context, m->parts, sizeof *m->reach);
    m->orders = abut__alloc(context, m->tree->block_count, sizeof *m->orders);
    m->memory_count = abut__worker_count(context);
    m->memories = abut__alloc_zero(context, m->memory_count, sizeof *m->memories);
    bool room = m->clusters != NULL && m->rows != NULL && m->pairs != NULL && m->sketches != NULL &&
                m->sketch_rows != NULL && m->reach != NULL && m->orders != NULL &&
                m->memories != NULL;
    for (uint32_t i = 0; i < m->memory_count && room; ++i) {
        room = allocate_memory(m, &m->memories[i]);
    }
    return room;
}

static void release(abut__certifier* m) {
    const abut_context* context = m->made->context;
    for (uint32_t i = 0; i < m->memory_count && m->memories != NULL; ++i) {
        free_memory(m, &m->memories[i]);
    }
    abut__free(context, m->memories, m->memory_count, sizeof *m->memories);
    abut__free(context, m->clusters, m->parts, sizeof *m->clusters);
    abut__free(context, m->rows, m->row_count, sizeof *m->rows);
    abut__free(context, m->pairs, m->pair_count, sizeof *m->pairs);
    abut__free(context, m->sketches, sketch_count(m), sizeof *m->sketches);
    abut__free(context, m->sketch_rows, m->sketch_floats, sizeof *m->sketch_rows);
    abut__free(context, m->reach, m->parts, sizeof *m->reach);
    abut__free(context, m->orders, m->tree->block_count, sizeof *m->orders);
    abut__free(context, m->list, m->list_count, sizeof *m->list);
    abut__certify_end_nodes(m);
    abut__drop(context, &m->near);
    abut__drop(context, &m->near_nodes);
    abut__units_free(&m->units);
}

// Returns whether no number of the shape is so large that its fourth power might overflow.
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

// ---- the order of the work

// What steps cost, in units of about a microsecond for sixteen fields. Only the length of slices and
// the decision when to start depend on it.
#define BLOCK_COST 110u
#define PAIR_COST 40u
#define VALUES_COST 256u  // numbers of a mesh or of a table that are read in a unit

static uint64_t pass_cost(uint64_t numbers) {
    return 1 + numbers / VALUES_COST;
}

// Returns the number of vectors of sixteen fields that sets of the shape have, about.
static uint32_t groups_of(const abut__certifier* m) {
    const uint32_t most = m->units.paired > 2 * NODES_USUAL ? 2 * NODES_USUAL : m->units.paired;
    return abut__sketch_stride(most + m->units.field_count - m->units.paired + 1) / ABUT__GROUP;
}

abut__certifier* abut__certifier_begin(const abut_context* context,
                                       const abut__certified_parts* parts, bool sample) {
    abut__certifier* m = abut__alloc_zero(context, 1, sizeof *m);
    abut__certificates* made = abut__alloc_zero(context, 1, sizeof *made);
    if (m == NULL || made == NULL) {
        abut__free(context, m, 1, sizeof *m);
        abut__free(context, made, 1, sizeof *made);
        return NULL;
    }
    *m = (abut__certifier){.made = made,
                           .from = *parts,
                           .tree = parts->tree,
                           .links = parts->links,
                           .parts = parts->tree->node_count + parts->tree->block_count,
                           .sample = sample};
    made->context = context;
    made->paired = parts->weights != NULL ? 2 * parts->weights->node_count : 0;
    return m;
}

// Each step returns false without memory.
static bool start(abut__certifier* m) {
    abut__certificates* made = m->made;
    const abut_context* context = made->context;
    const abut__certified_parts* from = &m->from;
    if (!abut__certificate_index_make(context, m->tree, &made->index)) {
        return false;
    }
    made->nodes = abut__alloc_zero(context, m->tree->node_count, sizeof *made->nodes);
    made->blocks = abut__alloc_zero(context, m->tree->block_count, sizeof *made->blocks);
    if (made->nodes == NULL || made->blocks == NULL) {
        return false;
    }
    m->spent += pass_cost(6 * (uint64_t)from->mesh->vertex_count * (1 + from->fields->count));
    if (!is_moderate(from->mesh, from->fields)) {
        m->phase = ABUT__CERTIFY_GROUP;  // none holds
        return true;
    }
    if (!abut__units_make(context, from->mesh, from->fields, from->weights, &m->units)) {
        return false;
    }
    memcpy(made->middle, m->units.middle, sizeof made->middle);
    made->length = m->units.length;
    m->phase = ABUT__CERTIFY_LIST;
    return true;
}

static bool list(abut__certifier* m) {
    m->spent += pass_cost((uint64_t)m->from.mesh->vertex_count * (8 + m->units.field_count));
    m->phase = ABUT__CERTIFY_RESERVE;
    return list_fields(m);
}

static bool prepare(abut__certifier* m) {
    m->phase = ABUT__CERTIFY_BLOCKS;
    m->next = 0;
    if (!reserve(m)) {
        return false;
    }
    lay_out(m);
    m->spent += pass_cost(16 * (uint64_t)m->row_count);
    return grow_rows(m->made, 0);
}

// Returns how many sets of a cost fit what is left, at least one.
static uint32_t count_within(const abut__certifier* m, uint64_t limit, uint32_t cost,
                             uint32_t left) {
    const uint64_t units = limit > m->spent ? limit - m->spent : 0;
    const uint64_t count = units / ((uint64_t)cost * groups_of(m)) + 1;
    return count < left ? (uint32_t)count : left;
}

static bool make_blocks(abut__certifier* m, uint64_t limit) {
    const uint32_t left = m->tree->block_count - m->next;
    uint32_t count = count_within(m, limit, BLOCK_COST, left);
    if (m->sample) {  // one of many costs anything
        count = count < left / ABUT__SAMPLE_EVERY ? count * ABUT__SAMPLE_EVERY : left;
    }
    abut__certify_blocks(m, m->next, m->next + count);
    m->spent += (uint64_t)count * BLOCK_COST * groups_of(m) / (m->sample ? ABUT__SAMPLE_EVERY : 1);
    m->next += count;
    if (m->next == m->tree->block_count) {
        m->phase = m->sample ? ABUT__CERTIFY_GROUP : ABUT__CERTIFY_FIT;
    }
    return true;
}

static bool fit(abut__certifier* m) {
    abut__certify_fit_nodes(m);
    m->spent += pass_cost(64 * (uint64_t)m->row_count);
    m->phase = ABUT__CERTIFY_NEAR;
    return true;
}

// Weights have no certificates of pairs of nodes: these are about too many nodes to hold.
static bool find_pairs(abut__certifier* m) {
    m->phase = ABUT__CERTIFY_LAY_OUT;
    const bool done = abut__certify_near(m) &&
                      (m->units.paired != 0 || abut__certify_near_nodes(m));
    m->spent += pass_cost(VALUES_COST / 8 * (uint64_t)(m->near.count + m->near_nodes.count));
    return done;
}

static bool lay_out_rows(abut__certifier* m) {
    abut__certificates* made = m->made;
    const size_t before = made->floats;
    m->phase = ABUT__CERTIFY_PAIRS;
    m->next = 0;
    if (!abut__certify_lay_out_pairs(m) ||
        (m->units.paired == 0 && !abut__certify_lay_out_node_pairs(m))) {
        made->floats = before;
        return false;
    }
    m->spent += pass_cost(made->floats);
    return grow_rows(made, before);
}

static bool make_pairs(abut__certifier* m, uint64_t limit) {
    const uint32_t left = m->made->index.pair_count - m->next;
    const uint32_t count = count_within(m, limit, PAIR_COST, left);
    abut__certify_pairs(m, m->next, m->next + count);
    m->spent += (uint64_t)count * PAIR_COST * groups_of(m);
    m->next += count;
    if (m->next == m->made->index.pair_count) {
        m->phase = ABUT__CERTIFY_NODES;
        return abut__certify_begin_nodes(m);
    }
    return true;
}

static bool group(abut__certifier* m) {
    m->spent += pass_cost(2 * (uint64_t)m->made->floats);
    if (m->from.weights == NULL && !abut__certificates_group(m->made, m->from.fields->count)) {
        return false;
    }
    m->phase = ABUT__CERTIFY_END;
    return true;
}

static bool step(abut__certifier* m, uint64_t limit) {
    switch (m->phase) {
        case ABUT__CERTIFY_START: return start(m);
        case ABUT__CERTIFY_LIST: return list(m);
        case ABUT__CERTIFY_RESERVE: return prepare(m);
        case ABUT__CERTIFY_BLOCKS: return make_blocks(m, limit);
        case ABUT__CERTIFY_FIT: return fit(m);
        case ABUT__CERTIFY_NEAR: return find_pairs(m);
        case ABUT__CERTIFY_LAY_OUT: return lay_out_rows(m);
        case ABUT__CERTIFY_PAIRS: return make_pairs(m, limit);
        case ABUT__CERTIFY_NODE_PAIRS: abut__certify_node_pairs(m, limit); return true;
        case ABUT__CERTIFY_NODES: abut__certify_nodes(m, limit); return true;
        case ABUT__CERTIFY_GROUP: return group(m);
        case ABUT__CERTIFY_END: break;
    }
    return true;
}

abut__certify_status abut__certifier_work(abut__certifier* m, uint64_t units, uint64_t* spent) {
    bool memory = true;
    m->spent = 0;
    while (m->phase != ABUT__CERTIFY_END && m->spent < units && memory) {
        memory = step(m, units);
    }
    *spent += m->spent;
    return !memory                         ? ABUT__CERTIFY_NO_MEMORY
           : m->phase == ABUT__CERTIFY_END ? ABUT__CERTIFY_DONE
                                           : ABUT__CERTIFY_MORE;
}

abut__certificates* abut__certifier_end(abut__certifier* certifier) {
    if (certifier == NULL) {
        return NULL;
    }
    abut__certifier* m = certifier;
    abut__certificates* made = m->made;
    const bool done = m->phase == ABUT__CERTIFY_END;
    release(m);
    abut__free(made->context, m, 1, sizeof *m);
    if (!done) {
        abut__certificates_free(made);
    }
    return done ? made : NULL;
}
