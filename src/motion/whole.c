// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Chooses to compute all vertices of a state at once, and does so in tasks.
#include "motion/whole.h"

#include "bound/surface.h"
#include "motion/certified.h"

#define VERTICES_PER_TASK 2048u
#define WHOLE_FROM 0.6   // part of the blocks opened in the last state from which it pays
#define WHOLE_UNTIL 0.4  // the same after a state whose vertices were all computed
// states until certificates are tried again instead; doubled after each trial that fails
#define TRIAL_LEAST 2u
#define TRIAL_MOST 128u

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

static void wait_longer(abut__usage* usage) {
    const uint32_t next = 2u * usage->trial_after;
    usage->trial_after = (uint8_t)(next < TRIAL_LEAST  ? TRIAL_LEAST
                                   : next > TRIAL_MOST ? TRIAL_MOST
                                                       : next);
}

// With normals no certificate is tested, so that nothing shows whether these would do better now. If
// there are some, they are tried now and then, unless most of a sample of them does not hold. A trial
// has failed if most blocks were opened in it.
static bool is_trial(const abut_shape* shape, const abut__state* state, const abut__whole* last,
                     abut__usage* usage) {
    if (abut__certified_made(shape) == NULL || !abut__whole_proves(last)) {
        return false;
    }
    if (usage->untried < usage->trial_after) {
        ++usage->untried;
        return false;
    }
    usage->untried = 0;
    const bool holds = abut__certified_holds(shape, state);
    if (!holds) {
        wait_longer(usage);
    }
    return holds;
}

static void note_trial(const abut_shape* shape, const abut__whole* last, bool pays,
                       abut__usage* usage) {
    if (!abut__whole_is_here(last) && abut__certified_made(shape) != NULL) {  // they were in use
        if (pays) {
            wait_longer(usage);
        } else {
            usage->trial_after = TRIAL_LEAST;
        }
    }
}

// Normals that prove much leave few blocks to be opened. Without them, and without certificates, most
// would be.
static bool proves_alone(const abut_shape* shape, const abut__whole* last, abut__demand demand) {
    return demand.proofs && abut__whole_proves(last) && abut__certified_made(shape) == NULL;
}

void abut__whole_begin(const abut_shape* shape, const abut__state* state, const abut__whole* last,
                       abut__usage* usage, abut__demand demand, abut__whole_mover* mover,
                       abut__whole** place) {
    const uint32_t opened = abut__usage_take(&usage->opened);
    if (*place != NULL) {
        (*place)->here = false;
    }
    const bool pays = !state->bare &&
                      (abut__whole_pays(shape, last, opened) || proves_alone(shape, last, demand));
    note_trial(shape, last, pays, usage);
    if (pays && !is_trial(shape, state, last, usage)) {
        abut__whole_make(shape, state, demand, mover, place);
    }
}

// Reserves memory for normals with the vertices, whether they are wanted yet or not, so that later
// states allocate nothing. Contours take more, so they wait until a proof needs them. Without memory
// there are no normals, which only costs time later.
static bool reserve_normals(const abut_shape* shape, abut__whole* whole, bool wanted) {
    const abut_context* context = shape->context;
    const uint32_t nodes = shape->tree.node_count;
    if (shape->tree.block_count < ABUT__CONTOUR_BLOCKS_LEAST) {
        return false;
    }
    if (whole->normals_room < nodes) {
        abut__free(context, whole->normals, whole->normals_room, sizeof *whole->normals);
        whole->normals = abut__alloc(context, nodes, sizeof *whole->normals);
        whole->normals_room = whole->normals != NULL ? nodes : 0;
    }
    return wanted && whole->normals != NULL && abut__shape_contours(shape) != NULL;
}

void abut__whole_make(const abut_shape* shape, const abut__state* state, abut__demand demand,
                      abut__whole_mover* mover, abut__whole** place) {
    *place = make_room(shape, *place);
    if (*place == NULL) {
        return;
    }
    const uint32_t count = shape->mesh->vertex_count;
    moving m = {shape, state, mover, (*place)->all};
    memcpy((*place)->origin, abut__state_origin(shape, state), sizeof(*place)->origin);
    abut__run_tasks(shape->context, (count + VERTICES_PER_TASK - 1) / VERTICES_PER_TASK,
                    move_vertices, &m);
    abut__refit(shape->context, &shape->tree, abut__shape_stretches(shape),
                abut__whole_source(*place), (abut__beside){0}, &(*place)->refit);
    (*place)->has_normals = reserve_normals(shape, *place, demand.proofs);
    if ((*place)->has_normals) {
        abut__surface_normals(shape->context, &shape->tree, abut__whole_source(*place),
                              (*place)->normals);
    }
    (*place)->here = true;
}

bool abut__whole_apart(const abut_shape* shape, const abut__whole* whole, abut__ref ref) {
    return !abut__is_block(ref) &&
           abut__surface_apart(shape->context, &shape->tree, abut__shape_contours(shape),
                               whole->normals, abut__whole_source(whole), ref);
}

void abut__whole_release(const abut_context* context, abut__whole* whole) {
    if (whole != NULL) {
        abut__free(context, whole->all, whole->room, sizeof *whole->all);
        abut__free(context, whole->refit.boxes, whole->node_room, sizeof *whole->refit.boxes);
        abut__free(context, whole->normals, whole->normals_room, sizeof *whole->normals);
        abut__free(context, whole, 1, sizeof *whole);
    }
}

const abut__boxes8* abut__whole_bound(const abut_shape* shape, const abut__whole* whole,
                                      const abut__turn* turn, uint32_t node, abut__boxes8* room) {
    return abut__boxes_turned(shape, &whole->refit.boxes[node], turn, node, room);
}
