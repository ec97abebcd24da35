// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// From pairs of triangles whose boxes overlap in the course of a step to contacts: the vertices and
// edges that the triangles own, each vertex with the other face and each two edges, eight at a time
// through the fast rejection and one by one where it leaves them.
#include "exact/sweep.h"

#include <math.h>

#include "query/query.h"

// one of the two triangles
typedef struct side {
    const abut__body* body;
    const abut_mesh* mesh;
    const abut__swept_block* swept;
    bool placed;  // frames are to be applied
    uint32_t triangle;
    uint32_t vertex[3];
    uint32_t place[3];  // in the block
    uint32_t lane;
    uint32_t owned;
} side;

static void load_point(const side* s, uint32_t corner, double from[3], double to[3]) {
    memcpy(from, s->swept->vertices[0][s->place[corner]], 3 * sizeof(double));
    memcpy(to, s->swept->vertices[1][s->place[corner]], 3 * sizeof(double));
    if (s->placed) {
        abut__frame_apply(&s->body->frame_before, from);
        abut__frame_apply(&s->body->frame, to);
    }
}

// ---- what was decided

static void turn_normal(const abut__job* job, double normal[3]) {
    if (job->in_shape && job->a->turned) {
        abut_frame turn = job->a->frame;
        memset(turn.t, 0, sizeof turn.t);
        abut__frame_apply(&turn, normal);
    }
}

static void fill_pair(const abut__sweep_lane* lane, const abut_sweep_contact* contact,
                      abut_swept_pair* out) {
    memset(out, 0, sizeof *out);
    out->body_a = lane->job->a->index;
    out->body_b = lane->job->b->index;
    out->kind = lane->kind;
    out->undecided = contact->verdict == ABUT_SWEEP_UNDECIDED;
    out->triangle_a = lane->triangle[0];
    out->triangle_b = lane->triangle[1];
    const abut__part* part = lane->job->part;
    out->time = part != NULL ? abut__part_time(part, contact->time) : contact->time;
    const uint32_t first = lane->kind == ABUT_SWEEP_EDGE_EDGE ? 2 : 1;
    const bool swapped = lane->kind == ABUT_SWEEP_FACE_VERTEX;
    uint32_t* vertices[2] = {swapped ? out->vertex_b : out->vertex_a,
                             swapped ? out->vertex_a : out->vertex_b};
    double* weights[2] = {swapped ? out->weight_b : out->weight_a,
                          swapped ? out->weight_a : out->weight_b};
    for (uint32_t i = 0; i < 3; ++i) {
        out->vertex_a[i] = out->vertex_b[i] = UINT32_MAX;
        out->normal[i] = swapped ? -contact->normal[i] : contact->normal[i];
    }
    for (uint32_t i = 0; i < 4; ++i) {
        const uint32_t which = i < first ? 0 : 1;
        vertices[which][i - which * first] = lane->vertex[i];
        weights[which][i - which * first] = contact->weight[i];
    }
    turn_normal(lane->job, out->normal);
}

static void add_contact(const abut__run* run, abut__worker* worker, const abut__sweep_lane* lane,
                        const abut_sweep_contact* contact) {
    ++worker->counters.hits;
    worker->counters.undecided += contact->verdict == ABUT_SWEEP_UNDECIDED;
    worker->found = true;
    if (run->def->any) {
        atomic_store_explicit(&((abut__run*)run)->stop, true, memory_order_relaxed);
        return;
    }
    abut_swept_pair* pair = abut__vector_push(run->context, &lane->task->sweeps, 1, sizeof *pair);
    if (pair == NULL) {
        worker->status = ABUT_ERR_NO_MEMORY;
        return;
    }
    fill_pair(lane, contact, pair);
}

