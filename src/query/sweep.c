// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Sweeps: contacts within a step, between bodies and within one. The descent is that of every
// query, over boxes that hold the whole step. Neighbouring triangles take part in it: only features
// that share a vertex are excluded.
#include <math.h>

#include "base/sort.h"
#include "query/collide_voronoi.h"
#include "query/query.h"

static bool is_valid(const abut_scene* scene, const abut_query_def* def,
                     const abut_result* result) {
    return scene != NULL && result != NULL && result->context == scene->context &&
           def->cookie == ABUT__COOKIE && def->margin >= 0 && isfinite(def->margin) &&
           def->tolerance >= ABUT_TOLERANCE_MIN && def->tolerance <= 1 &&
           !def->include_neighbours && !def->intersections && def->callback == NULL &&
           def->front == NULL && def->budget == 0 &&
           (def->culling == ABUT_CULLING_TREE ||
            (def->culling == ABUT_CULLING_VORONOI && def->grid_cells <= ABUT__GRID_SIDE));
}

// adds a job about the whole step, or its parts
static abut_status add_job(abut_result* result, abut__body* a, abut__body* b,
                           const abut_query_def* def) {
    abut__body* bodies[2] = {a, b};
    for (int i = 0; i < 2; ++i) {
        if (!abut__body_state(bodies[i], 0)->valid) {
            result->bad_body = (abut_body_id){bodies[i]->index, bodies[i]->generation};
            return ABUT_ERR_STATE;
        }
        if (abut__shape_owned(bodies[i]->shape) == NULL) {
            return ABUT_ERR_NO_MEMORY;
        }
    }
    const abut__body* refused = NULL;
    abut_status status = abut__step_check(a, b, &refused);
    if (refused != NULL) {
        result->bad_body = (abut_body_id){refused->index, refused->generation};
    }
    if (status == ABUT_OK) {
        const abut__view views[2] = {abut__view_step(a), abut__view_step(b)};
        status = abut__query_add_job(result, &views[0], &views[1], a == b, def);
    }
    return status == ABUT_OK && !abut__parts_split(result) ? ABUT_ERR_NO_MEMORY : status;
}

// ---- order

static uint64_t feature_key(const abut_sweep_pair* pair, bool a) {
    const bool face = pair->kind == (a ? ABUT_CONTACT_FACE_VERTEX : ABUT_CONTACT_VERTEX_FACE);
    const uint32_t* vertex = a ? pair->vertices_a : pair->vertices_b;
    return face ? (a ? pair->triangle_a : pair->triangle_b) : (uint64_t)vertex[0] << 32 | vertex[1];
}

static uint64_t key_of(const abut_sweep_pair* pair, int pass) {
    switch (pass) {
        case 0: return feature_key(pair, false);
        case 1: return feature_key(pair, true);
        case 2: return (uint64_t)pair->kind;
        default: return (uint64_t)pair->body_a << 32 | pair->body_b;
    }
}

// sorts by four keys, the last being the most significant: one stable sort after the other
static bool sort_sweeps(abut_result* result) {
    const size_t count = result->sweeps.count;
    if (count < 2) {
        return true;
    }
    abut__keyed* keys = abut__renew(result->context, &result->keys, 2 * count);
    abut_sweep_pair* sorted = abut__renew(result->context, &result->swept_order, count);
    if (keys == NULL || sorted == NULL) {
        return false;
    }
    const abut_sweep_pair* pairs = result->sweeps.data;
    for (size_t i = 0; i < count; ++i) {
        keys[i].value = i;
    }
    for (int pass = 0; pass < 4; ++pass) {
        for (size_t i = 0; i < count; ++i) {
            keys[i].key = key_of(&pairs[keys[i].value], pass);
        }
        abut__sort_keyed(keys, keys + count, count);
    }
    for (size_t i = 0; i < count; ++i) {
        sorted[i] = pairs[keys[i].value];
    }
    memcpy(result->sweeps.data, sorted, count * sizeof *sorted);
    return true;
}

