// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Results: the caller's arrays and the working memory of queries.
#include "base/sort.h"
#include "query/collide_voronoi.h"
#include "query/cones.h"
#include "query/query.h"

const abut_query_def abut__query_defaults = {.tolerance = ABUT_TOLERANCE_DEFAULT,
                                             .cookie = ABUT__COOKIE};

abut_query_def abut_query_def_default(void) {
    return abut__query_defaults;
}

abut_status abut_result_create(abut_context* context, abut_result** result, abut_error* error) {
    if (context == NULL || result == NULL) {
        return abut__fail(error, ABUT_ERR_INVALID_ARGUMENT, ABUT_ELEMENT_NONE, 0,
                          "context and the place for the result must not be NULL");
    }
    abut_result* made = abut__alloc_zero(context, 1, sizeof *made);
    if (made == NULL) {
        return abut__fail_memory(error);
    }
    made->context = context;
    made->worker_count = abut__worker_count(context);
    made->workers = abut__alloc_zero(context, made->worker_count, sizeof *made->workers);
    made->tasks = abut__alloc_zero(context, ABUT__TASKS_MOST, sizeof *made->tasks);
    if (made->workers == NULL || made->tasks == NULL) {
        abut_result_destroy(made);
        return abut__fail_memory(error);
    }
    *result = made;
    return ABUT_OK;
}

static void free_workers(const abut_result* result) {
    for (uint32_t w = 0; w < result->worker_count && result->workers != NULL; ++w) {
        abut__worker* worker = &result->workers[w];
        abut__drop(result->context, &worker->stack);
        abut__drop(result->context, &worker->candidates);
    }
}

static void free_tasks(const abut_result* result) {
    for (uint32_t t = 0; t < ABUT__TASKS_MOST && result->tasks != NULL; ++t) {
        abut__task* task = &result->tasks[t];
        abut__drop(result->context, &task->pairs);
        abut__drop(result->context, &task->shared);
        abut__drop(result->context, &task->kept);
        abut__drop(result->context, &task->contacts);
        abut__drop(result->context, &task->sweeps);
    }
}

void abut_result_destroy(abut_result* result) {
    if (result == NULL) {
        return;
    }
    const abut_context* context = result->context;
    free_workers(result);
    free_tasks(result);
    abut__free(context, result->tasks, ABUT__TASKS_MOST, sizeof *result->tasks);
    abut__free(context, result->workers, result->worker_count, sizeof *result->workers);
    abut__drop(context, &result->pairs);
    abut__drop(context, &result->shared);
    abut__drop(context, &result->contacts);
    abut__drop(context, &result->jobs);
    abut__drop(context, &result->seeds);
    abut__drop(context, &result->seeds2);
    abut__drop(context, &result->keys);
    abut__drop(context, &result->sorted);
    abut__drop(context, &result->moved);
    abut__drop(context, &result->given);
    abut__drop(context, &result->cones);
    if (result->voronoi != NULL) {
        abut__voronoi_free(context, result->voronoi);
        abut__free(context, result->voronoi, 1, sizeof *result->voronoi);
    }
    abut__broad_free(context, &result->broad);
    abut__drop(context, &result->sweeps);
    abut__drop(context, &result->spells);
    abut__drop(context, &result->met);
    abut__drop(context, &result->intervals);
    abut__drop(context, &result->parts);
    abut__drop(context, &result->swept_order);
    abut__needs_free(context, &result->needs);
    abut__step_tables_free(context, &result->steps);
    abut__drop(context, &result->cuts);
    abut__free(context, result, 1, sizeof *result);
}

