// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// What the modal motion keeps in shapes and states.
//
// The pad. Let u = 2^-24 and S = max|p| + sum_j max|U_j| |q_j|, which bounds every coordinate and
// every partial sum. With M fields a float sum of M products is off by (M + 1) u S, rounding the
// coordinates and the rows to float adds 2 u S, so centres and points are within (M + 3) u S of the
// truth, half extents as much, and their sum and difference another 2 u S. The vertices' own
// doubles are off by far less. Below 2 (M + 4) u S in all; the pad is (M + 8) 2^-23 S, and
// something for what underflows: what rounding takes from the coordinates, half a smallest float
// times |q_j| for every row, and as much for every product.
#ifndef ABUT_MOTION_MODAL_H
#define ABUT_MOTION_MODAL_H

#include "bound/certificate.h"
#include "motion/motion.h"

typedef struct abut__modal {
    abut__fields* fields;
    abut__bdtree* bdtree;
    double most;                                // the greatest magnitude of a rest coordinate
    _Atomic(abut__certificates*) certificates;  // made when first needed
} abut__modal;

typedef struct abut__modal_state {
    uint32_t count;
    bool unbounded;  // too large for float arithmetic: all boxes are infinite
    float pad;       // that bounds and points need
    float* rounded;  // the coordinates as float
    float* weights;  // the same, rounded away from 0: for certificates
    double lost;     // four times what vertices may be off by: likewise
    double coordinate[];
} abut__modal_state;

#endif
