// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Makes the certificates of blocks and of pairs of near blocks, which alone read triangles.
// certify_make.c has the order of everything.
#include "bound/certify.h"

#include "base/offset.h"

#define FACTOR_MOST 0x1p60  // fields steeper than this, or flatter than its inverse, neither
#define NEAR 0.25           // blocks nearer than this part of their radii get a pair certificate
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
    return (abut__set_block){m->tree->blocks[block], &m->orders[block], abut__subsets_of(m, block),
                             NULL};
}

static void certify_set(const abut__certifier* m, abut__certifier_memory* memory,
                        const abut__cluster* cluster, const float* map,
                        const abut__set_block block[2], const abut__certificate* const parts[2],
                        abut__certificate* out) {
    abut__separation* s = &memory->separation;
    abut__separation_begin(s, &m->units, cluster, map, block, memory->displacement);
    if (parts != NULL) {
        abut__certify_content(m, cluster, parts, &s->limits);
    }
    abut__separation_measure(s);
    out->gap = s->gap;
    abut__certificate_put(m, cluster, &s->limits, out);
}

// Returns where a certificate has the row of a field, or NULL; *next advances with the fields.
static const float* row_of_field(const abut__certifier* m, const abut__certificate* part,
                                 uint32_t field, uint32_t* next) {
    const uint32_t* fields = ABUT__AT(m->made->fields.data, part->first_field);
    while (*next < part->field_count && fields[*next] < field) {
        ++*next;
    }
    return *next < part->field_count && fields[*next] == field
               ? ABUT__AT(m->made->data, part->data) + (size_t)ABUT__CERTIFICATE_ROW * *next
               : NULL;
}

void abut__certify_content(const abut__certifier* m, const abut__cluster* cluster,
                           const abut__certificate* const parts[2], abut__limits* limits) {
    uint32_t next[2] = {0, 0};
    for (uint32_t k = 0; k < cluster->field_count; ++k) {
        const uint32_t field = cluster->fields[k];
        const float* row[2] = {row_of_field(m, parts[0], field, &next[0]),
                               row_of_field(m, parts[1], field, &next[1])};
        if (row[0] == NULL || row[1] == NULL) {
            continue;
        }
        const double unit = m->units.length / m->units.amount[field];
        const float full = (float)(fmin((double)row[0][9], (double)row[1][9]) * unit);
        const float strain = (float)(fmin((double)row[0][10], (double)row[1][10]) * unit);
        if (full > limits->enough_full[k] && full < INFINITY) {
            limits->enough_full[k] = full;
        }
        if (strain > limits->enough_strain[k] && strain < INFINITY) {
            limits->enough_strain[k] = strain;
        }
    }
}

// The vertices of a block, with their displacements in memory->displacement.
typedef struct block_vertices {
    double position[ABUT__BLOCK_VERTICES][3];
    abut__certifier_memory* memory;
    uint32_t field_count;
} block_vertices;

static void read_vertices(const abut__certifier* m, abut__certifier_memory* memory,
                          const abut__block* block, const abut__cluster* own, block_vertices* out) {
    out->memory = memory;
    out->field_count = own->field_count;
    for (uint32_t v = 0; v < block->vertex_count; ++v) {
        abut__units_position(&m->units, block->vertex[v], out->position[v]);
        abut__cluster_displacements(own, &m->units, block->vertex[v],
                                    memory->displacement + (size_t)v * own->field_count);
    }
}

// Adds a vertex to a cluster, or makes it cover the vertex.
typedef void (*vertex_step)(abut__cluster*, const double*, const double (*)[3]);
static void take_vertex(const block_vertices* vertices, abut__cluster* cluster, uint32_t place,
                        vertex_step step) {
    step(cluster, vertices->position[place],
         (const double(*)[3])vertices->memory->displacement +
             (size_t)place * vertices->field_count);
}

