// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Decides candidates in float. The points that the boxes were made of prove nearly all pairs apart
// or touching, and only the others need vertices in double. The decided candidates do not depend on
// threads: points that are not in the pool are computed again.
#include "query/query.h"

// Candidates that wait for a decision: they are adjacent, from `first` on.
typedef struct batch {
    size_t first;
    abut__row_pairs pairs;
} batch;

// Whether candidates of a job may be decided: it has no margin, points are relative to one origin,
// all coordinates are finite and bounded, and the shapes ignore no tags.
static bool may_decide(const abut__job* job) {
    return job->margin == 0 && job->aligned && !job->suspect && !job->unbounded &&
           job->view[0].shape->ignored_count == 0 && job->view[1].shape->ignored_count == 0;
}

// whether the blocks use hubs, so that the candidate may be of neighbours
static bool uses_hubs(const abut__job* job, const abut__candidate* c) {
    return job->self && job->links->hub[c->block[0]] != 0 && job->links->hub[c->block[1]] != 0;
}

static void forget_rows(abut__row_cache* cache) {
    for (int side = 0; side < 2; ++side) {
        for (uint32_t k = 0; k < ABUT__ROW_BLOCKS; ++k) {
            cache->stamp[side][k] = 0;  // of no state
        }
    }
}

// Whether the rows of a block are in the cache; else its place there may hold those of another.
static bool is_cached(const abut__row_cache* cache, const abut__job* job, const abut__candidate* c,
                      int side) {
    const uint32_t block = c->block[side];
    const uint32_t place = block % ABUT__ROW_BLOCKS;
    return cache->stamp[side][place] == job->view[side].body->stamp &&
           cache->block[side][place] == block;
}

static const abut__corner_rows* rows_of(const abut__run* run, abut__row_cache* cache,
                                        const abut__job* job, const abut__candidate* c, int side) {
    const uint32_t block = c->block[side];
    const uint32_t place = block % ABUT__ROW_BLOCKS;
    abut__corner_rows* rows = &cache->rows[side][place];
    if (!is_cached(cache, job, c, side)) {
        const abut__body* body = job->view[side].body;
        abut__cached_points room;
        const abut__cached_points* points = abut__pool_points(run->scene, body, block, &room);
        run->kernels->corner_rows(body->shape->tree.blocks[block], &points->at, points->radius,
                                  rows);
        cache->stamp[side][place] = body->stamp;
        cache->block[side][place] = block;
    }
    return rows;
}

// Moves candidates of a batch, by ascending numbers, to `to`. Returns the end of these.
static size_t keep(abut__worker* worker, const batch* b, const uint8_t* numbers, uint32_t count,
                   size_t to) {
    abut__candidate* candidates = worker->candidates.data;
    for (uint32_t i = 0; i < count; ++i) {
        candidates[to++] = candidates[b->first + numbers[i]];
    }
    return to;
}

// The same with all that are not certainly apart.
static size_t keep_both(abut__worker* worker, const batch* b, size_t to) {
    const abut__row_pairs* pairs = &b->pairs;
    uint32_t touch = 0;
    for (uint32_t open = 0; open <= pairs->open_count; ++open) {
        const uint32_t next = open < pairs->open_count ? pairs->open[open] : pairs->count;
        while (touch < pairs->touch_count && pairs->touch[touch] < next) {
            to = keep(worker, b, &pairs->touch[touch++], 1, to);
        }
        to = open < pairs->open_count ? keep(worker, b, &pairs->open[open], 1, to) : to;
    }
    return to;
}

// Decides a batch and empties it: adds the candidates that touch to the hits, and moves those that
// stay open to `to`. Returns the end of these.
static size_t decide_batch(const abut__run* run, abut__worker* worker, batch* b, size_t to) {
    abut__row_pairs* pairs = &b->pairs;
    run->kernels->rows_decide(pairs);
    const size_t before = to;
    if (run->def->intersections) {  // they need vertices in double
        to = keep_both(worker, b, to);
    } else {
        for (uint32_t i = 0; i < pairs->touch_count; ++i) {
            abut__candidate_hit(run, worker, &worker->candidates.data[b->first + pairs->touch[i]]);
        }
        to = keep(worker, b, pairs->open, pairs->open_count, to);
    }
    worker->reader.counters.exact_tests += pairs->count - (to - before);
    pairs->count = 0;
    return to;
}

// Decides the candidates from `from` to `end`, which are of the same blocks.
static size_t thin_blocks(const abut__run* run, abut__worker* worker, batch* b, size_t from,
                          size_t end, size_t to) {
    const abut__candidate* candidates = worker->candidates.data;
    const abut__candidate* c = &candidates[from];
    const abut__job* job = &run->jobs[c->job];
    abut__row_cache* cache = worker->rows;
    // rows that the batch refers to must not be overwritten
    if (b->pairs.count > 0 && !(is_cached(cache, job, c, 0) && is_cached(cache, job, c, 1))) {
        to = decide_batch(run, worker, b, to);
    }
    const abut__corner_rows* rows[2] = {rows_of(run, cache, job, c, 0),
                                        rows_of(run, cache, job, c, 1)};
    for (size_t i = from; i < end; ++i) {
        if (b->pairs.count == 0) {
            b->first = i;
        }
        const uint32_t k = b->pairs.count++;
        b->pairs.row[0][k] = rows[0]->row[candidates[i].lane[0]];
        b->pairs.row[1][k] = rows[1]->row[candidates[i].lane[1]];
        if (k + 1 == ABUT__ROW_PAIRS) {
            to = decide_batch(run, worker, b, to);
        }
    }
    return to;
}

void abut__candidates_thin(const abut__run* run, abut__worker* worker) {
    const size_t count = worker->candidates.count;
    if (run->def->include_neighbours || run->def->filter.fn != NULL || worker->thinned == count) {
        worker->thinned = count;
        return;
    }
    if (!worker->rows_current) {
        forget_rows(worker->rows);
        worker->rows_current = true;
    }
    abut__candidate* candidates = worker->candidates.data;
    batch b;
    b.pairs.count = 0;
    size_t to = worker->thinned;
    for (size_t from = to; from < count;) {
        const abut__candidate* c = &candidates[from];
        size_t end = from + 1;
        while (end < count && abut__same_blocks(c, &candidates[end])) {
            ++end;
        }
        if (may_decide(&run->jobs[c->job]) && !uses_hubs(&run->jobs[c->job], c)) {
            to = thin_blocks(run, worker, &b, from, end, to);
        } else {  // a batch is adjacent
            to = b.pairs.count > 0 ? decide_batch(run, worker, &b, to) : to;
            memmove(&candidates[to], &candidates[from], (end - from) * sizeof *candidates);
            to += end - from;
        }
        from = end;
    }
    to = b.pairs.count > 0 ? decide_batch(run, worker, &b, to) : to;
    worker->candidates.count = worker->thinned = to;
}
