// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// From pairs of blocks to candidates: compares the boxes of triangles, which are lanes of a block.
#include "query/query.h"

// makes the pairs of lanes that were found candidates of the job
static void add_candidates(const abut__run* run, abut__worker* worker, uint32_t job, uint32_t a,
                           uint32_t b, uint32_t found) {
    worker->reader.counters.pairs_adjacent += worker->lanes.near_count;
    if (found == 0) {
        return;
    }
    ABUT_ASSERT(worker->candidates.count + found <= worker->candidates.capacity);
    abut__candidate* out = worker->candidates.data + worker->candidates.count;
    worker->candidates.count += found;
    const uint16_t task = (uint16_t)(worker->task - run->tasks);
    for (uint32_t i = 0; i < found; ++i) {
        out[i] = (abut__candidate){
            job, {a, b}, {worker->lanes.lane[i][0], worker->lanes.lane[i][1]}, task};
    }
    if (worker->candidates.count >= ABUT__DECIDE_AT) {
        abut__candidates_decide(run, worker, false);
    }
}

// fills in boxes that all overlap, for jobs that are unbounded
static void fill_unbounded(const abut__block* block, abut__block_boxes* out) {
    for (int d = 0; d < 3; ++d) {
        for (uint32_t k = 0; k < ABUT__BLOCK_TRIANGLES; ++k) {
            const float sign = k < block->triangle_count ? 1 : -1;
            out->lo[d][k] = -sign;
            out->hi[d][k] = sign;
        }
    }
    out->valid = block->valid;
}

void abut__usage_flush(abut__worker* worker, int side) {
    if (worker->opened_count[side] > 0) {
        atomic_fetch_add_explicit(&worker->opened[side]->opened, worker->opened_count[side],
                                  memory_order_relaxed);
        worker->opened_count[side] = 0;
    }
    if (worker->false_open_count[side] > 0) {
        atomic_fetch_add_explicit(&worker->opened[side]->false_opens,
                                  worker->false_open_count[side], memory_order_relaxed);
        worker->false_open_count[side] = 0;
    }
    if (worker->refined_count[side] > 0) {
        atomic_fetch_add_explicit(&worker->opened[side]->refined, worker->refined_count[side],
                                  memory_order_relaxed);
        worker->refined_count[side] = 0;
    }
}

// counts evaluated blocks and false opens in the usage of a view
static void count(abut__worker* worker, int side, const abut__view* view, uint32_t blocks,
                  uint32_t false_opens) {
    if (view->usage == NULL) {
        return;
    }
    if (worker->opened[side] != view->usage) {
        abut__usage_flush(worker, side);
        worker->opened[side] = view->usage;
    }
    worker->opened_count[side] += blocks;
    worker->false_open_count[side] += false_opens;
}

void abut__usage_refined(abut__worker* worker, const abut__job* job) {
    for (int side = 0; side < 2; ++side) {  // of motions that choose by it
        const abut__view* view = &job->view[side];
        if (view->usage != NULL && view->shape->motion->node_spheres != NULL) {
            count(worker, side, view, 0, 0);
            ++worker->refined_count[side];
        }
    }
}

// Counts a pair of blocks whose boxes overlapped, but none of its triangles' boxes. Motions choose
// tighter bounds by it. The count does not depend on which thread evaluated the second block.
static void count_false_open(abut__worker* worker, const abut__job* job) {
    count(worker, 0, &job->view[0], 0, 1);
    count(worker, 1, &job->view[1], 0, 1);
}

// gets the boxes of a block, and counts it
static const abut__block_boxes* boxes_of(abut__worker* worker, const abut__job* job, int side,
                                         uint32_t block) {
    const abut__view* view = &job->view[side];
    abut__reader* reader = &worker->reader;
    if (job->unbounded) {
        fill_unbounded(view->tree->blocks[block], &reader->boxes[side]);
        return &reader->boxes[side];
    }
    const uint64_t before = reader->evaluated.blocks_evaluated;
    const abut__block_boxes* boxes = view->kind->block_boxes(view, block, side, reader);
    count(worker, side, view, (uint32_t)(reader->evaluated.blocks_evaluated - before), 0);
    abut__need(job->needed[side], view->tree, block, &reader->counters);
    return boxes;
}

