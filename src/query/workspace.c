// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Rows and working memory of results.
#include "base/sort.h"
#include "query/collide_voronoi.h"
#include "query/cones.h"
#include "query/query.h"

bool abut__workspace_init(const abut_context* context, abut__workspace* work) {
    work->context = context;
    work->worker_count = abut__worker_count(context);
    work->workers = abut__alloc_zero(context, work->worker_count, sizeof *work->workers);
    work->tasks = abut__alloc_zero(context, ABUT__TASKS_MOST, sizeof *work->tasks);
    return work->workers != NULL && work->tasks != NULL;
}

static void free_workers(const abut__workspace* work) {
    for (uint32_t w = 0; w < work->worker_count && work->workers != NULL; ++w) {
        abut__worker* worker = &work->workers[w];
        abut__drop(work->context, &worker->stack);
        abut__drop(work->context, &worker->balls);
        abut__drop(work->context, &worker->candidates);
        abut__free(work->context, worker->rows, 1, sizeof *worker->rows);
        abut__drop(work->context, &worker->intervals);
    }
}

static void free_tasks(const abut__workspace* work) {
    for (uint32_t t = 0; t < ABUT__TASKS_MOST && work->tasks != NULL; ++t) {
        abut__task* task = &work->tasks[t];
        abut__drop(work->context, &task->hits);
        abut__drop(work->context, &task->shared);
        abut__drop(work->context, &task->kept);
        abut__drop(work->context, &task->contacts);
        abut__drop(work->context, &task->sweeps);
        abut__drop(work->context, &task->features);
        abut__drop(work->context, &task->intervals);
    }
}

void abut__workspace_free(abut__workspace* work) {
    const abut_context* context = work->context;
    free_workers(work);
    free_tasks(work);
    abut__free(context, work->tasks, ABUT__TASKS_MOST, sizeof *work->tasks);
    abut__free(context, work->workers, work->worker_count, sizeof *work->workers);
    abut__drop(context, &work->pool.chunks);
    abut__drop(context, &work->pairs);
    abut__drop(context, &work->shared);
    abut__drop(context, &work->contacts);
    abut__drop(context, &work->jobs);
    abut__drop(context, &work->seeds);
    abut__drop(context, &work->seeds2);
    abut__drop(context, &work->keys);
    abut__drop(context, &work->sorted);
    abut__drop(context, &work->moved);
    abut__drop(context, &work->given);
    abut__drop(context, &work->cones);
    if (work->voronoi != NULL) {
        abut__voronoi_free(context, work->voronoi);
        abut__free(context, work->voronoi, 1, sizeof *work->voronoi);
    }
    abut__broad_free(context, &work->broad);
    abut__drop(context, &work->sweeps);
    abut__drop(context, &work->features);
    abut__drop(context, &work->swept_order);
    abut__drop(context, &work->row_keys);
    abut__drop(context, &work->contact_intervals);
    abut__drop(context, &work->parts);
    abut__needs_free(context, &work->needs);
    abut__step_tables_free(context, &work->steps);
    abut__drop(context, &work->cuts);
}

abut_status abut__result_create(abut_context* context, size_t size, void* place,
                                abut_error* error) {
    if (context == NULL || place == NULL) {
        return abut__fail(error, ABUT_ERR_INVALID_ARGUMENT, ABUT_ELEMENT_NONE, 0,
                          "context and the place for the result must not be NULL");
    }
    abut__workspace* work = abut__alloc_zero(context, 1, size);
    if (work == NULL) {
        return abut__fail_memory(error);
    }
    if (!abut__workspace_init(context, work)) {
        abut__result_destroy(work, size);
        return abut__fail_memory(error);
    }
    memcpy(place, &work, sizeof work);  // pointers to structs all have one representation
    return ABUT_OK;
}

void abut__result_destroy(void* result, size_t size) {
    if (result == NULL) {
        return;
    }
    abut__workspace* work = result;
    const abut_context* context = work->context;
    abut__workspace_free(work);
    abut__free(context, result, 1, size);
}

