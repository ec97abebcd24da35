// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Proofs over a step that nothing within a piece of a body touches, for every motion: by the
// normals and contours of bound/surface.h, between the positions at both ends.
//
// The proofs are about the same doubles as the exact tests: in the world if the body's frame moves,
// else in the shape's coordinates. Vertices move along segments between them, so the proofs assume
// nothing about the motion or the rotation of frames. Positions that are not stored are computed
// for all vertices. A sweep within a body without proofs evaluates every block, which is as many.
#include "bound/surface.h"
#include "view/step.h"

#define VERTICES_PER_TASK 2048u
#define VERTICES_AT_ONCE 64u

typedef struct placing {
    const abut__view* view;
    int end;
    double (*out)[3];
} placing;

static void place_some(void* argument, uint32_t index, uint32_t worker) {
    (void)worker;
    const placing* work = argument;
    const uint32_t all = work->view->shape->mesh->vertex_count;
    const uint32_t begin = index * VERTICES_PER_TASK;
    const uint32_t end = all - begin < VERTICES_PER_TASK ? all : begin + VERTICES_PER_TASK;
    for (uint32_t first = begin; first < end; first += VERTICES_AT_ONCE) {
        uint32_t ids[VERTICES_AT_ONCE];
        const uint32_t count = end - first < VERTICES_AT_ONCE ? end - first : VERTICES_AT_ONCE;
        for (uint32_t i = 0; i < count; ++i) {
            ids[i] = first + i;
        }
        work->view->kind->vertices(work->view, work->end, ids, count, work->out + first);
    }
}

// gets the positions at one end: stored ones, or computes them; false: no memory
static bool place(const abut_context* context, const abut__view* view, int end,
                  abut__step_proofs* proofs) {
    const abut_shape* shape = view->shape;
    const abut__stored* stored = abut__state_stored(shape, view->state[end]);
    if (view->kind->at_states && view->placing[end] == NULL && stored != NULL) {
        proofs->source[end] = stored->positions;
        return true;
    }
    const uint32_t count = shape->mesh->vertex_count;
    if (proofs->positions[end] == NULL) {
        proofs->positions[end] = abut__alloc(context, count, sizeof *proofs->positions[end]);
    }
    if (proofs->positions[end] == NULL) {
        return false;
    }
    placing work = {view, end, proofs->positions[end]};
    abut__run_tasks(context, (count + VERTICES_PER_TASK - 1) / VERTICES_PER_TASK, place_some,
                    &work);
    proofs->source[end] = abut__source_make(proofs->positions[end], sizeof(double[3]), true);
    return true;
}

bool abut__step_prove(const abut_context* context, const abut__view* view,
                      abut__step_proofs* proofs) {
    const abut_shape* shape = view->shape;
    const abut__tree* tree = &shape->tree;
    if (tree->block_count < ABUT__CONTOUR_BLOCKS_LEAST || abut__shape_contours(shape) == NULL) {
        return false;
    }
    if (proofs->node_count != tree->node_count ||
        proofs->vertex_count != shape->mesh->vertex_count) {
        abut__step_proofs_free(context, proofs);
        proofs->node_count = tree->node_count;
        proofs->vertex_count = shape->mesh->vertex_count;
    }
    if (proofs->normals == NULL) {
        proofs->normals = abut__alloc(context, proofs->node_count, sizeof *proofs->normals);
    }
    if (proofs->normals == NULL || !place(context, view, 0, proofs) ||
        !place(context, view, 1, proofs)) {
        return false;
    }
    abut__surface_step_normals(context, tree, proofs->source[0], proofs->source[1],
                               proofs->normals);
    return true;
}

bool abut__step_apart(const abut__view* view, abut__ref ref) {
    const abut__step_proofs* proofs = &view->table->proofs;
    return !abut__is_block(ref) &&
           abut__surface_step_apart(view->shape->context, view->tree,
                                    abut__shape_contours(view->shape), proofs->normals,
                                    proofs->source[0], proofs->source[1], ref);
}

void abut__step_proofs_free(const abut_context* context, abut__step_proofs* proofs) {
    abut__free(context, proofs->normals, proofs->node_count, sizeof *proofs->normals);
    for (int end = 0; end < 2; ++end) {
        abut__free(context, proofs->positions[end], proofs->vertex_count,
                   sizeof *proofs->positions[end]);
    }
    *proofs = (abut__step_proofs){0};
}
