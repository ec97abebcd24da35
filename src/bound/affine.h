// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Small matrices for certificates: bounds of norms and of least eigenvalues, and the affine map
// that fits displacements best.
#ifndef ABUT_BOUND_AFFINE_H
#define ABUT_BOUND_AFFINE_H

#include <math.h>
#include <stdbool.h>

#include "base/vec3.h"

static inline double abut__length(const double a[3]) {
    return sqrt(abut__dot3(a, a));
}

// Computes an interval that contains all eigenvalues of a symmetric matrix, whose upper triangle is
// read: mean -+ sqrt(2/3 (sum of squares about the mean)) (Samuelson's inequality).
void abut__eigenvalue_range(const double s[3][3], double* least, double* greatest);
// Returns a lower bound of the least eigenvalue of a symmetric matrix, at least `from`, which must
// be one, too. It is less than 1e-9 of the norm below it, except near a double eigenvalue.
double abut__eigenvalue_least(const double s[3][3], double from);
// Returns an upper bound of the spectral norm of a matrix.
double abut__norm(const double m[3][3]);
// Returns an upper bound of the norm of its symmetric part.
double abut__norm_symmetric(const double m[3][3]);
double abut__norm_frobenius(const double m[3][3]);

// The data to fit an affine map to points with a given covariance (`spread`): a regularized inverse
// of it, and a matrix that is 1 along directions without spread and 0 along the others.
typedef struct abut__fitter {
    double inverse[3][3];
    double blank[3][3];
} abut__fitter;
abut__fitter abut__fitter_make(const double spread[3][3]);
// Computes the matrix that maps positions to displacements best, from
// cross = sum (u - mean)(p - mean)^T. Along directions without spread it is completed to a
// rotation, so that a surface that bends does not count as strained.
void abut__fit(const abut__fitter* fitter, const double cross[3][3], double out[3][3]);

#endif
