// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Groups certificates: sixteen consecutive ones become lanes of common rows, for all fields of any
// of them. A caller that tests one is likely to test its neighbours too, and testing sixteen costs
// hardly more than testing one.
#include "bound/affine.h"
#include "base/offset.h"
#include "bound/certificate.h"

typedef struct grouping {
    abut__certificates* made;
    uint8_t* marked;  // per field: a certificate of the group has it
    uint32_t field_limit;
    abut__uint32s fields;  // the groups' lists
    const float* rows;     // of one certificate after the other, as they were made
    float* data;
    size_t floats;
} grouping;

static float inverse_up(double gap) {
    const float f = (float)(1 / gap);
    return f * (1 + 0x1p-22f) + 0x1p-126f;
}

// Lists the fields of a group, ascending. Shares the previous group's list if it is the same.
static bool list_fields(grouping* g, const abut__certificate* own, uint32_t count,
                        const uint32_t* fields, abut__certificate* shared) {
    const uint32_t last_first = shared->first_field;
    const uint32_t last_count = shared->field_count;
    memset(g->marked, 0, g->field_limit);
    for (uint32_t i = 0; i < count; ++i) {
        for (uint32_t k = 0; k < own[i].field_count; ++k) {
            g->marked[fields[own[i].first_field + k]] = 1;
        }
    }
    shared->first_field = (uint32_t)g->fields.count;
    for (uint32_t f = 0; f < g->field_limit; ++f) {
        if (g->marked[f] != 0) {
            uint32_t* place = abut__push(g->made->context, &g->fields, 1);
            if (place == NULL) {
                return false;
            }
            *place = f;
        }
    }
    shared->field_count = (uint32_t)g->fields.count - shared->first_field;
    const uint32_t* all = g->fields.data;
    if (shared->field_count == last_count && last_count > 0 &&
        memcmp(all + last_first, all + shared->first_field, last_count * sizeof *all) == 0) {
        g->fields.count = shared->first_field;
        shared->first_field = last_first;
    }
    return true;
}

// Returns L strain + |H + H^T| / 2 of a row, plus the rounding error of H in float.
static float number_of(const float* row) {
    double map[3][3];
    for (int i = 0; i < 9; ++i) {
        map[i / 3][i % 3] = (double)row[i];
    }
    const double sum = (double)row[10] + abut__norm_symmetric((const double(*)[3])map) +
                       0x1p-22 * (double)row[11];
    return (float)(sum * (1 + 0x1p-23));
}

// Copies the rows of one certificate to a lane of its group. Fields that it does not have stay 0.
static void fill_lane(const grouping* g, const abut__certificate* own, const uint32_t* fields,
                      const abut__certificate* shared, uint32_t lane) {
    const uint32_t* list = ABUT__AT(g->fields.data, shared->first_field);
    const float* row = ABUT__AT(g->rows, own->data);
    float* one = g->data + shared->data + lane;
    float* all = one + (size_t)ABUT__GROUP * shared->field_count;
    uint32_t next = 0;
    for (uint32_t k = 0; k < shared->field_count; ++k) {
        if (next == own->field_count || fields[own->first_field + next] != list[k]) {
            continue;
        }
        one[(size_t)ABUT__GROUP * k] = number_of(row);
        for (size_t i = 0; i < ABUT__CERTIFICATE_ROW; ++i) {
            all[(k * (size_t)ABUT__CERTIFICATE_ROW + i) * ABUT__GROUP] = row[i];
        }
        row += ABUT__CERTIFICATE_ROW;
        ++next;
    }
}

void abut__certificate_note_gap(abut__certificate_group* group, uint32_t lane, double gap) {
    const uint32_t bit = 1u << lane;
    group->empty |= gap == INFINITY ? bit : 0;
    group->none |= gap > 0 ? 0 : bit;
    group->inverse_gap[lane] = gap > 0 && gap < INFINITY ? inverse_up(gap) : INFINITY;
}

// Groups certificates of one kind. Counts the data if `fill` is false; fills it in otherwise.
static bool group_kind(grouping* g, abut__certificate* all, uint32_t count, const uint32_t* fields,
                       abut__certificate_group* groups, bool fill, abut__certificate* shared) {
    for (uint32_t first = 0; first < count; first += ABUT__GROUP) {
        const uint32_t lanes = count - first < ABUT__GROUP ? count - first : ABUT__GROUP;
        if (!list_fields(g, all + first, lanes, fields, shared)) {
            return false;
        }
        shared->data = g->floats;
        g->floats += (1 + (size_t)ABUT__CERTIFICATE_ROW) * ABUT__GROUP * shared->field_count;
        if (!fill) {
            continue;
        }
        abut__certificate_group* group = &groups[first / ABUT__GROUP];
        *group = (abut__certificate_group){.data = shared->data,
                                           .first_field = shared->first_field,
                                           .field_count = shared->field_count};
        for (uint32_t k = 0; k < lanes; ++k) {
            fill_lane(g, &all[first + k], fields, shared, k);
            abut__certificate_note_gap(group, k, all[first + k].gap);
            all[first + k].data = shared->data + (size_t)ABUT__GROUP * shared->field_count + k;
            all[first + k].first_field = shared->first_field;
            all[first + k].field_count = shared->field_count;
        }
    }
    return true;
}

static bool group_all(grouping* g, bool fill) {
    abut__certificates* c = g->made;
    const abut__certificate_index* index = &c->index;
    const uint32_t* fields = c->fields.data;
    abut__certificate shared = {0};
    g->fields.count = 0;
    g->floats = 0;
    return group_kind(g, c->nodes, index->node_count, fields, c->groups, fill, &shared) &&
           group_kind(g, c->blocks, index->block_count, fields,
                      c->groups + index->first_block_group, fill, &shared) &&
           group_kind(g, c->pairs, index->pair_count, fields, c->groups + index->first_pair_group,
                      fill, &shared) &&
           group_kind(g, c->node_pairs, index->node_pair_count, fields,
                      c->groups + index->first_node_pair_group, fill, &shared);
}

bool abut__certificates_group(abut__certificates* c, uint32_t field_limit) {
    grouping g = {.made = c, .field_limit = field_limit + 1, .rows = c->data};
    abut__certificate_index_group(&c->index);
    c->groups = abut__alloc(c->context, c->index.group_count, sizeof *c->groups);
    g.marked = abut__alloc(c->context, g.field_limit, sizeof *g.marked);
    bool done = c->groups != NULL && g.marked != NULL && group_all(&g, false);
    const size_t floats = g.floats + 1;
    g.data = done ? abut__alloc_zero(c->context, floats, sizeof *g.data) : NULL;
    done = g.data != NULL && group_all(&g, true);
    abut__free(c->context, g.marked, g.field_limit, sizeof *g.marked);
    if (!done) {
        abut__free(c->context, g.data, g.data != NULL ? floats : 0, sizeof *g.data);
        abut__drop(c->context, &g.fields);
        return false;
    }
    abut__free(c->context, c->data, c->floats, sizeof *c->data);
    abut__drop(c->context, &c->fields);
    c->data = g.data;
    c->floats = floats;
    c->fields = g.fields;
    return true;
}
