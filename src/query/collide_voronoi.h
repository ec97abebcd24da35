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
// Runs the query by Voronoi culling, between or within the bodies that work->voronoi was given.
abut_status abut__query_voronoi(const abut_scene* scene, const abut__settings* def,
                                abut__meet_fn meet, bool within, abut__workspace* work);

// ---- sweep_voronoi.c
// Runs the sweep of work->jobs, all of them between bodies or all within, by Voronoi culling.
abut_status abut__sweep_voronoi(const abut_scene* scene, const abut__settings* def,
                                abut__workspace* work);

#endif
