// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// From candidates of sweeps to contacts. The pairs of features are each vertex that a triangle owns
// with the other face, and each two edges that both own, unless moving boxes in float prove them
// apart. They pass a fast rejection, eight at a time. The exact test decides the rest one by one.
#include "exact/moving_features.h"

#include <math.h>

#include "query/feature_pair.h"

// one of the two triangles
typedef struct side {
    const abut__view* view;
    const abut__moving_block* moving;
    uint32_t triangle;
    uint32_t vertex[3];
    uint32_t place[3];  // of the corners among the block's vertices
} side;

static void load_point(const side* s, uint32_t corner, double from[3], double to[3]) {
    memcpy(from, s->moving->vertices[0][s->place[corner]], 3 * sizeof(double));
    memcpy(to, s->moving->vertices[1][s->place[corner]], 3 * sizeof(double));
    if (s->view->placing[1] != NULL) {
        abut__frame_apply(s->view->placing[0], from);
        abut__frame_apply(s->view->placing[1], to);
    }
}

// ---- decided pairs

static void fill_pair(const abut__feature_lane* lane, const abut_sweep_contact* contact,
                      abut_sweep_pair* out) {
    memset(out, 0, sizeof *out);
    out->body_a = lane->job->view[0].body->index;
    out->body_b = lane->job->view[1].body->index;
    out->kind = lane->kind;
    out->undecided = contact->verdict == ABUT_SWEEP_VERDICT_UNDECIDED;
    out->triangle_a = lane->triangle[0];
    out->triangle_b = lane->triangle[1];
    out->time = abut__span_time(&lane->job->span, contact->time);
    const uint32_t first = lane->kind == ABUT_CONTACT_EDGE_EDGE ? 2 : 1;
    const bool swapped = lane->kind == ABUT_CONTACT_FACE_VERTEX;
    uint32_t* vertices[2] = {swapped ? out->vertices_b : out->vertices_a,
                             swapped ? out->vertices_a : out->vertices_b};
    double* weights[2] = {swapped ? out->weights_b : out->weights_a,
                          swapped ? out->weights_a : out->weights_b};
    for (uint32_t i = 0; i < 3; ++i) {
        out->vertices_a[i] = out->vertices_b[i] = UINT32_MAX;
        out->normal[i] = swapped ? -contact->normal[i] : contact->normal[i];
    }
    for (uint32_t i = 0; i < 4; ++i) {
        const uint32_t which = i < first ? 0 : 1;
        vertices[which][i - which * first] = lane->vertex[i];
        weights[which][i - which * first] = contact->weights[i];
    }
    abut__turn_normal(lane->job, out->normal);
}

static void add_contact(const abut__run* run, abut__worker* worker, const abut__feature_lane* lane,
                        const abut_sweep_contact* contact) {
    ++worker->reader.counters.pairs_found;
    worker->reader.counters.pairs_undecided += contact->verdict == ABUT_SWEEP_VERDICT_UNDECIDED;
    worker->found = true;
    if (run->def->any) {
        atomic_store_explicit(&((abut__run*)run)->stop, true, memory_order_relaxed);
        return;
    }
    abut_sweep_pair* pair = abut__push(run->context, &lane->task->sweeps, 1);
    if (pair == NULL) {
        worker->reader.status = ABUT_ERR_NO_MEMORY;
        return;
    }
    fill_pair(lane, contact, pair);
    if (run->first && pair->time <= worker->before) {
        worker->before = pair->time;
    } else if (run->first) {
        --lane->task->sweeps.count;
        --worker->reader.counters.pairs_found;
        worker->reader.counters.pairs_undecided -= pair->undecided;
    }
}

// decides all lanes of edges, or of vertices and faces
static void flush(const abut__run* run, abut__worker* worker, bool edges) {
    abut__sweep_lanes* lanes = &worker->sweeps[edges ? 1 : 0];
    const uint32_t count = lanes->count;
    lanes->count = 0;
    if (count == 0) {
        return;
    }
    const double(*from)[4][3] = (const double(*)[4][3])lanes->from;
    const double(*to)[4][3] = (const double(*)[4][3])lanes->to;
    double margin[ABUT__SWEEP_LANES] = {0};
    for (uint32_t i = 0; i < count; ++i) {
        margin[i] = lanes->lane[i].margin;
    }
    const uint32_t apart = run->kernels->sweep_filter(from, to, count, edges, margin);
    worker->reader.counters.exact_tests += count;
    for (uint32_t left = ~apart & ((1u << count) - 1); left != 0; left &= left - 1) {
        const uint32_t i = (uint32_t)__builtin_ctz(left);
        const abut__sweep_question question = {from[i], to[i], edges, run->def->tolerance,
                                               margin[i]};
        abut_sweep_contact contact;
        abut__sweep_decide(&question, &contact);
        ++worker->reader.counters.exact_fallbacks;
        if (contact.verdict != ABUT_SWEEP_VERDICT_NONE) {
            add_contact(run, worker, &lanes->lane[i], &contact);
        }
    }
}

