// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Makes the bounds of a modal shape's nodes and of the whole shape, when a state first needs them.
#include "motion/modal.h"

#include "bound/bdtree.h"
#include "bound/spheres.h"

void abut__modal_bounds_free(const abut_shape* shape, abut__modal_bounds* bounds) {
    if (bounds != NULL) {
        abut__bdtree_free(bounds->bdtree);
        abut__free(shape->context, bounds->root, bounds->rows, sizeof *bounds->root);
        abut__free(shape->context, bounds, 1, sizeof *bounds);
    }
}

static bool wrap_root(const abut_shape* shape, abut__arena* arena, abut__modal_bounds* made) {
    abut__wrapper wrapper;
    if (!abut__wrapper_make(&wrapper, arena, shape->mesh, abut__modal_of(shape)->fields,
                            ABUT__CENTRE_MINIMAL)) {
        return false;
    }
    made->root = abut__alloc(shape->context, wrapper.rows, sizeof *made->root);
    made->rows = made->root != NULL ? wrapper.rows : 0;
    if (made->root != NULL) {
        abut__wrapper_put_ref(&wrapper, &shape->tree, 0);
        abut__wrap_vertices(&wrapper, made->root);
    }
    return made->root != NULL;
}

// whether the sphere at rest has less volume than the box
static bool sphere_is_smaller(const abut__modal_bounds* bounds) {
    const double* half = bounds->bdtree->root + 3;
    const double r = bounds->root[0].r;
    return 4.18879 * r * r * r < 8 * half[0] * half[1] * half[2];
}

static void* make_bounds(const void* of) {
    const abut_shape* shape = of;
    abut__arena arena = abut__arena_make(shape->context);
    abut__modal_bounds* made = abut__alloc_zero(shape->context, 1, sizeof *made);
    if (made != NULL) {
        made->bdtree = abut__bdtree_make(shape->context, &shape->tree, shape->mesh,
                                         abut__modal_of(shape)->fields, ABUT__BD_POSITIONS);
    }
    if (made != NULL && (made->bdtree == NULL || !wrap_root(shape, &arena, made))) {
        abut__modal_bounds_free(shape, made);
        made = NULL;
    }
    abut__arena_release(&arena);
    if (made != NULL) {
        atomic_store(&((abut_shape*)shape)->has_sphere, sphere_is_smaller(made));
    }
    return made;
}

static void undo_bounds(const void* of, void* made) {
    abut__modal_bounds_free(of, made);
}

const abut__modal_bounds* abut__modal_bounds_of(const abut_shape* shape) {
    return abut__once_get(&abut__modal_of(shape)->bounds, make_bounds, undo_bounds, shape);
}