static void flush(const abut__run* run, abut__worker* worker, bool edges) {
    abut__sweep_lanes* lanes = &worker->sweeps[edges ? 1 : 0];
    const uint32_t count = lanes->count;
    lanes->count = 0;
    if (count == 0) {
        return;
    }
    const double(*from)[4][3] = (const double(*)[4][3])lanes->from;
    const double(*to)[4][3] = (const double(*)[4][3])lanes->to;
    const double margin = run->def->margin;
    const uint32_t apart = run->kernels->sweep_filter(from, to, count, edges, margin);
    worker->counters.exact_tests += count;
    for (uint32_t left = ~apart & ((1u << count) - 1); left != 0; left &= left - 1) {
        const uint32_t i = (uint32_t)__builtin_ctz(left);
        const abut__sweep_question question = {from[i], to[i], edges, run->def->tolerance, margin};
        abut_sweep_contact contact;
        abut__sweep_decide(&question, &contact);
        ++worker->counters.exact_ties;
        if (contact.verdict != ABUT_SWEEP_NONE) {
            add_contact(run, worker, &lanes->lane[i], &contact);
        }
    }
}

// Of the last lane, whose corners are rounded: never missed means grown by that. Where the step begins
// nothing is rounded.
static void decide_padded(const abut__run* run, abut__worker* worker, double pad, bool edges) {
    abut__sweep_lanes* lanes = &worker->sweeps[edges ? 1 : 0];
    const uint32_t i = --lanes->count;
    const double(*from)[3] = (const double(*)[3])lanes->from[i];
    const double(*to)[3] = (const double(*)[3])lanes->to[i];
    const double margin = run->def->margin;
    abut__sweep_question question = {from, to, edges, run->def->tolerance, margin + pad};
    abut_sweep_contact contact;
    abut__sweep_decide(&question, &contact);
    ++worker->counters.exact_tests;
    ++worker->counters.exact_ties;
    if (contact.verdict == ABUT_SWEEP_NONE) {
        return;
    }
    question.margin = margin;
    if (contact.time == 0 && lanes->lane[i].job->part->first &&
        !abut__sweep_touches_at_start(&question)) {
        contact.time = 0x1p-1074;
    }
    add_contact(run, worker, &lanes->lane[i], &contact);
}

static bool is_padded(const abut__job* job) {
    return job->part != NULL && !job->part->exact;
}

// ---- what is asked

static bool share_class(const side* a, uint32_t corner, const side* b, uint32_t other) {
    return a->mesh->classes[a->vertex[corner]] == b->mesh->classes[b->vertex[other]];
}

static void add_vertex_face(const abut__run* run, abut__worker* worker,
                            const abut__sweep_lane* common, const side* v, uint32_t corner,
                            const side* f) {
    if (common->job->self && (share_class(v, corner, f, 0) || share_class(v, corner, f, 1) ||
                              share_class(v, corner, f, 2))) {
        return;
    }
    abut__sweep_lanes* lanes = &worker->sweeps[0];
    const uint32_t i = lanes->count++;
    lanes->lane[i] = *common;
    lanes->lane[i].vertex[0] = v->vertex[corner];
    load_point(v, corner, lanes->from[i][0], lanes->to[i][0]);
    for (uint32_t c = 0; c < 3; ++c) {
        lanes->lane[i].vertex[1 + c] = f->vertex[c];
        load_point(f, c, lanes->from[i][1 + c], lanes->to[i][1 + c]);
    }
    if (is_padded(common->job)) {
        decide_padded(run, worker, abut__part_pad(v->swept, f->swept), false);
    } else if (lanes->count == ABUT__SWEEP_LANES) {
        flush(run, worker, false);
    }
}

// an edge of a triangle from its lower to its higher vertex
typedef struct edge {
    const side* of;
    uint32_t corner[2];
} edge;

static edge edge_of(const side* s, uint32_t i) {
    const uint32_t next = (i + 1) % 3;
    const bool up = s->vertex[i] <= s->vertex[next];
    return (edge){s, {up ? i : next, up ? next : i}};
}

static uint64_t edge_key(const edge* e) {
    return (uint64_t)e->of->vertex[e->corner[0]] << 32 | e->of->vertex[e->corner[1]];
}