abut_status abut__result_begin(abut_result* result, const abut_query_def* def) {
    result->touching = result->stopped = false;
    result->wants_shared = def->intersections;
    result->bad_body = (abut_body_id){0, 0};
    result->bad_vertex = 0;
    result->pairs.count = result->shared.count = result->jobs.count = 0;
    result->contacts.count = result->sweeps.count = result->parts.count = 0;
    result->spells.count = 0;
    ++result->steps.call;  // invalidates what was cached for the last call
    for (uint32_t w = 0; w < result->worker_count; ++w) {
        abut__worker* worker = &result->workers[w];
        worker->reader.status = ABUT_OK;
        worker->reader.bad_vertex = UINT64_MAX;
        worker->found = false;
        worker->spent_in_all = 0;
        worker->sphere.job = NULL;
        memset(&worker->reader.counters, 0, sizeof worker->reader.counters);
    }
    return ABUT_OK;
}

static uint64_t triangle_key(const abut_pair* pair) {
    return (uint64_t)pair->triangle_a << 32 | pair->triangle_b;
}

static uint64_t body_key(const abut_pair* pair) {
    return (uint64_t)pair->body_a << 32 | pair->body_b;
}

// sorts `count` pairs from `first` on by a key, stably, with their intersections; false: no memory
static bool sort_by(abut_result* result, size_t first, size_t count,
                    uint64_t (*key)(const abut_pair*)) {
    const abut_context* context = result->context;
    abut_pair* pairs = ABUT__AT(result->pairs.data, first);
    abut__keyed* keys = abut__renew(context, &result->keys, 2 * count);
    abut_pair* sorted = abut__renew(context, &result->sorted, count);
    if (keys == NULL || sorted == NULL) {
        return false;
    }
    for (size_t i = 0; i < count; ++i) {
        keys[i] = (abut__keyed){key(&pairs[i]), i};
    }
    abut__sort_keyed(keys, keys + count, count);
    for (size_t i = 0; i < count; ++i) {
        sorted[i] = pairs[keys[i].value];
    }
    memcpy(pairs, sorted, count * sizeof *pairs);
    if (result->shared.count == 0) {
        return true;
    }
    abut_intersection* shared = ABUT__AT(result->shared.data, first);
    abut_intersection* moved = abut__renew(context, &result->moved, count);
    if (moved == NULL) {
        return false;
    }
    for (size_t i = 0; i < count; ++i) {
        moved[i] = shared[keys[i].value];
    }
    memcpy(shared, moved, count * sizeof *moved);
    return true;
}

// Tasks are in the order of the bodies, so each run of pairs of the same bodies is sorted
// separately. The bodies are out of order only after several rounds within a budget.
abut_status abut__result_sort(abut_result* result) {
    const size_t count = result->pairs.count;
    bool ordered = true;
    for (size_t first = 0; first < count;) {
        const abut_pair* pairs = result->pairs.data;
        size_t end = first + 1;
        while (end < count && body_key(&pairs[end]) == body_key(&pairs[first])) {
            ++end;
        }
        ordered = ordered && (first == 0 || body_key(&pairs[first - 1]) < body_key(&pairs[first]));
        if (!sort_by(result, first, end - first, triangle_key)) {
            return ABUT_ERR_NO_MEMORY;
        }
        first = end;
    }
    if (!ordered &&
        (!sort_by(result, 0, count, triangle_key) || !sort_by(result, 0, count, body_key))) {
        return ABUT_ERR_NO_MEMORY;
    }
    return ABUT_OK;
}

bool abut_result_touching(const abut_result* result) {
    return result->touching;
}

const abut_pair* abut_collide_result_pairs(const abut_result* result, size_t* count) {
    return abut__contents(&result->pairs, count);
}

const abut_intersection* abut_result_shared(const abut_result* result) {
    return result->wants_shared ? abut__contents(&result->shared, NULL) : NULL;
}

bool abut_collide_result_stopped(const abut_result* result) {
    return result->stopped;
}

void abut_result_bad_vertex(const abut_result* result, abut_body_id* body, uint32_t* vertex) {
    *body = result->bad_body;
    *vertex = result->bad_vertex;
}
