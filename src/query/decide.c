// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// From candidates to hits: tags and filter first, then the exact test, sixteen pairs at a time
// through the fast filters and one by one where those leave it open.
#include <math.h>

#include "query/query.h"

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

// Two triangles about to be decided, of bodies job->a and job->b.
typedef struct subject {
    const abut__job* job;
    uint32_t triangle[2];
    uint32_t block[2];
    uint8_t lane[2];
    uint32_t shared;  // corners of the first in common with the second: neighbours
} subject;

// up to sixteen pairs that await the exact test
typedef struct batch {
    uint32_t count;
    subject subject[ABUT__BATCH];
    uint32_t vertex[6][ABUT__BATCH];
    abut__triangle_batch lanes;
} batch;

// puts a candidate into the next lane; within a body the triangle with the lower id comes first
static void load_candidate(const abut__run* run, batch* b, const abut__candidate* c) {
    const abut__job* job = &run->jobs[c->job];
    const uint32_t k = b->count;
    const abut__block* block[2] = {job->a->shape->tree.blocks[c->block[0]],
                                   job->b->shape->tree.blocks[c->block[1]]};
    const uint32_t triangle[2] = {block[0]->triangle[c->lane[0]], block[1]->triangle[c->lane[1]]};
    const uint32_t first = job->self && triangle[0] > triangle[1];
    for (uint32_t side = 0; side < 2; ++side) {
        const uint32_t from = side ^ first;
        const abut__block* own = block[from];
        b->subject[k].triangle[side] = triangle[from];
        b->subject[k].block[side] = c->block[from];
        b->subject[k].lane[side] = c->lane[from];
        for (uint32_t corner = 0; corner < 3; ++corner) {
            b->vertex[3 * side + corner][k] = own->vertex[own->corner[corner][c->lane[from]]];
        }
    }
    b->subject[k].job = job;
    b->subject[k].shared = 0;
}

// neighbours that bit masks could not know of: over a hub, or because the query wants them
static bool skip_neighbour(const abut__run* run, abut__worker* worker, const abut__candidate* c,
                           subject* s) {
    if (!s->job->self) {
        return false;
    }
    const uint8_t* hub = s->job->links->hub;
    const bool hubs = hub[c->block[0]] != 0 && hub[c->block[1]] != 0;
    if (!hubs && !run->def->neighbours) {
        return false;
    }
    s->shared = abut__shared_corners(s->job->a->shape->mesh, s->triangle[0], s->triangle[1]);
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
    const uint32_t tag_a = abut__mesh_tag(a->mesh, s->triangle[0]);
    const uint32_t tag_b = abut__mesh_tag(b->mesh, s->triangle[1]);
    return abut__shape_ignores(a, tag_a, tag_b) || abut__shape_ignores(b, tag_a, tag_b);
}

static bool is_filtered(const abut__run* run, const subject* s) {
    return tags_ignore(s) || (run->def->filter != NULL &&
                              !run->def->filter(run->def->filter_user, s->job->a->index,
                                                s->triangle[0], s->job->b->index, s->triangle[1]));
}

