// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Tests certificates of the blend motion, and packs them: a cache line per node, because tests
// mostly wait for memory.
#include "bound/blend_certificate.h"

#include "base/offset.h"
#include "base/rounding.h"
#include "bound/affine.h"
#include "bound/cluster.h"
#include "bound/telescope.h"

// ---- testing

// Sums up the fields that move the rest positions: G and g; |G| + g and U.
static void add_moves(const abut__blend_row* rows, uint32_t count, const double* coordinates,
                      abut__weight_question* out) {
    memset(out->map, 0, sizeof out->map);
    out->limit = out->moves[0] = out->moves[1] = 0;
    for (uint32_t k = 0; k < count; ++k) {
        const abut__move_row* row = &rows[k].move;
        const double q = coordinates[row->field];
        if (q == 0) {
            continue;
        }
        for (int i = 0; i < 9; ++i) {
            out->map[i / 3][i % 3] += q * (double)row->map[i];
        }
        out->moves[0] += fabs(q) * (double)row->norm;
        out->limit += fabs(q) * (double)row->limit;
        out->moves[1] += fabs(q) * (double)row->most;
    }
    out->moves[0] += out->limit;
    out->moved = out->moves[0] > 0 || out->moves[1] > 0;
}

// Returns a nearly tight upper bound of the norm of a difference of linear parts.
static double norm_of_difference(const double x[12], const double y[12]) {
    double s[3][3];
    double d[3][3];
    for (int i = 0; i < 9; ++i) {
        d[i / 3][i % 3] = x[i / 3 * 4 + i % 3] - y[i / 3 * 4 + i % 3];
    }
    for (int i = 0; i < 9; ++i) {
        s[i / 3][i % 3] = -abut__dot3(d[i / 3], d[i % 3]);
    }
    double least;
    double greatest;
    abut__eigenvalue_range((const double(*)[3])s, &least, &greatest);
    return sqrt(-abut__eigenvalue_least((const double(*)[3])s, least)) * (1 + 1e-12);
}

// Returns |D_b'| of a node, from the state's table if there is one.
static float norm_of(const uint16_t* parent, const abut__blend_proof* state, uint32_t node) {
    float norm = state->norms != NULL
                     ? atomic_load_explicit(&state->norms[node], memory_order_relaxed)
                     : -1;
    if (norm < 0) {
        norm = abut__round_up(
            norm_of_difference(state->transforms[node], state->transforms[parent[node]]));
        if (state->norms != NULL) {
            atomic_store_explicit(&state->norms[node], norm, memory_order_relaxed);
        }
    }
    return norm;
}

// Tests one certificate in double, where a group test did not decide.
static bool holds_alone(const abut__blend_certificates* c, const abut__blend_certificate* own,
                        const abut__blend_proof* state) {
    abut__weight_question q;
    q.frame = &c->frame;
    q.rows = ABUT__AT(c->rows, own->first);
    q.count = state->same ? 0 : own->node_count;
    q.transforms = state->transforms;
    q.reference = state->transforms[own->reference];
    q.slack = state->rounding / (double)own->gap;
    q.moved = false;
    if (own->field_count > 0) {
        add_moves(q.rows + own->node_count, own->field_count, state->coordinates, &q);
    }
    for (uint32_t k = 0; k < q.count; ++k) {
        q.norms[k] = norm_of(c->frame.parent, state, q.rows[k].weight.node);
    }
    return c->context->kernels->blend_certificate(&q);
}

// Prefetches all cache lines together, so that their latencies overlap.
static void fetch(const void* data, size_t size) {
    for (size_t at = 0; at < size; at += ABUT__ALIGNMENT) {
        __builtin_prefetch((const char*)data + at);
    }
}

// Tests all lanes of a group at once; returns their verdicts.
static uint64_t test_group(const abut__blend_certificates* c, const abut__blend_group* group,
                           const abut__blend_proof* state, uint64_t verdict) {
    const abut__blend_groups* groups = &c->groups;
    const uint32_t wide = group->wide & ~(uint32_t)group->empty;
    const uint32_t never = group->none | (state->same && state->still ? 0u : wide);
    verdict = abut__verdict_note(verdict, group->empty, never);
    if (group->loose) {
        return verdict;
    }
    fetch(ABUT__AT(groups->rows, group->first_row), group->row_count * sizeof *groups->rows);
    fetch(ABUT__AT(groups->moves, group->first_move), group->move_count * sizeof *groups->moves);
    abut__weight_questions q = {.frame = &c->frame,
                                .rows = ABUT__AT(groups->rows, group->first_row),
                                .moves = ABUT__AT(groups->moves, group->first_move),
                                .steps = ABUT__AT(groups->steps, group->first_step),
                                .row_count = group->row_count,
                                .move_count = group->move_count,
                                .step_count = group->step_count,
                                .transforms = state->transforms,
                                .reference = state->transforms[group->reference],
                                .coordinates = state->coordinates,
                                .inverse_gap = group->inverse_gap,
                                .rounding = abut__round_up(state->rounding)};
    for (uint32_t k = 0; k < q.row_count; ++k) {
        q.norms[k] = norm_of(c->frame.parent, state, q.rows[k].node);
    }
    const abut__certificate_verdict found = c->context->kernels->blend_certificates(&q);
    return abut__verdict_note(verdict, found.yes, found.no);
}

