// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Inspects meshes beside a query: see inspection.h.
#define _POSIX_C_SOURCE 200809L
#include "cli/inspection.h"

#include "cli/message.h"

#include <pthread.h>
#include <stdlib.h>

struct inspection {
    const world* w;
    abut_mesh_info* found;  // by body
    uint32_t count;
    uint32_t done;  // that many were inspected without a failure
    pthread_t thread;
    bool runs;
};

static void* work(void* user) {
    inspection* i = user;
    const world* w = i->w;
    for (; i->done < i->count; ++i->done) {
        const abut_shape* shape = abut_body_shape(w->scene, w->bodies[i->done]);
        if (abut_mesh_inspect(abut_shape_mesh(shape), &i->found[i->done], NULL) != ABUT_OK) {
            break;
        }
    }
    return NULL;
}

inspection* inspection_begin(const world* w) {
    if (w->pool == NULL || w->body_count == 0) {
        return NULL;
    }
    inspection* i = allocate(1, sizeof *i);
    *i = (inspection){
        .w = w, .found = allocate(w->body_count, sizeof *i->found), .count = w->body_count};
    i->runs = pthread_create(&i->thread, NULL, work, i) == 0;
    return i;
}

void inspection_end(inspection* i) {
    if (i != NULL && i->runs) {
        pthread_join(i->thread, NULL);
        i->runs = false;
    }
}

const abut_mesh_info* inspection_of(const inspection* i, uint32_t body) {
    return i != NULL && body < i->done ? &i->found[body] : NULL;
}

void inspection_free(inspection* i) {
    if (i != NULL) {
        free(i->found);
        free(i);
    }
}
