// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Degradation: how loosely blocks bound their triangles, compared with when they were built; and
// the call that rebuilds them. The fit of a block is the cost of its box over the sum of its
// triangles' costs. It does not change when a body is scaled, and grows when triangles of one block
// drift apart.
#include <math.h>

#include "abut/body.h"
#include "body/world.h"
#include "shape/shape.h"
#include "tree/split.h"

#define ALL_ABOVE 0.5  // part of degraded blocks above which everything is rebuilt

typedef struct degradation {
    double cost;      // of the boxes of blocks
    double expected;  // the cost if each block fitted as when it was built
} degradation;

static degradation block_degradation(const abut__body* body, uint32_t b) {
    const abut__tree* tree = &body->shape->tree;
    abut__block_boxes boxes;
    abut__body_block_boxes(body, b, 1, &boxes);
    abut__box3 box;
    const double sum = body->shape->context->kernels->measure_block(&boxes, &box);
    const double cost = abut__box_cost(box.lo, box.hi);
    const double expected = sum * (double)tree->block_fit[b];
    // unbounded boxes do not measure the tree
    return cost <= 1e300 && expected > 0 ? (degradation){cost, expected} : (degradation){0, 0};
}

static double ratio_of(degradation w) {
    return w.expected > 0 ? w.cost / w.expected : 1;
}

// returns the degradation of the whole body; `degraded` (may be NULL) marks blocks above the limit
static double measure(const abut__body* body, double limit, uint8_t* degraded,
                      uint32_t* degraded_count) {
    degradation all = {0, 0};
    for (uint32_t b = 0; b < body->shape->tree.block_count; ++b) {
        const degradation w = block_degradation(body, b);
        all.cost += w.cost;
        all.expected += w.expected;
        if (degraded != NULL) {
            degraded[b] = ratio_of(w) > limit;
            *degraded_count += degraded[b];
        }
    }
    return ratio_of(all);
}

abut_status abut_body_tree_degradation(const abut_scene* scene, abut_body_id body, double* out,
                                       abut_error* error) {
    const abut__body* found = abut__scene_body(scene, body);
    if (found == NULL) {
        return abut__no_body(scene, body, error);
    }
    if (out == NULL) {
        return abut__fail(error, ABUT_ERR_INVALID_ARGUMENT, ABUT_ELEMENT_NONE, 0,
                          "the place for the degradation must not be NULL");
    }
    if (!abut__body_ready(found)) {
        return abut__blame_body(error, body, abut__fail_memory(error));
    }
    *out = measure(found, 0, NULL, NULL);
    return ABUT_OK;
}

static abut_status rebuild_degraded(abut_scene* scene, abut_body_id id, abut__body* body,
                                    uint8_t* degraded, uint32_t degraded_count,
                                    abut_edit_work* work, abut_error* error) {
    const abut_shape* shape = abut__body_given(body);
    const uint32_t blocks = shape->tree.block_count;
    abut_positions now = {0};
    abut_status status = abut__body_positions(body, &now, error);
    if (status != ABUT_OK) {
        return status;
    }
    // blocks of a tree that the body made for itself are no part of a shape
    if (degraded_count > ALL_ABOVE * blocks || shape != body->shape) {
        memset(degraded, 1, blocks);
    }
    abut_shape* rebuilt = NULL;
    status = abut__shape_rebuild_blocks(shape, degraded, now, &rebuilt, work, error);
    abut__free(scene->context, (void*)now.data, now.count, 3 * sizeof(double));
    if (status == ABUT_OK) {
        const abut_positions unchanged = {0};
        status = abut_body_set_shape(scene, id, rebuilt, unchanged, error);
        abut_shape_destroy(rebuilt);
    }
    return status;
}

abut_status abut_body_rebuild_tree(abut_scene* scene, abut_body_id body, double limit,
                                   abut_edit_work* work, abut_error* error) {
    abut__body* found = abut__scene_body(scene, body);
    if (found == NULL) {
        return abut__no_body(scene, body, error);
    }
    if (!(limit >= 1)) {
        return abut__fail(error, ABUT_ERR_INVALID_ARGUMENT, ABUT_ELEMENT_NONE, 0,
                          "the limit is %g, but must be at least 1", limit);
    }
    if (!abut__body_ready(found)) {
        return abut__blame_body(error, body, abut__fail_memory(error));
    }
    const uint32_t bad = abut__body_state(found, 1)->bad_vertex;
    if (bad != ABUT__NONE) {
        return abut__blame_body(error, body,
                                abut__fail(error, ABUT_ERR_INVALID_DATA, ABUT_ELEMENT_VERTEX, bad,
                                           "vertex %u is not finite: there is nothing to build for",
                                           bad));
    }
    const uint32_t given = abut__body_given(found)->tree.block_count;
    const uint32_t now = found->shape->tree.block_count;
    const uint32_t blocks = given > now ? given : now;
    uint8_t* degraded = abut__alloc(scene->context, blocks, 1);
    if (degraded == NULL) {
        return abut__fail_memory(error);
    }
    uint32_t degraded_count = 0;
    abut_edit_work done = {0};
    abut_status status = ABUT_OK;
    if (measure(found, limit, degraded, &degraded_count) > limit && degraded_count > 0) {
        status = rebuild_degraded(scene, body, found, degraded, degraded_count, &done, error);
    }
    abut__free(scene->context, degraded, blocks, 1);
    if (status == ABUT_OK && work != NULL) {
        *work = done;
    }
    return status;
}