bool abut__candidate_meets(const abut__run* run, abut__worker* worker, const abut__candidate* c) {
    const abut__job* job = &run->jobs[c->job];
    if (job->unbounded) {
        return true;
    }
    const abut__block_boxes* a = boxes_of(worker, job, 0, c->block[0]);
    const abut__block_boxes* b = boxes_of(worker, job, 1, c->block[1]);
    const uint32_t i = c->lane[0];
    const uint32_t k = c->lane[1];
    bool meets = true;
    for (int d = 0; d < 3; ++d) {
        meets &= a->lo[d][i] + job->shift.lo[d] <= b->hi[d][k] &&
                 b->lo[d][k] <= a->hi[d][i] + job->shift.hi[d];
    }
    return meets;
}

static const abut__shift no_shift = {{0, 0, 0}, {0, 0, 0}};

static bool boxes_meet(const abut__box3* a, const abut__shift* shift, const abut__box3* b) {
    for (int d = 0; d < 3; ++d) {
        if (!(a->lo[d] + shift->lo[d] <= b->hi[d] && b->lo[d] <= a->hi[d] + shift->hi[d])) {
            return false;
        }
    }
    return true;
}

// Removes the lanes of a whose boxes miss a box of b. False: none is left.
static bool clip_a(const abut__run* run, const abut__job* job, const abut__block_boxes* boxes_a,
                   const abut__box3* box_b, uint64_t* lanes_a) {
    if (!boxes_meet(&boxes_a->all, &job->shift, box_b)) {
        return false;
    }
    *lanes_a = run->kernels->clip_block(boxes_a, *lanes_a, &job->shift, box_b);
    return *lanes_a != 0;
}

// Removes the lanes of b whose boxes miss a box of a. False: none is left.
static bool clip_b(const abut__run* run, const abut__job* job, const abut__block_boxes* boxes_b,
                   const abut__box3* box_a, uint64_t* lanes_b) {
    if (!boxes_meet(box_a, &job->shift, &boxes_b->all)) {
        return false;
    }
    abut__box3 box = *box_a;
    for (int d = 0; d < 3; ++d) {
        box.lo[d] += job->shift.lo[d];
        box.hi[d] += job->shift.hi[d];
    }
    *lanes_b = run->kernels->clip_block(boxes_b, *lanes_b, &no_shift, &box);
    return *lanes_b != 0;
}

// Removes the lanes of a block whose boxes miss the other body's sphere. False: none is left.
static bool clip_by_sphere(const abut__run* run, const abut__job* job, int side,
                           const abut__block_boxes* boxes, uint64_t* lanes) {
    if (job->has_sphere[1 - side]) {
        *lanes = run->kernels->clip_sphere(boxes, *lanes, side == 0 ? &job->shift : &no_shift,
                                           &job->sphere[1 - side]);
    }
    return *lanes != 0;
}

// two blocks, and which of their lanes are left
typedef struct lanes_of_two {
    const abut__block_boxes* boxes[2];
    uint64_t lanes[2];
} lanes_of_two;

// gets the boxes of a block, all of whose lanes are left
static void open_block(abut__worker* worker, const abut__job* job, int side, uint32_t block,
                       lanes_of_two* two) {
    two->boxes[side] = boxes_of(worker, job, side, block);
    two->lanes[side] = two->boxes[side]->valid;
}

