// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// From candidates to hits. Tags and the caller's filter come first, then the exact test: fast
// filters for sixteen pairs at a time, and one by one for the pairs that these leave open.
#include <math.h>

#include "exact/triangles.h"
#include "query/query.h"

uint32_t abut__shared_corners(const abut_mesh* mesh, uint32_t triangle_a, uint32_t triangle_b) {
    const uint32_t* a = mesh->triangles + 3 * (size_t)triangle_a;
    const uint32_t* b = mesh->triangles + 3 * (size_t)triangle_b;
    uint32_t shared = 0;
    for (uint32_t i = 0; i < 3; ++i) {
        for (uint32_t k = 0; k < 3; ++k) {
            if (mesh->classes[a[i]] == mesh->classes[b[k]]) {
                shared |= 1u << i | 8u << k;
            }
        }
    }
    return shared;
}

// Two blocks that several candidates in a row have in common.
typedef struct block_pair {
    const abut__job* job;
    const abut__block* fixed[2];
    bool costly[2];                      // vertices take work to evaluate
    const abut__block_exact* cached[2];  // of costly ones; NULL: evaluate them one by one
    bool placed[2];                      // the body's frame is to be applied
    bool hubs;                           // masks may lack some neighbours
    bool tagged;
    bool takes_all;  // no candidate can be excluded
} block_pair;

// Two triangles to decide, of bodies job->view[0].body and job->view[1].body.
typedef struct subject {
    const abut__job* job;
    const abut__candidate* from;
    uint32_t triangle[2];
    uint32_t first;   // the side on which the candidate's first triangle is
    uint32_t shared;  // corners in common, as abut__shared_corners() returns them
    double margin;
} subject;

// up to sixteen pairs that await the exact test, of jobs that all have a margin or all have none
typedef struct batch {
    uint32_t count;
    bool any_costly[2];
    bool any_cheap[2];
    bool any_placed[2];
    bool any_suspect;
    subject subject[ABUT__BATCH];
    const double* place[2][3][ABUT__BATCH];  // corners of costly bodies: cached, or in `room`
    uint32_t vertex[2][3][ABUT__BATCH];      // ids of corners that are not cached
    double room[2][3][ABUT__BATCH][4];       // for corners that are evaluated one by one
    abut__triangle_batch lanes;
} batch;

// returns the corners in a block, one bit each, of `c` and those after it of the same blocks
static uint64_t corners_wanted(const abut__block* fixed, const abut__candidate* c,
                               const abut__candidate* end, int side) {
    uint64_t wanted = 0;
    for (const abut__candidate* next = c; next < end && abut__same_blocks(next, c); ++next) {
        for (int i = 0; i < 3; ++i) {
            wanted |= UINT64_C(1) << fixed->corner[i][next->lane[side]];
        }
    }
    return wanted;
}

static block_pair open_blocks(const abut__run* run, const abut__candidate* c,
                              const abut__candidate* end) {
    const abut__job* job = &run->jobs[c->job];
    block_pair v = {.job = job};
    for (int side = 0; side < 2; ++side) {
        const abut__view* view = &job->view[side];
        v.fixed[side] = view->tree->blocks[c->block[side]];
        v.costly[side] = view->state[1]->costly;
        if (v.costly[side]) {
            const uint64_t wanted = view->shape->motion->lazy->all_at_once
                                        ? UINT64_MAX
                                        : corners_wanted(v.fixed[side], c, end, side);
            v.cached[side] = abut__pool_vertices(run->scene, view->body, c->block[side], wanted);
        }
        v.placed[side] = view->placing[1] != NULL;
    }
    v.hubs = job->self && job->links->hub[c->block[0]] != 0 && job->links->hub[c->block[1]] != 0;
    v.tagged = job->view[0].shape->ignored_count > 0 || job->view[1].shape->ignored_count > 0;
    v.takes_all = !v.tagged && run->def->filter.fn == NULL && !v.hubs &&
                  !(run->def->include_neighbours && job->self);
    return v;
}

// evaluates corners of a costly body that are not cached
static void evaluate_corners(const abut__view* view, batch* b, uint32_t side) {
    for (uint32_t i = 0; i < 3; ++i) {
        double* room = b->room[side][i][b->count];
        double* const places[3] = {&room[0], &room[1], &room[2]};
        room[3] = 0;
        view->shape->motion->vertices(view->shape, view->state[1], &b->vertex[side][i][b->count], 1,
                                      places);
        b->place[side][i][b->count] = room;
    }
}

