// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Measures how good the tree of a shape is.
#include "bound/refit.h"
#include "shape/shape.h"
#include "tree/split.h"

// clamps coordinates beyond what areas can represent, as the builder does
static float clamped(float x) {
    const float limit = ABUT__ITEM_LIMIT;
    return x > limit ? limit : x < -limit ? -limit : x;
}

static double area_of(const abut__boxes8* boxes, uint32_t k) {
    float lo[3];
    float hi[3];
    for (int d = 0; d < 3; ++d) {
        lo[d] = clamped(boxes->lo[d][k]);
        hi[d] = clamped(boxes->hi[d][k]);
    }
    return abut__box_area(lo, hi);
}

// returns the part of the smaller box's area that the two share
static double shared_part(const abut__boxes8* boxes, uint32_t i, uint32_t k) {
    float lo[3];
    float hi[3];
    for (int d = 0; d < 3; ++d) {
        lo[d] = boxes->lo[d][i] > boxes->lo[d][k] ? boxes->lo[d][i] : boxes->lo[d][k];
        hi[d] = boxes->hi[d][i] < boxes->hi[d][k] ? boxes->hi[d][i] : boxes->hi[d][k];
        if (lo[d] > hi[d]) {
            return 0;
        }
        lo[d] = clamped(lo[d]);
        hi[d] = clamped(hi[d]);
    }
    const double a = area_of(boxes, i);
    const double b = area_of(boxes, k);
    const double least = a < b ? a : b;
    return least > 0 ? abut__box_area(lo, hi) / least : 0;
}

static abut_tree_info stats_of(const abut__tree* tree, const abut__refit_boxes* refit) {
    abut_tree_info stats = {
        .nodes = tree->node_count, .blocks = tree->block_count, .depth = tree->depth};
    float lo[3];
    float hi[3];
    for (int d = 0; d < 3; ++d) {
        lo[d] = clamped(refit->root.lo[d]);
        hi[d] = clamped(refit->root.hi[d]);
    }
    const double root = abut__box_area(lo, hi);
    double cost = tree->nodes[0].count * root;
    double overlap = 0;
    uint64_t pairs = 0;
    uint64_t triangles = 0;
    for (uint32_t n = 0; n < tree->node_count; ++n) {
        const abut__node* node = &tree->nodes[n];
        const abut__boxes8* boxes = &refit->boxes[n];
        for (uint32_t i = 0; i < node->count; ++i) {
            const abut__ref child = node->child[i];
            const uint32_t tests = abut__is_block(child)
                                       ? tree->blocks[abut__block_of(child)]->triangle_count
                                       : tree->nodes[child].count;
            triangles += abut__is_block(child) ? tests : 0;
            cost += area_of(boxes, i) * tests;
            for (uint32_t k = i + 1; k < node->count; ++k) {
                overlap += shared_part(boxes, i, k);
                ++pairs;
            }
        }
    }
    stats.triangles_per_block = (double)triangles / tree->block_count;
    stats.sah_cost = root > 0 ? cost / root : 0;
    stats.overlap = pairs > 0 ? overlap / (double)pairs : 0;
    return stats;
}

// measures by a refit of its own, so that the result means the same for all motions
abut_status abut__shape_measure(const abut_shape* shape, abut__source source, abut_tree_info* stats,
                                abut_error* error) {
    const abut__tree* tree = &shape->tree;
    abut__refit_boxes refit = {0};
    refit.boxes = abut__alloc(shape->context, tree->node_count, sizeof *refit.boxes);
    if (refit.boxes == NULL) {
        return abut__fail_memory(error);
    }
    abut__refit(shape->context, tree, NULL, source, (abut__beside){0}, &refit);
    *stats = stats_of(tree, &refit);
    abut__free(shape->context, refit.boxes, tree->node_count, sizeof *refit.boxes);
    return ABUT_OK;
}

abut_status abut_shape_inspect(const abut_shape* shape, abut_tree_info* stats, abut_error* error) {
    if (shape == NULL || stats == NULL) {
        return abut__fail(error, ABUT_ERR_INVALID_ARGUMENT, ABUT_ELEMENT_NONE, 0,
                          "shape and the place for its info must not be NULL");
    }
    if (!abut__shape_ready(shape)) {
        return abut__fail_memory(error);
    }
    const abut_mesh* mesh = shape->mesh;
    const abut__source rest = abut__mesh_source(mesh);
    return abut__shape_measure(shape, rest, stats, error);
}
