// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Loads positions of a source as floats relative to its origin. Doubles are subtracted in double
// and then rounded, floats are subtracted in float, since the origin is a float, too. Both preserve
// order, and the error is that of one rounding to float, up to 2^-28 of it.
#ifndef ABUT_SIMD_SOURCE_LANES_H
#define ABUT_SIMD_SOURCE_LANES_H

#include "simd/lanes.h"
#include "simd/layout.h"

typedef struct source_origin {
    f64x4 as_doubles;
    f32x4 as_floats;
} source_origin;

static inline source_origin origin_of(const abut__source* source) {
    const float* o = source->origin;
    return (source_origin){{(double)o[0], (double)o[1], (double)o[2], 0}, {o[0], o[1], o[2], 0}};
}

// three numbers and 0
static inline f32x4 load3_float(const char* place, const source_origin* origin) {
    return f32x4_load3_float((const float*)(const void*)place) - origin->as_floats;
}
static inline f32x4 load3_double(const char* place, const source_origin* origin) {
    return f64x4_to_float(f64x4_load3_double((const double*)(const void*)place) -
                          origin->as_doubles);
}
// the same with the next number, which must be readable
static inline f32x4 load4_float(const char* place, const source_origin* origin) {
    return f32x4_load4_float((const float*)(const void*)place) - origin->as_floats;
}
static inline f32x4 load4_double(const char* place, const source_origin* origin) {
    return f64x4_to_float(f64x4_load4_double((const double*)(const void*)place) -
                          origin->as_doubles);
}

#endif
