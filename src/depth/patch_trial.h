// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Which triangles of two patches of one body touch if the first patch is moved. The cost depends on
// the patches, and on nothing else of the body.
#ifndef ABUT_DEPTH_PATCH_TRIAL_H
#define ABUT_DEPTH_PATCH_TRIAL_H

#include "base/sort.h"
#include "depth/regions.h"

// A triangle in the shape's coordinates, and its box.
typedef struct abut__patch_triangle {
    uint32_t id;
    double corner[3][3];
    double lo[3];
    double hi[3];
} abut__patch_triangle;

typedef struct abut__patch_trial {
    bool ready;  // the triangles below are those of the current region
    // of the first patch, ascending, and of the second one, by their lower ends along the axis
    ABUT__VECTOR(abut__patch_triangle) triangles[2];
    ABUT__VECTOR(abut__keyed) order;
    int axis;       // along which the second patch is longest
    double widest;  // the greatest extent of one of its triangles along it
    ABUT__VECTOR(abut_pair) pairs;
} abut__patch_trial;

// Finds the pairs of triangles of both sides of `regions` that touch after a translation of the
// first side (see abut_depth_self()), ascending; with `any`, at most one. Triangles that share a
// vertex, and those that tags exclude, never count. False: no memory.
bool abut__patch_trial_run(abut__patch_trial* trial, const abut__regions* regions,
                           const double translation[3], bool any);
void abut__patch_trial_free(const abut_context* context, abut__patch_trial* trial);

#endif
