// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// The rough vertices of blend states: see blend_rough.h.
#include "motion/blend_rough.h"

// In nanoseconds, as measured in the rings of `abut bench bounds`; only their relation matters.
#define ROW_COST 3.3         // a row of bounds: a node's influence on a child
#define INFLUENCE_COST 1.35  // an influence on a vertex,
#define VERTEX_COST 1.5      // and the rest of a vertex
#define MOVE_COST 1          // a field that moves it
#define REFIT_COST 40        // a block's box from its vertices
#define READ_COST 100        // its points from them
// Evaluating a block, and the work that would not be done with boxes around vertices: bounds are
// looser, so that about a third of the blocks are false opens.
#define BLOCK_COST 1600

abut__rough_costs abut__blend_costs(const abut_shape* shape) {
    const abut__convex* convex = abut__blend_of(shape)->convex;
    const abut__tree* tree = &shape->tree;
    const uint32_t vertices = shape->mesh->vertex_count;
    const size_t influences = abut__blend_of(shape)->weights->first[vertices];
    const double fields = abut__blend_of(shape)->fields->count;
    double root = 0;
    for (uint32_t k = 0; k < tree->nodes[0].count; ++k) {
        root += convex->parts[0][k].count;
    }
    return (abut__rough_costs){
        .begin = ROW_COST * root,
        .node = ROW_COST * (double)convex->rows.count / tree->node_count,
        .block = BLOCK_COST,
        .all = INFLUENCE_COST * (double)influences + (VERTEX_COST + MOVE_COST * fields) * vertices +
               (double)REFIT_COST * tree->block_count,
        .read = READ_COST,
    };
}

static void* make_parts(const void* of) {
    const abut_shape* shape = of;
    const abut__blend* blend = abut__blend_of(shape);
    return abut__blend_parts_make(shape->context, shape->mesh, blend->weights, blend->fields);
}

static void undo_parts(const void* of, void* made) {
    (void)of;
    abut__blend_parts_free(made);
}

static void move_part(const abut_shape* shape, const abut__state* state, uint32_t index,
                      float* out) {
    const abut__blend_parts* parts = abut__once_peek(&abut__blend_of(shape)->parts);
    const abut__blend_state* own = abut__blend_state_of(state);
    const abut__blend_order order = abut__blend_part(parts, index);
    const float* rest = parts->rest;
    if (own->field_count > 0) {  // moved in place: a vertex is read before it is written
        abut__blend_move_rest(parts, index, own->coordinates, out);
        rest = out;
    }
    shape->context->kernels->blend_order(&order, own->columns, rest, out);
}

void abut__blend_rough(const abut_shape* shape, const abut__state* state, const abut__state* last,
                       const abut__rough_counts* counts) {
    const abut__blend* blend = abut__blend_of(shape);
    abut__blend_state* own = abut__blend_state_of(state);
    const abut__rough* before = last != NULL ? abut__blend_state_of(last)->rough : NULL;
    if (own->rough != NULL) {
        own->rough->here = false;
    }
    if (counts == NULL || state->bare || !abut__blend_may_be_rough(own) || own->unbounded ||
        abut__whole_is_here(own->whole) || !abut__rough_pays(&blend->costs, before, *counts)) {
        return;
    }
    const abut__blend_parts* parts = abut__once_get(&blend->parts, make_parts, undo_parts, shape);
    if (parts != NULL) {
        abut__rough_make(shape, state, move_part, parts->part_count, own->radius, &own->rough);
    }
}