static inline void load_corners(const block_pair* v, batch* b, uint32_t from, uint32_t side,
                                uint32_t lane) {
    const uint32_t k = b->count;
    const abut__block* fixed = v->fixed[from];
    const uint32_t corner[3] = {fixed->corner[0][lane], fixed->corner[1][lane],
                                fixed->corner[2][lane]};
    if (v->cached[from] != NULL) {
        b->place[side][0][k] = v->cached[from]->xyz[corner[0]];
        b->place[side][1][k] = v->cached[from]->xyz[corner[1]];
        b->place[side][2][k] = v->cached[from]->xyz[corner[2]];
        return;
    }
    b->vertex[side][0][k] = fixed->vertex[corner[0]];
    b->vertex[side][1][k] = fixed->vertex[corner[1]];
    b->vertex[side][2][k] = fixed->vertex[corner[2]];
    if (v->costly[from]) {
        evaluate_corners(&v->job->view[from], b, side);
    }
}

// returns the distance up to which a candidate counts
static double margin_of(const block_pair* v, const abut__candidate* c) {
    if (!v->job->varies) {
        return v->job->margin;
    }
    double thick[2];
    for (int side = 0; side < 2; ++side) {
        const abut__block* fixed = v->fixed[side];
        const uint32_t lane = c->lane[side];
        const uint32_t vertex[3] = {fixed->vertex[fixed->corner[0][lane]],
                                    fixed->vertex[fixed->corner[1][lane]],
                                    fixed->vertex[fixed->corner[2][lane]]};
        thick[side] = abut__span_thickness(&v->job->thick[side], vertex, 3);
    }
    return abut__margin_of(v->job, thick[0], thick[1]);
}

// puts a candidate into the next lane; within a body the triangle with the lower id comes first
static void load_candidate(const block_pair* v, batch* b, const abut__candidate* c) {
    subject* s = &b->subject[b->count];
    const uint32_t a = v->fixed[0]->triangle[c->lane[0]];
    const uint32_t z = v->fixed[1]->triangle[c->lane[1]];
    const uint32_t first = v->job->self && a > z ? 1 : 0;
    s->job = v->job;
    s->from = c;
    s->triangle[first] = a;
    s->triangle[1 - first] = z;
    s->first = first;
    s->shared = 0;
    s->margin = margin_of(v, c);
    load_corners(v, b, 0, first, c->lane[0]);
    load_corners(v, b, 1, 1 - first, c->lane[1]);
}

// notes in a batch which kinds of candidates it holds; within a body both sides are alike
static void note_pair(const block_pair* v, batch* b) {
    b->any_suspect |= v->job->suspect;
    for (int side = 0; side < 2; ++side) {
        b->any_costly[side] |= v->costly[side];
        b->any_cheap[side] |= !v->costly[side];
        b->any_placed[side] |= v->placed[side];
    }
}

// finds neighbours that bit masks left in: over a hub, or because the query wants them. True: skip
static bool skip_neighbour(const abut__run* run, abut__worker* worker, const block_pair* v,
                           subject* s) {
    if (!v->hubs && !(run->def->include_neighbours && v->job->self)) {
        return false;
    }
    s->shared = abut__shared_corners(s->job->view[0].shape->mesh, s->triangle[0], s->triangle[1]);
    if (s->shared != 0 && !run->def->include_neighbours) {
        ++worker->reader.counters.pairs_adjacent;
        return true;
    }
    return false;
}

static bool tags_ignore(const abut__job* job, uint32_t triangle_a, uint32_t triangle_b) {
    const abut_shape* a = job->view[0].shape;
    const abut_shape* b = job->view[1].shape;
    const uint32_t tag_a = abut__mesh_tag(a->mesh, triangle_a);
    const uint32_t tag_b = abut__mesh_tag(b->mesh, triangle_b);
    return abut__shape_ignores(a, tag_a, tag_b) || abut__shape_ignores(b, tag_a, tag_b);
}

static bool is_filtered(const abut__run* run, bool tagged, const abut__job* job,
                        uint32_t triangle_a, uint32_t triangle_b) {
    return (tagged && tags_ignore(job, triangle_a, triangle_b)) ||
           (run->def->filter.fn != NULL &&
            !run->def->filter.fn(run->def->filter.user, job->view[0].body->index, triangle_a,
                                 job->view[1].body->index, triangle_b));
}

