// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Trying a translation out: what would touch if body a were moved?
#ifndef ABUT_DEPTH_TRIAL_H
#define ABUT_DEPTH_TRIAL_H

#include "depth/passage.h"
#include "depth/regions.h"

typedef struct abut__trial {
    const abut_scene* scene;
    const abut__regions* regions;
    uint32_t region;
    abut_result* result;
} abut__trial;

// How far a must go on along a direction, after it was moved by `way`, until the triangles that touch there do so no
// more; 0: none does. Of the region, or (`clean`) of all that are not both of one other region. In plain doubles.
abut_status abut__trial_further(const abut__trial* trial, const double way[3], bool clean,
                                const double direction[3], double* further);
// The longest of the shortest translations that part the triangles that touch there, each pair by itself; `found`:
// some touch, and it is known of one of them.
abut_status abut__trial_hold(const abut__trial* trial, const double way[3], bool clean,
                             abut__hold* hold, bool* found);
// Whether triangles of the region touch after a was moved by `way`.
abut_status abut__trial_region(const abut__trial* trial, const double way[3], bool* touching);
// Whether any triangles touch then that are not both of one other region.
abut_status abut__trial_bodies(const abut__trial* trial, const double way[3], bool* touching);
// Whether a point of a (side 0) or of b is then still inside the other body.
bool abut__trial_inside(const abut__trial* trial, const double way[3], int side,
                        const double point[3]);

#endif
