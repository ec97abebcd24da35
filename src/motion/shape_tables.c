// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Tables of a shape that are made at first use: see shape_tables.h.
#include "motion/shape_tables.h"

#include "mesh/features.h"

static void* make_contours(const void* of) {
    const abut_shape* shape = of;
    return abut__contours_make(&shape->tree);
}

static void undo_contours(const void* of, void* made) {
    const abut_shape* shape = of;
    abut__contours_free(shape->tree.context, made);
}

const abut__contours* abut__shape_contours(const abut_shape* shape) {
    return abut__once_get(&shape->contours, make_contours, undo_contours, shape);
}

static void* make_links(const void* of) {
    const abut_shape* shape = of;
    return abut__links_make(&shape->tree, shape->mesh);
}

static void undo_links(const void* of, void* made) {
    (void)of;
    abut__links_free(made);
}

const abut__links* abut__shape_links(const abut_shape* shape) {
    return abut__once_get(&shape->links, make_links, undo_links, shape);
}

static void* make_seams(const void* of) {
    const abut_shape* shape = of;
    const abut__links* links = abut__shape_links(shape);
    return links != NULL ? abut__seams_make(&shape->tree, links) : NULL;
}

static void undo_seams(const void* of, void* made) {
    (void)of;
    abut__seams_free(made);
}

const abut__seams* abut__shape_seams(const abut_shape* shape) {
    return abut__once_get(&shape->seams, make_seams, undo_seams, shape);
}

static void* make_owned(const void* of) {
    const abut_shape* shape = of;
    return abut__features_make(shape->mesh);
}

static void undo_owned(const void* of, void* made) {
    const abut_shape* shape = of;
    abut__free(shape->context, made, shape->mesh->triangle_count, 1);
}

const uint8_t* abut__shape_owned(const abut_shape* shape) {
    const abut_shape* from = shape->base != NULL ? shape->base : shape;
    return abut__once_get(&from->owned, make_owned, undo_owned, from);
}

static void* make_stretches(const void* of) {
    const abut_shape* shape = of;
    return abut__stretches_make(&shape->tree, shape->mesh);
}

static void undo_stretches(const void* of, void* made) {
    (void)of;
    abut__stretches_free(made);
}

const abut__stretches* abut__shape_stretches(const abut_shape* shape) {
    return abut__once_get(&shape->stretches, make_stretches, undo_stretches, shape);
}

static void* make_topology(const void* of) {
    const abut_shape* shape = of;
    return abut__topology_make(shape->mesh);
}

static void undo_topology(const void* of, void* made) {
    (void)of;
    abut__topology_free(made);
}

const abut__topology* abut__shape_topology(const abut_shape* shape) {
    const abut_shape* from = shape->base != NULL ? shape->base : shape;
    return abut__once_get(&from->topology, make_topology, undo_topology, from);
}

void abut__shape_tables_free(abut_shape* shape) {
    abut__contours_free(shape->tree.context, abut__once_peek(&shape->contours));
    abut__seams_free(abut__once_peek(&shape->seams));
    abut__links_free(abut__once_peek(&shape->links));
    abut__stretches_free(abut__once_peek(&shape->stretches));
    if (shape->mesh != NULL) {
        abut__free(shape->context, abut__once_peek(&shape->owned), shape->mesh->triangle_count, 1);
    }
    abut__topology_free(abut__once_peek(&shape->topology));
}

bool abut__shape_ignores(const abut_shape* shape, uint32_t tag_a, uint32_t tag_b) {
    const uint64_t key = abut__tag_key(tag_a, tag_b);
    size_t lo = 0;
    size_t hi = shape->ignored_count;
    while (lo < hi) {
        const size_t middle = lo + (hi - lo) / 2;
        if (shape->ignored[middle] < key) {
            lo = middle + 1;
        } else {
            hi = middle;
        }
    }
    return lo < shape->ignored_count && shape->ignored[lo] == key;
}
