// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Weights as sums along a tree. Let nodes form a tree with a root r, and let W_b be the sum of the
// weights of b and of all nodes below it. Then
//
//   sum_j w_j T_j = T_r sum_j w_j + sum_{b != r} W_b (T_b - T_a),     a the parent of b:
//
// because on the path from r to j the differences add up to T_j - T_r. Where neighbours in the tree
// are neighbours in the body, such differences are small, and W_b changes only where b joins a;
// beyond, it is 1. The tree joins nodes that share much weight, but any tree is valid.
#ifndef ABUT_BOUND_TELESCOPE_H
#define ABUT_BOUND_TELESCOPE_H

#include "mesh/weights.h"

typedef struct abut__telescope {
    uint16_t* parent;  // per node; the root is its own parent
    uint32_t root;
    abut__weights*
        sums;  // W_b of all nodes but the root, where not 0. It is exactly 1 where all nodes of a
               // vertex are below b, even if their weights do not sum to 1
} abut__telescope;

// There must be at most UINT16_MAX nodes. False: no memory.
bool abut__telescope_make(const abut__weights* weights, abut__telescope* made);
void abut__telescope_free(const abut__weights* weights, abut__telescope* telescope);

#endif
