// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// The greatest sum_j w_j b_j over the weights l_j <= w_j <= h_j, sum_j w_j = 1, in several
// independent ways: by all corners of that polytope, after Kavan, Zara, "Fast Collision Detection
// for Skeletally Deformable Models", 2005; by its linear program; and by the bounds of Steinemann,
// Otaduy, Gross, "Efficient Bounds for Point-Based Animations", 2007. For tables and tests.
#ifndef BENCH_PAPER_CORNERS_H
#define BENCH_PAPER_CORNERS_H

#include <stdbool.h>
#include <stdint.h>

enum { CORNERS_MOST = 8 };

typedef struct corners_case {
    uint32_t count;
    double least[CORNERS_MOST];  ///< l
    double most[CORNERS_MOST];   ///< h
    double reach[CORNERS_MOST];  ///< b
} corners_case;

/// Over all corners: all weights but one are at an end of their intervals, and that one takes the
/// rest.
double corners_maximum(uint32_t count, const double* least, const double* most,
                       const double* reach);
/// Starts at the least weights and gives the rest to the greatest b first: the exact maximum.
double corners_greedy(uint32_t count, const double* least, const double* most, const double* reach);
/// The least of the dual's bounds f(L) over all L: the same, by duality.
double corners_dual(uint32_t count, const double* least, const double* most, const double* reach);
/// The paper's equation 11.
double corners_eq11(uint32_t count, const double* least, const double* most, const double* reach);
/// The greatest over the n (n - 1) corners by which the paper replaces the true ones (4.2.2).
double corners_paper(uint32_t count, const double* least, const double* most, const double* reach);
/// Returns whether the statement of appendix B about h_j1 is true.
bool corners_appendix(uint32_t count, const double* least, const double* most, const double* reach);

typedef enum corners_kind {
    CORNERS_ANY,         ///< any feasible limits
    CORNERS_FEW,         ///< those of 2 to 4 vertices
    CORNERS_MANY,        ///< those of 16
    CORNERS_KIND_COUNT,  ///<
} corners_kind;

/// Makes a random case of 2 to CORNERS_MOST influences. All numbers are short binary fractions, so
/// that all functions above are exact and may be compared by ==.
corners_case corners_random(uint64_t* state, corners_kind kind, uint32_t count);

#endif
