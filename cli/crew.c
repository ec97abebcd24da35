// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Checks several frames at a time: see crew.h.
#define _POSIX_C_SOURCE 200809L
#include "cli/crew.h"

#include "cli/message.h"

#include <pthread.h>
#include <stdlib.h>

bool crew_open(crew* c, size_t jobs, object_list* objects, world* w, const char* const* names,
               size_t name_count, const io_model_settings* settings) {
    *c = (crew){.workers = allocate(jobs, sizeof(worker)), .count = 1};
    c->workers[0] = (worker){.objects = objects, .w = w};
    while (c->count < jobs) {
        worker* k = &c->workers[c->count++];
        k->objects = allocate(1, sizeof *k->objects);
        k->w = allocate(1, sizeof *k->w);
        const bool found = objects->components
                               ? objects_find_components(k->objects, names, name_count, settings)
                               : objects_find(k->objects, names, name_count, settings);
        if (!found || !world_open(k->w, 1)) {
            return false;
        }
        k->w->uses_shapes = w->uses_shapes;  // the first keeps them
    }
    return true;
}

void crew_close(crew* c) {
    for (size_t i = 0; i < c->count; ++i) {
        sieve_close(c->workers[i].sieve);
        meter_close(c->workers[i].meter);
    }
    for (size_t i = 1; i < c->count; ++i) {
        world_close(c->workers[i].w);
        objects_free(c->workers[i].objects);
        free(c->workers[i].w);
        free(c->workers[i].objects);
    }
    free(c->workers);
    inspection_free(c->inspection);
    *c = (crew){0};
}

typedef struct task {
    worker* k;
    const question* q;
    inspection** beside;  // NULL: nothing is inspected beside the query
    pthread_t thread;
    bool started;
} task;

static bool show(worker* k, size_t frame) {
    k->shown = frame;
    return objects_show(k->objects, k->w, frame);
}

// sets the world to a frame, as the end of the step from the frame before
static bool show_step(worker* k, const question* q) {
    if (k->shown != k->frame - 1 && !show(k, k->frame - 1)) {
        return false;
    }
    if (q->shared) {
        world_keep_before(k->w);  // for the points of swept contacts
    }
    world_end_step(k->w);  // a body without a further frame stands still
    return show(k, k->frame);
}

// A body has no previous state after its triangles changed, or after a new part of its point cache
// was read. In the second case repeating the step succeeds.
static bool ask_step(worker* k, const question* q) {
    return world_ask_step(k->w, q, &k->work) &&
           (k->w->stepped || (show_step(k, q) && world_ask_step(k->w, q, &k->work)));
}

static bool prepare(const worker* k) {
    if (k->sieve != NULL) {
        sieve_prepare(k->sieve);
    }
    return true;
}

static bool ask(const task* t) {
    if (t->beside != NULL) {
        *t->beside = inspection_begin(t->k->w);
    }
    const bool done = world_ask(t->k->w, t->q, &t->k->work);
    if (t->beside != NULL) {
        inspection_end(*t->beside);
    }
    return done;
}

static void* work(void* user) {
    const task* t = user;
    worker* k = t->k;
    // frame 0 is the rest shape, whichever frames are checked: vertices that coincide in it count
    // as one, and the answer must not depend on the first frame checked
    const bool step = t->q->sweep && k->frame > t->q->first;
    k->done = (k->w->body_count != 0 || show(k, 0)) &&
              (step ? show_step(k, t->q) : show(k, k->frame)) && prepare(k) && ask(t) &&
              (!step || ask_step(k, t->q)) &&
              (k->sieve == NULL || sieve_ask(k->sieve, t->q, &k->work)) &&
              (k->meter == NULL || meter_ask(k->meter, t->q, k->frame, &k->work));
    return NULL;
}

bool crew_ask_rest(crew* c, size_t frame, const question* q) {
    worker* k = &c->workers[0];
    const bool rest = frame == REST_FRAME;
    k->shown = REST_FRAME;
    return show(k, 0) && (rest ? objects_show_rest(k->objects, k->w) : show(k, frame)) &&
           prepare(k) && world_ask(k->w, q, &k->work) &&
           (k->sieve == NULL || sieve_ask(k->sieve, q, &k->work));
}

bool crew_show_first(crew* c) {
    return show(&c->workers[0], 0);
}

size_t crew_ask(crew* c, size_t first, size_t last, const question* q) {
    const size_t left = last - first + 1;
    const size_t count = left < c->count ? left : c->count;
    task* tasks = allocate(count, sizeof *tasks);
    for (size_t i = 0; i < count; ++i) {
        worker* k = &c->workers[i];
        k->frame = first + i;
        k->work = (abut_counters){0};
        k->done = false;
        tasks[i] = (task){.k = k, .q = q};
    }
    if (c->inspects && c->inspection == NULL) {
        tasks[0].beside = &c->inspection;
    }
    c->inspects = false;
    for (size_t i = 1; i < count; ++i) {
        tasks[i].started = pthread_create(&tasks[i].thread, NULL, work, &tasks[i]) == 0;
    }
    work(&tasks[0]);
    size_t done = c->workers[0].done;
    for (size_t i = 1; i < count; ++i) {
        if (tasks[i].started) {
            pthread_join(tasks[i].thread, NULL);
        } else {
            work(&tasks[i]);  // no thread could be created
        }
        done += done == i && c->workers[i].done;
    }
    free(tasks);
    return done;
}