static void sketch_subset(const abut__certifier* m, const block_vertices* vertices, uint32_t b,
                          uint32_t subset) {
    static const vertex_step steps[2] = {abut__cluster_add_vertex, abut__cluster_cover_vertex};
    const abut__block* block = m->tree->blocks[b];
    const uint32_t first = subset * ABUT__SUBSET;
    abut__sketch* out = (abut__sketch*)abut__subsets_of(m, b) + subset;
    const abut__cluster* whole = &m->clusters[m->tree->node_count + b];
    abut__cluster cluster;
    abut__cluster_start(&cluster, &m->units, whole->fields, whole->field_count,
                        vertices->memory->rows, whole->pairs);
    for (int step = 0; step < 2; ++step) {
        uint64_t taken = 0;
        for (uint32_t k = first; k < first + ABUT__SUBSET && k < block->triangle_count; ++k) {
            for (int c = 0; c < 3; ++c) {
                const uint32_t place = block->corner[c][m->orders[b].lane[k]];
                if ((taken >> place & 1) == 0) {
                    take_vertex(vertices, &cluster, place, steps[step]);
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
    block_vertices vertices;
    read_vertices(m, memory, block, own, &vertices);
    for (uint32_t v = 0; v < block->vertex_count; ++v) {
        take_vertex(&vertices, own, v, abut__cluster_add_vertex);
    }
    abut__cluster_fit(own);
    for (uint32_t v = 0; v < block->vertex_count; ++v) {
        take_vertex(&vertices, own, v, abut__cluster_cover_vertex);
    }
    abut__sketch_make(own, m->sketches[part].rows, &m->sketches[part]);
    for (uint32_t g = 0; g < abut__subset_count(block); ++g) {
        sketch_subset(m, &vertices, b, g);
    }
    abut__set_block set[2] = {set_block(m, b)};
    set[0].displacements = (const double(*)[3])memory->displacement;
    const abut__cluster aimed = abut__certify_aim(own, memory->rows, memory->sketch);
    certify_set(m, memory, &aimed, memory->sketch, set, NULL, &m->made->blocks[b]);
    m->reach[part] = NEAR * own->place.radius;
}

bool abut__certify_is_made(const abut__certifier* m, uint32_t block) {
    return !m->sample || block / ABUT__GROUP % ABUT__SAMPLE_EVERY == ABUT__SAMPLE_FIRST;
}

// A part of a list of blocks or pairs, for tasks.
typedef struct range {
    const abut__certifier* m;
    uint32_t first;
    uint32_t end;
} range;

static uint32_t range_end(const range* r, uint32_t index) {
    const uint32_t end = r->first + TASK_SETS * (index + 1);
    return end < r->end ? end : r->end;
}

static void run_range(const abut__certifier* m, uint32_t first, uint32_t end, abut_task_fn task) {
    range r = {m, first, end};
    abut__run_tasks(m->made->context, (end - first + TASK_SETS - 1) / TASK_SETS, task, &r);
}

static void certify_some_blocks(void* argument, uint32_t index, uint32_t worker) {
    const range* r = argument;
    for (uint32_t b = r->first + TASK_SETS * index; b < range_end(r, index); ++b) {
        if (abut__certify_is_made(r->m, b)) {
            certify_block(r->m, &r->m->memories[worker], b);
        }
    }
}

void abut__certify_blocks(const abut__certifier* m, uint32_t first, uint32_t end) {
    run_range(m, first, end, certify_some_blocks);
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
    const abut__certificate* const own[2] = {&m->made->blocks[side[0]], &m->made->blocks[side[1]]};
    certify_set(m, memory, &aimed, memory->sketch, set, own, out);
}

static void certify_some_pairs(void* argument, uint32_t index, uint32_t worker) {
    const range* r = argument;
    for (uint32_t p = r->first + TASK_SETS * index; p < range_end(r, index); ++p) {
        certify_pair(r->m, &r->m->memories[worker], p);
    }
}

void abut__certify_pairs(const abut__certifier* m, uint32_t first, uint32_t end) {
    run_range(m, first, end, certify_some_pairs);
}

// ---- fields and rows

// Returns whether there are more nodes than a certificate has rows for.
bool abut__certify_is_wide(const abut__certifier* m, const uint32_t* fields, uint32_t count) {
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
    if (x->wide || y->wide || abut__certify_is_wide(m, own, out->field_count)) {
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

void abut__certificate_place(abut__certificates* made, abut__certificate* out) {
    out->data = made->floats;
    made->floats += (size_t)ABUT__CERTIFICATE_ROW * out->field_count;
}

bool abut__certify_lay_out_pairs(const abut__certifier* m) {
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
        abut__certificate_place(made, &made->pairs[p]);
    }
    return true;
}

bool abut__certify_lay_out_node_pairs(const abut__certifier* m) {
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
        abut__certificate_place(made, &made->node_pairs[p]);
    }
    return true;
}