bool abut__pair_filtered(const abut__run* run, const abut__job* job, uint32_t triangle_a,
                         uint32_t triangle_b) {
    const bool tagged = job->view[0].shape->ignored_count > 0 ||
                        job->view[1].shape->ignored_count > 0;
    return is_filtered(run, tagged, job, triangle_a, triangle_b);
}

// whether the candidate that was loaded last is not to be decided
static bool is_excluded(const abut__run* run, abut__worker* worker, const block_pair* v,
                        subject* s) {
    if (skip_neighbour(run, worker, v, s)) {
        return true;
    }
    const bool filtered = is_filtered(run, v->tagged, s->job, s->triangle[0], s->triangle[1]);
    worker->reader.counters.pairs_filtered += filtered;
    return filtered;
}

static void add_hit(const abut__run* run, abut__worker* worker, const subject* s,
                    const double p[3][3], const double q[3][3]) {
    ++worker->reader.counters.pairs_found;
    worker->found = true;
    if (run->def->any) {
        atomic_store_explicit(&((abut__run*)run)->stop, true, memory_order_relaxed);
        return;
    }
    abut__task* task = &run->tasks[s->from->task];
    abut__hit* hit = abut__hits_add(run->context, run->pool, task);
    if (hit == NULL) {
        worker->reader.status = ABUT_ERR_NO_MEMORY;
        return;
    }
    *hit = (abut__hit){s->from->job, {s->triangle[0], s->triangle[1]}};
    if (!run->def->intersections) {
        return;
    }
    abut_intersection* shared = abut__push(run->context, &task->shared, 1);
    if (shared == NULL) {
        worker->reader.status = ABUT_ERR_NO_MEMORY;
        return;
    }
    abut__triangles_intersection(p, q, shared);
    if (s->job->in_shape && !abut__frame_is_identity(s->job->view[0].frame)) {
        for (uint32_t i = 0; i < shared->count; ++i) {
            abut__frame_apply(s->job->view[0].frame, shared->points[i]);
        }
    }
}

void abut__candidate_hit(const abut__run* run, abut__worker* worker, const abut__candidate* c) {
    const abut__job* job = &run->jobs[c->job];
    const uint32_t a = job->view[0].tree->blocks[c->block[0]]->triangle[c->lane[0]];
    const uint32_t z = job->view[1].tree->blocks[c->block[1]]->triangle[c->lane[1]];
    const bool turned = job->self && a > z;  // within a body the lower id comes first
    const subject s = {
        .job = job, .from = c, .triangle = {turned ? z : a, turned ? a : z}, .first = turned};
    add_hit(run, worker, &s, NULL, NULL);
}

// returns the end of the pairs in a row that are of the same job as `first`
static uint32_t end_of_job(const batch* b, uint32_t first) {
    uint32_t end = first + 1;
    while (end < b->count && b->subject[end].job == b->subject[first].job) {
        ++end;
    }
    return end;
}

// Fills in the corners of one side. Those of costly bodies are gathered for all lanes at once; the
// other lanes become 0 there and are filled in afterwards.
static void fill_side(const abut__run* run, batch* b, int side) {
    static const double nothing[4] = {0};
    if (b->any_costly[side]) {
        for (uint32_t k = b->any_cheap[side] ? 0 : b->count; k < ABUT__BATCH; ++k) {
            const abut__job* job = b->subject[k].job;
            if (k >= b->count || !job->view[side].state[1]->costly) {
                b->place[side][0][k] = b->place[side][1][k] = b->place[side][2][k] = nothing;
            }
        }
        run->kernels->gather_corners((const double* const(*)[ABUT__BATCH])b->place[side],
                                     b->lanes.corner + 3 * side);
    }
    if (!b->any_cheap[side] && !b->any_placed[side]) {
        return;
    }
    for (uint32_t first = 0, end; first < b->count; first = end) {
        const abut__job* job = b->subject[first].job;
        const abut__view* view = &job->view[side];
        const abut__state* state = view->state[1];
        end = end_of_job(b, first);
        // lanes of the next job may be filled in already
        const uint32_t room = (end < b->count ? end : ABUT__BATCH) - first;
        // first all stores, then all loads: a vector load soon after single stores has to wait
        for (int c = 0; c < 3 && !state->costly; ++c) {
            double(*corner)[ABUT__BATCH] = b->lanes.corner[3 * side + c];
            double* const out[3] = {corner[0] + first, corner[1] + first, corner[2] + first};
            view->shape->motion->vertices(view->shape, state, b->vertex[side][c] + first,
                                          end - first, out);
        }
        for (int c = 0; c < 3 && view->placing[1] != NULL; ++c) {
            double(*corner)[ABUT__BATCH] = b->lanes.corner[3 * side + c];
            double* const out[3] = {corner[0] + first, corner[1] + first, corner[2] + first};
            run->kernels->place_points(view->placing[1], out, end - first, room);
        }
    }
}

