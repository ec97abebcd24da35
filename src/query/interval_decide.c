// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// From candidates in a segment of an animation to contact intervals. Most candidates are proven
// apart in lanes, by steps that leave open all that interval_pair.c would not prove apart at once:
//   1. their faces and pairs of features, by gaps along axes in float (features_meet);
//   2. triangles, by directions along which they are apart throughout (paths_apart);
//   3. pairs of features, by axes and the cubic over the whole segment (sweep_filter);
//   4. triangles without an open pair of features touch all the time or not at all, and most are far
//      enough apart at half time (triangles_beyond).
// What is left is decided one by one.
//
// Why step 2 hides nothing. A search reports a pair of features only if it comes as close as the
// tolerance (exact/moving_features.c), which is relative to an edge or the extent of the pair. Both
// are at most 4 D, D the greatest coordinate relative to one of the corners. The test at half time
// reports triangles that are as close as 2^-48 M, M the greatest coordinate. Twice the sum of both is
// required here.
//
// Times. t = t0 + s (t1 - t0) is off by 2 u (|t0| + |t1|), u = 2^-53, and is moved outwards by 2^-50
// of that sum.
#include <math.h>

#include "query/query.h"
#include "view/segment.h"

// Two triangles, in the order in which they are decided: within a body the lower id comes first.
typedef struct subject {
    const abut__job* job;
    abut__task* task;
    uint32_t triangle[2];
    uint32_t open;  // pairs of features, bits of ABUT__FEATURE_PAIRS
    double reach;   // no coordinate of a corner is greater in magnitude
    double x[2][6][3];
} subject;

typedef struct batch {
    const abut__run* run;
    abut__worker* worker;
    uint32_t fresh;  // of these, step 2 has yet to be done
    subject fresh_ones[ABUT__BATCH];
    uint32_t count;
    subject subjects[ABUT__BATCH];
} batch;

// ---- one pair

static double time_at(const double ends[2], double part, double outwards) {
    if (part <= 0 || part >= 1) {
        return part <= 0 ? ends[0] : ends[1];
    }
    const double slack = 0x1p-50 * (fabs(ends[0]) + fabs(ends[1])) + 0x1p-1070;
    const double time = (1 - part) * ends[0] + part * ends[1] + outwards * slack;
    return fmin(fmax(time, ends[0]), ends[1]);
}

// adds the intervals that were found to those of the task; false: no memory
static bool add_intervals(const abut_context* context, const subject* s,
                          const abut__interval_list* found) {
    const double* ends = s->job->view[0].segment->time;
    abut_contact_interval* out = found->count > 0
                                     ? abut__push(context, &s->task->intervals, found->count)
                                     : NULL;
    for (size_t i = 0; i < found->count && out != NULL; ++i) {
        out[i] = (abut_contact_interval){s->job->view[0].body->index,
                                         s->job->view[1].body->index,
                                         s->triangle[0],
                                         s->triangle[1],
                                         time_at(ends, found->data[i].from, -1),
                                         time_at(ends, found->data[i].to, 1)};
    }
    return out != NULL || found->count == 0;
}

static void decide_alone(const batch* b, const subject* s, bool apart_half) {
    abut__interval_list* found = &b->worker->intervals;
    const abut__interval_hints hints = {s->open, apart_half};
    found->count = 0;
    ++b->worker->reader.counters.exact_fallbacks;
    if (!abut__intervals_of_pair(b->run->context, (const double(*)[3])s->x[0],
                                 (const double(*)[3])s->x[1], b->run->def->tolerance, &hints,
                                 found) ||
        !add_intervals(b->run->context, s, found)) {
        b->worker->reader.status = ABUT_ERR_NO_MEMORY;
    }
}

// ---- pairs of features

// Pairs of features in lanes, all of edges or all of vertices and faces.
typedef struct feature_lanes {
    bool edges;
    uint32_t count;
    subject* of[ABUT__SWEEP_LANES];
    uint32_t bit[ABUT__SWEEP_LANES];
    double from[ABUT__SWEEP_LANES][4][3];
    double to[ABUT__SWEEP_LANES][4][3];
} feature_lanes;

