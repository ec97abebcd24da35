// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// From pairs of blocks to candidates: the boxes of both blocks' triangles, as lanes.
#include "query/query.h"

// the lanes found become candidates of the job
static void add_candidates(const abut__run* run, abut__worker* worker, uint32_t job, uint32_t a,
                           uint32_t b, uint32_t count) {
    worker->counters.pairs_adjacent += worker->lanes.near_count;
    if (count == 0) {
        return;
    }
    ABUT_ASSERT(worker->candidates.count + count <= worker->candidates.capacity);
    abut__candidate* out = (abut__candidate*)worker->candidates.data + worker->candidates.count;
    worker->candidates.count += count;
    const uint16_t task = (uint16_t)(worker->task - run->tasks);
    for (uint32_t i = 0; i < count; ++i) {
        out[i] = (abut__candidate){
            job, {a, b}, {worker->lanes.lane[i][0], worker->lanes.lane[i][1]}, task};
    }
    if (worker->candidates.count >= ABUT__DECIDE_AT) {
        abut__candidates_decide(run, worker, false);
    }
}

// boxes that overlap everything, for jobs whose boxes are of no use
static void fill_unbounded(const abut__block* block, abut__block_boxes* out) {
    for (int d = 0; d < 3; ++d) {
        for (uint32_t k = 0; k < ABUT__BLOCK_TRIANGLES; ++k) {
            const float sign = k < block->triangle_count ? 1 : -1;
            out->lo[d][k] = -sign;
            out->hi[d][k] = sign;
        }
    }
}

static const abut__block_boxes* boxes_of(const abut__run* run, abut__worker* worker,
                                         const abut__job* job, uint32_t block, int side) {
    abut__body* body = side == 0 ? job->a : job->b;
    abut__block_boxes* room = &worker->room[side];
    if (job->unbounded) {
        fill_unbounded(body->shape->tree.blocks[block], room);
        return room;
    }
    return job->swept ? abut__swept_boxes(run, worker, body, block, side)
                      : abut__pool_get(run->scene, body, block, room, &worker->counters);
}

static const abut__shift no_shift = {{0, 0, 0}, {0, 0, 0}};

// Whatever touches a box has lanes there: leaves out those of a that do not. False: none is left.
static bool clip_first(const abut__run* run, const abut__job* job, const abut__block_boxes* boxes_a,
                       const abut__box3* box_b, uint64_t* lanes_a) {
    for (int d = 0; d < 3; ++d) {
        if (!(boxes_a->all.lo[d] + job->shift.lo[d] <= box_b->hi[d] &&
              box_b->lo[d] <= boxes_a->all.hi[d] + job->shift.hi[d])) {
            return false;
        }
    }
    *lanes_a = run->kernels->clip_block(boxes_a, *lanes_a, &job->shift, box_b);
    return *lanes_a != 0;
}

// Likewise, the lanes of b against the box of a.
static bool clip_second(const abut__run* run, const abut__job* job,
                        const abut__block_boxes* boxes_a, const abut__block_boxes* boxes_b,
                        uint64_t* lanes_b) {
    abut__box3 box_a = boxes_a->all;
    for (int d = 0; d < 3; ++d) {
        box_a.lo[d] += job->shift.lo[d];
        box_a.hi[d] += job->shift.hi[d];
    }
    *lanes_b = run->kernels->clip_block(boxes_b, *lanes_b, &no_shift, &box_a);
    return *lanes_b != 0;
}

// A block of b that nobody has evaluated yet is worth it only if a's triangles come near what bounds
// it. Always a first: which blocks are evaluated must not depend on who comes first.
void abut__candidates_between(const abut__run* run, abut__worker* worker, uint32_t job, uint32_t a,
                              uint32_t b, const abut__link* link) {
    const abut__job* j = &run->jobs[job];
    const abut__block_boxes* boxes_a = boxes_of(run, worker, j, a, 0);
    uint64_t lanes_a = j->a->shape->tree.blocks[a]->valid;
    uint64_t lanes_b = j->b->shape->tree.blocks[b]->valid;
    const abut__block_boxes* boxes_b = NULL;
    if (!j->unbounded && link == NULL) {
        boxes_b = j->swept ? NULL : abut__pool_peek(run->scene, j->b, b);
        if (boxes_b == NULL) {
            const abut__ref ref = b | ABUT__REF_BLOCK;
            const abut__box3 box_b = j->swept ? abut__swept_ref_box(j->b, ref)
                                              : abut__body_ref_box(j->b, ref, 1);
            if (!clip_first(run, j, boxes_a, &box_b, &lanes_a)) {
                return;
            }
        }
    }
    if (boxes_b == NULL) {
        boxes_b = boxes_of(run, worker, j, b, 1);
    }
    if (!j->unbounded && !(clip_first(run, j, boxes_a, &boxes_b->all, &lanes_a) &&
                           clip_second(run, j, boxes_a, boxes_b, &lanes_b))) {
        return;
    }
    const uint32_t count = run->kernels->pairs_between(
        boxes_a, lanes_a, boxes_b, lanes_b, &j->shift, link != NULL ? link->rows : 0,
        link != NULL ? j->links->masks + link->first : NULL, &worker->lanes);
    add_candidates(run, worker, job, a, b, count);
}

void abut__candidates_inside(const abut__run* run, abut__worker* worker, uint32_t job,
                             uint32_t block) {
    static const uint64_t everyone[ABUT__BLOCK_TRIANGLES] = {
        [0 ... ABUT__BLOCK_TRIANGLES - 1] = UINT64_MAX};
    const abut__job* j = &run->jobs[job];
    const abut__block_boxes* boxes = boxes_of(run, worker, j, block, 0);
    const uint32_t count = run->kernels->pairs_inside(
        boxes, j->a->shape->tree.blocks[block]->valid,
        run->def->neighbours ? everyone : j->links->later[block].lanes, &j->shift, &worker->lanes);
    add_candidates(run, worker, job, block, block, count);
}
