// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Distance pairs: the caller's list, and the memory of proximity queries.
#include <math.h>

#include "base/sort.h"
#include "query/collide_voronoi.h"
#include "query/nearest.h"

abut_nearest_def abut_nearest_def_default(void) {
    abut_nearest_def def;
    memset(&def, 0, sizeof def);
    def.max_distance = INFINITY;
    def.cookie = ABUT__COOKIE;
    return def;
}

abut_status abut_nearest_result_create(abut_context* context, abut_nearest_result** gaps,
                                       abut_error* error) {
    if (context == NULL || gaps == NULL) {
        return abut__fail(error, ABUT_ERR_INVALID_ARGUMENT, ABUT_ELEMENT_NONE, 0,
                          "context and the place for the gaps must not be NULL");
    }
    abut_nearest_result* made = abut__alloc_zero(context, 1, sizeof *made);
    if (made == NULL) {
        return abut__fail_memory(error);
    }
    made->context = context;
    made->worker_count = abut__worker_count(context);
    made->seekers = abut__alloc_zero(context, made->worker_count, sizeof *made->seekers);
    if (made->seekers == NULL || abut_result_create(context, &made->result, NULL) != ABUT_OK) {
        abut_nearest_result_destroy(made);
        return abut__fail_memory(error);
    }
    *gaps = made;
    return ABUT_OK;
}

void abut_nearest_result_destroy(abut_nearest_result* gaps) {
    if (gaps == NULL) {
        return;
    }
    const abut_context* context = gaps->context;
    for (uint32_t w = 0; w < gaps->worker_count && gaps->seekers != NULL; ++w) {
        abut__drop(context, &gaps->seekers[w].stack);
    }
    abut__free(context, gaps->seekers, gaps->worker_count, sizeof *gaps->seekers);
    abut__needs_free(context, &gaps->needs);
    abut__drop(context, &gaps->list);
    abut__drop(context, &gaps->last);
    abut__drop(context, &gaps->slots);
    abut__drop(context, &gaps->places);
    abut__drop(context, &gaps->bodies);
    abut__drop(context, &gaps->order);
    abut__drop(context, &gaps->best);
    if (gaps->voronoi != NULL) {
        abut__voronoi_free(context, gaps->voronoi);
        abut__free(context, gaps->voronoi, 1, sizeof *gaps->voronoi);
    }
    abut_result_destroy(gaps->result);
    abut__free(context, gaps, 1, sizeof *gaps);
}

void abut_nearest_result_clear(abut_nearest_result* gaps) {
    gaps->list.count = 0;
    gaps->found = false;
}

const abut_distance_pair* abut_nearest_result_pairs(const abut_nearest_result* gaps,
                                                    size_t* count) {
    return abut__contents(&gaps->list, count);
}

bool abut_nearest_result_found(const abut_nearest_result* gaps) {
    return gaps->found;
}

void abut_nearest_result_bad_vertex(const abut_nearest_result* gaps, abut_body_id* body,
                                    uint32_t* vertex) {
    *body = gaps->bad_body;
    *vertex = gaps->bad_vertex;
}

bool abut__gaps_are_valid(const abut_scene* scene, const abut_nearest_def* def,
                          const abut_nearest_result* gaps) {
    return scene != NULL && gaps != NULL && gaps->context == scene->context &&
           def->cookie == ABUT__COOKIE && def->max_distance >= 0 &&
           (def->culling == ABUT_CULLING_TREE ||
            (def->culling == ABUT_CULLING_VORONOI && def->grid_cells <= ABUT__GRID_SIDE));
}

static void start_seeker(const abut_scene* scene, const abut_nearest_def* def,
                         abut__seeker* seeker) {
    seeker->scene = scene;
    seeker->kernels = scene->context->kernels;
    seeker->def = def;
    seeker->found = false;
    seeker->job.view[0].body = NULL;  // states and frames may have changed
    seeker->corners[0].body = seeker->corners[1].body = NULL;
    seeker->doubtful.count = seeker->likely.count = 0;
    memset(&seeker->counters, 0, sizeof seeker->counters);
    seeker->bad_vertex = UINT64_MAX;
    seeker->status = ABUT_OK;
}

// Reserves stacks in each seeker for descending any two bodies of the scene, because threads decide
// which seeker descends which bodies.
static bool reserve_stacks(const abut_scene* scene, abut_nearest_result* gaps) {
    size_t depth = 0;
    for (size_t i = 0; i < scene->bodies.count; ++i) {
        const abut__body* body = abut__scene_at(scene, i);
        const size_t own = body != NULL ? body->shape->tree.depth : 0;
        depth = own > depth ? own : depth;
    }
    bool done = true;
    for (uint32_t w = 0; w < gaps->worker_count && done; ++w) {
        done = abut__reserve(gaps->context, &gaps->seekers[w].stack,
                             (2 * depth + 2) * ABUT__NEAR_OPEN_MOST);
    }
    return done;
}

