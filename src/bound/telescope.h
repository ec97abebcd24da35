// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Weights as sums along a tree. If nodes form a tree with a root r, and W_b is the sum of the weights
// of b and of all below it, then
//
//   sum_j w_j T_j = T_r sum_j w_j + sum_{b != r} W_b (T_b - T_a),     a the parent of b:
//
// on the way from r to j the differences add up to T_j - T_r. Where neighbours in the tree are
// neighbours in the body, such differences are small, and W_b changes only where b joins a. It is 1
// everywhere beyond. The tree spans nodes by how much weight they share; any tree is right.
#ifndef ABUT_BOUND_TELESCOPE_H
#define ABUT_BOUND_TELESCOPE_H

#include "mesh/weights.h"

typedef struct abut__telescope {
    uint16_t* parent;  // per node; that of the root is itself
    uint32_t root;
    abut__weights*
        sums;  // W_b of all but the root, where not 0; 1 where all of a vertex's weights are
               // below b, though they may not sum to that
} abut__telescope;

// There are at most UINT16_MAX nodes. False: no memory.
bool abut__telescope_make(const abut__weights* weights, abut__telescope* made);
void abut__telescope_free(const abut__weights* weights, abut__telescope* telescope);

#endif
