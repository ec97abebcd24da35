// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Builds the groups of sixteen certificates of the blend motion: see blend_groups.h.
#include "bound/blend_groups.h"

#include <stdlib.h>

#include "base/offset.h"
#include "base/rounding.h"
#include "bound/blend_certificate.h"

// The nodes and fields that the lanes of a group share. A group with more than fits becomes loose.
typedef struct plan {
    uint32_t nodes[ABUT__WEIGHT_ROWS];
    uint32_t fields[ABUT__WEIGHT_ROWS];
    abut__weight_step steps[ABUT__WEIGHT_ROWS];
    uint32_t node_count;
    uint32_t field_count;
    uint32_t step_count;
    uint32_t reference;
    bool loose;
    float map_most[ABUT__WEIGHT_ROWS];  // greatest magnitude in the rows of a node
    float slope_most[ABUT__WEIGHT_ROWS];
    float move_most[ABUT__WEIGHT_ROWS];  // greatest magnitude in the rows of a field
    int16_t origins[ABUT__WEIGHT_ROWS][3];
} plan;

// Returns the index of a number in a list, and appends it if it is missing. Sets `loose` if the
// list is full.
static uint32_t place_in(uint32_t* list, uint32_t* count, uint32_t number, bool* loose) {
    for (uint32_t i = 0; i < *count; ++i) {
        if (list[i] == number) {
            return i;
        }
    }
    if (*count == ABUT__WEIGHT_ROWS) {
        *loose = true;
        return 0;
    }
    list[*count] = number;
    return (*count)++;
}

static bool proves(const abut__blend_certificate* own) {
    return own->gap > 0 && own->gap < INFINITY;
}

static uint32_t depth_of(const uint16_t* parent, uint32_t node) {
    uint32_t depth = 0;
    for (; parent[node] != node; node = parent[node]) {
        ++depth;
    }
    return depth;
}

static uint32_t above_both(const uint16_t* parent, uint32_t a, uint32_t b) {
    uint32_t depth_a = depth_of(parent, a);
    uint32_t depth_b = depth_of(parent, b);
    while (a != b) {
        if (depth_a >= depth_b) {
            a = parent[a];
            --depth_a;
        } else {
            b = parent[b];
            --depth_b;
        }
    }
    return a;
}

static void plan_steps(const uint16_t* parent, const abut__blend_certificate* all, uint32_t count,
                       plan* out) {
    uint32_t nodes[ABUT__WEIGHT_ROWS];
    for (uint32_t lane = 0; lane < count; ++lane) {
        if (!proves(&all[lane])) {
            continue;
        }
        for (uint32_t n = all[lane].reference; n != out->reference; n = parent[n]) {
            const uint32_t before = out->step_count;
            const uint32_t i = place_in(nodes, &out->step_count, n, &out->loose);
            if (out->step_count > before) {
                out->steps[i] = (abut__weight_step){n, 0};
            }
            out->steps[i].lanes |= 1u << lane;
        }
    }
}

static float most_of(const float* numbers, size_t count, float most) {
    for (size_t i = 0; i < count; ++i) {
        most = fmaxf(most, fabsf(numbers[i]));
    }
    return most;
}

static bool in_range(const float* numbers, size_t count) {
    bool in = true;
    for (size_t i = 0; i < count; ++i) {
        in &= fabsf(numbers[i]) <= 0x1p30f;
    }
    return in;
}

static void plan_rows(const abut__blend_certificates* c, const abut__blend_certificate* own,
                      plan* out) {
    const abut__blend_row* row = ABUT__AT(c->rows, own->first);
    for (uint32_t k = 0; k < own->node_count; ++k, ++row) {
        const abut__weight_row* w = &row->weight;
        const uint32_t before = out->node_count;
        const uint32_t i = place_in(out->nodes, &out->node_count, w->node, &out->loose);
        out->map_most[i] = most_of(w->map, 9, out->map_most[i]);
        out->slope_most[i] = most_of(w->slope, 3, out->slope_most[i]);
        for (int d = 0; d < 3; ++d) {  // the first row sets the group's origin
            out->origins[i][d] = i == before ? w->origin[d] : out->origins[i][d];
            out->loose |= abs(w->origin[d] - out->origins[i][d]) > INT16_MAX;
        }
        out->loose |= !in_range(w->map, 9) || !in_range(w->slope, 3) || !in_range(&w->limit, 1) ||
                      !in_range(&w->slope_limit, 1);
    }
    for (uint32_t k = 0; k < own->field_count; ++k, ++row) {
        const abut__move_row* m = &row->move;
        const uint32_t i = place_in(out->fields, &out->field_count, m->field, &out->loose);
        out->move_most[i] = most_of(m->map, 9, out->move_most[i]);
        out->loose |= !in_range(m->map, 9) || !in_range(&m->norm, 1) || !in_range(&m->limit, 1) ||
                      !in_range(&m->most, 1);
    }
}

