// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Contacts by Voronoi culling: pairs of triangles that may be within the margin become candidates
// of jobs, and are decided as those of a descent are.
#include "base/sort.h"
#include "query/collide_voronoi.h"

abut__voronoi* abut__voronoi_of(const abut_context* context, abut__voronoi** place) {
    if (*place == NULL) {
        *place = abut__alloc_zero(context, 1, sizeof **place);
    }
    return *place;
}

// stores pairs as they are found, with a key of their bodies
static bool gather_pairs(void* user, const abut__near* pairs, size_t count) {
    abut__workspace* work = user;
    const abut__site_place* places = work->voronoi->sites.places.data;
    abut__keyed* keys = abut__push(work->context, &work->keys, count);
    if (keys == NULL) {
        return false;
    }
    for (size_t i = 0; i < count; ++i) {
        const uint64_t a = places[pairs[i].own].body;
        const uint64_t b = places[pairs[i].other].body;
        keys[i] = (abut__keyed){a << 32 | b, (uint64_t)pairs[i].own << 32 | pairs[i].other};
    }
    return true;
}

bool abut__tree_places_make(const abut_context* context, const abut__sites* sites,
                            abut__tree_places* places) {
    size_t count = 0;
    uint32_t* first = abut__renew(context, &places->first, sites->bodies.count);
    for (size_t b = 0; b < sites->bodies.count && first != NULL; ++b) {
        first[b] = (uint32_t)count;
        count += sites->bodies.data[b].body->shape->mesh->triangle_count;
    }
    uint32_t* at = abut__renew(context, &places->at, count);
    if (first == NULL || at == NULL) {
        return sites->bodies.count == 0;
    }
    for (size_t b = 0; b < sites->bodies.count; ++b) {
        const abut__tree* tree = &sites->bodies.data[b].body->shape->tree;
        for (uint32_t block = 0; block < tree->block_count; ++block) {
            const abut__block* fixed = tree->blocks[block];
            for (uint32_t k = 0; k < fixed->triangle_count; ++k) {
                at[first[b] + fixed->triangle[k]] = block * ABUT__BLOCK_TRIANGLES + k;
            }
        }
    }
    return true;
}

void abut__tree_places_drop(const abut_context* context, abut__tree_places* places) {
    abut__drop(context, &places->first);
    abut__drop(context, &places->at);
}

// makes candidates in the order of their bodies, with a job for each pair of bodies
static abut_status make_candidates(const abut__settings* def, abut__workspace* work,
                                   const abut__tree_places* places) {
    const abut__sites* sites = &work->voronoi->sites;
    const abut__site_place* site = sites->places.data;
    const abut__site_body* bodies = sites->bodies.data;
    const size_t count = work->keys.count;
    work->given.count = 0;
    if (count == 0) {
        return ABUT_OK;
    }
    abut__candidate* given = abut__push(work->context, &work->given, count);
    if (given == NULL || abut__push(work->context, &work->keys, count) == NULL) {
        return ABUT_ERR_NO_MEMORY;
    }
    abut__keyed* keys = work->keys.data;
    abut__sort_keyed(keys, keys + count, count);
    size_t made = 0;
    size_t jobs = 0;  // before the current one, which may turn out to be useless
    for (size_t i = 0; i < count; ++i) {
        if (i == 0 || keys[i].key != keys[i - 1].key) {
            jobs = work->jobs.count;
            const abut_status status = abut__query_add_bodies(
                work, bodies[keys[i].key >> 32].body, bodies[(uint32_t)keys[i].key].body, def);
            if (status != ABUT_OK) {
                return status;
            }
        }
        if (work->jobs.count > jobs) {
            given[made++] = abut__candidate_of(places, &site[keys[i].value >> 32],
                                               &site[(uint32_t)keys[i].value], (uint32_t)jobs);
        }
    }
    work->given.count = made;
    return ABUT_OK;
}

abut_status abut__query_voronoi(const abut_scene* scene, const abut__settings* def,
                                abut__meet_fn meet, bool within, abut__workspace* work) {
    abut__voronoi* v = work->voronoi;
    if (v->sites.bad_vertex != UINT64_MAX) {
        work->blame = (abut__blame){abut_scene_body_at(scene,
                                                       (uint32_t)(v->sites.bad_vertex >> 32)),
                                    (uint32_t)v->sites.bad_vertex, NULL};
        return ABUT_ERR_INVALID_DATA;
    }
    const abut__voronoi_ask ask = {.meet = meet, .cells = def->culling.grid_cells};
    const abut__voronoi_all all = {.distance = abut__greatest_margin(def),
                                   .within = within,
                                   .neighbours = def->include_neighbours};
    work->keys.count = 0;
    if (!abut__voronoi_pairs(work->context, v, &ask, &all, gather_pairs, work)) {
        return ABUT_ERR_NO_MEMORY;
    }
    abut__tree_places places = {0};
    const abut_status status = abut__tree_places_make(work->context, &v->sites, &places)
                                   ? make_candidates(def, work, &places)
                                   : ABUT_ERR_NO_MEMORY;
    abut__tree_places_drop(work->context, &places);
    if (status == ABUT_OK && def->counters != NULL) {
        def->counters->boxes_tested += abut__voronoi_boxes_tested(v);
        def->counters->vertices_evaluated += 3 * (uint64_t)abut__site_count(&v->sites);
    }
    return status == ABUT_OK ? abut__query_decide(scene, def, work, false) : status;
}