// removes all contacts but the earliest
static void keep_first(abut_result* result) {
    abut_sweep_pair* pairs = result->sweeps.data;
    const double first = abut_sweep_result_time_of_impact(result);
    size_t kept = 0;
    for (size_t i = 0; i < result->sweeps.count; ++i) {
        if (pairs[i].time == first) {
            pairs[kept++] = pairs[i];
        }
    }
    result->sweeps.count = kept;
}

// Merges contacts of the same features in several parts of a step into the earliest one. Sorting
// preserves the order of the rounds, in which earlier parts come first.
static void join_parts(abut_result* result, abut_counters* counters) {
    abut_sweep_pair* pairs = result->sweeps.data;
    size_t kept = 0;
    for (size_t i = 0; i < result->sweeps.count; ++i) {
        bool same = kept > 0;
        for (int pass = 0; pass < 4 && same; ++pass) {
            same = key_of(&pairs[kept - 1], pass) == key_of(&pairs[i], pass);
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
    result->sweeps.count = kept;
}

// Lets the views of all jobs use their tables, and prepares proofs within bodies. False: no memory.
static bool open_views(abut_result* result, const abut_query_def* def) {
    const abut_context* context = result->context;
    abut__job* jobs = result->jobs.data;
    ++result->steps.call;
    for (size_t j = 0; j < result->jobs.count; ++j) {
        for (int s = 0; s < 2; ++s) {
            if (abut__step_place(context, &result->steps, jobs[j].view[s].body) == NULL) {
                return false;
            }
            abut__step_prepare(context, &result->steps, jobs[j].view[s].body);
        }
    }
    for (size_t j = 0; j < result->jobs.count; ++j) {
        abut__view* view = jobs[j].view;
        abut__step_open(&result->steps, &view[0]);
        abut__step_open(&result->steps, &view[1]);
        view[0].proves = jobs[j].self && def->margin == 0 &&
                         abut__step_prove(context, &view[0], &view[0].table->proofs);
    }
    return true;
}

static abut_status run_round(const abut_scene* scene, const abut_query_def* def,
                             abut_result* result, bool whole) {
    abut_query_def all = *def;
    all.include_neighbours = true;  // only features that share a vertex are excluded
    if (!open_views(result, def)) {
        return ABUT_ERR_NO_MEMORY;
    }
    for (uint32_t w = 0; w < result->worker_count; ++w) {
        result->workers[w].sweeps[0].count = result->workers[w].sweeps[1].count = 0;
        memset(&result->workers[w].reader.counters, 0, sizeof result->workers[w].reader.counters);
    }
    // prisms are straight from one end of the step to the other: parts of a step use trees
    return whole && def->culling == ABUT_CULLING_VORONOI
               ? abut__sweep_voronoi(scene, &all, result)
               : abut__query_run(scene, &all, result, true);
}

// runs jobs about whole steps first, then parts of the others, round by round
static abut_status run_rounds(const abut_scene* scene, const abut_query_def* def,
                              abut_result* result) {
    abut_status status = run_round(scene, def, result, true);
    while (status == ABUT_OK && !(def->any && result->touching)) {
        const double before = def->earliest_only ? abut_sweep_result_time_of_impact(result)
                                                 : INFINITY;
        if (!abut__parts_next(result, def, before, &status)) {
            break;
        }
        status = run_round(scene, def, result, false);
    }
    return status;
}

static abut_status run_jobs(const abut_scene* scene, const abut_query_def* def,
                            abut_result* result) {
    abut_status status = run_rounds(scene, def, result);
    if (status == ABUT_OK && !sort_sweeps(result)) {
        status = ABUT_ERR_NO_MEMORY;
    }
    if (status != ABUT_OK) {
        result->sweeps.count = 0;
        return status;
    }
    if (result->parts.count > 0) {
        join_parts(result, def->counters);
    }
    if (def->earliest_only) {
        keep_first(result);
    }
    return status;
}

abut_status abut_sweep(const abut_scene* scene, abut_body_id a, abut_body_id b,
                       const abut_query_def* def, abut_result* result) {
    def = def != NULL ? def : &abut__query_defaults;
    abut__body* body_a = abut__scene_body(scene, a);
    abut__body* body_b = abut__scene_body(scene, b);
    if (!is_valid(scene, def, result) || body_a == NULL || body_b == NULL || body_a == body_b) {
        return ABUT_ERR_INVALID_ARGUMENT;
    }
    abut_status status = abut__result_begin(result, def);
    if (status == ABUT_OK) {
        status = add_job(result, body_a, body_b, def);
    }
    return status == ABUT_OK ? run_jobs(scene, def, result) : status;
}

abut_status abut_sweep_self(const abut_scene* scene, abut_body_id a, const abut_query_def* def,
                            abut_result* result) {
    def = def != NULL ? def : &abut__query_defaults;
    abut__body* body = abut__scene_body(scene, a);
    if (!is_valid(scene, def, result) || body == NULL) {
        return ABUT_ERR_INVALID_ARGUMENT;
    }
    abut_status status = abut__result_begin(result, def);
    if (status == ABUT_OK) {
        status = add_job(result, body, body, def);
    }
    return status == ABUT_OK ? run_jobs(scene, def, result) : status;
}

// A body without a previous state gets an infinite box, so that some pair reaches the check that
// reports it.
static bool box_of(const abut__body* body, abut_box* box) {
    if (!abut__step_world_box(body, box)) {
        *box = (abut_box){{-INFINITY, -INFINITY, -INFINITY}, {INFINITY, INFINITY, INFINITY}};
    }
    return true;
}

abut_status abut_sweep_all(const abut_scene* scene, const abut_query_def* def,
                           abut_result* result) {
    def = def != NULL ? def : &abut__query_defaults;
    if (!is_valid(scene, def, result)) {
        return ABUT_ERR_INVALID_ARGUMENT;
    }
    abut_status status = abut__result_begin(result, def);
    if (status != ABUT_OK) {
        return status;
    }
    if (!abut__broad_phase_by(scene, box_of, def->margin, &result->broad)) {
        return ABUT_ERR_NO_MEMORY;
    }
    const abut__body_pair* pairs = result->broad.pairs.data;
    for (size_t i = 0; i < result->broad.pairs.count && status == ABUT_OK; ++i) {
        status = add_job(result, abut__scene_at(scene, pairs[i].a),
                         abut__scene_at(scene, pairs[i].b), def);
    }
    return status == ABUT_OK ? run_jobs(scene, def, result) : status;
}

abut_status abut_sweep_self_all(const abut_scene* scene, const abut_query_def* def,
                                abut_result* result) {
    def = def != NULL ? def : &abut__query_defaults;
    if (!is_valid(scene, def, result)) {
        return ABUT_ERR_INVALID_ARGUMENT;
    }
    abut_status status = abut__result_begin(result, def);
    for (size_t i = 0; i < scene->bodies.count && status == ABUT_OK; ++i) {
        abut__body* body = abut__scene_at(scene, i);
        if (body != NULL && !body->is_static) {
            status = add_job(result, body, body, def);
        }
    }
    return status == ABUT_OK ? run_jobs(scene, def, result) : status;
}

const abut_sweep_pair* abut_sweep_result_pairs(const abut_result* result, size_t* count) {
    return abut__contents(&result->sweeps, count);
}

double abut_sweep_result_time_of_impact(const abut_result* result) {
    const abut_sweep_pair* pairs = result->sweeps.data;
    double first = INFINITY;
    for (size_t i = 0; i < result->sweeps.count; ++i) {
        first = pairs[i].time < first ? pairs[i].time : first;
    }
    return first;
}
