// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Queries by Voronoi culling instead of descending trees.
#ifndef ABUT_QUERY_COLLIDE_VORONOI_H
#define ABUT_QUERY_COLLIDE_VORONOI_H

#include "query/query.h"
#include "voronoi/voronoi.h"

// ---- collide_voronoi.c
// Returns the memory of Voronoi culling, made at first use; NULL: no memory.
abut__voronoi* abut__voronoi_of(const abut_context* context, abut__voronoi** place);
// Where triangles are in the trees of their bodies, for the decisions that go by blocks.
typedef struct abut__tree_places {
    abut__uint32s first;  // by body, among the sites: the place of its first triangle
    abut__uint32s at;     // block * ABUT__BLOCK_TRIANGLES + lane
} abut__tree_places;
// Finds them for all bodies of the sites. False: no memory. Drop them in any case.
bool abut__tree_places_make(const abut_context* context, const abut__sites* sites,
                            abut__tree_places* places);
void abut__tree_places_drop(const abut_context* context, abut__tree_places* places);
static inline uint32_t abut__tree_place(const abut__tree_places* places,
                                        const abut__site_place* site) {
    return places->at.data[places->first.data[site->body] + site->triangle];
}
// A candidate of two sites.
static inline abut__candidate abut__candidate_of(const abut__tree_places* places,
                                                 const abut__site_place* a,
                                                 const abut__site_place* b, uint32_t job) {
    const uint32_t at[2] = {abut__tree_place(places, a), abut__tree_place(places, b)};
    return (
        abut__candidate){.job = job,
                         .block = {at[0] / ABUT__BLOCK_TRIANGLES, at[1] / ABUT__BLOCK_TRIANGLES},
                         .lane = {(uint8_t)(at[0] % ABUT__BLOCK_TRIANGLES),
                                  (uint8_t)(at[1] % ABUT__BLOCK_TRIANGLES)}};
}
// Runs the query by Voronoi culling, between or within the bodies that work->voronoi was given.
abut_status abut__query_voronoi(const abut_scene* scene, const abut__settings* def,
                                abut__meet_fn meet, bool within, abut__workspace* work);

// ---- sweep_voronoi.c
// Runs the sweep of work->jobs, all of them between bodies or all within, by Voronoi culling.
abut_status abut__sweep_voronoi(const abut_scene* scene, const abut__settings* def,
                                abut__workspace* work);

#endif
