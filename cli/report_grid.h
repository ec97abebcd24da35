// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Points as the report's page takes them: 16-bit numbers on a grid.
#ifndef CLI_REPORT_GRID_H
#define CLI_REPORT_GRID_H

#include "cli/report_pack.h"

/// How 16-bit numbers stand for coordinates: low + step * number.
typedef struct grid {
    double low[3];
    double step;
} grid;

/// Points on a grid: x of all, then y, then z. All zero is none.
typedef struct cloud {
    grid g;
    size_t count;
    uint16_t* words;
} cloud;

/// Points (x y z each) on a grid that has room for them and a little more. If they fit on the grid of
/// `last` (may be NULL) and fill half of it, that grid is kept, so that what rests keeps its numbers.
cloud cloud_make(const double* points, size_t count, const cloud* last);
void cloud_free(cloud* c);
/// Whether both have the same points.
bool cloud_equal(const cloud* a, const cloud* b);
/// Whether both have the same grid.
bool cloud_shares_grid(const cloud* a, const cloud* b);
/// Adds the numbers as differences: from the same point of `last` if there is one, which has as many
/// points on the same grid; otherwise from the point before.
void cloud_pack(pack* out, const cloud* c, const cloud* last);
/// Adds the grid: four doubles.
void cloud_pack_grid(pack* out, const cloud* c);

#endif
