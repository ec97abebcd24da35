// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Makes certificates, from the blocks up. Only those of blocks and of pairs of near blocks read
// triangles.
#include "bound/certify.h"

#include "base/offset.h"

#define MAGNITUDE_MOST 1e60  // shapes with greater numbers get no proofs
#define FACTOR_MOST 0x1p60   // fields steeper than this, or flatter than its inverse, neither
#define NEAR 0.25            // blocks nearer than this part of their radii get a pair certificate
// Greatest number of nodes in the rows of a certificate.
#define NODES_MOST ((uint32_t)ABUT__WEIGHT_ROWS)
#define TASK_SETS 16u  // blocks or pairs in a task

// ---- rows of certificates

// Rounds up; numbers too large to be summed up safely in float become INFINITY.
static float limit_up(double x) {
    const float f = (float)x;
    return x <= FACTOR_MOST ? ((double)f < x ? nextafterf(f, INFINITY) : f) : INFINITY;
}

// Writes the rows of a weight that is 1 everywhere: its field is p - o.
static void put_whole(float* row) {
    memset(row, 0, (size_t)2 * ABUT__CERTIFICATE_ROW * sizeof *row);
    row[0] = row[4] = row[8] = 1;
    row[11] = 2;  // an upper bound of the norm
}

// Converts from units of the shape to true ones: exact, since these are powers of two.
void abut__certificate_put(const abut__certifier* m, const abut__cluster* cluster,
                           const abut__limits* limits, abut__certificate* out) {
    float* row = m->made->data + out->data;
    for (uint32_t k = 0; k < cluster->field_count; ++k, row += ABUT__CERTIFICATE_ROW) {
        const double(*map)[3] = (const double(*)[3])cluster->rows[k].map;
        const double factor = m->units.amount[cluster->fields[k]] / m->units.length;
        const bool good = factor < FACTOR_MOST && factor > 1 / FACTOR_MOST;
        for (int i = 0; i < 9; ++i) {
            row[i] = good ? (float)(map[i / 3][i % 3] * factor) : 0;
        }
        row[9] = good ? limit_up((double)limits->full[k] * factor) : INFINITY;
        row[10] = good ? limit_up(m->units.paired > 0
                                      ? cluster->rows[k].most * m->units.amount[cluster->fields[k]]
                                      : (double)limits->strain[k] * factor)
                       : INFINITY;
        row[11] = good ? limit_up(abut__norm_frobenius(map) * factor) : INFINITY;
    }
    row = m->made->data + out->data;
    for (uint32_t k = 1; k < cluster->paired; k += 2) {
        if (cluster->pairs[k / 2].lack == 0) {
            put_whole(row + (size_t)ABUT__CERTIFICATE_ROW * (k - 1));
        }
        // The origin takes the place of numbers that are 0.
        for (uint32_t d = 0; d < 3; ++d) {
            row[ABUT__CERTIFICATE_ROW * k + 3 + d] = (float)(cluster->pairs[k / 2].origin[d] *
                                                             m->units.length);
        }
    }
    out->paired = cluster->paired;
}

// ---- blocks and pairs of blocks

static abut__set_block set_block(const abut__certifier* m, uint32_t block) {
    return (abut__set_block){m->tree->blocks[block], &m->orders[block], abut__subsets_of(m, block)};
}

static void certify_set(const abut__certifier* m, abut__certifier_memory* memory,
                        const abut__cluster* cluster, const float* map,
                        const abut__set_block block[2], abut__certificate* out) {
    abut__separation* s = &memory->separation;
    abut__separation_begin(s, &m->units, cluster, map, block, memory->displacement);
    abut__separation_measure(s);
    out->gap = s->gap;
    abut__certificate_put(m, cluster, &s->limits, out);
}

// Adds a vertex to a cluster, or makes it cover the vertex.
typedef void (*vertex_step)(abut__cluster*, const double*, const double (*)[3]);
static void take_vertex(const abut__certifier* m, abut__certifier_memory* memory,
                        abut__cluster* cluster, uint32_t vertex, vertex_step step) {
    double p[3];
    abut__units_position(&m->units, vertex, p);
    abut__cluster_displacements(cluster, &m->units, vertex, memory->displacement);
    step(cluster, p, (const double(*)[3])memory->displacement);
}