// returns the id of a corner
static uint32_t vertex_of(const subject* s, uint32_t side, uint32_t corner) {
    const uint32_t from = side ^ s->first;
    const abut__block* fixed = s->job->view[side].tree->blocks[s->from->block[from]];
    return fixed->vertex[fixed->corner[corner][s->from->lane[from]]];
}

// whether all vertices of a pair are finite; the reader notes the lowest one that is not
static bool is_finite(abut__worker* worker, const batch* b, uint32_t k) {
    const subject* s = &b->subject[k];
    bool finite = true;
    for (uint32_t c = 0; c < 6; ++c) {
        const double(*corner)[16] = b->lanes.corner[c];
        if (isfinite(corner[0][k]) && isfinite(corner[1][k]) && isfinite(corner[2][k])) {
            continue;
        }
        const uint64_t body = c < 3 ? s->job->view[0].body->index : s->job->view[1].body->index;
        const uint64_t bad = body << 32 | vertex_of(s, c / 3, c % 3);
        worker->reader.bad_vertex = bad < worker->reader.bad_vertex ? bad
                                                                    : worker->reader.bad_vertex;
        finite = false;
    }
    return finite;
}

// returns the lanes with finite coordinates; where the kernel's sums are not finite, checks each
// one
static uint32_t finite_lanes(const abut__run* run, abut__worker* worker, const batch* b) {
    uint32_t all = (1u << b->count) - 1;
    uint32_t open = b->any_suspect ? all & ~run->kernels->corners_finite(&b->lanes) : 0;
    for (; open != 0; open &= open - 1) {
        const uint32_t k = (uint32_t)__builtin_ctz(open);
        if (b->subject[k].job->suspect && !is_finite(worker, b, k)) {
            all &= ~(1u << k);
        }
    }
    return all;
}

// Whether triangles whose corners have the same classes coincide: they do unless vertices of a
// class were moved apart.
static bool coincide(const subject* s, const double p[3][3], const double q[3][3]) {
    const abut_mesh* mesh = s->job->view[0].shape->mesh;
    const uint32_t* a = mesh->triangles + 3 * (size_t)s->triangle[0];
    const uint32_t* b = mesh->triangles + 3 * (size_t)s->triangle[1];
    bool same = true;
    for (int i = 0; i < 3; ++i) {
        for (int k = 0; k < 3; ++k) {
            same = same && (mesh->classes[a[i]] != mesh->classes[b[k]] ||
                            (p[i][0] == q[k][0] && p[i][1] == q[k][1] && p[i][2] == q[k][2]));
        }
    }
    return same;
}

static bool decide_alone(const subject* s, const double p[3][3], const double q[3][3]) {
    if (s->shared == ABUT__SAME_CORNERS) {
        return coincide(s, p, q);
    }
    if (s->shared != 0) {
        return abut__triangles_overlap_beyond(p, q, s->shared & 7);
    }
    return s->margin > 0 ? abut__triangles_within(p, q, s->margin) : abut__triangles_touch(p, q);
}

// adds a pair that touches, or decides one that the filters left open
static void decide_one(const abut__run* run, abut__worker* worker, const batch* b, uint32_t k,
                       bool open) {
    double corner[6][3];
    if (open || run->def->intersections) {
        for (int c = 0; c < 6; ++c) {
            for (int d = 0; d < 3; ++d) {
                corner[c][d] = b->lanes.corner[c][d][k];
            }
        }
    }
    const double(*p)[3] = (const double(*)[3])corner;
    const double(*q)[3] = p + 3;
    worker->reader.counters.exact_fallbacks += open;
    if (!open || decide_alone(&b->subject[k], p, q)) {
        add_hit(run, worker, &b->subject[k], p, q);
    }
}

static void empty_batch(batch* b) {
    b->count = 0;
    b->any_costly[0] = b->any_costly[1] = b->any_cheap[0] = b->any_cheap[1] = false;
    b->any_placed[0] = b->any_placed[1] = b->any_suspect = false;
}

