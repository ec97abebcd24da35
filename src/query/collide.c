// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// The leaf action between blocks of two bodies, and the calls of collide and self queries.
#include <math.h>

#include "query/collide_voronoi.h"
#include "query/query.h"

void abut__collide_blocks(const abut__run* run, abut__worker* worker, uint32_t job, uint32_t a,
                          uint32_t b) {
    abut__candidates_between(run, worker, job, a, b, NULL);
}

abut_collide_def abut_collide_def_default(void) {
    abut_collide_def def;
    memset(&def, 0, sizeof def);
    def.head.cookie = ABUT__COOKIE + ABUT__KIND_COLLIDE;
    return def;
}

abut_status abut_collide_result_create(abut_context* context, abut_collide_result** result,
                                       abut_error* error) {
    return abut__result_create(context, sizeof **result, result, error);
}

void abut_collide_result_destroy(abut_collide_result* result) {
    abut__result_destroy(result, sizeof *result);
}

bool abut_collide_result_found(const abut_collide_result* result) {
    return result->work.found;
}

const abut_pair* abut_collide_result_pairs(const abut_collide_result* result, size_t* count) {
    return abut__contents(&result->work.pairs, count);
}

const abut_intersection* abut_collide_result_intersections(const abut_collide_result* result,
                                                           size_t* count) {
    return abut__contents(&result->work.shared, count);
}

bool abut_collide_result_stopped(const abut_collide_result* result) {
    return result->work.stopped;
}

// two bodies that the caller names are tested whatever their groups
static bool meet_always(const abut__body* a, const abut__body* b) {
    (void)a;
    (void)b;
    return true;
}

// Runs a query by Voronoi culling over the given bodies, or (count 0) over all of the scene.
// `within`: each body with itself; static bodies of the scene are then omitted.
static abut_status run_voronoi(const abut_scene* scene, const abut__settings* def,
                               abut__body* const* bodies, size_t count, bool within,
                               abut__workspace* work) {
    abut__voronoi* v = abut__voronoi_of(work->context, &work->voronoi);
    bool done = v != NULL && abut__voronoi_begin(work->context, v);
    // the pairs found are decided block by block, so that bodies need trees
    for (size_t i = 0; i < count && done; ++i) {
        done = abut__sites_add(work->context, &v->sites, bodies[i]);
    }
    for (size_t i = 0; i < scene->bodies.count && count == 0 && done; ++i) {
        abut__body* body = abut__scene_at(scene, i);
        if (body != NULL && !(within && body->is_static)) {
            done = abut__body_ready(body) && abut__sites_add(work->context, &v->sites, body);
        }
    }
    return done ? abut__query_voronoi(scene, def, count == 0 ? abut__bodies_may_meet : meet_always,
                                      within, work)
                : ABUT_ERR_NO_MEMORY;
}

// returns why settings do not go together; NULL: they do
static const char* conflict_of(const abut_collide_def* def, const abut_scene* scene) {
    const char* of_front = abut__front_conflict(scene, def->front, def->budget);
    return of_front != NULL ? of_front
           : def->any && def->callback.fn != NULL
               ? "`any` stops at the first pair, so there is nothing to call back"
           : def->culling.kind != ABUT_CULLING_TREE && def->front != NULL
               ? "Voronoi culling has no front: use ABUT_CULLING_TREE"
               : NULL;
}

static abut_status check_def(const abut_collide_def* def, const abut_scene* scene,
                             abut_error* error) {
    abut_status status = abut__check_length(def->margin, "margin", error);
    status = status == ABUT_OK ? abut__check_culling(def->culling, error) : status;
    const char* conflict = status == ABUT_OK ? conflict_of(def, scene) : NULL;
    return conflict == NULL
               ? status
               : abut__fail(error, ABUT_ERR_INVALID_ARGUMENT, ABUT_ELEMENT_NONE, 0, "%s", conflict);
}

// checks the arguments that all calls share, and fills `settings` from `def` (may be NULL)
static abut_status open_query(const abut_scene* scene, const abut_collide_def* def,
                              abut_collide_result* result, abut__settings* settings,
                              abut_error* error) {
    abut_collide_def defaults;
    if (def == NULL) {
        defaults = abut_collide_def_default();
        def = &defaults;
    }
    abut_status status = abut__query_open(scene, result != NULL ? &result->work : NULL, &def->head,
                                          ABUT__KIND_COLLIDE, "collide", error);
    status = status == ABUT_OK ? check_def(def, scene, error) : status;
    *settings = abut__settings_default;
    settings->margin = def->margin;
    settings->any = def->any;
    settings->include_neighbours = def->include_neighbours;
    settings->intersections = def->intersections;
    settings->filter = def->filter;
    settings->callback = def->callback;
    settings->front = def->front;
    settings->budget = def->budget;
    settings->culling = def->culling;
    settings->counters = def->head.counters;
    return status;
}

