// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Eigenvectors of small dense symmetric matrices, by Jacobi's rotations.

#ifndef ABUT_SCENES_EIGEN_H
#define ABUT_SCENES_EIGEN_H

#include <stdint.h>

/// Eigenvalues of the symmetric n x n matrix `a`, in ascending order, and its orthonormal
/// eigenvectors: component i of vector j is vectors[i * n + j]. Overwrites `a`.
void scene__eigen(double* a, uint32_t size, double* values, double* vectors);

#endif  // ABUT_SCENES_EIGEN_H