uint32_t abut__blend_certificates_hold(const abut__blend_certificates* c,
                                       abut__certificate_range range,
                                       const abut__blend_proof* state) {
    const abut__blend_certificate* kinds[] = {c->nodes, c->blocks, c->pairs};
    uint64_t verdict;
    bool changed = !abut__verdicts_read(state->verdicts, range.group, &verdict);
    if (changed) {
        verdict = test_group(c, &c->groups.list[range.group], state, verdict);
    }
    uint32_t open = abut__verdict_open(verdict, range.lanes);
    for (; open != 0; open &= open - 1) {
        const uint32_t lane = (uint32_t)__builtin_ctz(open);
        const bool yes = holds_alone(c, kinds[range.kind] + range.first + lane, state);
        verdict = abut__verdict_note(verdict, (uint32_t)yes << lane, 1u << lane);
        changed = true;
    }
    if (changed) {
        abut__verdicts_write(state->verdicts, range.group, verdict);
    }
    return abut__verdict_holds(verdict, range.lanes) >> range.lane;
}

// ---- packing

// Returns the limit of a row; INFINITY, which proves nothing, if a number of the row is not finite.
static float limit_of(const float* row) {
    bool finite = true;
    for (int i = 0; i < 9; ++i) {
        finite = finite && isfinite(row[i]);
    }
    return finite ? row[9] : INFINITY;
}

static void pack_weight(const abut__certificates* from, const float* row, uint32_t node,
                        abut__weight_row* out) {
    const float* weight = row + ABUT__CERTIFICATE_ROW;
    memcpy(out->map, row, sizeof out->map);
    memcpy(out->slope, weight, sizeof out->slope);
    out->limit = limit_of(row);
    out->slope_limit = limit_of(weight);
    out->node = (uint16_t)node;
    for (int d = 0; d < 3; ++d) {  // exact: origins are multiples of the step
        const double steps = (double)weight[3 + d] / (from->length * ABUT__ORIGIN_STEP);
        const bool fits = fabs(steps) <= INT16_MAX;
        out->origin[d] = (int16_t)(fits ? steps : 0);
        out->limit = fits ? out->limit : INFINITY;
    }
}

static void pack_move(const float* row, uint32_t field, abut__move_row* out) {
    memset(out, 0, sizeof *out);
    memcpy(out->map, row, sizeof out->map);
    out->limit = limit_of(row);
    out->most = row[10];
    out->norm = row[11];
    out->field = field;
}

static bool is_whole(const float* row) {
    return row[0] == 1 && row[9] == 0 && row[ABUT__CERTIFICATE_ROW + 9] == 0;
}

static uint32_t depth_of(const abut__blend_certificates* made, uint32_t node) {
    uint32_t depth = 0;
    for (; made->frame.parent[node] != node; node = made->frame.parent[node]) {
        ++depth;
    }
    return depth;
}

static uint32_t rows_of(const abut__certificates* from, const abut__certificate* own) {
    const float* row = ABUT__AT(from->data, own->data);
    uint32_t count = own->field_count - own->paired;
    for (uint32_t k = 0; k < own->paired; k += 2, row += (size_t)2 * ABUT__CERTIFICATE_ROW) {
        count += !is_whole(row);
    }
    return count;
}

// A weight that is 1 everywhere belongs to m or to a node above it.
static void pack(const abut__certificates* from, const abut__certificate* own,
                 abut__blend_certificates* made, abut__blend_certificate* out) {
    const uint32_t* fields = ABUT__AT(from->fields.data, own->first_field);
    const float* row = ABUT__AT(from->data, own->data);
    abut__blend_row* rows = ABUT__AT(made->rows, made->row_count);
    uint32_t m = made->root;
    *out = (abut__blend_certificate){
        .gap = abut__round_down(own->gap), .first = (uint32_t)made->row_count, .wide = own->wide};
    for (uint32_t k = 0; k < own->paired; k += 2, row += (size_t)2 * ABUT__CERTIFICATE_ROW) {
        const uint32_t node = fields[k] / 2;
        if (is_whole(row)) {
            m = depth_of(made, node) > depth_of(made, m) ? node : m;
            continue;
        }
        pack_weight(from, row, node, &rows[out->node_count++].weight);
        made->frame.steepest[0] = fmax(made->frame.steepest[0], (double)row[11]);
        made->frame.steepest[1] = fmax(made->frame.steepest[1],
                                       (double)row[ABUT__CERTIFICATE_ROW + 11]);
    }
    out->reference = (uint16_t)m;
    rows = ABUT__AT(rows, out->node_count);
    for (uint32_t k = own->paired; k < own->field_count; ++k, row += ABUT__CERTIFICATE_ROW) {
        pack_move(row, fields[k] - from->paired, &rows[out->field_count++].move);
    }
    made->row_count += out->node_count + out->field_count;
}

