// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Finds all pairs of triangles within a distance; collision is distance zero. Here the distance is
// given, so sets of potential neighbours need no diagram to bound it.
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
    atomic_ullong pairs;
} pairs_run;

// Gathers what is near the next sites of a chunk that are of one body.
static void gather_group(const pairs_run* r, abut__voronoi_worker* w, uint32_t t, uint32_t first,
                         uint32_t end) {
    const abut__site_place* places = r->v->sites.places.data;
    const uint32_t body = places[t].body;
    const uint32_t own = r->v->sites.bodies.data[body].first;
    const uint32_t begin = own > first ? own : first;
    uint32_t count = 0;
    while (count < ABUT__NEAR_GROUP && t + count < end && places[t + count].body == body) {
        ++count;
    }
    if ((t - begin) % ABUT__NEAR_GROUP == 0) {
        abut__near_gather(r->context, r->v, w, &r->ask, t, count, r->reach);
    }
}

static void find_chunk(void* argument, uint32_t index, uint32_t worker) {
    pairs_run* r = argument;
    abut__voronoi_worker* w = &r->v->workers[worker];
    const uint32_t sites = abut__site_count(&r->v->sites);
    const uint32_t first = (r->wave + index) * CHUNK;
    const uint32_t end = sites - first < CHUNK ? sites : first + CHUNK;
    pairs_task* task = &r->tasks[index];
    *task = (pairs_task){.worker = worker, .first = w->found.count};
    for (uint32_t t = first; t < end && !w->failed; ++t) {
        gather_group(r, w, t, first, end);
        abut__near_find(r->context, r->v, w, &r->ask, t, r->reach);
    }
    w->group.valid = false;
    const size_t count = w->found.count - task->first;
    r->pairs += count;
    if (count > 0) {
        abut__near_bound(r->context, r->v, w->found.data + task->first, count, r->reach);
    }
    w->found.count = abut__near_keep(w, task->first, w->found.count, r->reach, task->first);
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
    if (!abut__voronoi_prepare(context, v, ask, false)) {
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
    v->counts.kept = sites;
    v->counts.pairs = r.pairs;
    return true;
}
