// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// From candidates to hits: tags and filter first, then the exact test, sixteen pairs at a time
// through the fast filters and one by one where those leave it open.
#include <math.h>

#include "query/query.h"

#define DECIDE_AT 256u  // candidates gathered before a decision: a multiple of the batch

static uint32_t triangle_of(const abut__body* body, uint32_t block, uint32_t lane) {
    return body->shape->tree.blocks[block]->triangle[lane];
}

uint32_t abut__shared_corners(const abut_mesh* mesh, uint32_t triangle_a, uint32_t triangle_b) {
    const uint32_t* a = mesh->triangles + 3 * (size_t)triangle_a;
    const uint32_t* b = mesh->triangles + 3 * (size_t)triangle_b;
    uint32_t shared = 0;
    for (uint32_t i = 0; i < 3; ++i) {
        for (uint32_t k = 0; k < 3; ++k) {
            if (mesh->classes[a[i]] == mesh->classes[b[k]]) {
                shared |= 1u << i;
            }
        }
    }
    return shared;
}

void abut__candidate_add(const abut__run* run, abut__worker* worker, uint32_t job, uint32_t block_a,
                         uint32_t lane_a, uint32_t block_b, uint32_t lane_b) {
    abut__candidate* place = abut__vector_push(run->context, &worker->candidates, 1, sizeof *place);
    if (place == NULL) {
        worker->status = ABUT_ERR_NO_MEMORY;
        return;
    }
    *place = (abut__candidate){job, block_a, block_b, (uint8_t)lane_a, (uint8_t)lane_b};
}

void abut__candidates_add_row(const abut__run* run, abut__worker* worker, uint32_t job,
                              uint32_t block_a, uint32_t lane_a, uint32_t block_b, uint64_t row) {
    for (; row != 0; row &= row - 1) {
        const uint32_t lane_b = (uint32_t)__builtin_ctzll(row);
        abut__candidate_add(run, worker, job, block_a, lane_a, block_b, lane_b);
    }
    if (worker->candidates.count >= DECIDE_AT) {
        abut__candidates_decide(run, worker);
    }
}

// Two triangles about to be decided.
typedef struct subject {
    const abut__job* job;
    uint32_t triangle_a;
    uint32_t triangle_b;
    uint32_t shared;  // corners of a in common with b: neighbours
    uint32_t lane[2];
    const abut__block* block[2];
} subject;

// within a body the triangle with the lower id comes first
static subject subject_of(const abut__run* run, const abut__candidate* c) {
    const abut__job* job = &run->jobs[c->job];
    subject s = {.job = job,
                 .triangle_a = triangle_of(job->a, c->block_a, c->lane_a),
                 .triangle_b = triangle_of(job->b, c->block_b, c->lane_b),
                 .lane = {c->lane_a, c->lane_b},
                 .block = {job->a->shape->tree.blocks[c->block_a],
                           job->b->shape->tree.blocks[c->block_b]}};
    if (job->self && s.triangle_a > s.triangle_b) {
        s = (subject){.job = job,
                      .triangle_a = s.triangle_b,
                      .triangle_b = s.triangle_a,
                      .lane = {s.lane[1], s.lane[0]},
                      .block = {s.block[1], s.block[0]}};
    }
    return s;
}

// neighbours that bit masks could not know of: over a hub, or because the query wants them
static bool skip_neighbour(const abut__run* run, abut__worker* worker, const abut__candidate* c,
                           subject* s) {
    if (!s->job->self) {
        return false;
    }
    const abut__tree* tree = &s->job->a->shape->tree;
    const bool hubs = tree->block_hub[c->block_a] != 0 && tree->block_hub[c->block_b] != 0;
    if (!hubs && !run->def->neighbours) {
        return false;
    }
    s->shared = abut__shared_corners(s->job->a->shape->mesh, s->triangle_a, s->triangle_b);
    if (s->shared != 0 && !run->def->neighbours) {
        ++worker->counters.pairs_adjacent;
        return true;
    }
    return false;
}

static bool tags_ignore(const subject* s) {
    const abut_shape* a = s->job->a->shape;
    const abut_shape* b = s->job->b->shape;
    if (a->ignored_count == 0 && b->ignored_count == 0) {
        return false;
    }
    const uint32_t tag_a = abut__mesh_tag(a->mesh, s->triangle_a);
    const uint32_t tag_b = abut__mesh_tag(b->mesh, s->triangle_b);
    return abut__shape_ignores(a, tag_a, tag_b) || abut__shape_ignores(b, tag_a, tag_b);
}

static bool is_filtered(const abut__run* run, const subject* s) {
    return tags_ignore(s) || (run->def->filter != NULL &&
                              !run->def->filter(run->def->filter_user, s->job->a->index,
                                                s->triangle_a, s->job->b->index, s->triangle_b));
}

