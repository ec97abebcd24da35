// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Doubles rounded to floats in a chosen direction.
#ifndef ABUT_BASE_ROUNDING_H
#define ABUT_BASE_ROUNDING_H

#include <math.h>

static inline float abut__round_up(double x) {
    const float f = (float)x;
    return (double)f < x ? nextafterf(f, INFINITY) : f;
}
static inline float abut__round_down(double x) {
    return -abut__round_up(-x);
}

#endif
