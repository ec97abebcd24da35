// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Groups of certificates of the blend motion: sixteen consecutive certificates are lanes of common
// rows, for all nodes and fields of any of them. Neighbours have mostly the same nodes, so testing
// sixteen costs hardly more than testing one. Lanes may have different nodes m: the group uses
// their lowest common ancestor, and the differences on the path down (steps) are added for the
// lanes that need them.
//
// Numbers are stored as multiples of 1/32767 of the greatest one, because reading them takes most
// of the time. The error that this causes in H and h is added to L and l.
//
// Rounding. Lanes are floats, u = 2^-24. With r rows, m fields and s steps let
//
//   t = (|T_m'| + sum of steps) (1 + |G| + g) + sum_b |D_b'| |H_b| + |D_b(o_b)| (|h_b| + l_b),
//
// where norms are Frobenius norms or at most sqrt(3) times less. |D_b(o_b)| is bounded by
// |D_b(c)| + |D_b'| |o_b - c|, where D_b(c) at the group's origin c is computed in double. Each
// product in B is rounded, with its sums, at most 4 r + m + s + 16 times; so are those of the
// limit, which are positive. Entries of D_b' and T_m' were rounded before, and D_b(o_b) has errors
// of 8 u of its bound. So B is off by less than k 2^-22 t, k = 4 r + m + s + 32, and the limit by
// less than k 2^-22 (limit + t); the test requires a margin of both. Numbers of rows are below 2^30
// and all sums below 2^20, so underflow (2^-73 for roots, 2^-149 otherwise) contributes less than
// 2^-28; the test allows 2^-24.
//
// B^T B, minus a square, is off by less than 10 u trace; the test subtracts 16 u trace. The other
// errors of the minors are relative. If x, y, z > 0 are the diagonal, and squares of other entries
// are at most twice the products of their diagonal ones, the products of the determinant are below
// 10 x y z together and have at most five roundings each. 64 u x y z would suffice; the test
// requires 2^-16 x y z.
// A certificate that is not proven here counts as failed. Where numbers are out of range or the
// rounding error is large, the test of a single certificate in double decides.
// Based on: bound/certificate_groups.c.
#ifndef ABUT_BOUND_BLEND_GROUPS_H
#define ABUT_BOUND_BLEND_GROUPS_H

#include "simd/layout.h"

struct abut__blend_certificates;

typedef struct abut__blend_group {
    uint32_t first_row;
    uint32_t first_move;
    uint32_t first_step;
    uint16_t row_count;
    uint16_t move_count;
    uint16_t step_count;
    uint16_t reference;
    uint16_t none;   // lanes that prove nothing
    uint16_t empty;  // lanes without a pair: they always hold
    uint16_t wide;   // lanes that hold only if all transforms are equal and all coordinates 0
    bool loose;      // no rows: too many, or numbers out of range
    float inverse_gap[ABUT__GROUP];
} abut__blend_group;

typedef struct abut__blend_groups {
    abut__blend_group* list;  // numbered by the index of the certificates
    abut__weight_lanes* rows;
    abut__move_lanes* moves;
    abut__weight_step* steps;
    size_t row_count;
    size_t move_count;
    size_t step_count;
} abut__blend_groups;

// Builds the groups, once all certificates are made. False: no memory.
bool abut__blend_groups_make(struct abut__blend_certificates* certificates);
void abut__blend_groups_free(struct abut__blend_certificates* certificates);

#endif
