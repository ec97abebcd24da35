// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Finds when triangles touch, over a whole animation. It is cut at all keyframes of both bodies; in
// a segment all vertices move straight. A descent as that of sweeps finds the candidates of each
// segment: pairs of triangles whose boxes around their paths overlap. They are decided in
// interval_decide.c. Contact intervals that meet at the ends of segments are joined.
#include <math.h>

#include "base/sort.h"
#include "query/query.h"
#include "view/segment.h"

typedef struct animation {
    const abut_scene* scene;
    const abut__settings* def;
    abut__workspace* work;
    abut__body* body[2];  // or one body twice
} animation;

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

// ---- segments

static abut_status refuse(abut__workspace* work, const abut__body* body) {
    work->blame = abut__blame_on(body, ABUT__NONE, "a keyframe is not finite or above 1e37");
    return ABUT_ERR_INVALID_DATA;
}

static abut_status run_segment(const animation* a, double from, double to) {
    abut__segment_window windows[2];
    abut__view views[2];
    for (int s = 0; s < 2; ++s) {
        const abut_status status = abut__view_segment(a->body[s], from, to, &windows[s], &views[s]);
        if (status != ABUT_OK) {
            return status == ABUT_ERR_INVALID_DATA ? refuse(a->work, a->body[s]) : status;
        }
    }
    abut__workspace* work = a->work;
    work->jobs.count = 0;
    const abut_status status = abut__query_add_job(work, &views[0], &views[1],
                                                   a->body[0] == a->body[1], a->def);
    if (status != ABUT_OK) {
        return status;
    }
    return work->jobs.data[0].unbounded ? refuse(work, a->body[0])
                                        : abut__windows_run(a->scene, a->def, work);
}

static abut_status run_segments(const animation* a, double from, double to) {
    abut_status status = ABUT_OK;
    double next = to;
    for (double time = from; time < to && status == ABUT_OK; time = next) {
        next = fmin(to, fmin(abut__body_next_break(a->body[0], time),
                             abut__body_next_break(a->body[1], time)));
        status = run_segment(a, time, next);
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
    settings->intervals = true;
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

static abut_status run(const animation* a, double from, double to) {
    abut_status status = check_bodies(a->work, (const abut__body* const*)a->body);
    if (status == ABUT_OK) {
        status = run_segments(a, from, to);
    }
    if (status == ABUT_OK && !join_intervals(a->work)) {
        status = ABUT_ERR_NO_MEMORY;
    }
    if (a->def->counters != NULL && status == ABUT_OK) {
        a->def->counters->pairs_found += a->work->contact_intervals.count;
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
    if (status != ABUT_OK || result == NULL) {  // it is not NULL if all is well
        return status;
    }
    const animation all = {scene, &settings, &result->work, {bodies[0], bodies[1]}};
    status = run(&all, from, to);
    return abut__query_close(&result->work, status, error);
}

abut_status abut_intervals_self(const abut_scene* scene, abut_body_id body, double from, double to,
                                const abut_intervals_def* def, abut_intervals_result* result,
                                abut_error* error) {
    abut__settings settings;
    abut__body* found;
    abut_status status = open_query(scene, from, to, def, result, &settings, error);
    status = status == ABUT_OK ? abut__query_body(scene, body, &found, error) : status;
    if (status != ABUT_OK || result == NULL) {  // it is not NULL if all is well
        return status;
    }
    const animation all = {scene, &settings, &result->work, {found, found}};
    status = run(&all, from, to);
    return abut__query_close(&result->work, status, error);
}
