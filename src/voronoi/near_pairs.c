// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Finds all pairs of triangles within a distance; collision is distance zero. Between bodies the
// diagram drops triangles that are not near another body.
#include "voronoi/voronoi.h"

#include <math.h>

#define CHUNK 256u  // triangles per task
#define WAVE 64u    // tasks whose pairs are passed on together

// One task of a wave, and the place of its pairs.
typedef struct pairs_task {
    uint32_t worker;
    size_t first;
    size_t count;
} pairs_task;

typedef struct pairs_run {
    const abut_context* context;
    abut__voronoi* v;
    abut__near_ask ask;
    float reach;
    uint32_t wave;
    pairs_task tasks[WAVE];
    atomic_ullong kept;
} pairs_run;

static void find_chunk(void* argument, uint32_t index, uint32_t worker) {
    pairs_run* r = argument;
    abut__voronoi_worker* w = &r->v->workers[worker];
    const uint32_t sites = abut__site_count(&r->v->sites);
    const float* below = r->v->below.count > 0 ? r->v->below.data : NULL;
    const uint32_t first = (r->wave + index) * CHUNK;
    const uint32_t end = sites - first < CHUNK ? sites : first + CHUNK;
    pairs_task* task = &r->tasks[index];
    *task = (pairs_task){.worker = worker, .first = w->found.count};
    uint64_t kept = 0;
    for (uint32_t t = first; t < end && !w->failed; ++t) {
        if (below == NULL || below[t] <= r->reach) {
            abut__near_find(r->context, r->v, w, &r->ask, t, r->reach);
            ++kept;
        }
    }
    r->kept += kept;
    task->count = w->found.count - task->first;
}

// Passes the pairs of a wave to `fn`, task by task, and empties the workers' lists.
static bool pass_on_pairs(pairs_run* r, uint32_t count, abut__pairs_fn fn, void* user) {
    bool done = true;
    for (uint32_t w = 0; w < r->v->worker_count; ++w) {
        done = done && !r->v->workers[w].failed;
    }
    for (uint32_t i = 0; i < count && done; ++i) {
        const pairs_task* task = &r->tasks[i];
        const abut__near* found = r->v->workers[task->worker].found.data;
        r->v->counts.candidates += task->count;
        done = task->count == 0 || fn(user, found + task->first, task->count);
    }
    for (uint32_t w = 0; w < r->v->worker_count; ++w) {
        r->v->workers[w].found.count = 0;
    }
    return done;
}

bool abut__voronoi_pairs(const abut_context* context, abut__voronoi* v,
                         const abut__voronoi_ask* ask, const abut__voronoi_all* all,
                         abut__pairs_fn fn, void* user) {
    const uint32_t sites = abut__site_count(&v->sites);
    if (sites == 0) {
        return true;
    }
    const abut__voronoi_depth depth = all->within ? ABUT__VORONOI_GRID : ABUT__VORONOI_BANDED;
    if (!abut__voronoi_prepare(context, v, ask, depth, all->distance)) {
        return false;
    }
    pairs_run r = {
        .context = context, .v = v, .reach = abut__cells_above(&v->sites, all->distance)};
    r.ask = (abut__near_ask){
        .meet = ask->meet, .within = all->within, .neighbours = all->neighbours, .later = true};
    const uint32_t tasks = (sites + CHUNK - 1) / CHUNK;
    for (r.wave = 0; r.wave < tasks; r.wave += WAVE) {
        const uint32_t count = tasks - r.wave < WAVE ? tasks - r.wave : WAVE;
        abut__run_tasks(context, count, find_chunk, &r);
        if (!pass_on_pairs(&r, count, fn, user)) {
            return false;
        }
    }
    v->counts.kept = r.kept;
    return true;
}