// the same for calls between bodies, where no triangles are neighbours
static abut_status open_between(const abut_scene* scene, const abut_collide_def* def,
                                abut_collide_result* result, abut__settings* settings,
                                abut_error* error) {
    const abut_status status = open_query(scene, def, result, settings, error);
    if (status == ABUT_OK && settings->include_neighbours) {
        return abut__fail(error, ABUT_ERR_INVALID_ARGUMENT, ABUT_ELEMENT_NONE, 0,
                          "triangles of two bodies are no neighbours: `include_neighbours` is for "
                          "abut_collide_self()");
    }
    return status;
}

abut_status abut__collide_two(const abut_scene* scene, const abut__settings* def, abut__body* a,
                              abut__body* b, abut__workspace* work) {
    abut__workspace_begin(work);
    if (def->culling.kind == ABUT_CULLING_VORONOI) {
        return run_voronoi(scene, def, (abut__body* const[2]){a, b}, 2, false, work);
    }
    const abut_status status = abut__query_add_bodies(work, a, b, def);
    return status == ABUT_OK ? abut__query_run(scene, def, work, false) : status;
}

abut_status abut__collide_one(const abut_scene* scene, const abut__settings* def, abut__body* body,
                              abut__workspace* work) {
    abut__workspace_begin(work);
    if (def->culling.kind == ABUT_CULLING_VORONOI) {
        return run_voronoi(scene, def, &body, 1, true, work);
    }
    const abut_status status = abut__query_add_bodies(work, body, body, def);
    return status == ABUT_OK ? abut__query_run(scene, def, work, false) : status;
}

abut_status abut__collide_scene(const abut_scene* scene, const abut__settings* def,
                                abut__workspace* work) {
    abut__workspace_begin(work);
    if (def->culling.kind == ABUT_CULLING_VORONOI) {
        return run_voronoi(scene, def, NULL, 0, false, work);
    }
    if (!abut__broad_phase(scene, abut__greatest_margin(def), &work->broad)) {
        return ABUT_ERR_NO_MEMORY;
    }
    abut_status status = ABUT_OK;
    const abut__body_pair* pairs = work->broad.pairs.data;
    for (size_t i = 0; i < work->broad.pairs.count && status == ABUT_OK; ++i) {
        status = abut__query_add_bodies(work, abut__scene_at(scene, pairs[i].a),
                                        abut__scene_at(scene, pairs[i].b), def);
    }
    return status == ABUT_OK ? abut__query_run(scene, def, work, false) : status;
}

// finds the pairs within each body of the scene
static abut_status collide_each(const abut_scene* scene, const abut__settings* def,
                                abut__workspace* work) {
    abut__workspace_begin(work);
    if (def->culling.kind == ABUT_CULLING_VORONOI) {
        return run_voronoi(scene, def, NULL, 0, true, work);
    }
    abut_status status = ABUT_OK;
    for (size_t i = 0; i < scene->bodies.count && status == ABUT_OK; ++i) {
        abut__body* body = abut__scene_at(scene, i);
        if (body != NULL && !body->is_static) {
            status = abut__body_ready(body) ? abut__query_add_bodies(work, body, body, def)
                                            : ABUT_ERR_NO_MEMORY;
        }
    }
    return status == ABUT_OK ? abut__query_run(scene, def, work, false) : status;
}

abut_status abut_collide(const abut_scene* scene, abut_body_id a, abut_body_id b,
                         const abut_collide_def* def, abut_collide_result* result,
                         abut_error* error) {
    abut__settings settings;
    abut__body* bodies[2];
    abut_status status = open_between(scene, def, result, &settings, error);
    status = status == ABUT_OK ? abut__query_bodies(scene, a, b, bodies, error) : status;
    if (status != ABUT_OK) {
        return status;
    }
    status = abut__collide_two(scene, &settings, bodies[0], bodies[1], &result->work);
    return abut__query_close(&result->work, status, error);
}

abut_status abut_collide_self(const abut_scene* scene, abut_body_id body,
                              const abut_collide_def* def, abut_collide_result* result,
                              abut_error* error) {
    abut__settings settings;
    abut__body* found;
    abut_status status = open_query(scene, def, result, &settings, error);
    status = status == ABUT_OK ? abut__query_find(scene, body, &found, error) : status;
    if (status == ABUT_OK && !abut__body_ready_self(found)) {
        status = abut__blame_body(error, body, abut__fail_memory(error));
    }
    if (status != ABUT_OK) {
        return status;
    }
    status = abut__collide_one(scene, &settings, found, &result->work);
    return abut__query_close(&result->work, status, error);
}

abut_status abut_collide_all(const abut_scene* scene, const abut_collide_def* def,
                             abut_collide_result* result, abut_error* error) {
    abut__settings settings;
    const abut_status status = open_between(scene, def, result, &settings, error);
    return status != ABUT_OK
               ? status
               : abut__query_close(&result->work,
                                   abut__collide_scene(scene, &settings, &result->work), error);
}

abut_status abut_collide_self_all(const abut_scene* scene, const abut_collide_def* def,
                                  abut_collide_result* result, abut_error* error) {
    abut__settings settings;
    const abut_status status = open_query(scene, def, result, &settings, error);
    return status != ABUT_OK
               ? status
               : abut__query_close(&result->work, collide_each(scene, &settings, &result->work),
                                   error);
}