static void add_edge_edge(const abut__run* run, abut__worker* worker,
                          const abut__sweep_lane* common, edge a, edge b) {
    if (common->job->self) {
        for (uint32_t i = 0; i < 4; ++i) {
            if (share_class(a.of, a.corner[i / 2], b.of, b.corner[i % 2])) {
                return;
            }
        }
    }
    abut__sweep_lanes* lanes = &worker->sweeps[1];
    const uint32_t i = lanes->count++;
    lanes->lane[i] = *common;
    if (common->job->self && edge_key(&a) > edge_key(&b)) {
        const edge swap = a;
        a = b;
        b = swap;
        lanes->lane[i].triangle[0] = common->triangle[1];
        lanes->lane[i].triangle[1] = common->triangle[0];
    }
    for (uint32_t c = 0; c < 4; ++c) {
        const edge* e = c < 2 ? &a : &b;
        lanes->lane[i].vertex[c] = e->of->vertex[e->corner[c % 2]];
        load_point(e->of, e->corner[c % 2], lanes->from[i][c], lanes->to[i][c]);
    }
    if (is_padded(common->job)) {
        decide_padded(run, worker, abut__part_pad(a.of->swept, b.of->swept), true);
    } else if (lanes->count == ABUT__SWEEP_LANES) {
        flush(run, worker, true);
    }
}

// Boxes are those of ways in the shape's coordinates, and the job's shift is nothing but the margin:
// bodies in different frames have no use for them. Rounding a difference keeps order, and what is
// not a number (from infinite boxes) is no gap.
static inline bool overlap(const abut__job* job, const abut__box4* a, const abut__box4* b) {
    float widest = -INFINITY;
    for (int d = 0; d < 3; ++d) {
        const float below = a->lo[d] - b->hi[d];
        const float above = b->lo[d] - a->hi[d];
        const float gap = below > above ? below : above;
        widest = gap > widest ? gap : widest;
    }
    return !(widest > job->shift.hi[0]) || !job->in_shape || job->unbounded;
}

static bool vertex_may_meet(const abut__job* job, const side* v, uint32_t corner, const side* f) {
    return (v->owned >> corner & 1) != 0 &&
           overlap(job, &v->swept->vertex_box[v->place[corner]], &f->swept->face_box[f->lane]);
}

// Owned edges of both whose boxes overlap: bit 3 i + j.
static uint32_t edges_that_may_meet(const abut__job* job, const side* a, const side* b) {
    const abut__box4* edges_a = a->swept->edge_box[a->lane];
    const abut__box4* edges_b = b->swept->edge_box[b->lane];
    uint32_t meet = 0;
    for (uint32_t i = 0; i < 3; ++i) {
        if ((a->owned >> (3 + i) & 1) == 0 ||
            !overlap(job, &edges_a[i], &b->swept->face_box[b->lane])) {
            continue;
        }
        for (uint32_t j = 0; j < 3; ++j) {
            const bool may = (b->owned >> (3 + j) & 1) != 0 &&
                             overlap(job, &edges_a[i], &edges_b[j]);
            meet |= (uint32_t)may << (3 * i + j);
        }
    }
    return meet;
}

static void ask_pair(const abut__run* run, abut__worker* worker, const abut__candidate* c,
                     const side* a, const side* b) {
    const abut__job* job = &run->jobs[c->job];
    abut__sweep_lane common = {
        job, &run->tasks[c->task], ABUT_SWEEP_VERTEX_FACE, {a->triangle, b->triangle}, {0}};
    for (uint32_t i = 0; i < 3; ++i) {
        if (vertex_may_meet(job, a, i, b)) {
            add_vertex_face(run, worker, &common, a, i, b);
        }
    }
    common.kind = ABUT_SWEEP_EDGE_EDGE;
    for (uint32_t left = edges_that_may_meet(job, a, b); left != 0; left &= left - 1) {
        const uint32_t i = (uint32_t)__builtin_ctz(left);
        add_edge_edge(run, worker, &common, edge_of(a, i / 3), edge_of(b, i % 3));
    }
    // within a body the vertex comes first
    common.kind = job->self ? ABUT_SWEEP_VERTEX_FACE : ABUT_SWEEP_FACE_VERTEX;
    common.triangle[0] = job->self ? b->triangle : a->triangle;
    common.triangle[1] = job->self ? a->triangle : b->triangle;
    for (uint32_t i = 0; i < 3; ++i) {
        if (vertex_may_meet(job, b, i, a)) {
            add_vertex_face(run, worker, &common, b, i, a);
        }
    }
}

