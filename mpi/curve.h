// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Regions of space: a Hilbert curve runs through the cells of a grid, and each rank has a stretch of it.
// Up to 64 ranks the curve runs through the two longest axes of the bodies' centres alone, so that
// regions are columns with few neighbours; beyond, through all three.
#ifndef ABUT_MPI_CURVE_H
#define ABUT_MPI_CURVE_H

#include "mpi/lists.h"

#define ABUT__CURVE_BITS 20

typedef struct abut__regions {
    bool made;
    int axes;     // 2 or 3
    int axis[3];  // of the curve's coordinates
    double lo[3];
    double scale[3];              // cells per unit of length
    ABUT__LIST(uint64_t) starts;  // the first code of each region but that of rank 0, ascending
} abut__regions;

// The cell of a coordinate; those outside the grid belong to its border.
uint32_t abut__cell_of(const abut__regions* regions, int k, double x);
// The place of a cell on the curve.
uint64_t abut__curve_code(int axes, const uint32_t cell[3]);
// The rank of a place on the curve.
int abut__region_of(const abut__regions* regions, uint64_t code);
// Marks the ranks whose regions a box (three lows, three highs) reaches: appends them to `found`, each
// once. `seen` has a number for each rank, and `mark` was not used in it yet. False: no memory.
bool abut__regions_reached(const abut_allocator* memory, const abut__regions* regions,
                           const float box[6], uint32_t* seen, uint32_t mark, abut__ids* found);

struct abut_world;
// Cuts space into regions with equal shares of the bodies' work. Collective.
void abut__regions_make(struct abut_world* world);

#endif