// the verdicts of the fast filters; with a margin they only prove pairs apart
static abut__triangle_verdict filter(const abut__run* run, const batch* b, uint32_t valid) {
    if (b->subject[0].job->margin == 0) {
        return run->kernels->triangles_filter(&b->lanes, valid);
    }
    double margin[ABUT__BATCH] = {0};
    for (uint32_t k = 0; k < b->count; ++k) {
        margin[k] = b->subject[k].margin;
    }
    return (abut__triangle_verdict){run->kernels->triangles_beyond(&b->lanes, valid, margin), 0};
}

static void decide_batch(const abut__run* run, abut__worker* worker, batch* b) {
    if (b->count == 0) {
        return;
    }
    fill_side(run, b, 0);
    fill_side(run, b, 1);
    const uint32_t valid = finite_lanes(run, worker, b);
    const abut__triangle_verdict verdict = filter(run, b, valid);
    // neighbours always touch, so the filters decide nothing about them
    uint32_t near = 0;
    for (uint32_t k = 0; k < b->count && run->def->include_neighbours; ++k) {
        near |= (uint32_t)(b->subject[k].shared != 0) << k;
    }
    const uint32_t open = valid & (~(verdict.apart | verdict.touch) | near);
    for (uint32_t left = open | (valid & verdict.touch); left != 0; left &= left - 1) {
        const uint32_t k = (uint32_t)__builtin_ctz(left);
        decide_one(run, worker, b, k, (open >> k & 1) != 0);
    }
    worker->reader.counters.exact_tests += (uint64_t)__builtin_popcount(valid);
    empty_batch(b);
}

void abut__candidates_decide(const abut__run* run, abut__worker* worker, bool all) {
    if (run->def->intervals) {
        abut__interval_candidates(run, worker, all);
        return;
    }
    if (run->sweeps) {
        abut__sweep_candidates(run, worker, all);
        return;
    }
    if (run->def->features) {
        abut__features_candidates(run, worker, all);
        return;
    }
    abut__candidates_thin(run, worker);
    abut__candidate* candidates = worker->candidates.data;
    const size_t count = worker->candidates.count;
    const size_t least = all ? 1 : ABUT__BATCH;
    if (count < least) {
        return;
    }
    batch b;
    block_pair v = open_blocks(run, &candidates[0], candidates + count);
    empty_batch(&b);
    memset(&b.lanes, 0, sizeof b.lanes);
    size_t i = 0;
    for (; b.count + (count - i) >= least && i < count && worker->reader.status == ABUT_OK; ++i) {
        if (i > 0 && !abut__same_blocks(&candidates[i], &candidates[i - 1])) {
            v = open_blocks(run, &candidates[i], candidates + count);
            note_pair(&v, &b);
        } else if (b.count == 0) {
            note_pair(&v, &b);
        }
        if (b.count > 0 && (b.subject[0].job->margin > 0) != (v.job->margin > 0)) {
            decide_batch(run, worker, &b);  // all pairs of a batch take the same filter
            note_pair(&v, &b);
        }
        load_candidate(&v, &b, &candidates[i]);
        if (!v.takes_all && is_excluded(run, worker, &v, &b.subject[b.count])) {
            continue;
        }
        if (++b.count == ABUT__BATCH) {
            decide_batch(run, worker, &b);
        }
    }
    if (worker->reader.status == ABUT_OK) {
        decide_batch(run, worker, &b);
    }
    worker->candidates.count = worker->thinned = worker->reader.status == ABUT_OK ? count - i : 0;
    memmove(candidates, candidates + i, worker->candidates.count * sizeof *candidates);
}

void abut__candidates_take(const abut__run* run, abut__worker* worker, abut__task* task) {
    const abut__candidate* given = run->given + task->first_seed;
    worker->task = task;
    worker->before = run->before;
    for (uint32_t i = 0; i < task->seed_count && worker->reader.status == ABUT_OK; ++i) {
        if (run->def->any && atomic_load_explicit(&((abut__run*)run)->stop, memory_order_relaxed)) {
            return;
        }
        // sweeps report near misses, too, but only those that a descent would have found
        if (run->sweeps && !abut__candidate_meets(run, worker, &given[i])) {
            continue;
        }
        abut__candidate* next = worker->candidates.data + worker->candidates.count++;
        *next = given[i];
        next->task = (uint16_t)(task - run->tasks);
        if (worker->candidates.count >= ABUT__DECIDE_AT) {
            abut__candidates_decide(run, worker, false);
        }
    }
    abut__candidates_decide(run, worker, run->def->any);
}
