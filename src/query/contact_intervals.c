// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Finds when triangles touch, over a whole animation. It is cut at all keyframes of both bodies; in
// a segment all vertices move straight. The events of a kinetic separation list
// (query/separation_list.h) tell which blocks come near each other in the segment, and their
// triangles are examined one by one (interval_pair.c). Contact intervals that meet at the ends of
// segments are joined.
//
// What the list may miss. It examines instants and finds overlaps that last for 2^-15 of its
// window. A gap changes by at most 2 (S + S') in a window, and by less than twice that in rotated
// axes, where S and S' are the extents. So boxes that overlap at any instant overlap for longer
// than that if they are grown by 2^-14 (S + S').
//
// Times. t = t0 + s (t1 - t0) is off by 2 u (|t0| + |t1|), and is moved outwards by 2^-50 of that
// sum.
#include <math.h>

#include "base/sort.h"
#include "query/separation_list.h"
#include "view/segment.h"

#define GROWTH 0x1p-14

typedef struct animation {
    const abut_context* context;
    const abut__settings* def;
    abut__workspace* work;
    abut__job job;
    abut__list* list;
    abut__segment_window window[2];  // of the views of the job
    double from;                     // of the current segment
    double to;
    abut_counters counters;
} animation;

// ---- blocks

// a block at both ends of the segment, and boxes around the paths of its triangles
typedef struct moving_block {
    const abut__block* fixed;
    double at[2][ABUT__BLOCK_VERTICES][3];
    double lo[ABUT__BLOCK_TRIANGLES][3];
    double hi[ABUT__BLOCK_TRIANGLES][3];
} moving_block;

static void load_block(animation* a, int side, uint32_t block, moving_block* out) {
    const abut__view* view = &a->job.view[side];
    out->fixed = view->tree->blocks[block];
    for (int end = 0; end < 2; ++end) {
        view->kind->vertices(view, end, out->fixed->vertex, out->fixed->vertex_count, out->at[end]);
    }
    ++a->counters.blocks_evaluated;
    a->counters.vertices_evaluated += out->fixed->vertex_count;
    for (uint32_t t = 0; t < out->fixed->triangle_count; ++t) {
        for (int d = 0; d < 3; ++d) {
            out->lo[t][d] = INFINITY;
            out->hi[t][d] = -INFINITY;
            for (int i = 0; i < 6; ++i) {
                const double x = out->at[i % 2][out->fixed->corner[i / 2][t]][d];
                out->lo[t][d] = x < out->lo[t][d] ? x : out->lo[t][d];
                out->hi[t][d] = x > out->hi[t][d] ? x : out->hi[t][d];
            }
        }
    }
}

static bool boxes_meet(const moving_block* a, uint32_t i, const moving_block* b, uint32_t j) {
    bool meet = true;
    for (int d = 0; d < 3; ++d) {
        meet = meet && a->lo[i][d] <= b->hi[j][d] && b->lo[j][d] <= a->hi[i][d];
    }
    return meet;
}

// ---- pairs

static double time_at(const animation* a, double part, double outwards) {
    if (part <= 0 || part >= 1) {
        return part <= 0 ? a->from : a->to;
    }
    const double slack = 0x1p-50 * (fabs(a->from) + fabs(a->to)) + 0x1p-1070;
    const double time = (1 - part) * a->from + part * a->to + outwards * slack;
    return fmin(fmax(time, a->from), a->to);
}

static bool add_intervals(animation* a, uint32_t first, uint32_t second) {
    const abut__interval_list* found = &a->work->intervals;
    const abut__interval* all = found->data;
    abut_contact_interval* out =
        found->count > 0 ? abut__push(a->context, &a->work->contact_intervals, found->count) : NULL;
    for (size_t i = 0; i < found->count && out != NULL; ++i) {
        out[i] = (abut_contact_interval){
            a->job.view[0].body->index,  a->job.view[1].body->index, first, second,
            time_at(a, all[i].from, -1), time_at(a, all[i].to, 1)};
    }
    return out != NULL || found->count == 0;
}

