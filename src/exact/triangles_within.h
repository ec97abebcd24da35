// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// The two stages of abut__triangles_within.
#ifndef ABUT_EXACT_TRIANGLES_WITHIN_H
#define ABUT_EXACT_TRIANGLES_WITHIN_H

#include <stdbool.h>

// 1: the distance is proven to be at most `margin` (> 0), 0: proven to be greater, else
// ABUT__UNDECIDED: near ties, and triangles that intersect.
int abut__within_filter(const double p[3][3], const double q[3][3], double margin);

// Tells whether the distance is at most `margin`, in wide integers, if they share no point.
bool abut__within_wide(const double p[3][3], const double q[3][3], double margin);

#endif
