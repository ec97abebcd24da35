// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Overlapping blocks: see leaves.h. This file is separate from the scenes, because the library's
// internals use the same names.
#include "bench/leaves.h"

#include "bench/bench.h"
#include "query/separation_list.h"

#include <stdlib.h>
#include <string.h>

// A pair of bodies.
typedef struct duo {
    abut__body* a;
    abut__body* b;
    abut__list* list;  // NULL: traversals start at the roots
    abut__entries pairs;
} duo;

struct leaves {
    abut_scene* scene;
    abut_collide_result* result;  // memory for traversals
    abut__settings def;
    abut__run run;
    duo* duos;
    uint32_t duo_count;
    uint64_t entries;  // summed over the updates
    uint64_t pairs;
};

leaves* leaves_create(abut_scene* scene, bool listed) {
    leaves* l = bench_alloc(1, sizeof *l);
    l->scene = scene;
    l->def = abut__settings_default;
    if (abut_collide_result_create(scene->context, &l->result, NULL) != ABUT_OK) {
        bench_die("out of memory");
    }
    l->run = (abut__run){.scene = scene,
                         .context = scene->context,
                         .kernels = scene->context->kernels,
                         .def = &l->def,
                         .workers = l->result->work.workers};
    const size_t bodies = scene->bodies.count;
    l->duos = bench_alloc(bodies * bodies + 1, sizeof *l->duos);
    for (size_t a = 0; a < bodies; ++a) {
        for (size_t b = a + 1; b < bodies; ++b) {
            abut__body* body_a = abut__scene_at(scene, a);
            abut__body* body_b = abut__scene_at(scene, b);
            if (body_a->is_static && body_b->is_static) {
                continue;
            }
            abut__list* list = listed ? abut__list_make(scene->context, ABUT__LIST_BATCHED) : NULL;
            l->duos[l->duo_count++] = (duo){.a = body_a, .b = body_b, .list = list};
        }
    }
    return l;
}

void leaves_destroy(leaves* l) {
    for (uint32_t i = 0; i < l->duo_count; ++i) {
        abut__list_free(l->duos[i].list);
        abut__drop(l->scene->context, &l->duos[i].pairs);
    }
    abut_collide_result_destroy(l->result);
    free(l->duos);
    free(l);
}

// Makes the jobs for the current state.
static void make_jobs(leaves* l) {
    l->result->work.jobs.count = 0;
    for (uint32_t i = 0; i < l->duo_count; ++i) {
        if (abut__query_add_bodies(&l->result->work, l->duos[i].a, l->duos[i].b, &l->def) !=
            ABUT_OK) {
            bench_die("out of memory");
        }
    }
    l->run.jobs = l->result->work.jobs.data;
}

static void traverse(leaves* l, uint32_t index) {
    duo* d = &l->duos[index];
    abut__worker* worker = &l->run.workers[0];
    abut__entries* stack = &worker->stack;
    const abut__entry root = {index, 0, 0, 0};
    if (!abut__descend_reserve(&l->run, &l->result->work)) {
        bench_die("out of memory");
    }
    d->pairs.count = 0;
    stack->count = 0;
    if (!abut__entry_stops(&l->run, worker, &root)) {
        stack->data[stack->count++] = root;
    }
    while (stack->count > 0) {
        const abut__entry entry = stack->data[--stack->count];
        if (!abut__entry_is_leaf(&entry)) {
            abut__entry_open(&l->run, worker, &entry, stack);
            continue;
        }
        abut__entry* place = abut__push(l->scene->context, &d->pairs, 1);
        if (place == NULL) {
            bench_die("out of memory");
        }
        *place = entry;
    }
}

static void keep_list(leaves* l, uint32_t index) {
    duo* d = &l->duos[index];
    const abut__job* job = &l->run.jobs[index];
    const bool rests[2] = {false, false};
    abut__list_side sides[2];
    if (!abut__list_fits(job, rests, sides) ||
        !abut__list_go(d->list, job, 0, sides, &l->run.workers[0].reader.counters)) {
        bench_die("there is no list for these bodies");
    }
    l->entries += d->list->entry_count;
    l->pairs += d->list->leaf_count;
}

void leaves_update(leaves* l) {
    make_jobs(l);
    for (uint32_t i = 0; i < l->duo_count; ++i) {
        (l->duos[i].list != NULL ? keep_list : traverse)(l, i);
    }
}

leaves_counts leaves_counted(const leaves* l) {
    leaves_counts counts = {.entries = (double)l->entries, .pairs = (double)l->pairs};
    for (uint32_t i = 0; i < l->duo_count; ++i) {
        const abut__list* list = l->duos[i].list;
        counts.events += list != NULL ? (double)list->counts.events : 0;
        counts.looked += list != NULL ? (double)list->counts.looked : 0;
        counts.changed += list != NULL ? (double)list->counts.changed : 0;
    }
    return counts;
}

static int order(const void* x, const void* y) {
    const abut__entry* a = x;
    const abut__entry* b = y;
    const int by_b = (a->b > b->b) - (a->b < b->b);
    return a->a != b->a ? (a->a > b->a) - (a->a < b->a) : by_b;
}

static bool duo_agrees(const leaves* ours, const leaves* exact, uint32_t index) {
    duo* mine = &ours->duos[index];
    const duo* theirs = &exact->duos[index];
    abut__entry* found = bench_alloc(theirs->pairs.count + 1, sizeof *found);
    size_t count = 0;
    if (mine->list != NULL) {
        mine->pairs.count = 0;
        if (!abut__list_leaves(mine->list, &ours->run.jobs[index], index, &mine->pairs)) {
            bench_die("out of memory");
        }
    }
    abut__entry* kept = bench_alloc(mine->pairs.count + 1, sizeof *kept);
    for (size_t i = 0; i < mine->pairs.count; ++i) {
        const abut__entry* entry = &mine->pairs.data[i];
        if (!abut__entry_stops(&exact->run, &exact->run.workers[0], entry)) {
            kept[count++] = *entry;
        }
    }
    memcpy(found, theirs->pairs.data, theirs->pairs.count * sizeof *found);
    qsort(kept, count, sizeof *kept, order);
    qsort(found, theirs->pairs.count, sizeof *found, order);
    bool same = count == theirs->pairs.count;
    for (size_t i = 0; i < count && same; ++i) {
        same = order(&kept[i], &found[i]) == 0;
    }
    free(kept);
    free(found);
    return same;
}

bool leaves_agree(const leaves* ours, const leaves* exact) {
    bool same = ours->duo_count == exact->duo_count;
    for (uint32_t i = 0; i < ours->duo_count && same; ++i) {
        same = duo_agrees(ours, exact, i);
    }
    return same;
}
