// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// All pairs that are at most a distance apart: those that collide with that margin, measured.
#include <math.h>

#include "query/nearest.h"

#define PAIRS_PER_TASK 64u

// passes the body with the lower index first to the caller's filter
typedef struct ordered_filter {
    abut_filter_fn filter;
    void* user;
} ordered_filter;

static bool apply_filter(void* user, uint32_t body_a, uint32_t triangle_a, uint32_t body_b,
                         uint32_t triangle_b) {
    const ordered_filter* asked = user;
    return body_a <= body_b ? asked->filter(asked->user, body_a, triangle_a, body_b, triangle_b)
                            : asked->filter(asked->user, body_b, triangle_b, body_a, triangle_a);
}

static void measure_task(void* argument, uint32_t index, uint32_t worker) {
    abut_nearest_result* gaps = argument;
    size_t count;
    const abut_pair* pairs = abut_collide_result_pairs(gaps->result, &count);
    const size_t end = (size_t)(index + 1) * PAIRS_PER_TASK;
    for (size_t i = (size_t)index * PAIRS_PER_TASK; i < count && i < end; ++i) {
        const abut_pair* pair = &pairs[i];
        const uint32_t other = pair->body_a <= pair->body_b ? 1 : 0;
        abut__slot slot = {.found = true, .whole = true, .other = other};
        slot.body[1 - other] = pair->body_a;
        slot.triangle[1 - other] = pair->triangle_a;
        slot.body[other] = pair->body_b;
        slot.triangle[other] = pair->triangle_b;
        abut__slot_gap(&gaps->seekers[worker], &slot, &gaps->list.data[i]);
    }
}

// measures the pairs that colliding found
static abut_status measure_pairs(abut_nearest_result* gaps) {
    size_t count;
    abut_collide_result_pairs(gaps->result, &count);
    gaps->found = abut_result_touching(gaps->result);
    if (count == 0) {
        return ABUT_OK;
    }
    if (abut__push(gaps->context, &gaps->list, count) == NULL) {
        return ABUT_ERR_NO_MEMORY;
    }
    const size_t tasks = (count + PAIRS_PER_TASK - 1) / PAIRS_PER_TASK;
    if (tasks > UINT32_MAX) {
        return ABUT_ERR_LIMIT;
    }
    abut__run_tasks(gaps->context, (uint32_t)tasks, measure_task, gaps);
    return ABUT_OK;
}

// `a` and `b` are NULL for all pairs of bodies
static abut_status find_within(const abut_scene* scene, const abut_body_id* a,
                               const abut_body_id* b, const abut_nearest_def* def,
                               abut_nearest_result* gaps) {
    if (def == NULL || !abut__gaps_are_valid(scene, def, gaps) || !isfinite(def->max_distance) ||
        (a != NULL &&
         (abut__scene_body(scene, *a) == NULL || abut__scene_body(scene, *b) == NULL))) {
        return ABUT_ERR_INVALID_ARGUMENT;
    }
    abut_status status = abut__gaps_begin(scene, def, gaps);
    if (status != ABUT_OK) {
        return abut__gaps_end(scene, def, gaps, status);
    }
    ordered_filter filter = {def->filter, def->filter_user};
    abut_query_def query = abut_query_def_default();
    query.margin = def->max_distance;
    query.any = def->any;
    query.filter = def->filter != NULL ? apply_filter : NULL;
    query.filter_user = &filter;
    query.culling = def->culling;
    query.grid_cells = def->grid_cells;
    query.counters = &gaps->seekers[0].counters;
    if (a == NULL) {
        status = abut_collide_all(scene, &query, gaps->result);
    } else if (a->index == b->index) {
        status = abut_collide_self(scene, *a, &query, gaps->result);
    } else {
        status = abut_collide(scene, *a, *b, &query, gaps->result);
    }
    if (status == ABUT_OK) {
        status = measure_pairs(gaps);
    }
    const abut_status ended = abut__gaps_end(scene, def, gaps, status);
    if (status == ABUT_ERR_INVALID_DATA) {
        abut_result_bad_vertex(gaps->result, &gaps->bad_body, &gaps->bad_vertex);
    }
    return ended;
}

abut_status abut_within(const abut_scene* scene, abut_body_id a, abut_body_id b,
                        const abut_nearest_def* def, abut_nearest_result* gaps) {
    return find_within(scene, &a, &b, def, gaps);
}

abut_status abut_within_all(const abut_scene* scene, const abut_nearest_def* def,
                            abut_nearest_result* gaps) {
    return find_within(scene, NULL, NULL, def, gaps);
}
