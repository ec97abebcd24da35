// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Vectors of three doubles. Sums go from left to right and nothing is fused, so that every caller
// gets the same bits. Kernels and wide numbers have code of their own.
#ifndef ABUT_BASE_VEC3_H
#define ABUT_BASE_VEC3_H

static inline double abut__dot3(const double a[3], const double b[3]) {
    return (a[0] * b[0] + a[1] * b[1]) + a[2] * b[2];
}
static inline void abut__subtract3(const double a[3], const double b[3], double out[3]) {
    for (int d = 0; d < 3; ++d) {
        out[d] = a[d] - b[d];
    }
}
static inline void abut__cross3(const double a[3], const double b[3], double out[3]) {
    out[0] = a[1] * b[2] - a[2] * b[1];
    out[1] = a[2] * b[0] - a[0] * b[2];
    out[2] = a[0] * b[1] - a[1] * b[0];
}

#endif
