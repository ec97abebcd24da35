// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Sweeps: contacts within a step, between bodies and within one. The descent is that of every
// query, over boxes that hold the whole step. Neighbouring triangles take part in it: only features
// that share a vertex are excluded.
#include <math.h>

#include "query/collide_voronoi.h"
#include "query/query.h"

abut_sweep_def abut_sweep_def_default(void) {
    abut_sweep_def def;
    memset(&def, 0, sizeof def);
    def.tolerance = ABUT_TOLERANCE_DEFAULT;
    def.head.cookie = ABUT__COOKIE + ABUT__KIND_SWEEP;
    return def;
}

abut_status abut_sweep_result_create(abut_context* context, abut_sweep_result** result,
                                     abut_error* error) {
    return abut__result_create(context, sizeof **result, result, error);
}

void abut_sweep_result_destroy(abut_sweep_result* result) {
    abut__result_destroy(result, sizeof *result);
}

bool abut_sweep_result_found(const abut_sweep_result* result) {
    return result->work.found;
}

const abut_sweep_pair* abut_sweep_result_pairs(const abut_sweep_result* result, size_t* count) {
    return abut__contents(&result->work.sweeps, count);
}

double abut_sweep_result_time_of_impact(const abut_sweep_result* result) {
    return abut__earliest_contact(&result->work);
}

double abut__earliest_contact(const abut__workspace* work) {
    const abut_sweep_pair* pairs = work->sweeps.data;
    double first = INFINITY;
    for (size_t i = 0; i < work->sweeps.count; ++i) {
        first = pairs[i].time < first ? pairs[i].time : first;
    }
    return first;
}

// adds a job about the whole step, or its parts
static abut_status add_job(abut__workspace* work, abut__body* a, abut__body* b,
                           const abut__settings* def) {
    abut__body* bodies[2] = {a, b};
    for (int i = 0; i < 2; ++i) {
        if (!abut__body_state(bodies[i], 0)->valid) {
            work->blame = abut__blame_on(bodies[i], ABUT__NONE,
                                         "it has no previous state: set its state twice, or use "
                                         "abut_body_borrow_step()");
            return ABUT_ERR_STATE;
        }
        if (abut__shape_owned(bodies[i]->shape) == NULL) {
            return ABUT_ERR_NO_MEMORY;
        }
    }
    const abut__body* refused = NULL;
    const char* reason = NULL;
    abut_status status = abut__step_check(a, b, &refused, &reason);
    if (refused != NULL) {
        work->blame = abut__blame_on(refused, ABUT__NONE, reason);
    }
    if (status == ABUT_OK) {
        const abut__view views[2] = {abut__view_step(a), abut__view_step(b)};
        status = abut__query_add_job(work, &views[0], &views[1], a == b, def);
    }
    return status == ABUT_OK && !abut__parts_split(work) ? ABUT_ERR_NO_MEMORY : status;
}

// ---- order

static bool sort_sweeps(abut__workspace* work) {
    const size_t count = work->sweeps.count;
    if (count < 2) {
        return true;
    }
    abut__row_key* keys = abut__renew(work->context, &work->row_keys, count);
    abut_sweep_pair* sorted = abut__renew(work->context, &work->swept_order, count);
    if (keys == NULL || sorted == NULL) {
        return false;
    }
    for (size_t i = 0; i < count; ++i) {
        abut__row_of_sweep(&work->sweeps.data[i], &keys[i]);
    }
    if (!abut__sort_rows(work, sizeof *sorted, sorted)) {
        return false;
    }
    memcpy(work->sweeps.data, sorted, count * sizeof *sorted);
    return true;
}

// removes all contacts but the earliest, also from the counters
static void keep_first(abut__workspace* work, abut_counters* counters) {
    abut_sweep_pair* pairs = work->sweeps.data;
    const double first = abut__earliest_contact(work);
    size_t kept = 0;
    for (size_t i = 0; i < work->sweeps.count; ++i) {
        if (pairs[i].time == first) {
            pairs[kept++] = pairs[i];
        } else if (counters != NULL) {
            --counters->pairs_found;
            counters->pairs_undecided -= pairs[i].undecided;
        }
    }
    work->sweeps.count = kept;
}