static plan plan_group(const abut__blend_certificates* c, const abut__blend_certificate* all,
                       uint32_t count) {
    plan out = {.reference = ABUT__NONE};
    for (uint32_t lane = 0; lane < count; ++lane) {
        const abut__blend_certificate* own = &all[lane];
        if (proves(own)) {
            out.reference = out.reference == ABUT__NONE
                                ? own->reference
                                : above_both(c->frame.parent, out.reference, own->reference);
            plan_rows(c, own, &out);
        }
    }
    if (out.reference == ABUT__NONE) {
        out.reference = c->root;
    }
    plan_steps(c->frame.parent, all, count, &out);
    if (out.loose) {
        out.node_count = out.field_count = out.step_count = 0;
    }
    return out;
}

// Returns an upper bound of the length of a vector.
static float length_up(const double x, const double y, const double z) {
    return abut__round_up(sqrt(x * x + y * y + z * z) * (1 + 1e-12));
}

// Numbers are rounded to multiples of a step. That changes a matrix of nine numbers by less than
// 1.6 steps and a vector of three by less than one step in norm, so limits are raised by as much.
static float step_for(float most) {
    return abut__round_up((double)most / 32767 * (1 + 1e-12));
}
static int16_t in_steps(float x, float step) {
    const double steps = step > 0 ? rint((double)x / (double)step) : 0;
    return (int16_t)(fabs(steps) <= INT16_MAX ? steps : 0);  // else the limit is infinite
}
static float raised(float limit, double by, float step) {
    return abut__round_up((double)limit + by * (double)step);
}

static void fill_weight(const abut__weight_row* from, uint32_t lane, const int16_t origin[3],
                        abut__weight_lanes* to) {
    double squares = 0;
    double offset[3];
    for (int i = 0; i < 9; ++i) {
        to->map[i][lane] = in_steps(from->map[i], to->map_step);
        squares += (double)from->map[i] * (double)from->map[i];
    }
    for (int d = 0; d < 3; ++d) {
        const int steps = from->origin[d] - origin[d];
        to->offset[d][lane] = (int16_t)steps;
        to->slope[d][lane] = in_steps(from->slope[d], to->slope_step);
        offset[d] = (double)to->offset_step * steps;
    }
    to->lanes |= 1u << lane;
    to->limit[lane] = raised(from->limit, 1.6, to->map_step);
    to->slope_limit[lane] = raised(from->slope_limit, 1, to->slope_step);
    to->steep = fmaxf(to->steep, raised(length_up(sqrt(squares), 0, 0), 1.6, to->map_step));
    const float* h = from->slope;
    const float slope = length_up((double)h[0], (double)h[1], (double)h[2]);
    const float most = abut__round_up((double)slope + (double)from->slope_limit);
    to->steepest = fmaxf(to->steepest, raised(most, 2, to->slope_step));
    to->spread = fmaxf(to->spread, length_up(offset[0], offset[1], offset[2]));
}

static void fill_move(const abut__move_row* from, uint32_t lane, abut__move_lanes* to) {
    for (int i = 0; i < 9; ++i) {
        to->map[i][lane] = in_steps(from->map[i], to->map_step);
    }
    to->norm[lane] = raised(from->norm, 1.6, to->map_step);
    to->limit[lane] = raised(from->limit, 1.6, to->map_step);
    to->most[lane] = from->most;
}

static void begin_row(const abut__weight_frame* frame, const plan* p, uint32_t k,
                      abut__weight_lanes* row) {
    row->node = p->nodes[k];
    row->map_step = step_for(p->map_most[k]);
    row->slope_step = step_for(p->slope_most[k]);
    row->offset_step = (float)frame->step;  // a power of two
    for (int d = 0; d < 3; ++d) {
        row->origin[d] = frame->middle[d] + frame->step * p->origins[k][d];
    }
}