// Decides the last lane, whose corners have a rounding error up to `pad`. The margin is grown by
// it, so that no contact is missed. Positions at the start of the step are exact: a contact there
// that the margin alone does not confirm gets a later time.
static void decide_padded(const abut__run* run, abut__worker* worker, double pad, bool edges) {
    abut__sweep_lanes* lanes = &worker->sweeps[edges ? 1 : 0];
    const uint32_t i = --lanes->count;
    const double(*from)[3] = (const double(*)[3])lanes->from[i];
    const double(*to)[3] = (const double(*)[3])lanes->to[i];
    const double margin = lanes->lane[i].margin;
    abut__sweep_question question = {from, to, edges, run->def->tolerance,
                                     abut__add_lengths(margin, pad)};
    abut_sweep_contact contact;
    abut__sweep_decide(&question, &contact);
    ++worker->reader.counters.exact_tests;
    ++worker->reader.counters.exact_fallbacks;
    if (contact.verdict == ABUT_SWEEP_VERDICT_NONE) {
        return;
    }
    question.margin = margin;
    if (contact.time == 0 && lanes->lane[i].job->span.first &&
        !abut__sweep_touches_at_start(&question)) {
        contact.time = 0x1p-1074;
    }
    add_contact(run, worker, &lanes->lane[i], &contact);
}

static bool is_padded(const abut__job* job) {
    return !job->span.exact;
}

// ---- pairs of features

// adds a pair of features of two triangles that are loaded, the number of a bit of ABUT__FEATURE_PAIRS
static void add_pair(const abut__run* run, abut__worker* worker, const abut__feature_triangles* t,
                     const side sides[2], uint32_t pair) {
    const bool edges = pair >= 6;
    abut__sweep_lanes* lanes = &worker->sweeps[edges ? 1 : 0];
    const uint32_t i = lanes->count++;
    abut__feature_corners at;
    if (edges) {
        abut__feature_edge_edge(t, (pair - 6) / 3, (pair - 6) % 3, &at, &lanes->lane[i]);
    } else {
        abut__feature_vertex_face(t, pair / 3, pair % 3, &at, &lanes->lane[i]);
    }
    for (uint32_t c = 0; c < 4; ++c) {
        load_point(&sides[at.side[c]], at.corner[c], lanes->from[i][c], lanes->to[i][c]);
    }
    if (is_padded(t->job)) {
        decide_padded(run, worker, abut__part_pad(sides[0].moving, sides[1].moving), edges);
    } else if (lanes->count == ABUT__SWEEP_LANES) {
        flush(run, worker, edges);
    }
}

// ---- candidates

// Two blocks whose candidates are decided, and the triangles of one candidate.
typedef struct block_pair {
    const abut__run* run;
    abut__worker* worker;
    const abut__job* job;
    const abut__block* fixed[2];
    bool filters;  // some pairs of triangles may be excluded
    side sides[2];
} block_pair;

// false: a vertex is not finite
static bool open_blocks(block_pair* pair, const uint32_t block[2]) {
    pair->filters = pair->run->def->filter.fn != NULL;
    for (int s = 0; s < 2; ++s) {
        const abut__view* view = &pair->job->view[s];
        const abut__moving_block* moving = view->kind->block_ends(view, block[s], s,
                                                                  &pair->worker->reader);
        if (moving == NULL) {
            return false;
        }
        pair->fixed[s] = view->tree->blocks[block[s]];
        pair->filters = pair->filters || view->shape->ignored_count > 0;
        pair->sides[s] = (side){.view = view, .moving = moving};
    }
    return true;
}

static void load_side(const abut__block* fixed, uint32_t lane, side* out) {
    out->triangle = fixed->triangle[lane];
    for (uint32_t c = 0; c < 3; ++c) {
        out->place[c] = fixed->corner[c][lane];
        out->vertex[c] = fixed->vertex[out->place[c]];
    }
}

// adds pairs of features, bits of ABUT__FEATURE_PAIRS, of the triangles that are loaded
static void add_features(const block_pair* pair, abut__task* task, uint32_t pairs) {
    const side* a = &pair->sides[0];
    const side* b = &pair->sides[1];
    const abut__feature_triangles t = {
        pair->job, task, {a->triangle, b->triangle}, {a->vertex, b->vertex}};
    for (uint32_t left = pairs; left != 0; left &= left - 1) {
        add_pair(pair->run, pair->worker, &t, pair->sides, (uint32_t)__builtin_ctz(left));
    }
}

