// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// A triangle and what several half-spaces have in common: decided exactly for all finite doubles.
#ifndef ABUT_EXACT_HALFSPACES_H
#define ABUT_EXACT_HALFSPACES_H

#include <stdbool.h>
#include <stdint.h>

#define ABUT__HALFSPACES_MOST 16

// The points x with n . x <= offset.
typedef struct abut__halfspace {
    double n[3];
    double offset;
} abut__halfspace;

typedef enum abut__reach {
    ABUT__REACH_NONE,   // no common point
    ABUT__REACH_PART,   // some
    ABUT__REACH_WHOLE,  // all of the triangle
} abut__reach;

// `count` is at most ABUT__HALFSPACES_MOST.
abut__reach abut__halfspaces_reach(const double t[3][3], const abut__halfspace* spaces,
                                   uint32_t count);

#endif
