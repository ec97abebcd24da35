// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Moving least squares by brute force: see mls_oracle.h.

#include "support/mls_oracle.h"

#include <math.h>
#include <string.h>

#include "scenes/eigen.h"

#define FLAT 1e-6  // relative moments below this count as zero
#define PI 3.14159265358979323846

// the kernel of Mueller et al. (2004), with the factor that makes its integral 1
static double kernel(double r_sq, double h) {
    const double rest = h * h - r_sq;
    return rest > 0.0 ? 315.0 / (64.0 * PI * pow(h, 9.0)) * rest * rest * rest : 0.0;
}

static double offset(const double from[3], const double to[3], double out[3]) {
    double square = 0.0;
    for (int d = 0; d < 3; ++d) {
        out[d] = to[d] - from[d];
        square += out[d] * out[d];
    }
    return square;
}

// the pseudo-inverse of a symmetric matrix, without eigenvalues that are nearly zero
static void invert(double matrix[9], double inverse[3][3]) {
    double values[3];
    double vectors[9];
    scene__eigen(matrix, 3, values, vectors);
    memset(inverse, 0, 9 * sizeof(double));
    for (int k = 0; k < 3; ++k) {
        if (values[k] > FLAT * values[2]) {
            for (int e = 0; e < 9; ++e) {
                inverse[e / 3][e % 3] += vectors[e / 3 * 3 + k] * vectors[e % 3 * 3 + k] /
                                         values[k];
            }
        }
    }
}

void mls_oracle_gradient(const mls_oracle* o, const double* u, uint32_t node,
                         double gradient[3][3]) {
    double moments[9] = {0.0};        // sum of w x x^T
    double products[3][3] = {{0.0}};  // sum of w u x^T
    double inverse[3][3];
    for (size_t j = 0; j < o->node_count; ++j) {
        double x[3];
        double step[3];
        const double square = offset(o->place + 3 * (size_t)node, o->place + 3 * j, x);
        const double w = j != node ? kernel(square, o->reach[node]) : 0.0;
        offset(u + 3 * (size_t)node, u + 3 * j, step);
        for (int e = 0; e < 9; ++e) {
            moments[e] += w * x[e / 3] * x[e % 3];
            products[e / 3][e % 3] += w * step[e / 3] * x[e % 3];
        }
    }
    invert(moments, inverse);
    for (int e = 0; e < 9; ++e) {
        const double* row = products[e / 3];
        const int b = e % 3;
        gradient[e / 3][b] = row[0] * inverse[0][b] + row[1] * inverse[1][b] +
                             row[2] * inverse[2][b];
    }
}

void mls_oracle_transforms(const mls_oracle* o, const double* u, double* transforms) {
    for (uint32_t j = 0; j < o->node_count; ++j) {
        const double* x = o->place + 3 * (size_t)j;
        double g[3][3];
        mls_oracle_gradient(o, u, j, g);
        for (size_t d = 0; d < 3; ++d) {
            double* row = transforms + 12 * (size_t)j + 4 * d;
            row[3] = u[3 * (size_t)j + d] - (g[d][0] * x[0] + g[d][1] * x[1] + g[d][2] * x[2]);
            for (size_t e = 0; e < 3; ++e) {
                row[e] = g[d][e] + (d == e ? 1.0 : 0.0);
            }
        }
    }
}

uint32_t mls_oracle_weights(const mls_oracle* o, const double p[3], double* weights) {
    double sum = 0.0;
    uint32_t found = 0;
    for (uint32_t j = 0; j < o->node_count; ++j) {
        double x[3];
        weights[j] = kernel(offset(o->place + 3 * (size_t)j, p, x), o->reach[j]);
        sum += weights[j];
        found += weights[j] > 0.0 ? 1 : 0;
    }
    for (uint32_t j = 0; j < o->node_count; ++j) {
        weights[j] /= sum;
    }
    return found;
}
