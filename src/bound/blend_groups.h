// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Certificates of the blend motion side by side: sixteen that follow each other become lanes of rows
// for all nodes and fields of any of them. Neighbours have mostly the same nodes, so sixteen cost
// hardly more than one. Lanes may have different T_m: those of the group are the lowest node above all
// of them, and the differences on the way down are added for the lanes that need them.
//
// Numbers are kept as whole steps of 1/32767 of the greatest one, for reading them is what takes time:
// what that takes from H and h is added to L and l.
//
// Rounding. Lanes are floats, u = 2^-24. With r rows, m fields and s steps let
//
//   t = (|T_m'| + sum of steps) (1 + |G| + g) + sum_b |D_b'| |H_b| + |D_b(o_b)| (|h_b| + l_b),
//
// norms being Frobenius' or at most sqrt(3) times less. |D_b(o_b)| is taken from the group's origin c,
// where it is known in double, as |D_b(c)| + |D_b'| |o_b - c|. Every product in B is rounded with its
// sums at most 4 r + m + s + 16 times, as are those of the limit, which are positive; entries of D_b'
// and T_m' were rounded before, D_b(o_b) has errors of 8 u of its bound. So B is off by less than
// k 2^-22 t, k = 4 r + m + s + 32, and the limit by less than k 2^-22 (limit + t): both are asked for.
// Numbers of rows are below 2^30, all sums below 2^20, so what underflows (roots 2^-73, others 2^-149)
// stays below 2^-28: 2^-24 is asked for.
//
// B^T B, less a square, is off by less than 10 u trace: 16 u trace is taken from it. The rest of the
// minors' errors is relative. If x, y, z > 0 are the diagonal, and squares of other entries at most
// twice the products of their diagonal ones, the determinant's products are below 10 x y z together and
// have at most five roundings each: 64 u x y z would do, 2^-16 x y z is asked for.
// Whoever is not found to hold does not, unless numbers are out of range or what is lost is not little:
// then one is asked alone, in double.
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
    uint16_t wide;   // lanes that hold only if all transforms are the same and fields rest
    bool loose;      // there are no rows: too many, or numbers that are out of range
    float inverse_gap[ABUT__GROUP];
} abut__blend_group;

// Of nodes, then of blocks, then of pairs.
typedef struct abut__blend_groups {
    abut__blend_group* list;
    uint32_t count;
    uint32_t first_block;
    uint32_t first_pair;
    abut__weight_lanes* rows;
    abut__move_lanes* moves;
    abut__weight_step* steps;
    size_t row_count;
    size_t move_count;
    size_t step_count;
} abut__blend_groups;

// When all certificates are made. False: no memory.
bool abut__blend_groups_make(struct abut__blend_certificates* certificates);
void abut__blend_groups_free(struct abut__blend_certificates* certificates);

#endif