// Merges contacts of the same features in several parts of a step into the earliest one. Sorting
// preserves the order of the rounds, in which earlier parts come first.
static void join_parts(abut__workspace* work, abut_counters* counters) {
    abut_sweep_pair* pairs = work->sweeps.data;
    size_t kept = 0;
    for (size_t i = 0; i < work->sweeps.count; ++i) {
        bool same = false;
        if (kept > 0) {
            abut__row_key keys[2];
            abut__row_of_sweep(&pairs[kept - 1], &keys[0]);
            abut__row_of_sweep(&pairs[i], &keys[1]);
            same = abut__rows_alike(&keys[0], &keys[1]);
        }
        if (!same) {
            pairs[kept++] = pairs[i];
            continue;
        }
        const bool earlier = pairs[i].time < pairs[kept - 1].time;
        if (counters != NULL) {
            --counters->pairs_found;
            counters->pairs_undecided -= pairs[earlier ? kept - 1 : i].undecided;
        }
        pairs[kept - 1] = pairs[earlier ? i : kept - 1];
    }
    work->sweeps.count = kept;
}

// Lets the views of all jobs use their tables, and prepares proofs within bodies. False: no memory.
static bool open_views(abut__workspace* work) {
    const abut_context* context = work->context;
    abut__job* jobs = work->jobs.data;
    ++work->steps.call;
    for (size_t j = 0; j < work->jobs.count; ++j) {
        for (int s = 0; s < 2; ++s) {
            if (abut__step_place(context, &work->steps, jobs[j].view[s].body) == NULL) {
                return false;
            }
            abut__step_prepare(context, &work->steps, jobs[j].view[s].body);
        }
    }
    for (size_t j = 0; j < work->jobs.count; ++j) {
        abut__view* view = jobs[j].view;
        abut__step_open(&work->steps, &view[0]);
        abut__step_open(&work->steps, &view[1]);
        view[0].proves = jobs[j].self && jobs[j].margin == 0 &&
                         abut__step_prove(context, &view[0], &view[0].table->proofs);
    }
    return true;
}

abut_status abut__windows_run(const abut_scene* scene, const abut__settings* def,
                              abut__workspace* work) {
    if (!open_views(work)) {
        return ABUT_ERR_NO_MEMORY;
    }
    for (uint32_t w = 0; w < work->worker_count; ++w) {
        work->workers[w].sweeps[0].count = work->workers[w].sweeps[1].count = 0;
        memset(&work->workers[w].reader.counters, 0, sizeof work->workers[w].reader.counters);
    }
    return def->culling.kind == ABUT_CULLING_VORONOI ? abut__sweep_voronoi(scene, def, work)
                                                     : abut__query_run(scene, def, work, true);
}

static abut_status run_round(const abut_scene* scene, const abut__settings* def,
                             abut__workspace* work, bool whole) {
    abut__settings all = *def;
    all.include_neighbours = true;  // only features that share a vertex are excluded
    if (!whole) {  // prisms are straight from one end of the step to the other: parts use trees
        all.culling.kind = ABUT_CULLING_TREE;
    }
    return abut__windows_run(scene, &all, work);
}

// runs jobs about whole steps first, then parts of the others, round by round
static abut_status run_rounds(const abut_scene* scene, const abut__settings* def,
                              abut__workspace* work) {
    abut_status status = run_round(scene, def, work, true);
    while (status == ABUT_OK && !(def->any && work->found)) {
        const double before = def->earliest_only ? abut__earliest_contact(work) : INFINITY;
        if (!abut__parts_next(work, before, &status)) {
            break;
        }
        status = run_round(scene, def, work, false);
    }
    return status;
}

static abut_status run_jobs(const abut_scene* scene, const abut__settings* def,
                            abut__workspace* work) {
    abut_status status = run_rounds(scene, def, work);
    if (status == ABUT_OK && !sort_sweeps(work)) {
        status = ABUT_ERR_NO_MEMORY;
    }
    if (status != ABUT_OK) {
        work->sweeps.count = 0;
        return status;
    }
    if (work->parts.count > 0) {
        join_parts(work, def->counters);
    }
    if (def->earliest_only) {
        keep_first(work, def->counters);
    }
    return status;
}

// A body without a previous state gets an infinite box, so that some pair reaches the check that
// reports it.
static bool box_of(const abut__body* body, abut_box* box) {
    if (!abut__step_world_box(body, box)) {
        *box = (abut_box){{-INFINITY, -INFINITY, -INFINITY}, {INFINITY, INFINITY, INFINITY}};
    }
    return true;
}

// adds a job for each pair of bodies of the scene whose boxes over the step overlap
static abut_status add_pairs(const abut_scene* scene, const abut__settings* def,
                             abut__workspace* work) {
    if (!abut__scene_ready(scene) ||
        !abut__broad_phase_by(scene, box_of, abut__greatest_margin(def), &work->broad)) {
        return ABUT_ERR_NO_MEMORY;
    }
    abut_status status = ABUT_OK;
    const abut__body_pair* pairs = work->broad.pairs.data;
    for (size_t i = 0; i < work->broad.pairs.count && status == ABUT_OK; ++i) {
        status = add_job(work, abut__scene_at(scene, pairs[i].a), abut__scene_at(scene, pairs[i].b),
                         def);
    }
    return status;
}