static bool is_filtered(const block_pair* pair, const abut__candidate* c) {
    const uint32_t a = pair->fixed[0]->triangle[c->lane[0]];
    const uint32_t b = pair->fixed[1]->triangle[c->lane[1]];
    const bool swapped = pair->job->self && a > b;
    return abut__pair_filtered(pair->run, pair->job, swapped ? b : a, swapped ? a : b);
}

// returns those of some pairs of features that may meet no later than worker->before
static uint16_t early_features(const block_pair* pair, const uint8_t lanes[2], uint32_t pairs) {
    uint32_t worth = pairs;
    for (uint32_t left = pairs; left != 0; left &= left - 1) {
        const uint32_t feature = (uint32_t)__builtin_ctz(left);
        const bool late = abut__features_enter(pair->job,
                                               &pair->sides[0].moving->triangles[lanes[0]],
                                               &pair->sides[1].moving->triangles[lanes[1]],
                                               feature) > pair->worker->before;
        worth &= ~((uint32_t)late << feature);
    }
    return (uint16_t)worth;
}

static bool is_point(const side* s) {
    return s->vertex[0] == s->vertex[1] && s->vertex[1] == s->vertex[2];
}

// Removes vertices that meet a point (i, i, i): vertex i meets the faces at those vertices instead.
// Of two points, the vertex of a meets the point of b; within a body, the lower vertex the higher.
static uint32_t without_points(const block_pair* pair, uint32_t pairs) {
    const side* a = &pair->sides[0];
    const side* b = &pair->sides[1];
    const bool both = is_point(a) && is_point(b);
    const bool first = both && (!pair->job->self || a->vertex[0] < b->vertex[0]);
    const uint32_t without_a = is_point(b) && !first ? 7u : 0;
    const uint32_t without_b = is_point(a) && (!both || first) ? 7u << 3 : 0;
    return pairs & ~(without_a | without_b);
}

// decides at most SOME candidates
#define SOME 64
static void decide_some(block_pair* pair, const abut__candidate* c, uint32_t count) {
    uint8_t lanes[SOME][2];
    uint16_t pairs[SOME];
    uint16_t task[SOME];
    uint32_t kept = 0;
    for (uint32_t i = 0; i < count; ++i) {
        memcpy(lanes[kept], c[i].lane, sizeof lanes[kept]);
        task[kept] = c[i].task;
        const bool excluded = pair->filters && is_filtered(pair, &c[i]);
        pair->worker->reader.counters.pairs_filtered += excluded;
        kept += !excluded;
    }
    if (kept == 0) {
        return;
    }
    pair->run->kernels->features_meet(pair->sides[0].moving->triangles,
                                      pair->sides[1].moving->triangles, (const uint8_t(*)[2])lanes,
                                      kept, pair->job->self, &pair->job->corner_shift, pairs);
    for (uint32_t i = 0; i < kept; ++i) {
        if (abut__swept_is_timed(pair->job, pair->worker)) {
            pairs[i] = early_features(pair, lanes[i], pairs[i]);
        }
        if (pairs[i] != 0) {
            load_side(pair->fixed[0], lanes[i][0], &pair->sides[0]);
            load_side(pair->fixed[1], lanes[i][1], &pair->sides[1]);
            add_features(pair, &pair->run->tasks[task[i]], without_points(pair, pairs[i]));
        }
    }
}

// decides candidates in a row, all of the same two blocks
static void decide_blocks(const abut__run* run, abut__worker* worker, const abut__candidate* first,
                          const abut__candidate* end) {
    block_pair pair = {.run = run, .worker = worker, .job = &run->jobs[first->job]};
    if (!open_blocks(&pair, first->block)) {
        return;
    }
    for (const abut__candidate* c = first; c < end; c += SOME) {
        decide_some(&pair, c, end - c < SOME ? (uint32_t)(end - c) : SOME);
    }
}

void abut__sweep_candidates(const abut__run* run, abut__worker* worker, bool all) {
    const abut__candidate* c = worker->candidates.data;
    const size_t count = worker->candidates.count;
    for (size_t first = 0, end; first < count && worker->reader.status == ABUT_OK; first = end) {
        end = first + 1;
        while (end < count && abut__same_blocks(&c[end], &c[first])) {
            ++end;
        }
        decide_blocks(run, worker, c + first, c + end);
    }
    worker->candidates.count = 0;
    if (all) {
        flush(run, worker, false);
        flush(run, worker, true);
    }
}
