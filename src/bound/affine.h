// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Small matrices for certificates: bounds of norms and of least eigenvalues, and the affine map
// that fits displacements best.
#ifndef ABUT_BOUND_AFFINE_H
#define ABUT_BOUND_AFFINE_H

#include <math.h>
#include <stdbool.h>

static inline double abut__dot(const double a[3], const double b[3]) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}
static inline double abut__length(const double a[3]) {
    return sqrt(abut__dot(a, a));
}

static inline void abut__cross(const double a[3], const double b[3], double out[3]) {
    out[0] = a[1] * b[2] - a[2] * b[1];
    out[1] = a[2] * b[0] - a[0] * b[2];
    out[2] = a[0] * b[1] - a[1] * b[0];
}

// An interval that holds all eigenvalues of a symmetric matrix, of which the upper triangle is
// read: mean -+ sqrt(2/3 (sum of squares about the mean)) (Samuelson's inequality).
void abut__eigenvalue_range(const double s[3][3], double* least, double* greatest);
// At most the least eigenvalue of a symmetric matrix, less than 1e-9 of the norm below it unless
// it is nearly a double one. At least `from`, which must be at most that eigenvalue.
double abut__eigenvalue_least(const double s[3][3], double from);
// At least the greatest stretch of a matrix: its spectral norm.
double abut__norm(const double m[3][3]);
// The same for its symmetric part.
double abut__norm_symmetric(const double m[3][3]);
double abut__norm_frobenius(const double m[3][3]);

// What it takes to fit an affine map to points of this spread: an inverse of the spread, made
// regular, and a matrix that is 1 along directions without spread and 0 along the others.
typedef struct abut__fitter {
    double inverse[3][3];
    double blank[3][3];
} abut__fitter;
abut__fitter abut__fitter_make(const double spread[3][3]);
// The matrix that maps positions to displacements best, from cross = sum (u - mean)(p - mean)^T.
// Along directions without spread it is completed to a rotation: then a surface that bends is not
// taken to be strained.
void abut__fit(const abut__fitter* fitter, const double cross[3][3], double out[3][3]);

#endif