// adds a job for each body of the scene with itself
static abut_status add_each(const abut_scene* scene, const abut__settings* def,
                            abut__workspace* work) {
    abut_status status = ABUT_OK;
    for (size_t i = 0; i < scene->bodies.count && status == ABUT_OK; ++i) {
        abut__body* body = abut__scene_at(scene, i);
        if (body != NULL && !body->is_static) {
            status = abut__body_ready(body) ? add_job(work, body, body, def) : ABUT_ERR_NO_MEMORY;
        }
    }
    return status;
}

// ---- calls

static abut_status open_query(const abut_scene* scene, const abut_sweep_def* def,
                              abut_sweep_result* result, abut__settings* settings,
                              abut_error* error) {
    const abut_sweep_def defaults = abut_sweep_def_default();
    def = def != NULL ? def : &defaults;
    abut_status status = abut__query_open(scene, result != NULL ? &result->work : NULL, &def->head,
                                          ABUT__KIND_SWEEP, "sweep", error);
    status = status == ABUT_OK ? abut__check_length(def->margin, "margin", error) : status;
    status = status == ABUT_OK ? abut__check_tolerance(def->tolerance, error) : status;
    status = status == ABUT_OK ? abut__check_culling(def->culling, error) : status;
    *settings = abut__settings_default;
    settings->margin = def->margin;
    settings->thick = scene;
    settings->tolerance = def->tolerance;
    settings->any = def->any;
    settings->earliest_only = def->earliest_only;
    settings->filter = def->filter;
    settings->culling = def->culling;
    settings->counters = def->head.counters;
    if (status == ABUT_OK) {
        abut__workspace_begin(&result->work);
    }
    return status;
}

// runs the jobs, if adding them worked
static abut_status finish(const abut_scene* scene, const abut__settings* def, abut_status added,
                          abut_sweep_result* result, abut_error* error) {
    abut__workspace* work = &result->work;
    return abut__query_close(work, added == ABUT_OK ? run_jobs(scene, def, work) : added, error);
}

abut_status abut_sweep(const abut_scene* scene, abut_body_id a, abut_body_id b,
                       const abut_sweep_def* def, abut_sweep_result* result, abut_error* error) {
    abut__settings settings;
    abut__body* bodies[2];
    abut_status status = open_query(scene, def, result, &settings, error);
    status = status == ABUT_OK ? abut__query_bodies(scene, a, b, bodies, error) : status;
    if (status != ABUT_OK) {
        return status;
    }
    status = add_job(&result->work, bodies[0], bodies[1], &settings);
    return finish(scene, &settings, status, result, error);
}

abut_status abut_sweep_self(const abut_scene* scene, abut_body_id body, const abut_sweep_def* def,
                            abut_sweep_result* result, abut_error* error) {
    abut__settings settings;
    abut__body* found;
    abut_status status = open_query(scene, def, result, &settings, error);
    status = status == ABUT_OK ? abut__query_body(scene, body, &found, error) : status;
    if (status != ABUT_OK) {
        return status;
    }
    status = add_job(&result->work, found, found, &settings);
    return finish(scene, &settings, status, result, error);
}

abut_status abut_sweep_all(const abut_scene* scene, const abut_sweep_def* def,
                           abut_sweep_result* result, abut_error* error) {
    abut__settings settings;
    const abut_status status = open_query(scene, def, result, &settings, error);
    return status != ABUT_OK ? status
                             : finish(scene, &settings, add_pairs(scene, &settings, &result->work),
                                      result, error);
}

abut_status abut_sweep_self_all(const abut_scene* scene, const abut_sweep_def* def,
                                abut_sweep_result* result, abut_error* error) {
    abut__settings settings;
    const abut_status status = open_query(scene, def, result, &settings, error);
    return status != ABUT_OK
               ? status
               : finish(scene, &settings, add_each(scene, &settings, &result->work), result, error);
}

abut_status abut_sweep_box(const abut_scene* scene, abut_body_id body, abut_box* box,
                           abut_error* error) {
    abut__body* found;
    if (scene == NULL || box == NULL) {
        return abut__fail(error, ABUT_ERR_INVALID_ARGUMENT, ABUT_ELEMENT_NONE, 0,
                          "scene or box is NULL");
    }
    const abut_status status = abut__query_body(scene, body, &found, error);
    if (status == ABUT_OK) {
        box_of(found, box);
    }
    return status;
}
