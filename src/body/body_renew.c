// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Wear: how loosely blocks hold their triangles, against how they did when they were built; and the
// policy that keeps a tree good. The fit of a block is the cost of its box over the sum of its
// triangles' costs: it does not change when a body is scaled, and grows when triangles of one
// block drift apart.
#include <math.h>

#include "abut/body.h"
#include "body/world.h"
#include "shape/shape.h"
#include "tree/split.h"

#define ALL_ABOVE 0.5  // part of worn blocks beyond which everything is built anew

typedef struct wear {
    double cost;      // of the boxes of blocks
    double expected;  // what it would be if every block fitted as when it was built
} wear;

static wear block_wear(const abut__body* body, uint32_t b) {
    const abut__tree* tree = &body->shape->tree;
    abut__block_boxes boxes;
    abut__body_block_boxes(body, b, 1, &boxes);
    abut__box3 box;
    const double sum = body->shape->context->kernels->measure_block(&boxes, &box);
    const double cost = abut__box_cost(box.lo, box.hi);
    const double expected = sum * (double)tree->block_fit[b];
    // boxes without bounds say nothing about the tree
    return cost <= 1e300 && expected > 0 ? (wear){cost, expected} : (wear){0, 0};
}

static double ratio_of(wear w) {
    return w.expected > 0 ? w.cost / w.expected : 1;
}

// the wear of the whole body; `worn` (may be NULL) tells the blocks above the limit
static double measure(const abut__body* body, double limit, uint8_t* worn, uint32_t* worn_count) {
    wear all = {0, 0};
    for (uint32_t b = 0; b < body->shape->tree.block_count; ++b) {
        const wear w = block_wear(body, b);
        all.cost += w.cost;
        all.expected += w.expected;
        if (worn != NULL) {
            worn[b] = ratio_of(w) > limit;
            *worn_count += worn[b];
        }
    }
    return ratio_of(all);
}

abut_status abut_body_wear(const abut_scene* scene, abut_body_id body, double* out,
                           abut_error* error) {
    const abut__body* found = abut__scene_body(scene, body);
    if (found == NULL) {
        return abut__no_body(error, body);
    }
    if (out == NULL) {
        return abut__fail(error, ABUT_ERR_INVALID_ARGUMENT, ABUT_ELEMENT_NONE, 0,
                          "no place to store the wear");
    }
    *out = measure(found, 0, NULL, NULL);
    return ABUT_OK;
}

static abut_status renew_worn(abut_scene* scene, abut_body_id id, abut__body* body, uint8_t* worn,
                              uint32_t worn_count, abut_edit_work* work, abut_error* error) {
    const uint32_t blocks = body->shape->tree.block_count;
    abut_positions now = {0};
    abut_status status = abut__body_positions(body, &now, error);
    if (status != ABUT_OK) {
        return status;
    }
    if (worn_count > ALL_ABOVE * blocks) {
        memset(worn, 1, blocks);
    }
    abut_shape* renewed = NULL;
    status = abut__shape_renew(body->shape, worn, now, &renewed, work, error);
    abut__free(scene->context, (void*)now.data, now.count, 3 * sizeof(double));
    if (status == ABUT_OK) {
        const abut_positions kept = {0};
        status = abut_body_set_shape(scene, id, renewed, kept, error);
        abut_shape_destroy(renewed);
    }
    return status;
}

abut_status abut_body_renew(abut_scene* scene, abut_body_id body, double limit,
                            abut_edit_work* work, abut_error* error) {
    abut__body* found = abut__scene_body(scene, body);
    if (found == NULL) {
        return abut__no_body(error, body);
    }
    if (!(limit >= 1)) {
        return abut__fail(error, ABUT_ERR_INVALID_ARGUMENT, ABUT_ELEMENT_NONE, 0,
                          "a limit of %g is below 1", limit);
    }
    const uint32_t bad = abut__body_state(found, 1)->bad_vertex;
    if (bad != ABUT__NONE) {
        return abut__fail(error, ABUT_ERR_INVALID_DATA, ABUT_ELEMENT_VERTEX, bad,
                          "vertex %u is not finite: there is nothing to build for", bad);
    }
    const uint32_t blocks = found->shape->tree.block_count;
    uint8_t* worn = abut__alloc(scene->context, blocks, 1);
    if (worn == NULL) {
        return abut__fail_memory(error);
    }
    uint32_t worn_count = 0;
    abut_edit_work done = {0};
    abut_status status = ABUT_OK;
    if (measure(found, limit, worn, &worn_count) > limit && worn_count > 0) {
        status = renew_worn(scene, body, found, worn, worn_count, &done, error);
    }
    abut__free(scene->context, worn, blocks, 1);
    if (status == ABUT_OK && work != NULL) {
        *work = done;
    }
    return status;
}