void abut__workspace_empty(abut__workspace* work) {
    work->found = work->stopped = false;
    work->pairs.count = work->shared.count = work->contacts.count = 0;
    work->sweeps.count = work->features.count = work->contact_intervals.count = 0;
}

void abut__workspace_begin(abut__workspace* work) {
    abut__workspace_empty(work);
    work->blame = (abut__blame){.vertex = ABUT__NONE};
    work->jobs.count = work->parts.count = 0;
    ++work->steps.call;  // invalidates what was cached for the last call
    for (uint32_t w = 0; w < work->worker_count; ++w) {
        abut__worker* worker = &work->workers[w];
        worker->reader.status = ABUT_OK;
        worker->reader.bad_vertex = UINT64_MAX;
        worker->found = false;
        worker->spent_in_all = 0;
        worker->sphere.job = NULL;
        worker->rows_current = false;
        memset(&worker->reader.counters, 0, sizeof worker->reader.counters);
    }
}

static uint64_t triangle_key(const abut_pair* pair) {
    return (uint64_t)pair->triangle_a << 32 | pair->triangle_b;
}

static uint64_t body_key(const abut_pair* pair) {
    return (uint64_t)pair->body_a << 32 | pair->body_b;
}

// sorts `count` pairs from `first` on by a key, stably, with their intersections; false: no memory
static bool sort_by(abut__workspace* work, size_t first, size_t count,
                    uint64_t (*key)(const abut_pair*)) {
    const abut_context* context = work->context;
    abut_pair* pairs = ABUT__AT(work->pairs.data, first);
    abut__keyed* keys = abut__renew(context, &work->keys, 2 * count);
    abut_pair* sorted = abut__renew(context, &work->sorted, count);
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
    if (work->shared.count == 0) {
        return true;
    }
    abut_intersection* shared = ABUT__AT(work->shared.data, first);
    abut_intersection* moved = abut__renew(context, &work->moved, count);
    if (moved == NULL) {
        return false;
    }
    for (size_t i = 0; i < count; ++i) {
        moved[i] = shared[keys[i].value];
    }
    memcpy(shared, moved, count * sizeof *moved);
    return true;
}

// Sorts `count` pairs of the same bodies from `first` on, in their own memory: the keys, which say all
// about such pairs, take the first half of it, and the second half serves to sort them.
static void sort_alike(abut__workspace* work, size_t first, size_t count) {
    abut_pair* pairs = ABUT__AT(work->pairs.data, first);
    uint64_t* keys = (void*)pairs;  // aligned: pairs have 16 bytes
    const abut_pair same = pairs[0];
    for (size_t i = 0; i < count; ++i) {  // a key is written where pairs were read before
        abut_pair pair;
        memcpy(&pair, &pairs[i], sizeof pair);
        keys[i] = triangle_key(&pair);
    }
    abut__sort_keys(keys, keys + count, count);
    for (size_t i = count; i-- > 0;) {  // and a pair where keys were
        const uint64_t key = keys[i];
        const abut_pair pair = {same.body_a, same.body_b, (uint32_t)(key >> 32), (uint32_t)key};
        memcpy(&pairs[i], &pair, sizeof pair);
    }
}

// Tasks are in the order of the bodies, so each run of pairs of the same bodies is sorted
// separately. The bodies are out of order only after several rounds within a budget.
abut_status abut__workspace_sort(abut__workspace* work) {
    const size_t count = work->pairs.count;
    bool ordered = true;
    for (size_t first = 0; first < count;) {
        const abut_pair* pairs = work->pairs.data;
        size_t end = first + 1;
        while (end < count && body_key(&pairs[end]) == body_key(&pairs[first])) {
            ++end;
        }
        ordered = ordered && (first == 0 || body_key(&pairs[first - 1]) < body_key(&pairs[first]));
        if (work->shared.count == 0) {
            sort_alike(work, first, end - first);
        } else if (!sort_by(work, first, end - first, triangle_key)) {
            return ABUT_ERR_NO_MEMORY;
        }
        first = end;
    }
    if (!ordered &&
        (!sort_by(work, 0, count, triangle_key) || !sort_by(work, 0, count, body_key))) {
        return ABUT_ERR_NO_MEMORY;
    }
    return ABUT_OK;
}