// The corners of one triangle in the coordinates the job is decided in; false: not finite, noted.
static bool read_corners(abut__worker* worker, const subject* s, int side, double out[3][3]) {
    const abut__body* body = side == 0 ? s->job->a : s->job->b;
    const abut__block* block = s->block[side];
    uint32_t ids[3];
    for (int c = 0; c < 3; ++c) {
        ids[c] = block->vertex[block->corner[c][s->lane[side]]];
    }
    abut__body_vertices(body, ids, 3, 1, out);
    if (!s->job->in_shape && !abut__frame_is_identity(&body->frame)) {
        for (int c = 0; c < 3; ++c) {
            abut__frame_apply(&body->frame, out[c]);
        }
    }
    for (int c = 0; c < 3; ++c) {
        if (isfinite(out[c][0]) && isfinite(out[c][1]) && isfinite(out[c][2])) {
            continue;
        }
        const uint64_t bad = (uint64_t)body->index << 32 | ids[c];
        worker->bad_vertex = bad < worker->bad_vertex ? bad : worker->bad_vertex;
        return false;
    }
    return true;
}

static void add_hit(const abut__run* run, abut__worker* worker, const subject* s,
                    const double p[3][3], const double q[3][3]) {
    ++worker->counters.hits;
    worker->found = true;
    if (run->def->any) {
        atomic_store_explicit(&((abut__run*)run)->stop, true, memory_order_relaxed);
        return;
    }
    abut_pair* pair = abut__vector_push(run->context, &worker->pairs, 1, sizeof *pair);
    if (pair == NULL) {
        worker->status = ABUT_ERR_NO_MEMORY;
        return;
    }
    *pair = (abut_pair){s->job->a->index, s->job->b->index, s->triangle_a, s->triangle_b};
    if (!run->def->shared) {
        return;
    }
    abut_intersection* shared = abut__vector_push(run->context, &worker->shared, 1, sizeof *shared);
    if (shared == NULL) {
        worker->status = ABUT_ERR_NO_MEMORY;
        return;
    }
    abut__triangles_intersection(p, q, shared);
    if (s->job->in_shape && !abut__frame_is_identity(&s->job->a->frame)) {
        for (uint32_t i = 0; i < shared->count; ++i) {
            abut__frame_apply(&s->job->a->frame, shared->point[i]);
        }
    }
}

// up to a batch of pairs that await the exact test
typedef struct batch {
    uint32_t count;
    subject subject[ABUT__BATCH];
    double corner[ABUT__BATCH][6][3];
} batch;

static uint32_t undecided_of(const abut__run* run, const batch* b, uint32_t* touch) {
    abut__triangle_batch lanes;
    const uint32_t all = (1u << b->count) - 1;
    for (uint32_t k = 0; k < ABUT__BATCH; ++k) {
        for (int c = 0; c < 6; ++c) {
            for (int d = 0; d < 3; ++d) {
                lanes.corner[c][d][k] = b->corner[k < b->count ? k : 0][c][d];
            }
        }
    }
    const abut__triangle_verdict verdict =
        run->def->margin > 0 ? run->kernels->triangles_filter_within(&lanes, all, run->def->margin)
                             : run->kernels->triangles_filter(&lanes, all);
    *touch = verdict.touch;
    return all & ~(verdict.apart | verdict.touch);
}

static bool decide_alone(const abut__run* run, const subject* s, const double p[3][3],
                         const double q[3][3]) {
    if (s->shared != 0) {
        return abut__triangles_overlap_beyond(p, q, s->shared);
    }
    return run->def->margin > 0 ? abut__triangles_within(p, q, run->def->margin)
                                : abut__triangles_touch(p, q);
}

static void decide_batch(const abut__run* run, abut__worker* worker, batch* b) {
    if (b->count == 0) {
        return;
    }
    uint32_t touch = 0;
    const uint32_t undecided = undecided_of(run, b, &touch);
    for (uint32_t k = 0; k < b->count; ++k) {
        const double(*p)[3] = (const double(*)[3])b->corner[k];
        const double(*q)[3] = p + 3;
        // neighbours always touch: the filters say nothing about them
        const bool open = (undecided >> k & 1) != 0 || b->subject[k].shared != 0;
        worker->counters.exact_ties += open;
        const bool hit = open ? decide_alone(run, &b->subject[k], p, q) : (touch >> k & 1) != 0;
        if (hit) {
            add_hit(run, worker, &b->subject[k], p, q);
        }
    }
    worker->counters.exact_tests += b->count;
    b->count = 0;
}

void abut__candidates_decide(const abut__run* run, abut__worker* worker) {
    const abut__candidate* candidates = worker->candidates.data;
    batch b;
    b.count = 0;
    for (size_t i = 0; i < worker->candidates.count && worker->status == ABUT_OK; ++i) {
        subject s = subject_of(run, &candidates[i]);
        if (skip_neighbour(run, worker, &candidates[i], &s)) {
            continue;
        }
        if (is_filtered(run, &s)) {
            ++worker->counters.pairs_filtered;
            continue;
        }
        if (!read_corners(worker, &s, 0, b.corner[b.count]) ||
            !read_corners(worker, &s, 1, b.corner[b.count] + 3)) {
            continue;
        }
        b.subject[b.count++] = s;
        if (b.count == ABUT__BATCH) {
            decide_batch(run, worker, &b);
        }
    }
    if (worker->status == ABUT_OK) {
        decide_batch(run, worker, &b);
    }
    worker->candidates.count = 0;
}
