// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Trying a translation out: what would touch if body a were moved?
#ifndef ABUT_DEPTH_TRIAL_H
#define ABUT_DEPTH_TRIAL_H

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
// Whether triangles of the region touch after a was moved by `way`.
abut_status abut__trial_region(const abut__trial* trial, const double way[3], bool* touching);
// Whether any triangles touch then that are not both of one other region.
abut_status abut__trial_bodies(const abut__trial* trial, const double way[3], bool* touching);
// Whether vertices of the region are then still inside the other body: the points are of a and b.
bool abut__trial_inside(const abut__trial* trial, const double way[3], const double point_a[3],
                        const double point_b[3]);

#endif