static bool decide_pair(animation* a, const moving_block* first, uint32_t i,
                        const moving_block* second, uint32_t j) {
    double x[2][6][3];
    for (int end = 0; end < 2; ++end) {
        for (int c = 0; c < 3; ++c) {
            memcpy(x[end][c], first->at[end][first->fixed->corner[c][i]], sizeof x[end][c]);
            memcpy(x[end][3 + c], second->at[end][second->fixed->corner[c][j]], sizeof x[end][c]);
        }
    }
    ++a->counters.exact_tests;
    a->work->intervals.count = 0;
    return abut__intervals_of_pair(a->context, (const double(*)[3])x[0], (const double(*)[3])x[1],
                                   a->def->tolerance, &a->work->intervals) &&
           add_intervals(a, first->fixed->triangle[i], second->fixed->triangle[j]);
}

// whether a pair counts: within a body each one once, and without neighbours
static bool is_wanted(animation* a, uint32_t first, uint32_t second, bool same_block) {
    if (a->job.self) {
        if (same_block && first >= second) {
            return false;
        }
        if (abut__shared_corners(a->job.view[0].shape->mesh, first, second) != 0) {
            ++a->counters.pairs_adjacent;
            return false;
        }
    }
    const abut__run run = {.def = a->def, .context = a->context};
    const bool turned = a->job.self && first > second;
    if (abut__pair_filtered(&run, &a->job, turned ? second : first, turned ? first : second)) {
        ++a->counters.pairs_filtered;
        return false;
    }
    return true;
}

static bool decide_blocks(animation* a, uint32_t block_a, uint32_t block_b) {
    moving_block blocks[2];
    const bool same = a->job.self && block_a == block_b;
    load_block(a, 0, block_a, &blocks[0]);
    load_block(a, 1, block_b, &blocks[1]);
    bool done = true;
    for (uint32_t i = 0; i < blocks[0].fixed->triangle_count && done; ++i) {
        for (uint32_t j = 0; j < blocks[1].fixed->triangle_count && done; ++j) {
            const uint32_t first = blocks[0].fixed->triangle[i];
            const uint32_t second = blocks[1].fixed->triangle[j];
            if (!boxes_meet(&blocks[0], i, &blocks[1], j) || !is_wanted(a, first, second, same)) {
                continue;
            }
            const bool turned = a->job.self && first > second;
            done = turned ? decide_pair(a, &blocks[1], j, &blocks[0], i)
                          : decide_pair(a, &blocks[0], i, &blocks[1], j);
        }
    }
    return done;
}

// ---- sorting

static uint64_t interval_key(const abut_contact_interval* s) {
    return (uint64_t)s->triangle_a << 32 | s->triangle_b;
}

// Sorts by pairs; intervals of earlier segments stay before later ones. False: no memory.
static bool sort_intervals(abut__workspace* work, size_t* count) {
    *count = work->contact_intervals.count;
    work->keys.count = 0;
    if (*count == 0) {
        return true;
    }
    abut__keyed* keys = abut__push(work->context, &work->keys, 2 * *count);
    // the second half of the array receives the first one, sorted
    if (keys == NULL || abut__push(work->context, &work->contact_intervals, *count) == NULL) {
        return false;
    }
    abut_contact_interval* intervals = work->contact_intervals.data;
    for (size_t i = 0; i < *count; ++i) {
        keys[i] = (abut__keyed){interval_key(&intervals[i]), i};
    }
    abut__sort_keyed(keys, keys + *count, *count);
    for (size_t i = 0; i < *count; ++i) {
        intervals[*count + i] = intervals[keys[i].value];
    }
    return true;
}

static bool join_intervals(abut__workspace* work) {
    size_t count;
    if (!sort_intervals(work, &count)) {
        return false;
    }
    abut_contact_interval* out = work->contact_intervals.data;
    const abut_contact_interval* from = ABUT__AT(out, count);
    size_t kept = 0;
    for (size_t i = 0; i < count; ++i) {
        if (kept > 0 && interval_key(&out[kept - 1]) == interval_key(&from[i]) &&
            out[kept - 1].stop >= from[i].start) {
            out[kept - 1].stop = fmax(out[kept - 1].stop, from[i].stop);
        } else {
            out[kept++] = from[i];
        }
    }
    work->contact_intervals.count = kept;
    work->found = kept > 0;
    return true;
}