static void fill_rows(abut__blend_certificates* c, const abut__blend_certificate* all,
                      uint32_t count, plan* p, const abut__blend_group* group) {
    abut__weight_lanes* rows = ABUT__AT(c->groups.rows, group->first_row);
    abut__move_lanes* moves = ABUT__AT(c->groups.moves, group->first_move);
    for (uint32_t k = 0; k < p->node_count; ++k) {
        begin_row(&c->frame, p, k, &rows[k]);
    }
    for (uint32_t k = 0; k < p->field_count; ++k) {
        moves[k].field = p->fields[k];
        moves[k].map_step = step_for(p->move_most[k]);
    }
    for (uint32_t k = 0; k < p->step_count; ++k) {  // step_count may be 0, and `steps` NULL
        c->groups.steps[group->first_step + k] = p->steps[k];
    }
    for (uint32_t lane = 0; lane < count; ++lane) {
        if (!proves(&all[lane])) {
            continue;
        }
        const abut__blend_row* row = ABUT__AT(c->rows, all[lane].first);
        for (uint32_t k = 0; k < all[lane].node_count; ++k, ++row) {
            const uint32_t i = place_in(p->nodes, &p->node_count, row->weight.node, &p->loose);
            fill_weight(&row->weight, lane, p->origins[i], &rows[i]);
        }
        for (uint32_t k = 0; k < all[lane].field_count; ++k, ++row) {
            const uint32_t i = place_in(p->fields, &p->field_count, row->move.field, &p->loose);
            fill_move(&row->move, lane, &moves[i]);
        }
    }
}

static void note_lanes(const abut__blend_certificate* all, uint32_t count,
                       abut__blend_group* group) {
    for (uint32_t lane = 0; lane < ABUT__GROUP; ++lane) {
        const uint32_t bit = 1u << lane;
        const float gap = lane < count ? all[lane].gap : 0;
        group->none |= (uint16_t)(gap > 0 ? 0 : bit);
        group->empty |= (uint16_t)(gap == INFINITY ? bit : 0);
        group->wide |= (uint16_t)(gap > 0 && all[lane].wide != 0 ? bit : 0);
        group->inverse_gap[lane] = gap > 0 ? abut__round_up(1 / (double)gap * (1 + 1e-12)) : 0;
    }
}

// Groups certificates of one kind. Counts rows if `fill` is false; fills them in otherwise.
static void group_kind(abut__blend_certificates* c, const abut__blend_certificate* all,
                       uint32_t count, abut__blend_group* out, bool fill) {
    abut__blend_groups* g = &c->groups;
    for (uint32_t first = 0; first < count; first += ABUT__GROUP) {
        const uint32_t lanes = count - first < ABUT__GROUP ? count - first : ABUT__GROUP;
        plan p = plan_group(c, all + first, lanes);
        if (fill) {
            abut__blend_group* group = &out[first / ABUT__GROUP];
            *group = (abut__blend_group){.first_row = (uint32_t)g->row_count,
                                         .first_move = (uint32_t)g->move_count,
                                         .first_step = (uint32_t)g->step_count,
                                         .row_count = (uint16_t)p.node_count,
                                         .move_count = (uint16_t)p.field_count,
                                         .step_count = (uint16_t)p.step_count,
                                         .reference = (uint16_t)p.reference,
                                         .loose = p.loose};
            note_lanes(all + first, lanes, group);
            if (!p.loose) {
                fill_rows(c, all + first, lanes, &p, group);
            }
        }
        g->row_count += p.node_count;
        g->move_count += p.field_count;
        g->step_count += p.step_count;
    }
}

static void group_all(abut__blend_certificates* c, bool fill) {
    abut__blend_groups* g = &c->groups;
    g->row_count = g->move_count = g->step_count = 0;
    group_kind(c, c->nodes, c->index.node_count, g->list, fill);
    group_kind(c, c->blocks, c->index.block_count, g->list + c->index.first_block_group, fill);
    group_kind(c, c->pairs, c->index.pair_count, g->list + c->index.first_pair_group, fill);
}

bool abut__blend_groups_make(abut__blend_certificates* c) {
    abut__blend_groups* g = &c->groups;
    abut__certificate_index_group(&c->index);
    g->list = abut__alloc(c->context, c->index.group_count, sizeof *g->list);
    if (g->list == NULL) {
        return c->index.group_count == 0;
    }
    group_all(c, false);
    g->rows = abut__alloc_zero(c->context, g->row_count, sizeof *g->rows);
    g->moves = abut__alloc_zero(c->context, g->move_count, sizeof *g->moves);
    g->steps = abut__alloc_zero(c->context, g->step_count, sizeof *g->steps);
    if ((g->row_count > 0 && g->rows == NULL) || (g->move_count > 0 && g->moves == NULL) ||
        (g->step_count > 0 && g->steps == NULL)) {
        return false;
    }
    group_all(c, true);
    return true;
}

void abut__blend_groups_free(abut__blend_certificates* c) {
    abut__blend_groups* g = &c->groups;
    abut__free(c->context, g->list, c->index.group_count, sizeof *g->list);
    abut__free(c->context, g->rows, g->row_count, sizeof *g->rows);
    abut__free(c->context, g->moves, g->move_count, sizeof *g->moves);
    abut__free(c->context, g->steps, g->step_count, sizeof *g->steps);
}
