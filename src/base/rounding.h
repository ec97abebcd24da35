// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Rounds doubles to floats in a chosen direction, and bounds what roundings lose.
#ifndef ABUT_BASE_ROUNDING_H
#define ABUT_BASE_ROUNDING_H

#include <math.h>

static inline float abut__round_up(double x) {
    const float f = (float)x;
    return (double)f < x ? nextafterf(f, INFINITY) : f;
}
// Returns the nearest float as a double. gcc 12 may omit a conversion to float and back when it
// vectorises a loop; the empty asm prevents this.
static inline double abut__as_float(double x) {
    float f = (float)x;
#if defined(__x86_64__)
    __asm__("" : "+x"(f));
#elif defined(__aarch64__)
    __asm__("" : "+w"(f));
#else
    __asm__("" : "+m"(f));
#endif
    return (double)f;
}
static inline float abut__round_down(double x) {
    return -abut__round_up(-x);
}

// Returns a bound of the relative error after `count` roundings to float, terms of higher order
// included: n u / (1 - n u), where u = 2^-24.
static inline double abut__rounding_units(double count) {
    const double units = 0x1p-24 * count;
    return units < 0.5 ? units / (1 - units) : INFINITY;
}

#endif