// Gets the boxes of a block, and its lanes that meet the other body's sphere. False: none is left.
static bool open_by_sphere(const abut__run* run, abut__worker* worker, const abut__job* job,
                           int side, uint32_t block, lanes_of_two* two) {
    if (!job->has_sphere[1 - side]) {
        open_block(worker, job, side, block, two);
        return true;
    }
    abut__sphere_lanes* cache = &worker->sphere;
    if (cache->job != job) {
        cache->job = job;
        memset(cache->block, 0xff, sizeof cache->block);  // the number of no block
    }
    const uint32_t place = block % ABUT__SPHERE_BLOCKS;
    const bool known = cache->block[place] == block;
    if (known && cache->lanes[place] == 0) {
        return false;
    }
    open_block(worker, job, side, block, two);
    if (!known) {
        cache->lanes[place] = two->lanes[side];
        (void)clip_by_sphere(run, job, side, two->boxes[side], &cache->lanes[place]);
        cache->block[place] = block;
    }
    two->lanes[side] = cache->lanes[place];
    return two->lanes[side] != 0;
}

static bool clip_both(const abut__run* run, const abut__job* job, lanes_of_two* two) {
    return clip_a(run, job, two->boxes[0], &two->boxes[1]->all, &two->lanes[0]) &&
           clip_b(run, job, two->boxes[1], &two->boxes[0]->all, &two->lanes[1]);
}

// Gets the boxes of two blocks and their lanes that meet the other. False: none do. The second
// block is evaluated only if triangles of the first one meet its box. The job determines which is
// the first, so the blocks that are evaluated do not depend on the order of the threads.
static bool boxes_of_two(const abut__run* run, abut__worker* worker, const abut__job* job,
                         const uint32_t block[2], lanes_of_two* two) {
    const int first = job->b_first ? 1 : 0;
    const int second = 1 - first;
    const abut__view* other = &job->view[second];
    if (!open_by_sphere(run, worker, job, first, block[first], two)) {
        return false;
    }
    two->boxes[second] = abut__view_peek(other, block[second], run->scene);
    // a block that another query has evaluated is needed only if this one would evaluate it, too
    if (two->boxes[second] == NULL || !abut__is_needed(job->needed[second], block[second])) {
        const abut__box3 box = abut__view_box(other, block[second] | ABUT__REF_BLOCK);
        if (first == 0 ? !clip_a(run, job, two->boxes[0], &box, &two->lanes[0])
                       : !clip_b(run, job, two->boxes[1], &box, &two->lanes[1])) {
            return false;
        }
        open_block(worker, job, second, block[second], two);
    } else {
        two->lanes[second] = two->boxes[second]->valid;
    }
    return clip_both(run, job, two) &&
           clip_by_sphere(run, job, second, two->boxes[second], &two->lanes[second]);
}

void abut__candidates_between(const abut__run* run, abut__worker* worker, uint32_t job, uint32_t a,
                              uint32_t b, const abut__link* link) {
    const abut__job* j = &run->jobs[job];
    lanes_of_two two;
    if (!j->unbounded && link == NULL) {
        if (!boxes_of_two(run, worker, j, (const uint32_t[2]){a, b}, &two)) {
            // a query that stops at the first hit opens as many as its threads happen to
            if (!j->listed && !run->def->any) {
                count_false_open(worker, j);
            }
            return;
        }
    } else {
        open_block(worker, j, 0, a, &two);
        open_block(worker, j, 1, b, &two);
        if (!j->unbounded && !clip_both(run, j, &two)) {
            return;
        }
    }
    const uint32_t found = run->kernels->pairs_between(
        two.boxes[0], two.lanes[0], two.boxes[1], two.lanes[1], &j->shift,
        link != NULL ? link->rows : 0, link != NULL ? j->links->masks + link->first : NULL,
        &worker->lanes);
    add_candidates(run, worker, job, a, b, found);
}

void abut__candidates_inside(const abut__run* run, abut__worker* worker, uint32_t job,
                             uint32_t block) {
    static const uint64_t all_pairs[ABUT__BLOCK_TRIANGLES] = {
        [0 ... ABUT__BLOCK_TRIANGLES - 1] = UINT64_MAX};
    const abut__job* j = &run->jobs[job];
    const abut__block_boxes* boxes = boxes_of(worker, j, 0, block);
    const uint32_t found = run->kernels->pairs_inside(
        boxes, boxes->valid,
        run->def->include_neighbours ? all_pairs : j->links->later[block].lanes, &j->shift,
        &worker->lanes);
    add_candidates(run, worker, job, block, block, found);
}
