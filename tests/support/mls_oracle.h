// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Moving least squares over nodes by brute force: every node and vertex is compared with all nodes.
// It shares no code with the library.

#ifndef ABUT_TESTS_SUPPORT_MLS_ORACLE_H
#define ABUT_TESTS_SUPPORT_MLS_ORACLE_H

#include <stdint.h>

typedef struct mls_oracle {
    uint32_t node_count;
    const double* place;  ///< xyz of every node at rest
    const double* reach;  ///< radius of its support
} mls_oracle;

/// Computes the gradient of displacements u at a node: gradient[a][b] is the derivative of u_a along
/// axis b. Where all neighbours lie in a plane or on a line, it is the least one that fits.
void mls_oracle_gradient(const mls_oracle* o, const double* u, uint32_t node,
                         double gradient[3][3]);

/// Computes the transforms of all nodes, three rows of four each: A = gradient + 1,
/// t = u - gradient x.
void mls_oracle_transforms(const mls_oracle* o, const double* u, double* transforms);

/// Computes a weight of every node at p: kernels normalised to the sum 1. Nodes that do not reach p
/// have the weight 0. Returns the number of nodes that reach it.
uint32_t mls_oracle_weights(const mls_oracle* o, const double p[3], double* weights);

#endif  // ABUT_TESTS_SUPPORT_MLS_ORACLE_H