static void add_hit(const abut__run* run, abut__worker* worker, const subject* s,
                    const double p[3][3], const double q[3][3]) {
    ++worker->counters.hits;
    worker->found = true;
    if (run->def->any) {
        atomic_store_explicit(&((abut__run*)run)->stop, true, memory_order_relaxed);
        return;
    }
    abut_pair* pair = abut__vector_push(run->context, &worker->task->pairs, 1, sizeof *pair);
    if (pair == NULL) {
        worker->status = ABUT_ERR_NO_MEMORY;
        return;
    }
    *pair = (abut_pair){s->job->a->index, s->job->b->index, s->triangle[0], s->triangle[1]};
    if (!run->def->shared) {
        return;
    }
    abut_intersection* shared = abut__vector_push(run->context, &worker->task->shared, 1,
                                                  sizeof *shared);
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

// the corners of one side of pairs first .. end, picked from vertices kept with their blocks;
// candidates come block by block, so the next pair is mostly of the same one
static void read_kept_corners(const abut__run* run, batch* b, uint32_t first, uint32_t end,
                              int side, const abut__body* body) {
    const abut_shape* shape = body->shape;
    const abut__block_exact* kept = NULL;
    for (uint32_t k = first; k < end; ++k) {
        const subject* s = &b->subject[k];
        const abut__block* block = shape->tree.blocks[s->block[side]];
        if (k == first || s->block[side] != s[-1].block[side]) {
            kept = abut__pool_vertices(run->scene, body, s->block[side]);
        }
        for (int c = 0; c < 3; ++c) {
            double(*corner)[16] = b->lanes.corner[3 * side + c];
            const uint32_t place = block->corner[c][s->lane[side]];
            for (int d = 0; d < 3 && kept != NULL; ++d) {
                corner[d][k] = kept->xyz[place][d];
            }
            if (kept == NULL) {
                double* const out[3] = {corner[0] + k, corner[1] + k, corner[2] + k};
                shape->ops->vertices(shape, abut__body_state(body, 1), &block->vertex[place], 1,
                                     out);
            }
        }
    }
}

// the corners of one side of pairs first .. end, which are of one job
static void read_corners(const abut__run* run, batch* b, uint32_t first, uint32_t end, int side) {
    const abut__job* job = b->subject[first].job;
    const abut__body* body = side == 0 ? job->a : job->b;
    const abut_shape* shape = body->shape;
    const bool framed = !job->in_shape && !abut__frame_is_identity(&body->frame);
    const bool costly = abut__body_state(body, 1)->costly;
    if (costly) {
        read_kept_corners(run, b, first, end, side, body);
    }
    for (int c = 3 * side; c < 3 * side + 3; ++c) {
        double(*corner)[16] = b->lanes.corner[c];
        double* const out[3] = {corner[0] + first, corner[1] + first, corner[2] + first};
        if (!costly) {
            shape->ops->vertices(shape, abut__body_state(body, 1), b->vertex[c] + first,
                                 end - first, out);
        }
        if (framed) {
            run->kernels->place_points(&body->frame, out, end - first, ABUT__BATCH - first);
        }
    }
}

static void fill_lanes(const abut__run* run, batch* b) {
    for (uint32_t first = 0; first < b->count;) {
        uint32_t end = first + 1;
        while (end < b->count && b->subject[end].job == b->subject[first].job) {
            ++end;
        }
        read_corners(run, b, first, end, 0);
        read_corners(run, b, first, end, 1);
        first = end;
    }
}

// the vertex of a pair that is not finite, if any, is noted
static bool is_finite(abut__worker* worker, const batch* b, uint32_t k) {
    const subject* s = &b->subject[k];
    if (!s->job->suspect) {
        return true;
    }
    bool finite = true;
    for (int c = 0; c < 6; ++c) {
        const double(*corner)[16] = b->lanes.corner[c];
        if (isfinite(corner[0][k]) && isfinite(corner[1][k]) && isfinite(corner[2][k])) {
            continue;
        }
        const uint64_t body = c < 3 ? s->job->a->index : s->job->b->index;
        const uint64_t bad = body << 32 | b->vertex[c][k];
        worker->bad_vertex = bad < worker->bad_vertex ? bad : worker->bad_vertex;
        finite = false;
    }
    return finite;
}

static bool decide_alone(const abut__run* run, const subject* s, const double p[3][3],
                         const double q[3][3]) {
    if (s->shared != 0) {
        return abut__triangles_overlap_beyond(p, q, s->shared);
    }
    return run->def->margin > 0 ? abut__triangles_within(p, q, run->def->margin)
                                : abut__triangles_touch(p, q);
}

static void decide_one(const abut__run* run, abut__worker* worker, const batch* b, uint32_t k,
                       const abut__triangle_verdict* verdict) {
    const subject* s = &b->subject[k];
    // neighbours always touch: the filters say nothing about them
    const bool open = ((verdict->apart | verdict->touch) >> k & 1) == 0 || s->shared != 0;
    if (!open && (verdict->touch >> k & 1) == 0) {
        return;
    }
    double corner[6][3];
    for (int c = 0; c < 6; ++c) {
        for (int d = 0; d < 3; ++d) {
            corner[c][d] = b->lanes.corner[c][d][k];
        }
    }
    const double(*p)[3] = (const double(*)[3])corner;
    const double(*q)[3] = p + 3;
    worker->counters.exact_ties += open;
    if (!open || decide_alone(run, s, p, q)) {
        add_hit(run, worker, s, p, q);
    }
}

static void decide_batch(const abut__run* run, abut__worker* worker, batch* b) {
    if (b->count == 0) {
        return;
    }
    fill_lanes(run, b);
    uint32_t valid = 0;
    for (uint32_t k = 0; k < b->count; ++k) {
        valid |= (uint32_t)is_finite(worker, b, k) << k;
    }
    const abut__triangle_verdict verdict = run->def->margin > 0
                                               ? run->kernels->triangles_filter_within(
                                                     &b->lanes, valid, run->def->margin)
                                               : run->kernels->triangles_filter(&b->lanes, valid);
    for (uint32_t left = valid; left != 0; left &= left - 1) {
        decide_one(run, worker, b, (uint32_t)__builtin_ctz(left), &verdict);
        ++worker->counters.exact_tests;
    }
    b->count = 0;
}

void abut__candidates_decide(const abut__run* run, abut__worker* worker) {
    if (worker->candidates.count == 0) {
        return;
    }
    const abut__candidate* candidates = worker->candidates.data;
    batch b;
    b.count = 0;
    memset(&b.lanes, 0, sizeof b.lanes);
    for (size_t i = 0; i < worker->candidates.count && worker->status == ABUT_OK; ++i) {
        subject* s = &b.subject[b.count];
        load_candidate(run, &b, &candidates[i]);
        if (skip_neighbour(run, worker, &candidates[i], s)) {
            continue;
        }
        if (is_filtered(run, s)) {
            ++worker->counters.pairs_filtered;
            continue;
        }
        if (++b.count == ABUT__BATCH) {
            decide_batch(run, worker, &b);
        }
    }
    if (worker->status == ABUT_OK) {
        decide_batch(run, worker, &b);
    }
    worker->candidates.count = 0;
}