// closes those that the filter proves apart
static void filter_lanes(const abut__run* run, feature_lanes* lanes) {
    static const double margin[ABUT__SWEEP_LANES] = {0};
    if (lanes->count == 0) {
        return;
    }
    const uint32_t apart = run->kernels->sweep_filter((const double(*)[4][3])lanes->from,
                                                      (const double(*)[4][3])lanes->to,
                                                      lanes->count, lanes->edges, margin);
    for (uint32_t left = apart; left != 0; left &= left - 1) {
        const uint32_t i = (uint32_t)__builtin_ctz(left);
        lanes->of[i]->open &= ~(1u << lanes->bit[i]);
    }
    lanes->count = 0;
}

// The corners of the pairs of features, in the order of ABUT__FEATURE_PAIRS.
static const uint8_t corners[15][4] = {{0, 3, 4, 5}, {1, 3, 4, 5}, {2, 3, 4, 5}, {3, 0, 1, 2},
                                       {4, 0, 1, 2}, {5, 0, 1, 2}, {0, 1, 3, 4}, {0, 1, 4, 5},
                                       {0, 1, 5, 3}, {1, 2, 3, 4}, {1, 2, 4, 5}, {1, 2, 5, 3},
                                       {2, 0, 3, 4}, {2, 0, 4, 5}, {2, 0, 5, 3}};
#define VERTEX_PAIRS 0x3fu

static void add_lane(const abut__run* run, subject* s, uint32_t pair, feature_lanes* lanes) {
    const uint32_t i = lanes->count++;
    lanes->of[i] = s;
    lanes->bit[i] = pair;
    for (int c = 0; c < 4; ++c) {
        memcpy(lanes->from[i][c], s->x[0][corners[pair][c]], sizeof lanes->from[i][c]);
        memcpy(lanes->to[i][c], s->x[1][corners[pair][c]], sizeof lanes->to[i][c]);
    }
    if (lanes->count == ABUT__SWEEP_LANES) {
        filter_lanes(run, lanes);
    }
}

static void filter_features(batch* b, bool edges) {
    feature_lanes lanes;
    lanes.edges = edges;
    lanes.count = 0;
    for (uint32_t k = 0; k < b->count; ++k) {
        subject* s = &b->subjects[k];
        const uint32_t pairs = s->open &
                               (edges ? ABUT__FEATURE_PAIRS & ~VERTEX_PAIRS : VERTEX_PAIRS);
        for (uint32_t left = pairs; left != 0; left &= left - 1) {
            add_lane(b->run, s, (uint32_t)__builtin_ctz(left), &lanes);
        }
    }
    filter_lanes(b->run, &lanes);
}

// whether boxes around the paths of two triangles overlap; rounding has no part in it
static bool paths_meet(const subject* s) {
    for (int d = 0; d < 3; ++d) {
        double lo[2] = {INFINITY, INFINITY};
        double hi[2] = {-INFINITY, -INFINITY};
        for (int i = 0; i < 12; ++i) {
            const double x = s->x[i % 2][i / 2][d];
            const int side = i / 6;
            lo[side] = x < lo[side] ? x : lo[side];
            hi[side] = x > hi[side] ? x : hi[side];
        }
        if (lo[0] > hi[1] || lo[1] > hi[0]) {
            return false;
        }
    }
    return true;
}

// ---- batches

// Returns the pairs that are farther apart at half time than interval_pair.c needs to see.
static uint32_t apart_at_half(const batch* b) {
    abut__triangle_batch lanes;
    double margin[ABUT__BATCH] = {0};
    memset(&lanes, 0, sizeof lanes);
    for (uint32_t k = 0; k < b->count; ++k) {
        const subject* s = &b->subjects[k];
        for (int i = 0; i < 18; ++i) {
            lanes.corner[i / 3][i % 3][k] = 0.5 * s->x[0][i / 3][i % 3] +
                                            0.5 * s->x[1][i / 3][i % 3];
        }
        margin[k] = 0x1p-48 * s->reach + 0x1p-1060;
    }
    return b->run->kernels->triangles_beyond(&lanes, (1u << b->count) - 1, margin);
}

