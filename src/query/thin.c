// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Thinning out candidates: where vertices cost something, the points that boxes were made of prove
// most pairs apart, and only what they leave open is worth vertices in double. Who is left out does
// not depend on threads: points that are not in the pool are worked out again.
#include "query/query.h"

// What candidates of the same two blocks have in common.
typedef struct view {
    const abut__block* fixed[2];
    const abut__kept_points* points[2];
} view;

// up to sixteen candidates, and which ones they are
typedef struct batch {
    uint32_t count;
    size_t place[ABUT__BATCH];
    abut__points_batch lanes;
} batch;

// Only pairs that nobody else has a say in are left out, and only where both are in one frame.
static bool is_plain(const abut__job* job) {
    return job->in_shape && !job->suspect && !job->unbounded &&
           abut__body_state(job->view[0].body, 1)->costly &&
           abut__body_state(job->view[1].body, 1)->costly &&
           job->view[0].shape->ignored_count == 0 && job->view[1].shape->ignored_count == 0;
}

static bool is_hub(const abut__job* job, const abut__candidate* c) {
    return job->self && job->links->hub[c->block[0]] != 0 && job->links->hub[c->block[1]] != 0;
}

static view view_of(const abut__run* run, const abut__candidate* c, abut__kept_points room[2]) {
    const abut__job* job = &run->jobs[c->job];
    view v;
    for (int side = 0; side < 2; ++side) {
        const abut__body* body = side == 0 ? job->view[0].body : job->view[1].body;
        v.fixed[side] = body->shape->tree.blocks[c->block[side]];
        v.points[side] = abut__pool_points(run->scene, body, c->block[side], &room[side]);
    }
    return v;
}

static void load(const view* v, const abut__candidate* c, size_t place, batch* b) {
    const uint32_t k = b->count++;
    b->place[k] = place;
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

// marks those that are apart
static uint32_t look_at(const abut__run* run, abut__worker* worker, batch* b) {
    const uint32_t apart = run->kernels->points_apart(&b->lanes, (1u << b->count) - 1);
    for (uint32_t left = apart; left != 0; left &= left - 1) {
        worker->candidates.data[b->place[__builtin_ctz(left)]].job = ABUT__NONE;
    }
    b->count = 0;
    return (uint32_t)__builtin_popcount(apart);
}

static size_t mark_apart(const abut__run* run, abut__worker* worker) {
    const abut__candidate* candidates = worker->candidates.data;
    abut__kept_points room[2];
    view v = {{NULL, NULL}, {NULL, NULL}};
    batch b = {.count = 0};
    const abut__candidate* seen = NULL;  // the view is of its blocks
    uint32_t strange = ABUT__NONE;       // a job whose candidates stay
    size_t marked = 0;
    for (size_t i = worker->thinned; i < worker->candidates.count; ++i) {
        const abut__candidate* c = &candidates[i];
        if (c->job == strange) {
            continue;
        }
        if (!is_plain(&run->jobs[c->job])) {
            strange = c->job;
            continue;
        }
        if (is_hub(&run->jobs[c->job], c)) {
            continue;
        }
        if (seen == NULL || !abut__same_blocks(seen, c)) {
            v = view_of(run, c, room);
        }
        seen = c;
        load(&v, c, i, &b);
        if (b.count == ABUT__BATCH) {
            marked += look_at(run, worker, &b);
        }
    }
    return b.count > 0 ? marked + look_at(run, worker, &b) : marked;
}

static void close_gaps(abut__worker* worker) {
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
    if (run->def->margin == 0 && !run->def->neighbours && run->def->filter == NULL) {
        const size_t marked = mark_apart(run, worker);
        worker->reader.counters.exact_tests += marked;
        if (marked > 0) {
            close_gaps(worker);
        }
    }
    worker->thinned = worker->candidates.count;
}