// removes duplicates: a pair of blocks may have met several times
static bool sort_met(abut__workspace* work) {
    const size_t count = work->met.count;
    abut__entry* met = work->met.data;
    work->keys.count = 0;
    if (count < 2) {
        return true;
    }
    abut__keyed* keys = abut__push(work->context, &work->keys, 2 * count);
    if (keys == NULL) {
        return false;
    }
    for (size_t i = 0; i < count; ++i) {
        keys[i] = (abut__keyed){(uint64_t)met[i].a << 32 | met[i].b, i};
    }
    abut__sort_keyed(keys, keys + count, count);
    size_t kept = 0;
    for (size_t i = 0; i < count; ++i) {
        if (i == 0 || keys[i].key != keys[i - 1].key) {
            met[kept++] = (abut__entry){0, (abut__ref)(keys[i].key >> 32), (abut__ref)keys[i].key,
                                        0};
        }
    }
    work->met.count = kept;
    return true;
}

// ---- segments

static abut_status refuse(animation* a, const abut__body* body) {
    a->work->blame = abut__blame_on(body, ABUT__NONE, "a keyframe is not finite or above 1e37");
    return ABUT_ERR_INVALID_DATA;
}

static abut_status open_side(animation* a, int side, abut__list_side* out) {
    abut__view* view = &a->job.view[side];
    abut__body* body = view->body;
    const abut_status status = abut__view_segment(body, a->from, a->to, &a->window[side], view);
    if (!a->job.in_shape) {
        view->placing[0] = view->placing[1] = view->frame;
    }
    *out = (abut__list_side){
        .body = body, .moves = a->window[side].moves, .segment = a->window[side].segment};
    return status == ABUT_ERR_INVALID_DATA ? refuse(a, body) : status;
}

// False: coordinates are too large.
static bool grow_shift(animation* a) {
    const double extents = a->job.view[0].extent + a->job.view[1].extent;
    abut__job_shift_for(&a->job, extents, GROWTH * extents);
    return !a->job.unbounded;
}

static abut_status run_segment(animation* a) {
    abut__list_side sides[2];
    for (int s = 0; s < 2; ++s) {
        const abut_status status = open_side(a, s, &sides[s]);
        if (status != ABUT_OK) {
            return status;
        }
    }
    if (!grow_shift(a)) {
        return refuse(a, a->job.view[0].body);
    }
    a->work->met.count = 0;
    a->list->met = &a->work->met;
    // a new list for each segment reports all that overlaps at its beginning
    if (!abut__list_go(a->list, &a->job, NAN, sides, &a->counters) ||
        !abut__list_pass(a->list, a->to) || !sort_met(a->work)) {
        return ABUT_ERR_NO_MEMORY;
    }
    const abut__entry* met = a->work->met.data;
    bool done = true;
    for (size_t i = 0; i < a->work->met.count && done; ++i) {
        done = decide_blocks(a, met[i].a & ~ABUT__REF_BLOCK, met[i].b & ~ABUT__REF_BLOCK);
    }
    return done ? ABUT_OK : ABUT_ERR_NO_MEMORY;
}

static abut_status run_segments(animation* a, double from, double to) {
    abut_status status = ABUT_OK;
    for (double time = from; time < to && status == ABUT_OK; time = a->to) {
        a->from = time;
        a->to = to;
        for (int s = 0; s < 2; ++s) {
            a->to = fmin(a->to, abut__body_next_break(a->job.view[s].body, time));
        }
        abut__list_free(a->list);
        a->list = abut__list_make(a->context, ABUT__LIST_BY_EVENT);
        status = a->list != NULL ? run_segment(a) : ABUT_ERR_NO_MEMORY;
    }
    return status;
}

// ---- calls

abut_intervals_def abut_intervals_def_default(void) {
    abut_intervals_def def;
    memset(&def, 0, sizeof def);
    def.tolerance = ABUT_TOLERANCE_DEFAULT;
    def.head.cookie = ABUT__COOKIE + ABUT__KIND_INTERVALS;
    return def;
}

abut_status abut_intervals_result_create(abut_context* context, abut_intervals_result** result,
                                         abut_error* error) {
    return abut__result_create(context, sizeof **result, result, error);
}

void abut_intervals_result_destroy(abut_intervals_result* result) {
    abut__result_destroy(result, sizeof *result);
}

