// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// The point of a set that is farthest along a direction, for many directions.
#ifndef ABUT_DEPTH_FARTHEST_H
#define ABUT_DEPTH_FARTHEST_H

#include "base/memory.h"

// Neighbouring points, or eight boxes of the level below.
typedef struct abut__farthest_box {
    double lo[3];
    double hi[3];
    uint32_t place;  // the lowest of its points
} abut__farthest_box;

// A point and its place among the points that were given.
typedef struct abut__farthest_point {
    double p[3];
    uint32_t place;
} abut__farthest_point;

enum { ABUT__FARTHEST_LEVELS = 12 };

typedef struct abut__farthest {
    const double (*given)[3];  // the caller's points
    size_t count;
    uint32_t level_count;  // 0: few points, which are compared one by one
    // where the boxes of each level begin, then the end; the last level has one box
    size_t first[ABUT__FARTHEST_LEVELS + 1];
    ABUT__VECTOR(abut__farthest_point) points;  // neighbours together
    ABUT__VECTOR(abut__farthest_box) boxes;     // level by level, those of points first
    abut__uint32s cells;                        // of the points, to sort by
    abut__uint32s cell_first;
} abut__farthest;

// Prepares for points, which must stay where they are. False: no memory.
bool abut__farthest_set(const abut_context* context, abut__farthest* f, const double (*points)[3],
                        size_t count);
// Returns the greatest abut__dot3() of a point and the direction, with its bits; -INFINITY: there is
// none.
double abut__farthest_along(const abut__farthest* f, const double direction[3]);
// Returns the place of the farthest among the first `count` points, which are not none; the lowest
// place if there are several.
size_t abut__farthest_place(const abut__farthest* f, const double direction[3], size_t count);
// Returns how many boxes and points the last function looks at for a direction.
size_t abut__farthest_work(const abut__farthest* f, const double direction[3]);

void abut__farthest_free(const abut_context* context, abut__farthest* f);

#endif