const abut__block_boxes* abut__seeker_boxes(abut__seeker* seeker, abut__body* body, uint32_t block,
                                            abut__block_boxes* room) {
    if (seeker->needs != NULL) {
        abut__need(abut__needs_of(seeker->needs, body), &body->shape->tree, block,
                   &seeker->counters);
    }
    return abut__pool_get(seeker->scene, body, block, room, &seeker->touched);
}

// prepares the counting of blocks if the caller wants counters
static bool prepare_needs(const abut_scene* scene, const abut_nearest_def* def,
                          abut_nearest_result* gaps) {
    bool room = true;
    abut__needs_begin(&gaps->needs);
    for (size_t i = 0; i < scene->bodies.count && def->counters != NULL && room; ++i) {
        const abut__body* body = abut__scene_at(scene, i);
        room = body == NULL || abut__needs_add(gaps->context, &gaps->needs, body);
    }
    for (uint32_t w = 0; w < gaps->worker_count; ++w) {
        gaps->seekers[w].needs = def->counters != NULL ? &gaps->needs : NULL;
    }
    return room;
}

abut_status abut__gaps_begin(const abut_scene* scene, const abut_nearest_def* def,
                             abut_nearest_result* gaps) {
    const size_t count = gaps->list.count;
    const abut_distance_pair* list = gaps->list.data;
    gaps->last.count = 0;
    gaps->bad_body = (abut_body_id){0, 0};
    gaps->bad_vertex = 0;
    gaps->found = false;
    for (uint32_t w = 0; w < gaps->worker_count; ++w) {
        start_seeker(scene, def, &gaps->seekers[w]);
    }
    abut__near_memory* last = abut__push(gaps->context, &gaps->last, count);
    if ((last == NULL && count > 0) || !reserve_stacks(scene, gaps) ||
        !prepare_needs(scene, def, gaps)) {
        return ABUT_ERR_NO_MEMORY;
    }
    for (size_t i = 0; i < count; ++i) {
        last[i] = (abut__near_memory){{list[i].body_a, list[i].body_b},
                                      {list[i].triangle_a, list[i].triangle_b}};
    }
    gaps->list.count = 0;
    return ABUT_OK;
}

abut_status abut__gaps_end(const abut_scene* scene, const abut_nearest_def* def,
                           abut_nearest_result* gaps, abut_status status) {
    uint64_t bad = UINT64_MAX;
    for (uint32_t w = 0; w < gaps->worker_count; ++w) {
        const abut__seeker* seeker = &gaps->seekers[w];
        status = seeker->status != ABUT_OK ? seeker->status : status;
        bad = seeker->bad_vertex < bad ? seeker->bad_vertex : bad;
        gaps->found |= seeker->found;
        if (def->counters != NULL) {
            // pairs are counted once, below; proofs within a body are no work of this query
            abut_counters work = seeker->counters;
            work.nodes_certified = work.blocks_certified = work.pairs_found = work.pairs_undecided =
                0;
            abut__counters_add(def->counters, &work);
        }
    }
    if (status == ABUT_OK && bad != UINT64_MAX) {
        gaps->bad_body = abut_scene_body_at(scene, (uint32_t)(bad >> 32));
        gaps->bad_vertex = (uint32_t)bad;
        status = ABUT_ERR_INVALID_DATA;
    }
    if (status != ABUT_OK || def->any) {
        gaps->list.count = 0;
    }
    gaps->found = gaps->found && status == ABUT_OK;
    if (def->counters != NULL) {
        def->counters->pairs_found += gaps->list.count;
    }
    return status;
}

// both kinds of list that are searched here are ascending: by bodies, or by triangles of one body
const abut__near_memory* abut__gaps_recall(const abut_nearest_result* gaps, uint32_t body,
                                           uint32_t triangle) {
    const abut__near_memory* last = gaps->last.data;
    size_t first = 0;
    size_t end = gaps->last.count;
    while (first < end) {
        const size_t middle = first + (end - first) / 2;
        const abut__near_memory* m = &last[middle];
        if (m->body[0] < body ||
            (m->body[0] == body && triangle != ABUT__ANY_TRIANGLE && m->triangle[0] < triangle)) {
            first = middle + 1;
        } else {
            end = middle;
        }
    }
    const bool known = first < gaps->last.count && last[first].body[0] == body &&
                       (triangle == ABUT__ANY_TRIANGLE || last[first].triangle[0] == triangle);
    return known ? &last[first] : NULL;
}