static bool pack_all(const abut__certificates* from, abut__blend_certificates* made) {
    const abut_context* context = made->context;
    const abut__certificate* sets[3] = {from->nodes, from->blocks, from->pairs};
    const uint32_t counts[3] = {from->index.node_count, from->index.block_count,
                                from->index.pair_count};
    abut__blend_certificate** outs[3] = {&made->nodes, &made->blocks, &made->pairs};
    size_t rows = 0;
    for (int i = 0; i < 3; ++i) {
        *outs[i] = abut__alloc(context, counts[i], sizeof **outs[i]);
        if (*outs[i] == NULL && counts[i] > 0) {
            return false;
        }
        for (uint32_t k = 0; k < counts[i]; ++k) {
            rows += rows_of(from, &sets[i][k]);
        }
    }
    made->rows = abut__alloc(context, rows, sizeof *made->rows);
    made->row_room = rows;
    if (rows > UINT32_MAX || (rows > 0 && made->rows == NULL)) {
        return false;
    }
    for (int i = 0; i < 3; ++i) {
        for (uint32_t k = 0; k < counts[i]; ++k) {
            pack(from, &sets[i][k], made, &(*outs[i])[k]);
        }
    }
    return true;
}

static void take_index(abut__certificates* from, abut__blend_certificates* made) {
    made->index = from->index;
    from->index.pair_first = from->index.pair_other = from->index.pair_number = NULL;
    memcpy(made->frame.middle, from->middle, sizeof made->frame.middle);
    made->frame.step = from->length * ABUT__ORIGIN_STEP;
}

struct abut__blend_certifier {
    const abut_context* context;
    const abut__weights* weights;
    abut__certified_parts parts;
    abut__telescope telescope;  // empty before the first slice
    abut__certifier* certifier;
    bool sample;
};

abut__blend_certifier* abut__blend_certifier_begin(const abut_context* context,
                                                   const abut__certified_parts* parts,
                                                   bool sample) {
    abut__blend_certifier* m = abut__alloc_zero(context, 1, sizeof *m);
    if (m == NULL || parts->weights->node_count > UINT16_MAX) {
        abut__free(context, m, 1, sizeof *m);
        return NULL;
    }
    *m = (abut__blend_certifier){
        .context = context, .weights = parts->weights, .parts = *parts, .sample = sample};
    return m;
}

// Sums up the weights, which is the first slice.
static bool start(abut__blend_certifier* m) {
    if (!abut__telescope_make(m->weights, &m->telescope)) {
        return false;
    }
    m->parts.weights = m->telescope.sums;
    m->certifier = abut__certifier_begin(m->context, &m->parts, m->sample);
    return m->certifier != NULL;
}

abut__certify_status abut__blend_certifier_work(abut__blend_certifier* m, uint64_t units,
                                                uint64_t* spent) {
    if (m->certifier == NULL) {
        const uint64_t cost = 1 + m->weights->first[m->weights->vertex_count] / 64;
        *spent += cost;
        if (!start(m)) {
            return ABUT__CERTIFY_NO_MEMORY;
        }
        if (cost >= units) {
            return ABUT__CERTIFY_MORE;
        }
        units -= cost;
    }
    return abut__certifier_work(m->certifier, units, spent);
}

// Packs finished certificates. NULL: no memory.
static abut__blend_certificates* pack_made(abut__blend_certifier* m, abut__certificates* from) {
    abut__blend_certificates* made = abut__alloc_zero(m->context, 1, sizeof *made);
    if (made == NULL) {
        return NULL;
    }
    made->context = m->context;
    made->weight_nodes = m->weights->node_count;
    made->frame.parent = m->telescope.parent;
    made->root = m->telescope.root;
    m->telescope.parent = NULL;
    take_index(from, made);
    if (!pack_all(from, made) || !abut__blend_groups_make(made)) {
        abut__blend_certificates_free(made);
        return NULL;
    }
    return made;
}

abut__blend_certificates* abut__blend_certifier_end(abut__blend_certifier* certifier) {
    if (certifier == NULL) {
        return NULL;
    }
    abut__blend_certifier* m = certifier;
    abut__certificates* from = abut__certifier_end(m->certifier);
    abut__blend_certificates* made = from != NULL ? pack_made(m, from) : NULL;
    abut__certificates_free(from);
    abut__telescope_free(m->weights, &m->telescope);
    abut__free(m->context, m, 1, sizeof *m);
    return made;
}

void abut__blend_certificates_free(abut__blend_certificates* certificates) {
    if (certificates == NULL) {
        return;
    }
    const abut_context* context = certificates->context;
    abut__blend_certificates* c = certificates;
    abut__blend_groups_free(c);
    abut__free(context, c->nodes, c->index.node_count, sizeof *c->nodes);
    abut__free(context, c->blocks, c->index.block_count, sizeof *c->blocks);
    abut__free(context, c->pairs, c->index.pair_count, sizeof *c->pairs);
    abut__certificate_index_free(context, &c->index);
    abut__free(context, c->rows, c->row_room, sizeof *c->rows);
    abut__free(context, (uint16_t*)c->frame.parent, c->weight_nodes, sizeof(uint16_t));
    abut__free(context, c, 1, sizeof *c);
}
