// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// All pairs that are at most a distance apart: those that collide with that margin, measured.
#include <math.h>

#include "query/nearest.h"

#define PAIRS_PER_TASK 64u

// passes a pair to the caller's filter, the body with the lower index first
static bool apply_filter(void* user, uint32_t body_a, uint32_t triangle_a, uint32_t body_b,
                         uint32_t triangle_b) {
    const abut_filter* given = user;
    return body_a <= body_b ? given->fn(given->user, body_a, triangle_a, body_b, triangle_b)
                            : given->fn(given->user, body_b, triangle_b, body_a, triangle_a);
}

static void measure_task(void* argument, uint32_t index, uint32_t worker) {
    abut__proximity* near = argument;
    size_t count;
    const abut_pair* pairs = abut__contents(&near->work.pairs, &count);
    const size_t end = (size_t)(index + 1) * PAIRS_PER_TASK;
    for (size_t i = (size_t)index * PAIRS_PER_TASK; i < count && i < end; ++i) {
        const abut_pair* pair = &pairs[i];
        const abut_scene* scene = near->seekers[worker].scene;
        const abut__body* a = abut__scene_at(scene, pair->body_a);
        const abut__body* b = abut__scene_at(scene, pair->body_b);
        const uint32_t other = abut__body_is_before(scene, b, a) ? 0 : 1;
        abut__slot slot = {.found = true, .whole = true, .other = other};
        slot.body[1 - other] = pair->body_a;
        slot.triangle[1 - other] = pair->triangle_a;
        slot.body[other] = pair->body_b;
        slot.triangle[other] = pair->triangle_b;
        abut__slot_pair(&near->seekers[worker], &slot, &near->list.data[i]);
    }
}

// measures the pairs that colliding found
static abut_status measure_pairs(abut__proximity* near) {
    const size_t count = near->work.pairs.count;
    if (count == 0) {
        return ABUT_OK;
    }
    if (abut__push(near->work.context, &near->list, count) == NULL) {
        return ABUT_ERR_NO_MEMORY;
    }
    const size_t tasks = (count + PAIRS_PER_TASK - 1) / PAIRS_PER_TASK;
    if (tasks > UINT32_MAX) {
        return ABUT_ERR_LIMIT;
    }
    abut__run_tasks(near->work.context, (uint32_t)tasks, measure_task, near);
    return ABUT_OK;
}

// finds the pairs of two bodies, of one with itself (b NULL), or of the scene (a NULL), and
// measures them
static abut_status find_within(const abut_scene* scene, const abut__settings* def, abut__body* a,
                               abut__body* b, abut__proximity* near) {
    abut_filter filter = def->filter;
    abut__settings collide = *def;
    collide.filter = (abut_filter){def->filter.fn != NULL ? apply_filter : NULL, &filter};
    collide.counters = &near->seekers[0].counters;
    const abut_status status = a == NULL   ? abut__collide_scene(scene, &collide, &near->work)
                               : b == NULL ? abut__collide_one(scene, &collide, a, &near->work)
                                           : abut__collide_two(scene, &collide, a, b, &near->work);
    return status == ABUT_OK ? measure_pairs(near) : status;
}

static abut_status run(const abut_scene* scene, const abut__settings* def, abut__body* a,
                       abut__body* b, abut_within_result* result, abut_error* error) {
    abut__proximity* near = &result->near;
    abut_status status = abut__near_begin(scene, def, near);
    if (status == ABUT_OK) {
        status = find_within(scene, def, a, b, near);
    }
    return abut__near_end(scene, def, near, status, error);
}

// ---- calls

abut_within_def abut_within_def_default(void) {
    abut_within_def def;
    memset(&def, 0, sizeof def);
    def.head.cookie = ABUT__COOKIE + ABUT__KIND_WITHIN;
    return def;
}

abut_status abut_within_result_create(abut_context* context, abut_within_result** result,
                                      abut_error* error) {
    return abut__near_create(context, sizeof **result, result, error);
}

void abut_within_result_destroy(abut_within_result* result) {
    abut__near_destroy(result, sizeof *result);
}

const abut_distance_pair* abut_within_result_pairs(const abut_within_result* result,
                                                   size_t* count) {
    return abut__contents(&result->near.list, count);
}

bool abut_within_result_found(const abut_within_result* result) {
    return result->near.work.found;
}

// empties the result, checks the arguments that all calls share, and fills `settings`
static abut_status open_query(const abut_scene* scene, const abut_within_def* def,
                              abut_within_result* result, abut__settings* settings,
                              abut_error* error) {
    const abut_within_def defaults = abut_within_def_default();
    def = def != NULL ? def : &defaults;
    if (result != NULL) {
        abut__near_empty(&result->near);
    }
    abut_status status = abut__query_open(scene, result != NULL ? &result->near.work : NULL,
                                          &def->head, ABUT__KIND_WITHIN, "within", error);
    status = status == ABUT_OK ? abut__check_length(def->distance, "distance", error) : status;
    status = status == ABUT_OK ? abut__check_culling(def->culling, error) : status;
    *settings = abut__settings_default;
    settings->margin = def->distance;
    settings->thick = scene;
    settings->any = def->any;
    settings->filter = def->filter;
    settings->culling = def->culling;
    settings->counters = def->head.counters;
    return status;
}

abut_status abut_within(const abut_scene* scene, abut_body_id a, abut_body_id b,
                        const abut_within_def* def, abut_within_result* result, abut_error* error) {
    abut__settings settings;
    abut__body* bodies[2];
    abut_status status = open_query(scene, def, result, &settings, error);
    status = status == ABUT_OK ? abut__query_bodies(scene, a, b, bodies, error) : status;
    return status == ABUT_OK ? run(scene, &settings, bodies[0], bodies[1], result, error) : status;
}

abut_status abut_within_self(const abut_scene* scene, abut_body_id body, const abut_within_def* def,
                             abut_within_result* result, abut_error* error) {
    abut__settings settings;
    abut__body* found;
    abut_status status = open_query(scene, def, result, &settings, error);
    status = status == ABUT_OK ? abut__query_body(scene, body, &found, error) : status;
    return status == ABUT_OK ? run(scene, &settings, found, NULL, result, error) : status;
}

abut_status abut_within_all(const abut_scene* scene, const abut_within_def* def,
                            abut_within_result* result, abut_error* error) {
    abut__settings settings;
    abut_status status = open_query(scene, def, result, &settings, error);
    status = status == ABUT_OK ? abut__query_all_ready(scene, error) : status;
    return status == ABUT_OK ? run(scene, &settings, NULL, NULL, result, error) : status;
}
