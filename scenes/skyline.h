// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Cholesky factors of sparse symmetric matrices that are stored by their skyline: every row from
// its first entry to the diagonal. This suits elongated bodies whose unknowns are numbered along
// them.

#ifndef ABUT_SCENES_SKYLINE_H
#define ABUT_SCENES_SKYLINE_H

#include "scenes/scenes_internal.h"

typedef struct skyline {
    uint32_t n;
    uint32_t* first;  // column of the first entry of each row
    double** row;     // row[i][k - first[i]] is entry (i, k), k <= i
} skyline;

/// Allocates zero entries from `first[i]` to i in each row i. `first` must live as long as the
/// matrix.
bool scene__skyline_alloc(scene* s, skyline* m, uint32_t n, uint32_t* first);
/// Returns the entry (i, k), first[i] <= k <= i.
double* scene__skyline_at(const skyline* m, uint32_t i, uint32_t k);
/// Replaces a positive definite matrix by its lower factor. False if it is not positive definite.
bool scene__skyline_factor(skyline* m);
enum { SKYLINE_SIDES = 4 };
/// Solves with the factor for SKYLINE_SIDES right-hand sides, in place: number i of side r is
/// x[SKYLINE_SIDES * i + r].
void scene__skyline_solve(const skyline* m, double* x);

#endif  // ABUT_SCENES_SKYLINE_H
