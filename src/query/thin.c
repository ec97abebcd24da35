// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Decides candidates in float. Where vertices take work to evaluate, the points that the boxes were
// made of prove most pairs apart or touching, and only the others need vertices in double. The
// decided candidates do not depend on threads: points that are not in the pool are computed again.
#include "query/query.h"

// Two blocks that several candidates have in common.
typedef struct block_pair {
    const abut__block* fixed[2];
    const abut__cached_points* points[2];
} block_pair;

// up to sixteen candidates
typedef struct batch {
    uint32_t count;
    size_t index[ABUT__BATCH];  // of each among the worker's candidates
    abut__points_batch lanes;
} batch;

// Whether candidates of a job may be decided: it has no margin, points are relative to one origin, all coordinates are
// finite and bounded, vertices take work to evaluate, and the shapes ignore no tags.
static bool may_decide(const abut__job* job) {
    return job->margin == 0 && job->aligned && !job->suspect && !job->unbounded &&
           abut__body_state(job->view[0].body, 1)->costly &&
           abut__body_state(job->view[1].body, 1)->costly &&
           job->view[0].shape->ignored_count == 0 && job->view[1].shape->ignored_count == 0;
}

// whether the blocks use hubs, so that the candidate may be of neighbours
static bool uses_hubs(const abut__job* job, const abut__candidate* c) {
    return job->self && job->links->hub[c->block[0]] != 0 && job->links->hub[c->block[1]] != 0;
}

static block_pair open_blocks(const abut__run* run, const abut__candidate* c,
                              abut__cached_points room[2]) {
    const abut__job* job = &run->jobs[c->job];
    block_pair v;
    for (int side = 0; side < 2; ++side) {
        const abut__body* body = side == 0 ? job->view[0].body : job->view[1].body;
        v.fixed[side] = body->shape->tree.blocks[c->block[side]];
        v.points[side] = abut__pool_points(run->scene, body, c->block[side], &room[side]);
    }
    return v;
}

static void load(const block_pair* v, const abut__candidate* c, size_t index, batch* b) {
    const uint32_t k = b->count++;
    b->index[k] = index;
    for (uint32_t side = 0; side < 2; ++side) {
        const abut__block_points* points = &v->points[side]->at;
        for (uint32_t i = 0; i < 3; ++i) {
            const uint32_t corner = v->fixed[side]->corner[i][c->lane[side]];
            for (size_t d = 0; d < 3; ++d) {
                b->lanes.corner[3 * side + i][d][k] = points->xyz[d][corner];
            }
        }
    }
    const float radius[2] = {v->points[0]->radius, v->points[1]->radius};
    b->lanes.radius[k] = radius[0] > radius[1] ? radius[0] : radius[1];
}

// marks the candidates of a batch that are decided (job ABUT__NONE), adds those that touch to the
// hits, empties the batch, and returns the number of marks
static uint32_t test_batch(const abut__run* run, abut__worker* worker, batch* b) {
    const uint32_t found = run->kernels->points_apart(&b->lanes, (1u << b->count) - 1);
    const uint32_t apart = found & 0xffff;
    // intersections need vertices in double
    const uint32_t touch = run->def->intersections ? 0 : found >> 16;
    for (uint32_t left = touch; left != 0; left &= left - 1) {
        abut__candidate_hit(run, worker, &worker->candidates.data[b->index[__builtin_ctz(left)]]);
    }
    for (uint32_t left = apart | touch; left != 0; left &= left - 1) {
        worker->candidates.data[b->index[__builtin_ctz(left)]].job = ABUT__NONE;
    }
    b->count = 0;
    return (uint32_t)__builtin_popcount(apart | touch);
}

// marks the candidates that are decided, returns their number
static size_t mark_decided(const abut__run* run, abut__worker* worker) {
    const abut__candidate* candidates = worker->candidates.data;
    abut__cached_points room[2];
    block_pair v = {{NULL, NULL}, {NULL, NULL}};
    batch b = {.count = 0};
    const abut__candidate* last = NULL;  // `v` is of its blocks
    uint32_t asked = ABUT__NONE;         // a job, and whether its candidates may be decided
    bool may = false;
    size_t marked = 0;
    for (size_t i = worker->thinned; i < worker->candidates.count; ++i) {
        const abut__candidate* c = &candidates[i];
        if (c->job != asked) {
            asked = c->job;
            may = may_decide(&run->jobs[asked]);
        }
        if (!may || uses_hubs(&run->jobs[asked], c)) {
            continue;
        }
        if (last == NULL || !abut__same_blocks(last, c)) {
            v = open_blocks(run, c, room);
        }
        last = c;
        load(&v, c, i, &b);
        if (b.count == ABUT__BATCH) {
            marked += test_batch(run, worker, &b);
        }
    }
    return b.count > 0 ? marked + test_batch(run, worker, &b) : marked;
}

// removes the marked candidates
static void remove_marked(abut__worker* worker) {
    abut__candidate* candidates = worker->candidates.data;
    size_t to = worker->thinned;
    for (size_t i = to; i < worker->candidates.count; ++i) {
        if (candidates[i].job != ABUT__NONE) {
            candidates[to++] = candidates[i];
        }
    }
    worker->candidates.count = to;
}

void abut__candidates_thin(const abut__run* run, abut__worker* worker) {
    if (!run->def->include_neighbours && run->def->filter.fn == NULL) {
        const size_t marked = mark_decided(run, worker);
        worker->reader.counters.exact_tests += marked;
        if (marked > 0) {
            remove_marked(worker);
        }
    }
    worker->thinned = worker->candidates.count;
}
