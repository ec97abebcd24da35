// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Internal data of abut_mls: nodes of point-based deformation.
#ifndef ABUT_MOTION_MLS_H
#define ABUT_MOTION_MLS_H

#include "abut/mls.h"
#include "motion/node_tree.h"

// The axes along which the neighbours of a node spread: all three, a plane's two, or a line's one.
typedef struct abut__mls_axes {
    uint32_t rank;      // how many of the 3 axes
    double axis[3][3];  // rows, right-handed; set if the rank is not 3
} abut__mls_axes;

struct abut_mls {
    abut_context* context;
    uint32_t node_count;
    double scale;     // power of two: the tree's lengths are the caller's times this
    double* places;   // as given
    double* radii;    // given or chosen
    double* scaled;   // places in the tree's lengths, so that no square over- or underflows
    double* reaches;  // radii in the tree's lengths
    abut__node_tree tree;
    size_t* first;  // neighbours of node i: first[i] .. first[i + 1] - 1, ascending, without i
    uint32_t* neighbours;
    double* slopes;  // a vector each: the gradient is the sum of (u_j - u_i) slope^T / support
    abut__mls_axes* axes;  // NULL: the axes without neighbours are left unchanged
};

// Converts a position of the caller to the tree's lengths; infinite if it is far outside.
static inline void abut__mls_scale(const abut_mls* mls, const double p[3], double out[3]) {
    for (size_t d = 0; d < 3; ++d) {
        out[d] = p[d] * mls->scale;
    }
}

#endif
