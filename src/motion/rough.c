// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Chooses to compute all vertices of a state in float, and does so in tasks: see rough.h.
#include "motion/rough.h"

#define BEYOND 16u  // numbers after the last vertex that kernels may read
// A body stays with all at once until this part of its cost would do: its boxes are tighter, so
// that fewer blocks are counted than with bounds, and no nodes if queries read the boxes themselves.
#define STAYS_UNTIL 0.5

abut__rough_counts abut__rough_count(abut__usage* usage) {
    // no query runs while a state is set, so no atomic exchange is needed
    const abut__rough_counts counts = {
        atomic_load_explicit(&usage->bounded, memory_order_relaxed),
        atomic_load_explicit(&usage->opened, memory_order_relaxed),
    };
    atomic_store_explicit(&usage->bounded, 0, memory_order_relaxed);
    return counts;
}

bool abut__rough_pays(const abut__rough_costs* costs, const abut__rough* last,
                      abut__rough_counts counts) {
    const double apiece = costs->begin + costs->node * counts.nodes + costs->block * counts.blocks;
    const double all = costs->all + costs->read * counts.blocks;
    return apiece > (abut__rough_is_here(last) ? STAYS_UNTIL : 1) * all;
}

static size_t numbers_of(uint32_t vertices) {
    return 3 * (size_t)vertices + BEYOND;
}

// reserves memory for all vertices and boxes; NULL: there is none
static abut__rough* make_room(const abut_shape* shape, abut__rough* rough) {
    const abut_context* context = shape->context;
    const uint32_t count = shape->mesh->vertex_count;
    const uint32_t nodes = shape->tree.node_count;
    if (rough == NULL) {
        rough = abut__alloc_zero(context, 1, sizeof *rough);
    }
    if (rough == NULL || (rough->room >= count && rough->node_room >= nodes)) {
        return rough;
    }
    abut__free(context, rough->xyz, numbers_of(rough->room), sizeof *rough->xyz);
    abut__free(context, rough->refit.boxes, rough->node_room, sizeof *rough->refit.boxes);
    rough->xyz = abut__alloc_zero(context, numbers_of(count), sizeof *rough->xyz);
    rough->room = rough->xyz != NULL ? count : 0;
    rough->refit.boxes = abut__alloc(context, nodes, sizeof *rough->refit.boxes);
    rough->node_room = rough->refit.boxes != NULL ? nodes : 0;
    if (rough->xyz == NULL || rough->refit.boxes == NULL) {
        abut__rough_release(context, rough);
        return NULL;
    }
    return rough;
}

typedef struct moving {
    const abut_shape* shape;
    const abut__state* state;
    abut__rough_mover* mover;
    float* out;
} moving;

static void move_part(void* argument, uint32_t index, uint32_t worker) {
    (void)worker;
    const moving* m = argument;
    m->mover(m->shape, m->state, index, m->out);
}

// empty boxes stay empty
static void grow_boxes(abut__boxes8* boxes, uint32_t count, float pad) {
    for (uint32_t n = 0; n < count; ++n) {
        for (int d = 0; d < 3; ++d) {
            for (int k = 0; k < ABUT__FAN; ++k) {
                boxes[n].lo[d][k] -= pad;
                boxes[n].hi[d][k] += pad;
            }
        }
    }
}

void abut__rough_make(const abut_shape* shape, const abut__state* state, abut__rough_mover* mover,
                      uint32_t parts, float pad, abut__rough** place) {
    *place = make_room(shape, *place);
    abut__rough* rough = *place;
    if (rough == NULL) {
        return;
    }
    moving m = {shape, state, mover, rough->xyz};
    abut__run_tasks(shape->context, parts, move_part, &m);
    abut__refit(shape->context, &shape->tree, abut__shape_stretches(shape),
                abut__rough_source(rough), (abut__beside){0}, &rough->refit);
    grow_boxes(rough->refit.boxes, shape->tree.node_count, pad);
    rough->here = atomic_load_explicit(&rough->refit.bad_vertex, memory_order_relaxed) ==
                  ABUT__NONE;
}

void abut__rough_release(const abut_context* context, abut__rough* rough) {
    if (rough != NULL) {
        abut__free(context, rough->xyz, numbers_of(rough->room), sizeof *rough->xyz);
        abut__free(context, rough->refit.boxes, rough->node_room, sizeof *rough->refit.boxes);
        abut__free(context, rough, 1, sizeof *rough);
    }
}
