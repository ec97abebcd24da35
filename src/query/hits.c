// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Hits of tasks. Which task finds a hit depends on what was proven before, so that tasks with
// vectors of their own would grow for a long time. They take chunks of a common pool instead. After
// a query the pool has room for as many hits again, however tasks share them. What does not fit goes
// to the vector of the task. A hit names its job, which is shorter than both bodies.
#include "query/query.h"

void abut__hits_begin(abut__hit_pool* pool, abut__task* tasks, uint32_t count) {
    atomic_store_explicit(&pool->used, 0, memory_order_relaxed);
    pool->task_count = count;
    for (uint32_t t = 0; t < count; ++t) {
        tasks[t].hits.count = 0;
        tasks[t].pooled = 0;
    }
}

// Returns a chunk that no task has; ABUT__NONE: there are no more.
static uint32_t take_chunk(abut__hit_pool* pool) {
    // no exchange once all are taken, so that the number stays small
    const uint32_t count = (uint32_t)pool->chunks.count;
    if (atomic_load_explicit(&pool->used, memory_order_relaxed) >= count) {
        return ABUT__NONE;
    }
    const uint32_t chunk = atomic_fetch_add_explicit(&pool->used, 1, memory_order_relaxed);
    return chunk < count ? chunk : ABUT__NONE;
}

abut__hit* abut__hits_add(const abut_context* context, abut__hit_pool* pool, abut__task* task) {
    const uint32_t place = task->pooled % ABUT__HITS_A_CHUNK;
    if (place == 0 && task->hits.count == 0) {
        const uint32_t chunk = task->pooled < UINT32_MAX - ABUT__HITS_A_CHUNK ? take_chunk(pool)
                                                                              : ABUT__NONE;
        if (chunk == ABUT__NONE) {
            return abut__push(context, &task->hits, 1);
        }
        *(task->pooled == 0 ? &task->first_chunk
                            : &pool->chunks.data[task->last_chunk].next) = chunk;
        task->last_chunk = chunk;
    } else if (place == 0) {
        return abut__push(context, &task->hits, 1);
    }
    ++task->pooled;
    return &pool->chunks.data[task->last_chunk].hits[place];
}

size_t abut__hits_count(const abut__task* task) {
    return task->pooled + task->hits.count;
}

static void copy(const abut__hit* hits, size_t count, const abut__job* jobs, abut_pair* out) {
    for (size_t i = 0; i < count; ++i) {
        const abut__view* view = jobs[hits[i].job].view;
        out[i] = (abut_pair){view[0].body->index, view[1].body->index, hits[i].triangle[0],
                             hits[i].triangle[1]};
    }
}

void abut__hits_copy(const abut__hit_pool* pool, const abut__task* task, const abut__job* jobs,
                     abut_pair* out) {
    uint32_t chunk = task->first_chunk;
    for (uint32_t done = 0; done < task->pooled; done += ABUT__HITS_A_CHUNK) {
        const uint32_t left = task->pooled - done;
        const uint32_t count = left < ABUT__HITS_A_CHUNK ? left : ABUT__HITS_A_CHUNK;
        copy(pool->chunks.data[chunk].hits, count, jobs, out + done);
        chunk = left > count ? pool->chunks.data[chunk].next : chunk;
    }
    copy(task->hits.data, task->hits.count, jobs, out + task->pooled);
}

// Each task may leave one chunk incomplete.
void abut__hits_reserve(const abut_context* context, abut__hit_pool* pool, abut__task* tasks) {
    size_t outside = 0;
    size_t all = 0;
    for (uint32_t t = 0; t < pool->task_count; ++t) {
        outside += tasks[t].hits.count;
        all += abut__hits_count(&tasks[t]);
    }
    const size_t chunks = ABUT__TASKS_MOST + all / ABUT__HITS_A_CHUNK;
    if (outside == 0 || chunks > UINT32_MAX / 2) {
        return;
    }
    for (uint32_t t = 0; t < pool->task_count; ++t) {
        abut__drop(context, &tasks[t].hits);
        tasks[t].pooled = 0;
    }
    const size_t before = pool->chunks.count;
    pool->chunks.count = 0;  // growing copies nothing
    pool->chunks.count = abut__reserve(context, &pool->chunks, chunks) ? pool->chunks.capacity
                                                                       : before;
}
