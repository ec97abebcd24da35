// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Feature queries: vertices with faces, and edges with edges, at most a distance apart, between
// bodies and within one. The descent is that of every query, with the distance as margin.
// Neighbouring triangles take part in it: only features that share a vertex are excluded.
#include "query/query.h"

abut_features_def abut_features_def_default(void) {
    abut_features_def def;
    memset(&def, 0, sizeof def);
    def.head.cookie = ABUT__COOKIE + ABUT__KIND_FEATURES;
    return def;
}

abut_status abut_features_result_create(abut_context* context, abut_features_result** result,
                                        abut_error* error) {
    return abut__result_create(context, sizeof **result, result, error);
}

void abut_features_result_destroy(abut_features_result* result) {
    abut__result_destroy(result, sizeof *result);
}

bool abut_features_result_found(const abut_features_result* result) {
    return result->work.found;
}

const abut_feature_pair* abut_features_result_pairs(const abut_features_result* result,
                                                    size_t* count) {
    return abut__contents(&result->work.features, count);
}

// adds a job, of one body with itself if both are the same
static abut_status add_job(abut__workspace* work, abut__body* a, abut__body* b,
                           const abut__settings* def) {
    return abut__shape_owned(a->shape) != NULL && abut__shape_owned(b->shape) != NULL
               ? abut__query_add_bodies(work, a, b, def)
               : ABUT_ERR_NO_MEMORY;
}

// adds a job for each pair of bodies of the scene whose boxes are near enough
static abut_status add_pairs(const abut_scene* scene, const abut__settings* def,
                             abut__workspace* work) {
    if (!abut__broad_phase(scene, abut__greatest_margin(def), &work->broad)) {
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

// gathers the rows of all tasks, sorted; false: no memory
static bool gather_rows(abut__workspace* work) {
    size_t count = 0;
    for (uint32_t t = 0; t < ABUT__TASKS_MOST; ++t) {
        count += work->tasks[t].features.count;
    }
    if (count == 0) {
        return true;
    }
    abut__row_key* keys = abut__renew(work->context, &work->row_keys, count);
    abut_feature_pair* rows = abut__push(work->context, &work->features, count);
    if (keys == NULL || rows == NULL) {
        return false;
    }
    for (uint32_t t = 0; t < ABUT__TASKS_MOST; ++t) {
        const abut__task* task = &work->tasks[t];
        for (size_t i = 0; i < task->features.count; ++i) {
            abut__row_of_features(&task->features.data[i], keys++);
        }
    }
    return abut__sort_rows(work, sizeof *rows, rows);
}

// runs the jobs, if adding them worked, and sorts what they found
static abut_status finish(const abut_scene* scene, const abut__settings* def, abut_status added,
                          abut_features_result* result, abut_error* error) {
    abut__workspace* work = &result->work;
    abut_status status = added == ABUT_OK ? abut__query_run(scene, def, work, false) : added;
    if ((status == ABUT_OK || status == ABUT_INCOMPLETE) && !gather_rows(work)) {
        if (def->front != NULL) {
            abut_front_clear(def->front);  // its entries are beyond rows that are lost
        }
        status = ABUT_ERR_NO_MEMORY;
    }
    return abut__query_close(work, status, error);
}

// ---- calls

static abut_status open_query(const abut_scene* scene, const abut_features_def* def,
                              abut_features_result* result, abut__settings* settings,
                              abut_error* error) {
    const abut_features_def defaults = abut_features_def_default();
    def = def != NULL ? def : &defaults;
    abut_status status = abut__query_open(scene, result != NULL ? &result->work : NULL, &def->head,
                                          ABUT__KIND_FEATURES, "features", error);
    status = status == ABUT_OK ? abut__check_length(def->distance, "distance", error) : status;
    const char* conflict = status == ABUT_OK ? abut__front_conflict(scene, def->front, def->budget)
                                             : NULL;
    if (conflict != NULL) {
        status = abut__fail(error, ABUT_ERR_INVALID_ARGUMENT, ABUT_ELEMENT_NONE, 0, "%s", conflict);
    }
    *settings = abut__settings_default;
    settings->margin = def->distance;
    settings->any = def->any;
    settings->features = settings->include_neighbours = true;
    settings->thick = scene;
    settings->filter = def->filter;
    settings->front = def->front;
    settings->budget = def->budget;
    settings->counters = def->head.counters;
    if (status == ABUT_OK) {
        abut__workspace_begin(&result->work);
        // NOLINTNEXTLINE(clang-analyzer-core.NullDereference): a result has workers and tasks
        for (uint32_t w = 0; w < result->work.worker_count; ++w) {
            abut__worker* worker = &result->work.workers[w];
            worker->features[0].count = worker->features[1].count = 0;
        }
        for (uint32_t t = 0; t < ABUT__TASKS_MOST; ++t) {
            result->work.tasks[t].features.count = 0;
        }
    }
    return status;
}

abut_status abut_features(const abut_scene* scene, abut_body_id a, abut_body_id b,
                          const abut_features_def* def, abut_features_result* result,
                          abut_error* error) {
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

abut_status abut_features_self(const abut_scene* scene, abut_body_id body,
                               const abut_features_def* def, abut_features_result* result,
                               abut_error* error) {
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

abut_status abut_features_all(const abut_scene* scene, const abut_features_def* def,
                              abut_features_result* result, abut_error* error) {
    abut__settings settings;
    const abut_status status = open_query(scene, def, result, &settings, error);
    return status != ABUT_OK ? status
                             : finish(scene, &settings, add_pairs(scene, &settings, &result->work),
                                      result, error);
}

abut_status abut_features_self_all(const abut_scene* scene, const abut_features_def* def,
                                   abut_features_result* result, abut_error* error) {
    abut__settings settings;
    const abut_status status = open_query(scene, def, result, &settings, error);
    return status != ABUT_OK
               ? status
               : finish(scene, &settings, add_each(scene, &settings, &result->work), result, error);
}