const abut_contact_interval* abut_intervals_result_intervals(const abut_intervals_result* result,
                                                             size_t* count) {
    return abut__contents(&result->work.contact_intervals, count);
}

static abut_status open_query(const abut_scene* scene, double from, double to,
                              const abut_intervals_def* def, abut_intervals_result* result,
                              abut__settings* settings, abut_error* error) {
    const abut_intervals_def defaults = abut_intervals_def_default();
    def = def != NULL ? def : &defaults;
    abut_status status = abut__query_open(scene, result != NULL ? &result->work : NULL, &def->head,
                                          ABUT__KIND_INTERVALS, "intervals", error);
    status = status == ABUT_OK ? abut__check_tolerance(def->tolerance, error) : status;
    if (status == ABUT_OK && !(isfinite(from) && isfinite(to) && from < to)) {
        status = abut__fail(error, ABUT_ERR_INVALID_ARGUMENT, ABUT_ELEMENT_NONE, 0,
                            "times from %g to %g are no interval: both must be finite, and the "
                            "first one less than the second one",
                            from, to);
    }
    *settings = abut__settings_default;
    settings->tolerance = def->tolerance;
    settings->filter = def->filter;
    settings->counters = def->head.counters;
    if (status == ABUT_OK) {
        abut__workspace_begin(&result->work);
    }
    return status;
}

static abut_status check_bodies(abut__workspace* work, const abut__body* const bodies[2]) {
    for (int s = 0; s < 2; ++s) {
        if (abut__body_schedule(bodies[s]) == ABUT__SCHEDULE_PLANS) {
            work->blame = abut__blame_on(bodies[s], ABUT__NONE,
                                         "it follows plans, which have no end");
            return ABUT_ERR_STATE;
        }
    }
    const bool animated = abut__body_schedule(bodies[0]) == ABUT__SCHEDULE_KEYS ||
                          abut__body_schedule(bodies[1]) == ABUT__SCHEDULE_KEYS;
    work->blame.reason = animated ? NULL : "no body has two keyframes or more";
    return animated ? ABUT_OK : ABUT_ERR_INVALID_ARGUMENT;
}

static abut_status run(abut__body* first, abut__body* second, double from, double to,
                       const abut__settings* def, abut__workspace* work) {
    const abut__body* const bodies[2] = {first, second};
    abut_status status = check_bodies(work, bodies);
    if (status != ABUT_OK) {
        return status;
    }
    animation a = {.context = work->context, .def = def, .work = work};
    abut__job_begin(&a.job, first, second);
    a.job.in_shape = a.job.self || abut__frames_equal(&first->frame, &second->frame);
    status = run_segments(&a, from, to);
    abut__list_free(a.list);
    if (status == ABUT_OK && !join_intervals(work)) {
        status = ABUT_ERR_NO_MEMORY;
    }
    a.counters.pairs_found = status == ABUT_OK ? work->contact_intervals.count : 0;
    if (def->counters != NULL) {
        abut__counters_add(def->counters, &a.counters);
    }
    return status;
}

abut_status abut_intervals(const abut_scene* scene, abut_body_id a, abut_body_id b, double from,
                           double to, const abut_intervals_def* def, abut_intervals_result* result,
                           abut_error* error) {
    abut__settings settings;
    abut__body* bodies[2];
    abut_status status = open_query(scene, from, to, def, result, &settings, error);
    status = status == ABUT_OK ? abut__query_bodies(scene, a, b, bodies, error) : status;
    if (status != ABUT_OK) {
        return status;
    }
    status = run(bodies[0], bodies[1], from, to, &settings, &result->work);
    return abut__query_close(&result->work, status, error);
}

abut_status abut_intervals_self(const abut_scene* scene, abut_body_id body, double from, double to,
                                const abut_intervals_def* def, abut_intervals_result* result,
                                abut_error* error) {
    abut__settings settings;
    abut__body* found;
    abut_status status = open_query(scene, from, to, def, result, &settings, error);
    status = status == ABUT_OK ? abut__query_body(scene, body, &found, error) : status;
    if (status != ABUT_OK) {
        return status;
    }
    status = run(found, found, from, to, &settings, &result->work);
    return abut__query_close(&result->work, status, error);
}