static void decide_batch(batch* b) {
    if (b->count == 0) {
        return;
    }
    filter_features(b, false);
    filter_features(b, true);
    const uint32_t apart = apart_at_half(b);
    for (uint32_t k = 0; k < b->count && b->worker->reader.status == ABUT_OK; ++k) {
        const bool apart_half = (apart >> k & 1) != 0;
        const subject* s = &b->subjects[k];
        if (s->open != 0 || (!apart_half && paths_meet(s))) {
            decide_alone(b, s, apart_half);
        }
    }
    b->count = 0;
}

// returns those of the fresh pairs that directions prove apart
static uint32_t directions_apart(const batch* b) {
    abut__path_batch lanes;
    double(*const corner)[ABUT__BATCH] = &lanes.corner[0][0][0];
    for (int i = 0; i < 36; ++i) {
        for (uint32_t k = 0; k < ABUT__BATCH; ++k) {
            corner[i][k] = (&b->fresh_ones[k < b->fresh ? k : 0].x[0][0][0])[i];
        }
    }
    for (uint32_t k = 0; k < ABUT__BATCH; ++k) {
        lanes.distance[k] = 0x1p-47 * b->fresh_ones[k < b->fresh ? k : 0].reach + 0x1p-1050;
        lanes.relative[k] = 8 * (b->run->def->tolerance + ABUT_TOLERANCE_MIN);
    }
    return b->run->kernels->paths_apart(&lanes, (1u << b->fresh) - 1);
}

// moves fresh pairs that are not proven apart to the others
static void sift_fresh(batch* b) {
    if (b->fresh == 0) {
        return;
    }
    const uint32_t apart = directions_apart(b);
    b->worker->reader.counters.exact_tests += b->fresh;
    for (uint32_t k = 0; k < b->fresh; ++k) {
        if ((apart >> k & 1) == 0) {
            b->subjects[b->count++] = b->fresh_ones[k];
        }
        if (b->count == ABUT__BATCH) {
            decide_batch(b);
        }
    }
    b->fresh = 0;
}

// ---- candidates

// Two blocks whose candidates are decided.
typedef struct block_pair {
    const abut__job* job;
    const abut__block* fixed[2];
    const abut__moving_block* moving[2];
    bool filters;  // some pairs of triangles may be excluded
    bool hubs;     // masks may lack some neighbours
} block_pair;

// false: a vertex is not finite, or there is no memory
static bool open_blocks(const batch* b, const abut__candidate* c, block_pair* pair) {
    const abut__job* job = &b->run->jobs[c->job];
    *pair = (block_pair){.job = job, .filters = b->run->def->filter.fn != NULL};
    for (int s = 0; s < 2; ++s) {
        const abut__view* view = &job->view[s];
        pair->moving[s] = view->kind->block_ends(view, c->block[s], s, &b->worker->reader);
        if (pair->moving[s] == NULL) {
            return false;
        }
        pair->fixed[s] = view->tree->blocks[c->block[s]];
        pair->filters = pair->filters || view->shape->ignored_count > 0;
    }
    pair->hubs = job->self && job->links->hub[c->block[0]] != 0 &&
                 job->links->hub[c->block[1]] != 0;
    return true;
}

// whether tags, the caller's filter or a common vertex exclude two triangles in their order
static bool is_excluded(const batch* b, const block_pair* pair, const uint32_t triangle[2]) {
    if (pair->hubs &&
        abut__shared_corners(pair->job->view[0].shape->mesh, triangle[0], triangle[1]) != 0) {
        ++b->worker->reader.counters.pairs_adjacent;
        return true;
    }
    const bool filtered = pair->filters &&
                          abut__pair_filtered(b->run, pair->job, triangle[0], triangle[1]);
    b->worker->reader.counters.pairs_filtered += filtered;
    return filtered;
}