// ---- candidates

static bool is_placed(const abut__job* job, const abut__body* body) {
    return !job->in_shape && job->part == NULL &&
           !(abut__frame_is_identity(&body->frame) && abut__frame_is_identity(&body->frame_before));
}

static void open_side(const abut__job* job, const abut__body* body, const abut__swept_block* swept,
                      side* out) {
    out->body = body;
    out->mesh = body->shape->mesh;
    out->swept = swept;
    out->placed = is_placed(job, body);
}

// a vertex of one, or an edge of both
static bool own_something(uint32_t a, uint32_t b) {
    return ((a | b) & 7) != 0 || ((a >> 3) != 0 && (b >> 3) != 0);
}

static void load_side(uint32_t block, uint32_t lane, const uint8_t* owned, side* out) {
    const abut__block* fixed = out->body->shape->tree.blocks[block];
    out->lane = lane;
    out->triangle = fixed->triangle[lane];
    out->owned = owned[out->triangle];
    for (uint32_t c = 0; c < 3; ++c) {
        out->place[c] = fixed->corner[c][lane];
        out->vertex[c] = fixed->vertex[out->place[c]];
    }
}

// all candidates of the same two blocks, which come one after the other
static void ask_blocks(const abut__run* run, abut__worker* worker, const abut__candidate* first,
                       const abut__candidate* end) {
    const abut__job* job = &run->jobs[first->job];
    const abut__body* bodies[2] = {job->a, job->b};
    const uint8_t* owned[2];
    side sides[2];
    for (int s = 0; s < 2; ++s) {
        const abut__swept_block* swept =
            job->part != NULL ? abut__part_vertices(run, worker, job, first->block[s], s)
                              : abut__swept_vertices(run, worker, bodies[s], first->block[s], s);
        owned[s] = abut__shape_owned(bodies[s]->shape);
        if (swept == NULL) {
            return;
        }
        open_side(job, bodies[s], swept, &sides[s]);
    }
    const abut__block* fixed[2] = {job->a->shape->tree.blocks[first->block[0]],
                                   job->b->shape->tree.blocks[first->block[1]]};
    const bool picky = run->def->filter != NULL || job->a->shape->ignored_count > 0 ||
                       job->b->shape->ignored_count > 0;
    for (const abut__candidate* c = first; c < end; ++c) {
        if (!picky && !own_something(owned[0][fixed[0]->triangle[c->lane[0]]],
                                     owned[1][fixed[1]->triangle[c->lane[1]]])) {
            continue;
        }
        load_side(c->block[0], c->lane[0], owned[0], &sides[0]);
        load_side(c->block[1], c->lane[1], owned[1], &sides[1]);
        const bool turned = job->self && sides[0].triangle > sides[1].triangle;
        const side* a = &sides[turned ? 1 : 0];
        const side* b = &sides[turned ? 0 : 1];
        if (picky && abut__pair_filtered(run, job, a->triangle, b->triangle)) {
            ++worker->counters.pairs_filtered;
        } else {
            ask_pair(run, worker, c, a, b);
        }
    }
}

void abut__sweep_candidates(const abut__run* run, abut__worker* worker, bool all) {
    const abut__candidate* c = worker->candidates.data;
    const size_t count = worker->candidates.count;
    for (size_t first = 0, end; first < count && worker->status == ABUT_OK; first = end) {
        end = first + 1;
        while (end < count && c[end].job == c[first].job && c[end].block[0] == c[first].block[0] &&
               c[end].block[1] == c[first].block[1]) {
            ++end;
        }
        ask_blocks(run, worker, c + first, c + end);
    }
    worker->candidates.count = 0;
    if (all) {
        flush(run, worker, false);
        flush(run, worker, true);
    }
}