static void sketch_subset(const abut__certifier* m, abut__certifier_memory* memory, uint32_t b,
                          uint32_t subset) {
    static const vertex_step steps[2] = {abut__cluster_add_vertex, abut__cluster_cover_vertex};
    const abut__block* block = m->tree->blocks[b];
    const uint32_t first = subset * ABUT__SUBSET;
    abut__sketch* out = (abut__sketch*)abut__subsets_of(m, b) + subset;
    const abut__cluster* whole = &m->clusters[m->tree->node_count + b];
    abut__cluster cluster;
    abut__cluster_start(&cluster, &m->units, whole->fields, whole->field_count, memory->rows,
                        whole->pairs);
    for (int step = 0; step < 2; ++step) {
        uint64_t taken = 0;
        for (uint32_t k = first; k < first + ABUT__SUBSET && k < block->triangle_count; ++k) {
            for (int c = 0; c < 3; ++c) {
                const uint32_t place = block->corner[c][m->orders[b].lane[k]];
                if ((taken >> place & 1) == 0) {
                    take_vertex(m, memory, &cluster, block->vertex[place], steps[step]);
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

static void unite(double box[2][3], const double other[2][3]) {
    for (int d = 0; d < 3; ++d) {
        box[0][d] = fmin(box[0][d], other[0][d]);
        box[1][d] = fmax(box[1][d], other[1][d]);
    }
}

static void centre_block(const abut__certifier* m, const abut__block* block, abut__cluster* own) {
    double box[2][3] = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
    for (uint32_t v = 0; v < block->vertex_count; ++v) {
        double p[2][3];
        abut__units_position(&m->units, block->vertex[v], p[0]);
        memcpy(p[1], p[0], sizeof p[1]);
        unite(box, (const double(*)[3])p);
        abut__cluster_meet_vertex(own, &m->units, block->vertex[v]);
    }
    abut__cluster_centre(own, (const double(*)[3])box);
    for (uint32_t k = 0; k < block->triangle_count; ++k) {
        const uint32_t corners[3] = {block->vertex[block->corner[0][k]],
                                     block->vertex[block->corner[1][k]],
                                     block->vertex[block->corner[2][k]]};
        abut__cluster_slope_triangle(own, &m->units, corners);
    }
}

void abut__certify_sum(abut__cluster* whole, const abut__cluster* const* parts, uint32_t count) {
    double box[2][3] = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
    for (uint32_t i = 0; i < count; ++i) {
        abut__cluster_meet(whole, parts[i]);
        unite(box, (const double(*)[3])parts[i]->place.box);
    }
    abut__cluster_centre(whole, (const double(*)[3])box);
    for (uint32_t i = 0; i < count; ++i) {
        abut__cluster_slope(whole, parts[i]);
        abut__cluster_add(whole, parts[i]);
    }
    abut__cluster_fit(whole);
}

abut__cluster abut__certify_aim(const abut__cluster* cluster, abut__cluster_row* rows,
                                float* sketch_rows) {
    abut__sketch sketch;
    abut__cluster aimed = *cluster;
    aimed.rows = rows;
    memcpy(rows, cluster->rows, cluster->field_count * sizeof *rows);
    abut__cluster_aim(&aimed);
    abut__sketch_make(&aimed, sketch_rows, &sketch);
    return aimed;
}

static void certify_block(const abut__certifier* m, abut__certifier_memory* memory, uint32_t b) {
    const abut__block* block = m->tree->blocks[b];
    const uint32_t part = m->tree->node_count + b;
    abut__cluster* own = &m->clusters[part];
    m->orders[b] = abut__lane_order_make(m->units.mesh, block);
    centre_block(m, block, own);
    for (uint32_t v = 0; v < block->vertex_count; ++v) {
        take_vertex(m, memory, own, block->vertex[v], abut__cluster_add_vertex);
    }
    abut__cluster_fit(own);
    for (uint32_t v = 0; v < block->vertex_count; ++v) {
        take_vertex(m, memory, own, block->vertex[v], abut__cluster_cover_vertex);
    }
    abut__sketch_make(own, m->sketches[part].rows, &m->sketches[part]);
    for (uint32_t g = 0; g < abut__subset_count(block); ++g) {
        sketch_subset(m, memory, b, g);
    }
    const abut__set_block set[2] = {set_block(m, b), {NULL, NULL, NULL}};
    const abut__cluster aimed = abut__certify_aim(own, memory->rows, memory->sketch);
    certify_set(m, memory, &aimed, memory->sketch, set, &m->made->blocks[b]);
    m->reach[part] = NEAR * own->place.radius;
}

static bool is_made(const abut__certifier* m, uint32_t block) {
    return !m->sample || block / ABUT__GROUP % ABUT__SAMPLE_EVERY == ABUT__SAMPLE_FIRST;
}

static void certify_blocks(void* argument, uint32_t index, uint32_t worker) {
    const abut__certifier* m = argument;
    const uint32_t count = m->tree->block_count;
    for (uint32_t b = TASK_SETS * index; b < count && b < TASK_SETS * (index + 1); ++b) {
        if (is_made(m, b)) {
            certify_block(m, &m->memories[worker], b);
        }
    }
}

static void certify_pair(const abut__certifier* m, abut__certifier_memory* memory, uint32_t pair) {
    const uint64_t key = m->near.data[pair];
    const uint32_t side[2] = {(uint32_t)(key >> 32), (uint32_t)key};
    abut__certificate* out = &m->made->pairs[pair];
    const abut__cluster* parts[2] = {&m->clusters[m->tree->node_count + side[0]],
                                     &m->clusters[m->tree->node_count + side[1]]};
    abut__cluster cluster;
    memset(memory->pairs, 0, (out->field_count + (size_t)1) / 2 * sizeof *memory->pairs);
    abut__cluster_start(&cluster, &m->units, ABUT__AT(m->made->fields.data, out->first_field),
                        out->field_count, memory->rows, memory->pairs);
    abut__certify_sum(&cluster, parts, 2);
    const abut__cluster aimed = abut__certify_aim(&cluster, memory->rows, memory->sketch);
    const abut__set_block set[2] = {set_block(m, side[0]), set_block(m, side[1])};
    certify_set(m, memory, &aimed, memory->sketch, set, out);
}

static void certify_pairs(void* argument, uint32_t index, uint32_t worker) {
    const abut__certifier* m = argument;
    const uint32_t count = m->made->index.pair_count;
    for (uint32_t p = TASK_SETS * index; p < count && p < TASK_SETS * (index + 1); ++p) {
        certify_pair(m, &m->memories[worker], p);
    }
}

// Returns whether there are more nodes than a certificate has rows for.
static bool is_wide(const abut__certifier* m, const uint32_t* fields, uint32_t count) {
    return count > 2 * NODES_MOST && fields[2 * NODES_MOST] < m->units.paired;
}

// Lists the fields of two certificates; all lists are ascending.
static bool join_fields(const abut__certifier* m, const abut__certificate* x,
                        const abut__certificate* y, abut__certificate* out) {
    abut__uint32s* fields = &m->made->fields;
    out->first_field = (uint32_t)fields->count;
    for (uint32_t i = 0, k = 0; i < x->field_count || k < y->field_count;) {
        uint32_t* place = abut__push(m->made->context, fields, 1);
        if (place == NULL) {
            return false;
        }
        const uint32_t* ids = fields->data;
        const uint32_t next_x = i < x->field_count ? ids[x->first_field + i] : UINT32_MAX;
        const uint32_t next_y = k < y->field_count ? ids[y->first_field + k] : UINT32_MAX;
        *place = next_x < next_y ? next_x : next_y;
        i += next_x == *place;
        k += next_y == *place;
    }
    out->field_count = (uint32_t)fields->count - out->first_field;
    const uint32_t* own = ABUT__AT(fields->data, out->first_field);
    if (x->wide || y->wide || is_wide(m, own, out->field_count)) {
        fields->count = out->first_field;
        out->field_count = 0;
        out->wide = true;
    }
    return true;
}

// Shares the list of the pair before, which is often the same.
static void share_fields(abut__certificates* made, const abut__certificate* pairs,
                         abut__certificate* out) {
    const uint32_t* all = made->fields.data;
    if (out > pairs && out[-1].field_count == out->field_count && out->field_count > 0 &&
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

static bool lay_out_pairs(const abut__certifier* m) {
    abut__certificates* made = m->made;
    const uint64_t* keys = m->near.data;
    const uint32_t count = (uint32_t)m->near.count;
    if (!abut__certificate_index_pairs(made->context, keys, count, &made->index)) {
        return false;
    }
    made->pairs = abut__alloc_zero(made->context, count, sizeof *made->pairs);
    if (count > 0 && made->pairs == NULL) {
        return false;
    }
    for (uint32_t p = 0; p < count; ++p) {
        if (!join_fields(m, &made->blocks[keys[p] >> 32], &made->blocks[(uint32_t)keys[p]],
                         &made->pairs[p])) {
            return false;
        }
        share_fields(made, made->pairs, &made->pairs[p]);
        place_rows(made, &made->pairs[p]);
    }
    return true;
}

static bool lay_out_node_pairs(const abut__certifier* m) {
    abut__certificates* made = m->made;
    const uint64_t* keys = m->near_nodes.data;
    const uint32_t count = (uint32_t)m->near_nodes.count;
    if (!abut__certificate_index_node_pairs(made->context, keys, count, &made->index)) {
        return false;
    }
    made->node_pairs = abut__alloc_zero(made->context, count, sizeof *made->node_pairs);
    if (count > 0 && made->node_pairs == NULL) {
        return false;
    }
    for (uint32_t p = 0; p < count; ++p) {
        if (!join_fields(m, &made->nodes[keys[p] >> 32], &made->nodes[(uint32_t)keys[p]],
                         &made->node_pairs[p])) {
            return false;
        }
        share_fields(made, made->node_pairs, &made->node_pairs[p]);
        place_rows(made, &made->node_pairs[p]);
    }
    return true;
}

// ---- all certificates

// Assigns the rows of the certificates of nodes and blocks.
static void lay_out_certificates(const abut__certifier* m, const abut__field_lists* lists) {
    abut__certificates* made = m->made;
    for (uint32_t i = 0; i < m->parts; ++i) {
        const uint32_t b = i - m->tree->node_count;
        const bool node = i < m->tree->node_count;
        const abut__field_list* list = node ? &lists->nodes[i] : &lists->blocks[b];
        abut__certificate* out = node ? &made->nodes[i] : &made->blocks[b];
        out->wide = is_wide(m, ABUT__AT(made->fields.data, list->first), list->count);
        out->first_field = list->first;
        out->field_count = out->wide || (m->sample && (node || !is_made(m, b))) ? 0 : list->count;
        place_rows(made, out);
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

static uint32_t task_count(uint32_t sets) {
    return (sets + TASK_SETS - 1) / TASK_SETS;
}

static bool certify_all(abut__certifier* m) {
    abut__certificates* made = m->made;
    lay_out(m);
    if (!grow_rows(made, 0)) {
        return false;
    }
    abut__run_tasks(made->context, task_count(made->index.block_count), certify_blocks, m);
    if (m->sample) {
        return true;
    }
    abut__certify_fit_nodes(m);
    const size_t before = made->floats;
    // Weights have no certificates of pairs of nodes: these are about too many nodes to hold.
    if (!abut__certify_near(m) || !lay_out_pairs(m) ||
        (m->units.paired == 0 && (!abut__certify_near_nodes(m) || !lay_out_node_pairs(m)))) {
        made->floats = before;
        return false;
    }
    if (!grow_rows(made, before)) {
        return false;
    }
    abut__run_tasks(made->context, task_count(made->index.pair_count), certify_pairs, m);
    return abut__certify_node_pairs(m) && abut__certify_nodes(m);
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
    memory->displacement = abut__alloc(context, fields, sizeof *memory->displacement);
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
    abut__free(context, memory->displacement, fields, sizeof *memory->displacement);
    abut__free(context, memory->sketch, ABUT__SKETCH_ROWS * (fields + 16), sizeof *memory->sketch);
    abut__separation_free(&memory->separation);
}

static bool reserve(abut__certifier* m) {
    const abut_context* context = m->made->context;
    if (!list_fields(m)) {
        return false;
    }
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

abut__certificates* abut__certificates_make(const abut_context* context, const abut__tree* tree,
                                            const abut__links* links, const abut_mesh* mesh,
                                            const abut__fields* fields,
                                            const abut__weights* weights, bool sample) {
    abut__certificates* made = abut__alloc_zero(context, 1, sizeof *made);
    if (made == NULL) {
        return NULL;
    }
    made->context = context;
    made->paired = weights != NULL ? 2 * weights->node_count : 0;
    bool done = abut__certificate_index_make(context, tree, &made->index);
    made->nodes = abut__alloc_zero(context, tree->node_count, sizeof *made->nodes);
    made->blocks = abut__alloc_zero(context, tree->block_count, sizeof *made->blocks);
    done = done && made->nodes != NULL && made->blocks != NULL;
    if (done && is_moderate(mesh, fields)) {  // otherwise none holds
        abut__certifier m = {.made = made, .tree = tree, .links = links, .sample = sample};
        m.parts = tree->node_count + tree->block_count;
        done = abut__units_make(context, mesh, fields, weights, &m.units) && reserve(&m) &&
               certify_all(&m);
        memcpy(made->middle, m.units.middle, sizeof made->middle);
        made->length = m.units.length;
        release(&m);
    }
    done = done && (weights != NULL || abut__certificates_group(made, fields->count));
    if (!done) {
        abut__certificates_free(made);
        return NULL;
    }
    return made;
}
