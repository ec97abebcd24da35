// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Jacobi's method: see eigen.h. It is slower than a tridiagonal method, but short, and small
// eigenvalues are as exact as the matrix allows. Based on: Golub, Van Loan, "Matrix Computations",
// 8.5 (cyclic by rows).

#include "scenes/eigen.h"

#include <math.h>
#include <stddef.h>

#define SWEEPS 40  // about ten are enough

// Rotates columns p and q of a matrix of n rows.
static void turn_columns(double* a, size_t n, size_t p, size_t q, double c, double s) {
    for (size_t i = 0; i < n; ++i) {
        const double x = a[i * n + p];
        const double y = a[i * n + q];
        a[i * n + p] = c * x - s * y;
        a[i * n + q] = s * x + c * y;
    }
}

static void turn_rows(double* a, size_t n, size_t p, size_t q, double c, double s) {
    for (size_t i = 0; i < n; ++i) {
        const double x = a[p * n + i];
        const double y = a[q * n + i];
        a[p * n + i] = c * x - s * y;
        a[q * n + i] = s * x + c * y;
    }
}

// Rotates so that a[p][q] becomes 0; returns false if it is negligible beside the diagonal.
static int rotate(double* a, double* vectors, size_t n, size_t p, size_t q) {
    const double off = a[p * n + q];
    const double pp = a[p * n + p];
    const double qq = a[q * n + q];
    if (fabs(off) <= 1e-17 * (fabs(pp) + fabs(qq))) {
        return 0;
    }
    const double theta = 0.5 * (qq - pp) / off;
    const double t = (theta < 0.0 ? -1.0 : 1.0) / (fabs(theta) + sqrt(theta * theta + 1.0));
    const double c = 1.0 / sqrt(t * t + 1.0);
    turn_columns(a, n, p, q, c, t * c);
    turn_rows(a, n, p, q, c, t * c);
    a[p * n + q] = a[q * n + p] = 0.0;
    turn_columns(vectors, n, p, q, c, t * c);
    return 1;
}

// Sorts by insertion, columns with their values.
static void sort(double* values, double* vectors, size_t n) {
    for (size_t k = 1; k < n; ++k) {
        for (size_t j = k; j > 0 && values[j] < values[j - 1]; --j) {
            const double value = values[j];
            values[j] = values[j - 1];
            values[j - 1] = value;
            for (size_t i = 0; i < n; ++i) {
                const double x = vectors[i * n + j];
                vectors[i * n + j] = vectors[i * n + j - 1];
                vectors[i * n + j - 1] = x;
            }
        }
    }
}

void scene__eigen(double* a, uint32_t size, double* values, double* vectors) {
    const size_t n = size;
    for (size_t i = 0; i < n * n; ++i) {
        vectors[i] = i / n == i % n ? 1.0 : 0.0;
    }
    int turned = 1;
    for (int sweep = 0; sweep < SWEEPS && turned != 0; ++sweep) {
        turned = 0;
        for (size_t p = 0; p + 1 < n; ++p) {
            for (size_t q = p + 1; q < n; ++q) {
                turned += rotate(a, vectors, n, p, q);
            }
        }
    }
    for (size_t i = 0; i < n; ++i) {
        values[i] = a[i * n + i];
    }
    sort(values, vectors, n);
}
