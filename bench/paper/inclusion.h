// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Moving primitives by inclusion, the established method of the literature.
#ifndef BENCH_PAPER_INCLUSION_H
#define BENCH_PAPER_INCLUSION_H

#include <stdbool.h>

/// Returns whether four points that move from `from` to `to` (a vertex and a face, or two edges)
/// touch, and a lower bound of the time. `tolerance` is a length.
bool inclusion_contact(const double from[4][3], const double to[4][3], bool edges, double tolerance,
                       double* time);

#endif
