// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Choosing to move all vertices at once, and doing so in tasks.
#include "motion/whole.h"

#define VERTICES_PER_TASK 2048u
#define WHOLE_FROM 0.6   // part of the blocks that the last state was asked for
#define WHOLE_UNTIL 0.4  // the same, for a state after one that was whole

typedef struct moving {
    const abut_shape* shape;
    const abut__state* state;
    abut__whole_mover* mover;
    double (*out)[3];
} moving;

static void move_vertices(void* argument, uint32_t index, uint32_t worker) {
    (void)worker;
    const moving* m = argument;
    const uint32_t first = index * VERTICES_PER_TASK;
    const uint32_t left = m->shape->mesh->vertex_count - first;
    m->mover(m->shape, m->state, first,
             first + (left < VERTICES_PER_TASK ? left : VERTICES_PER_TASK), m->out);
}

// without memory there is nothing but more work later
static bool has_room(const abut_shape* shape, abut__whole* whole) {
    const uint32_t count = shape->mesh->vertex_count;
    if (whole->room < count) {
        abut__free(shape->context, whole->all, whole->room, sizeof *whole->all);
        whole->all = abut__alloc(shape->context, count, sizeof *whole->all);
        whole->room = whole->all != NULL ? count : 0;
    }
    const uint32_t nodes = shape->tree.node_count;
    if (whole->node_room < nodes) {
        abut__free(shape->context, whole->refit.boxes, whole->node_room,
                   sizeof *whole->refit.boxes);
        whole->refit.boxes = abut__alloc(shape->context, nodes, sizeof *whole->refit.boxes);
        whole->node_room = whole->refit.boxes != NULL ? nodes : 0;
    }
    return whole->all != NULL && whole->refit.boxes != NULL;
}

void abut__whole_begin(const abut_shape* shape, const abut__state* state, bool was,
                       abut__habits* habits, abut__whole_mover* mover, abut__whole* whole) {
    const double opened = atomic_exchange_explicit(&habits->opened, 0, memory_order_relaxed);
    const double enough = (was ? WHOLE_UNTIL : WHOLE_FROM) * shape->tree.block_count;
    whole->here = opened >= enough && has_room(shape, whole);
    if (whole->here) {
        const uint32_t count = shape->mesh->vertex_count;
        moving m = {shape, state, mover, whole->all};
        abut__run_tasks(shape->context, (count + VERTICES_PER_TASK - 1) / VERTICES_PER_TASK,
                        move_vertices, &m);
        abut__refit(shape->context, &shape->tree, abut__shape_stretches(shape),
                    abut__whole_source(whole), (abut__beside){0}, &whole->refit);
    }
}

void abut__whole_release(const abut_context* context, abut__whole* whole) {
    abut__free(context, whole->all, whole->room, sizeof *whole->all);
    abut__free(context, whole->refit.boxes, whole->node_room, sizeof *whole->refit.boxes);
    *whole = (abut__whole){0};
}
