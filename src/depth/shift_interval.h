// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// The shifts of a triangle along a direction for which it touches another one, and the penetration
// depth of two triangles.
#ifndef ABUT_DEPTH_SHIFT_INTERVAL_H
#define ABUT_DEPTH_SHIFT_INTERVAL_H

#include <stdbool.h>

// The shifts t for which p + t d touches q. Computed in plain doubles: the ends are off by a few
// roundings of the coordinates' size, and an interval of grazing contact may be missed.
typedef struct abut__shift_interval {
    double enter;
    double leave;
} abut__shift_interval;

// The shortest translation of p that separates two triangles that touch, or one that is shorter by
// rounding along the same direction.
typedef struct abut__pair_depth {
    double length;
    double direction[3];  // 0: undefined
} abut__pair_depth;

// ---- pair_depth.c
abut__pair_depth abut__pair_depth_of(const double p[3][3], const double q[3][3]);

// ---- shift_interval.c
// False: they touch for no shift.
bool abut__shift_interval_of(const double p[3][3], const double q[3][3], const double d[3],
                             abut__shift_interval* interval);

#endif
