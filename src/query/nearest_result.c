// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Distance pairs: the caller's list, and the memory of proximity queries.
#include <math.h>

#include "base/sort.h"
#include "query/collide_voronoi.h"
#include "query/nearest.h"

abut_status abut__near_create(abut_context* context, size_t size, void* place, abut_error* error) {
    if (place == NULL) {
        return abut__result_create(context, size, NULL, error);
    }
    abut__proximity* near = NULL;
    const abut_status status = abut__result_create(context, size, &near, error);
    if (status != ABUT_OK) {
        return status;
    }
    near->seekers = abut__alloc_zero(context, near->work.worker_count, sizeof *near->seekers);
    if (near->seekers == NULL) {
        abut__near_destroy(near, size);
        return abut__fail_memory(error);
    }
    memcpy(place, &near, sizeof near);
    return ABUT_OK;
}

void abut__near_destroy(void* result, size_t size) {
    if (result == NULL) {
        return;
    }
    abut__proximity* near = result;
    const abut_context* context = near->work.context;
    for (uint32_t w = 0; w < near->work.worker_count && near->seekers != NULL; ++w) {
        abut__drop(context, &near->seekers[w].stack);
        abut__block_gaps_free(context, &near->seekers[w]);
    }
    abut__free(context, near->seekers, near->work.worker_count, sizeof *near->seekers);
    abut__needs_free(context, &near->needs);
    abut__drop(context, &near->list);
    abut__drop(context, &near->last);
    abut__drop(context, &near->slots);
    abut__drop(context, &near->places);
    abut__near_bodies_free(context, &near->among);
    abut__drop(context, &near->order);
    abut__drop(context, &near->best);
    if (near->voronoi != NULL) {
        abut__voronoi_free(context, near->voronoi);
        abut__free(context, near->voronoi, 1, sizeof *near->voronoi);
    }
    abut__result_destroy(result, size);
}

void abut__near_empty(abut__proximity* near) {
    near->list.count = 0;
    near->work.found = false;
}

static void start_seeker(const abut_scene* scene, const abut__settings* def, abut__seeker* seeker) {
    seeker->scene = scene;
    seeker->kernels = scene->context->kernels;
    seeker->def = def;
    seeker->found = false;
    seeker->slots = NULL;
    seeker->thick = 0;
    seeker->job.view[0].body = NULL;  // states and frames may have changed
    seeker->corners[0].body = seeker->corners[1].body = NULL;
    seeker->doubtful.count = seeker->likely.count = 0;
    memset(&seeker->counters, 0, sizeof seeker->counters);
    seeker->bad_vertex = UINT64_MAX;
    seeker->status = ABUT_OK;
}

// Whether a query may descend the body. All bodies of queries by trees have bounds; others, and
// those of queries by Voronoi diagrams, need no tree.
static bool takes_part(const abut__body* body) {
    return body != NULL && abut__body_has_bounds(body);
}

// Reserves stacks in each seeker for descending any two bodies of the scene, because threads decide
// which seeker descends which bodies.
static bool reserve_stacks(const abut_scene* scene, abut__proximity* near) {
    size_t depth = 0;
    for (size_t i = 0; i < scene->bodies.count; ++i) {
        const abut__body* body = abut__scene_at(scene, i);
        const size_t own = takes_part(body) ? body->shape->tree.depth : 0;
        depth = own > depth ? own : depth;
    }
    bool done = true;
    for (uint32_t w = 0; w < near->work.worker_count && done; ++w) {
        done = abut__reserve(near->work.context, &near->seekers[w].stack,
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
static bool prepare_needs(const abut_scene* scene, const abut__settings* def,
                          abut__proximity* near) {
    bool room = true;
    abut__needs_begin(&near->needs);
    for (size_t i = 0; i < scene->bodies.count && def->counters != NULL && room; ++i) {
        const abut__body* body = abut__scene_at(scene, i);
        room = !takes_part(body) || abut__needs_add(near->work.context, &near->needs, body);
    }
    for (uint32_t w = 0; w < near->work.worker_count; ++w) {
        near->seekers[w].needs = def->counters != NULL ? &near->needs : NULL;
    }
    return room;
}

abut_status abut__near_begin(const abut_scene* scene, const abut__settings* def,
                             abut__proximity* near) {
    const size_t count = near->list.count;
    const abut_distance_pair* list = near->list.data;
    near->last.count = 0;
    near->work.blame = (abut__blame){.vertex = ABUT__NONE};
    near->work.found = false;
    for (uint32_t w = 0; w < near->work.worker_count; ++w) {
        start_seeker(scene, def, &near->seekers[w]);
    }
    abut__block_gaps_share(near->work.context, near->seekers, near->work.worker_count);
    abut__near_memory* last = abut__push(near->work.context, &near->last, count);
    // Voronoi culling descends no tree and needs no block.
    const bool trees = def->culling.kind != ABUT_CULLING_VORONOI;
    if ((last == NULL && count > 0) ||
        (trees && (!reserve_stacks(scene, near) || !prepare_needs(scene, def, near)))) {
        return ABUT_ERR_NO_MEMORY;
    }
    for (size_t i = 0; i < count; ++i) {
        last[i] = (abut__near_memory){{list[i].body_a, list[i].body_b},
                                      {list[i].triangle_a, list[i].triangle_b}};
    }
    near->list.count = 0;
    return ABUT_OK;
}

abut_status abut__near_end(const abut_scene* scene, const abut__settings* def,
                           abut__proximity* near, abut_status status, abut_error* error) {
    uint64_t bad = UINT64_MAX;
    for (uint32_t w = 0; w < near->work.worker_count; ++w) {
        const abut__seeker* seeker = &near->seekers[w];
        status = seeker->status != ABUT_OK ? seeker->status : status;
        bad = seeker->bad_vertex < bad ? seeker->bad_vertex : bad;
        near->work.found |= seeker->found;
        if (def->counters != NULL) {
            // pairs are counted once, below; proofs within a body are no work of this query
            abut_counters work = seeker->counters;
            work.nodes_certified = work.blocks_certified = work.pairs_found = work.pairs_undecided =
                0;
            abut__counters_add(def->counters, &work);
        }
    }
    if (status == ABUT_OK && bad != UINT64_MAX) {
        near->work.blame = (abut__blame){abut_scene_body_at(scene, (uint32_t)(bad >> 32)),
                                         (uint32_t)bad, NULL};
        status = ABUT_ERR_INVALID_DATA;
    }
    if (status != ABUT_OK || def->any) {
        near->list.count = 0;
    }
    near->work.found = near->work.found && status == ABUT_OK;
    if (def->counters != NULL) {
        def->counters->pairs_found += near->list.count;
    }
    return abut__query_report(&near->work.blame, status, error);
}

// both kinds of list that are searched here are ascending: by bodies, or by triangles of one body
const abut__near_memory* abut__near_recall(const abut__proximity* near, uint32_t body,
                                           uint32_t triangle) {
    const abut__near_memory* last = near->last.data;
    size_t first = 0;
    size_t end = near->last.count;
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
    const bool known = first < near->last.count && last[first].body[0] == body &&
                       (triangle == ABUT__ANY_TRIANGLE || last[first].triangle[0] == triangle);
    return known ? &last[first] : NULL;
}