// the pairs of features as seen from the second triangle
static uint32_t swapped_pairs(uint32_t pairs) {
    uint32_t out = (pairs & 7) << 3 | (pairs >> 3 & 7);
    for (uint32_t i = 0; i < 9; ++i) {
        out |= (pairs >> (6 + i) & 1) << (6 + 3 * (i % 3) + i / 3);
    }
    return out;
}

// puts a candidate into the batch whose faces may meet
static void add_subject(batch* b, const block_pair* pair, const abut__candidate* c,
                        uint32_t pairs) {
    subject* s = &b->fresh_ones[b->fresh];
    const uint32_t first = pair->fixed[0]->triangle[c->lane[0]];
    const uint32_t second = pair->fixed[1]->triangle[c->lane[1]];
    const int turned = pair->job->self && first > second ? 1 : 0;
    s->job = pair->job;
    s->task = &b->run->tasks[c->task];
    s->triangle[turned] = first;
    s->triangle[1 - turned] = second;
    if (is_excluded(b, pair, s->triangle)) {
        return;
    }
    s->open = turned != 0 ? swapped_pairs(pairs) : pairs & ABUT__FEATURE_PAIRS;
    s->reach = fmax(pair->moving[0]->reach, pair->moving[1]->reach);
    for (int side = 0; side < 2; ++side) {
        const abut__block* fixed = pair->fixed[side ^ turned];
        const uint32_t lane = c->lane[side ^ turned];
        for (int i = 0; i < 6; ++i) {
            memcpy(s->x[i % 2][3 * side + i / 2],
                   pair->moving[side ^ turned]->vertices[i % 2][fixed->corner[i / 2][lane]],
                   sizeof s->x[0][0]);
        }
    }
    if (++b->fresh == ABUT__BATCH) {
        sift_fresh(b);
    }
}

// takes candidates in a row, all of the same two blocks
#define SOME 64
static void take_blocks(batch* b, const abut__candidate* first, const abut__candidate* end) {
    block_pair pair;
    if (!open_blocks(b, first, &pair)) {
        return;
    }
    for (const abut__candidate* c = first; c < end; c += SOME) {
        const uint32_t count = end - c < SOME ? (uint32_t)(end - c) : SOME;
        uint8_t lanes[SOME][2];
        uint16_t pairs[SOME];
        for (uint32_t i = 0; i < count; ++i) {
            memcpy(lanes[i], c[i].lane, sizeof lanes[i]);
        }
        b->run->kernels->features_meet(pair.moving[0]->triangles, pair.moving[1]->triangles,
                                       (const uint8_t(*)[2])lanes, count, false,
                                       &pair.job->corner_shift, pairs);
        for (uint32_t i = 0; i < count; ++i) {
            if (pairs[i] != 0) {
                add_subject(b, &pair, &c[i], pairs[i]);
            }
        }
    }
}

void abut__interval_candidates(const abut__run* run, abut__worker* worker, bool all) {
    const abut__candidate* c = worker->candidates.data;
    const size_t count = worker->candidates.count;
    if (count == 0 || (count < ABUT__DECIDE_AT && !all)) {
        return;
    }
    batch b;
    b.run = run;
    b.worker = worker;
    b.fresh = b.count = 0;
    for (size_t first = 0, end; first < count && worker->reader.status == ABUT_OK; first = end) {
        end = first + 1;
        while (end < count && abut__same_blocks(&c[end], &c[first])) {
            ++end;
        }
        take_blocks(&b, c + first, c + end);
    }
    if (worker->reader.status == ABUT_OK) {
        sift_fresh(&b);
        decide_batch(&b);
    }
    worker->candidates.count = 0;
}
