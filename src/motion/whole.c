// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Chooses to compute all vertices of a state at once, and does so in tasks.
#include "motion/whole.h"

#define VERTICES_PER_TASK 2048u
#define WHOLE_FROM 0.6   // part of the blocks opened in the last state from which it pays
#define WHOLE_UNTIL 0.4  // the same after a state whose vertices were all computed

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

// reserves memory for all vertices and boxes; NULL: none, which only costs time later
static abut__whole* make_room(const abut_shape* shape, abut__whole* whole) {
    const abut_context* context = shape->context;
    const uint32_t count = shape->mesh->vertex_count;
    const uint32_t nodes = shape->tree.node_count;
    if (whole == NULL) {
        whole = abut__alloc_zero(context, 1, sizeof *whole);
    }
    if (whole == NULL || (whole->room >= count && whole->node_room >= nodes)) {
        return whole;
    }
    abut__free(context, whole->all, whole->room, sizeof *whole->all);
    abut__free(context, whole->refit.boxes, whole->node_room, sizeof *whole->refit.boxes);
    whole->all = abut__alloc(context, count, sizeof *whole->all);
    whole->room = whole->all != NULL ? count : 0;
    whole->refit.boxes = abut__alloc(context, nodes, sizeof *whole->refit.boxes);
    whole->node_room = whole->refit.boxes != NULL ? nodes : 0;
    if (whole->all == NULL || whole->refit.boxes == NULL) {
        abut__whole_release(context, whole);
        return NULL;
    }
    return whole;
}

bool abut__whole_pays(const abut_shape* shape, const abut__whole* last, uint32_t opened) {
    const double part = abut__whole_is_here(last) ? WHOLE_UNTIL : WHOLE_FROM;
    return (double)opened >= part * shape->tree.block_count;
}

void abut__whole_begin(const abut_shape* shape, const abut__state* state, const abut__whole* last,
                       abut__usage* usage, abut__whole_mover* mover, abut__whole** place) {
    // no query runs while a state is set, so no atomic exchange is needed
    const uint32_t opened = atomic_load_explicit(&usage->opened, memory_order_relaxed);
    atomic_store_explicit(&usage->opened, 0, memory_order_relaxed);
    if (*place != NULL) {
        (*place)->here = false;
    }
    if (!state->bare && abut__whole_pays(shape, last, opened)) {
        abut__whole_make(shape, state, mover, place);
    }
}

void abut__whole_make(const abut_shape* shape, const abut__state* state, abut__whole_mover* mover,
                      abut__whole** place) {
    *place = make_room(shape, *place);
    if (*place == NULL) {
        return;
    }
    const uint32_t count = shape->mesh->vertex_count;
    moving m = {shape, state, mover, (*place)->all};
    abut__run_tasks(shape->context, (count + VERTICES_PER_TASK - 1) / VERTICES_PER_TASK,
                    move_vertices, &m);
    abut__refit(shape->context, &shape->tree, abut__shape_stretches(shape),
                abut__whole_source(*place), (abut__beside){0}, &(*place)->refit);
    (*place)->here = true;
}

void abut__whole_release(const abut_context* context, abut__whole* whole) {
    if (whole != NULL) {
        abut__free(context, whole->all, whole->room, sizeof *whole->all);
        abut__free(context, whole->refit.boxes, whole->node_room, sizeof *whole->refit.boxes);
        abut__free(context, whole, 1, sizeof *whole);
    }
}

const abut__boxes8* abut__whole_bound(const abut_shape* shape, const abut__whole* whole,
                                      const abut__turn* turn, uint32_t node, abut__boxes8* room) {
    const abut__boxes8* boxes = &whole->refit.boxes[node];
    if (turn == NULL) {
        return boxes;
    }
    shape->context->kernels->turn_boxes(boxes, shape->tree.nodes[node].count, turn, room);
    return room;
}
