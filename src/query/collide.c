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

// whether all objects of the call belong to one context, and the settings are valid together
static bool is_valid(const abut_scene* scene, const abut_query_def* def,
                     const abut_result* result) {
    return scene != NULL && result != NULL && result->context == scene->context &&
           (def->front == NULL || def->front->context == scene->context) &&
           def->cookie == ABUT__COOKIE && def->margin >= 0 && isfinite(def->margin) &&
           !(def->budget > 0 && def->front == NULL) && !(def->any && def->callback != NULL) &&
           (def->culling == ABUT_CULLING_TREE ||
            (def->culling == ABUT_CULLING_VORONOI && def->front == NULL &&
             def->grid_cells <= ABUT__GRID_SIDE));
}

// two bodies that the caller names are tested whatever their groups
static bool meet_always(const abut__body* a, const abut__body* b) {
    (void)a;
    (void)b;
    return true;
}

// Runs a query by Voronoi culling over the given bodies, or (count 0) over all of the scene.
// `within`: each body with itself; static bodies of the scene are then omitted.
static abut_status run_voronoi(const abut_scene* scene, const abut_query_def* def,
                               abut__body* const* bodies, size_t count, bool within,
                               abut_result* result) {
    abut__voronoi* v = abut__voronoi_of(result->context, &result->voronoi);
    bool done = v != NULL && abut__voronoi_begin(result->context, v);
    for (size_t i = 0; i < count && done; ++i) {
        done = abut__sites_add(result->context, &v->sites, bodies[i]);
    }
    for (size_t i = 0; i < scene->bodies.count && count == 0 && done; ++i) {
        abut__body* body = abut__scene_at(scene, i);
        if (body != NULL && !(within && body->is_static)) {
            done = abut__sites_add(result->context, &v->sites, body);
        }
    }
    return done ? abut__query_voronoi(scene, def, count == 0 ? abut__bodies_may_meet : meet_always,
                                      within, result)
                : ABUT_ERR_NO_MEMORY;
}

abut_status abut_collide(const abut_scene* scene, abut_body_id a, abut_body_id b,
                         const abut_query_def* def, abut_result* result) {
    def = def != NULL ? def : &abut__query_defaults;
    abut__body* body_a = abut__scene_body(scene, a);
    abut__body* body_b = abut__scene_body(scene, b);
    if (!is_valid(scene, def, result) || body_a == NULL || body_b == NULL || body_a == body_b) {
        return ABUT_ERR_INVALID_ARGUMENT;
    }
    abut_status status = abut__result_begin(result, def);
    if (status == ABUT_OK && def->culling == ABUT_CULLING_VORONOI) {
        return run_voronoi(scene, def, (abut__body* const[2]){body_a, body_b}, 2, false, result);
    }
    if (status == ABUT_OK) {
        status = abut__query_add_bodies(result, body_a, body_b, def);
    }
    return status == ABUT_OK ? abut__query_run(scene, def, result, false) : status;
}

abut_status abut_collide_all(const abut_scene* scene, const abut_query_def* def,
                             abut_result* result) {
    def = def != NULL ? def : &abut__query_defaults;
    if (!is_valid(scene, def, result)) {
        return ABUT_ERR_INVALID_ARGUMENT;
    }
    abut_status status = abut__result_begin(result, def);
    if (status != ABUT_OK) {
        return status;
    }
    if (def->culling == ABUT_CULLING_VORONOI) {
        return run_voronoi(scene, def, NULL, 0, false, result);
    }
    if (!abut__broad_phase(scene, def->margin, &result->broad)) {
        return ABUT_ERR_NO_MEMORY;
    }
    const abut__body_pair* pairs = result->broad.pairs.data;
    for (size_t i = 0; i < result->broad.pairs.count && status == ABUT_OK; ++i) {
        status = abut__query_add_bodies(result, abut__scene_at(scene, pairs[i].a),
                                        abut__scene_at(scene, pairs[i].b), def);
    }
    return status == ABUT_OK ? abut__query_run(scene, def, result, false) : status;
}

abut_status abut_collide_self(const abut_scene* scene, abut_body_id a, const abut_query_def* def,
                              abut_result* result) {
    def = def != NULL ? def : &abut__query_defaults;
    abut__body* body = abut__scene_body(scene, a);
    if (!is_valid(scene, def, result) || body == NULL) {
        return ABUT_ERR_INVALID_ARGUMENT;
    }
    abut_status status = abut__result_begin(result, def);
    if (status == ABUT_OK && def->culling == ABUT_CULLING_VORONOI) {
        return run_voronoi(scene, def, &body, 1, true, result);
    }
    if (status == ABUT_OK) {
        status = abut__query_add_bodies(result, body, body, def);
    }
    return status == ABUT_OK ? abut__query_run(scene, def, result, false) : status;
}

abut_status abut_collide_self_all(const abut_scene* scene, const abut_query_def* def,
                                  abut_result* result) {
    def = def != NULL ? def : &abut__query_defaults;
    if (!is_valid(scene, def, result)) {
        return ABUT_ERR_INVALID_ARGUMENT;
    }
    abut_status status = abut__result_begin(result, def);
    if (status == ABUT_OK && def->culling == ABUT_CULLING_VORONOI) {
        return run_voronoi(scene, def, NULL, 0, true, result);
    }
    for (size_t i = 0; i < scene->bodies.count && status == ABUT_OK; ++i) {
        abut__body* body = abut__scene_at(scene, i);
        if (body != NULL && !body->is_static) {
            status = abut__query_add_bodies(result, body, body, def);
        }
    }
    return status == ABUT_OK ? abut__query_run(scene, def, result, false) : status;
}
