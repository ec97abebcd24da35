// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Collide: the leaf action between blocks of two bodies, and the calls.
#include <math.h>

#include "query/query.h"

uint64_t abut__overlapping_lanes(const abut__run* run, abut__worker* worker, const abut__job* job,
                                 uint32_t a, uint32_t b, uint64_t rows[ABUT__BLOCK_TRIANGLES]) {
    const abut__block* block_a = job->a->shape->tree.blocks[a];
    const abut__block* block_b = job->b->shape->tree.blocks[b];
    if (job->unbounded) {
        for (uint32_t i = 0; i < block_a->triangle_count; ++i) {
            rows[i] = block_b->valid;
        }
        return block_a->valid;
    }
    const abut__block_boxes* boxes_a = abut__pool_get(run->scene, job->a, a, &worker->room[0],
                                                      &worker->counters);
    const abut__block_boxes* boxes_b = abut__pool_get(run->scene, job->b, b, &worker->room[1],
                                                      &worker->counters);
    // whatever touches lies in the boxes of both blocks: leave out the lanes that do not
    abut__box3 box_a = abut__body_ref_box(job->a, a | ABUT__REF_BLOCK, 1);
    const abut__box3 box_b = abut__body_ref_box(job->b, b | ABUT__REF_BLOCK, 1);
    for (int d = 0; d < 3; ++d) {
        box_a.lo[d] += job->shift.lo[d];
        box_a.hi[d] += job->shift.hi[d];
    }
    const abut__shift none = {{0}, {0}};
    const uint64_t lanes_a = run->kernels->clip_block(boxes_a, block_a->valid, &job->shift, &box_b);
    const uint64_t lanes_b = run->kernels->clip_block(boxes_b, block_b->valid, &none, &box_a);
    if (lanes_a == 0 || lanes_b == 0) {
        return 0;
    }
    run->kernels->overlap_blocks(boxes_a, lanes_a, boxes_b, lanes_b, &job->shift, rows);
    return lanes_a;
}

void abut__collide_blocks(const abut__run* run, abut__worker* worker, uint32_t job, uint32_t a,
                          uint32_t b) {
    uint64_t rows[ABUT__BLOCK_TRIANGLES];
    uint64_t lanes = abut__overlapping_lanes(run, worker, &run->jobs[job], a, b, rows);
    for (; lanes != 0; lanes &= lanes - 1) {
        const uint32_t i = (uint32_t)__builtin_ctzll(lanes);
        abut__candidates_add_row(run, worker, job, a, i, b, rows[i]);
    }
}

static bool def_is_valid(const abut_query_def* def) {
    return def->cookie == ABUT__COOKIE && def->margin >= 0 && isfinite(def->margin) &&
           !(def->budget > 0 && def->front == NULL) && !(def->any && def->callback != NULL);
}

abut_status abut_collide(const abut_scene* scene, abut_body_id a, abut_body_id b,
                         const abut_query_def* def, abut_result* result) {
    const abut_query_def defaults = abut_query_def_default();
    def = def != NULL ? def : &defaults;
    abut__body* body_a = abut__scene_body(scene, a);
    abut__body* body_b = abut__scene_body(scene, b);
    if (result == NULL || body_a == NULL || body_b == NULL || body_a == body_b ||
        !def_is_valid(def)) {
        return ABUT_ERR_INVALID_ARGUMENT;
    }
    abut_status status = abut__result_begin(result, def);
    if (status == ABUT_OK) {
        status = abut__query_add_job(result, body_a, body_b, def->margin);
    }
    return status == ABUT_OK ? abut__query_run(scene, def, result) : status;
}

abut_status abut_collide_all(const abut_scene* scene, const abut_query_def* def,
                             abut_result* result) {
    const abut_query_def defaults = abut_query_def_default();
    def = def != NULL ? def : &defaults;
    if (scene == NULL || result == NULL || !def_is_valid(def)) {
        return ABUT_ERR_INVALID_ARGUMENT;
    }
    abut_status status = abut__result_begin(result, def);
    if (status != ABUT_OK) {
        return status;
    }
    if (!abut__broad_phase(scene, def->margin, &result->boxes, &result->order, &result->bodies)) {
        return ABUT_ERR_NO_MEMORY;
    }
    const abut__body_pair* pairs = result->bodies.data;
    for (size_t i = 0; i < result->bodies.count && status == ABUT_OK; ++i) {
        status = abut__query_add_job(result, abut__scene_at(scene, pairs[i].a),
                                     abut__scene_at(scene, pairs[i].b), def->margin);
    }
    return status == ABUT_OK ? abut__query_run(scene, def, result) : status;
}

abut_status abut_self(const abut_scene* scene, abut_body_id a, const abut_query_def* def,
                      abut_result* result) {
    const abut_query_def defaults = abut_query_def_default();
    def = def != NULL ? def : &defaults;
    abut__body* body = abut__scene_body(scene, a);
    if (result == NULL || body == NULL || !def_is_valid(def)) {
        return ABUT_ERR_INVALID_ARGUMENT;
    }
    abut_status status = abut__result_begin(result, def);
    if (status == ABUT_OK) {
        status = abut__query_add_job(result, body, body, def->margin);
    }
    return status == ABUT_OK ? abut__query_run(scene, def, result) : status;
}

abut_status abut_self_all(const abut_scene* scene, const abut_query_def* def, abut_result* result) {
    const abut_query_def defaults = abut_query_def_default();
    def = def != NULL ? def : &defaults;
    if (scene == NULL || result == NULL || !def_is_valid(def)) {
        return ABUT_ERR_INVALID_ARGUMENT;
    }
    abut_status status = abut__result_begin(result, def);
    for (size_t i = 0; i < scene->bodies.count && status == ABUT_OK; ++i) {
        abut__body* body = abut__scene_at(scene, i);
        if (body != NULL && !body->is_static) {
            status = abut__query_add_job(result, body, body, def->margin);
        }
    }
    return status == ABUT_OK ? abut__query_run(scene, def, result) : status;
}
