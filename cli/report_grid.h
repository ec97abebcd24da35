// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Quantises points for the report's page: 16-bit numbers on a grid.
#ifndef CLI_REPORT_GRID_H
#define CLI_REPORT_GRID_H

#include "cli/report_pack.h"

/// A grid: the coordinate of a 16-bit number is low + step * number.
typedef struct grid {
    double low[3];
    double step;
} grid;

/// Points on a grid: x of all, then y, then z. A zeroed struct is empty.
typedef struct cloud {
    grid g;
    size_t count;
    uint16_t* words;
} cloud;

/// Quantises points (x y z each) on a grid with some slack around them. If they fit on the grid of
/// `last` (may be NULL) and fill half of it, that grid is used again, so that resting points keep
/// their numbers.
cloud cloud_make(const double* points, size_t count, const cloud* last);
void cloud_free(cloud* c);
/// Whether both have the same points.
bool cloud_equal(const cloud* a, const cloud* b);
/// Whether both have the same grid.
bool cloud_shares_grid(const cloud* a, const cloud* b);
/// Adds the numbers as differences: from the same point of `last`, which has as many points on the
/// same grid; or, if `last` is NULL, from the point before.
void cloud_pack(pack* out, const cloud* c, const cloud* last);
/// Adds the grid: four doubles.
void cloud_pack_grid(pack* out, const cloud* c);

#endif
