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
// The rank of the lowest corner that two boxes share: so one rank finds their pair.
int abut__regions_meeting(const abut__regions* regions, const float a[6], const float b[6]);
// Marks the ranks whose regions a box (three lows, three highs) reaches: appends them to `found`, each
// once. `seen` has a number for each rank, and `mark` was not used in it yet. False: no memory.
bool abut__regions_reached(const abut_allocator* memory, const abut__regions* regions,
                           const float box[6], uint32_t* seen, uint32_t mark, abut__ids* found);

struct abut_world;
// A box with its share of the work.
typedef struct abut__weighed {
    float box[6];
    uint64_t work;
} abut__weighed;
typedef ABUT__LIST(abut__weighed) abut__weighed_list;
// Cuts space into regions with equal shares of the work of boxes. Collective.
void abut__regions_cut(struct abut_world* world, abut__regions* regions,
                       const abut__weighed_list* boxes);
// The same with the boxes of bodies, for the regions of the world.
void abut__regions_make(struct abut_world* world);

#endif
