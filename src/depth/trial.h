// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Tests a translation with the query: which triangles touch if body a is moved?
//
// Tests are about the region's own pairs, or (`clean`) about all pairs except those that belong to
// another region.
#ifndef ABUT_DEPTH_TRIAL_H
#define ABUT_DEPTH_TRIAL_H

#include "depth/patch_trial.h"
#include "depth/regions.h"
#include "depth/shift_interval.h"

typedef struct abut__trial {
    const abut_scene* scene;
    const abut__regions* regions;
    uint32_t region;
    abut__workspace* work;
    abut__patch_trial* patches;  // of the region, within one body
} abut__trial;

// Returns how much farther a must move along a direction, after `translation`, until the triangles
// that touch then no longer do; 0: none touches. In plain doubles.
abut_status abut__trial_further(const abut__trial* trial, const double translation[3], bool clean,
                                const double direction[3], double* further);
// Of the pairs that touch after `translation`, returns the one with the greatest penetration depth.
// `found`: some pair touches, and its depth is defined.
abut_status abut__trial_deepest_pair(const abut__trial* trial, const double translation[3],
                                     bool clean, abut__pair_depth* deepest, bool* found);
// Whether triangles of the region touch after `translation`.
abut_status abut__trial_region(const abut__trial* trial, const double translation[3],
                               bool* touching);
// Whether any triangles touch after `translation`, except pairs of another region.
abut_status abut__trial_bodies(const abut__trial* trial, const double translation[3],
                               bool* touching);
// Whether a point of a (side 0) or of b is inside the other body, or on it, after `translation`.
bool abut__trial_inside(const abut__trial* trial, const double translation[3], int side,
                        const double point[3]);

#endif
