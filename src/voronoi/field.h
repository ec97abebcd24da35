// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// The discrete second-order Voronoi diagram of bodies, banded: for every cell the two nearest
// different bodies, a triangle of each, and their distances from cell to cell. Within a body's own
// cells that is itself and its nearest other one. Based on: Sud, Govindaraju, Gayle, Kabul, Manocha,
// "Fast Proximity Computation Among Deformable Models Using Discrete Voronoi Diagrams" (2006).
//
// Distances are those of middles of cells, squared, in cells. It is worked out axis by axis. That is
// right for two bodies as for one: let B be second at a cell, by way of a row at some distance. Where
// the row is met all bodies that are nearer than B in the row are nearer at the cell, too, so there is
// at most one, and B is among the row's two.
//
// A point of a triangle and the middle of a cell that holds it are half a diagonal apart. So the
// distance from cell to cell and the true one differ by at most a whole diagonal: from primitives
// to cells it would be half of that, but labels here come from cells.
#ifndef ABUT_VORONOI_FIELD_H
#define ABUT_VORONOI_FIELD_H

#include "simd/kernels.h"
#include "voronoi/voronoi_grid.h"

#define ABUT__BAND_MOST 12u
#define ABUT__DIAGONAL 1.7320509f

typedef struct abut__field {
    ABUT__VECTOR(int32_t) numbers[2];  // ABUT__LABEL_ROWS times `stride`, by turns
    ABUT__VECTOR(uint8_t) filled[2];   // whether a row has any label
    size_t stride;                     // cells with the room beside the rows
    uint32_t row;                      // that a row takes
    uint32_t size[3];
    uint32_t band;     // how many cells it reaches along each axis
    uint32_t current;  // of the two
} abut__field;

// What a cell knows.
typedef struct abut__label {
    int32_t distance_sq;  // in cells; ABUT__LABEL_FAR: nothing within the band
    int32_t body;         // among the sites
    int32_t site;
} abut__label;

// Works it out for a band of at most ABUT__BAND_MOST cells. False: no memory.
bool abut__field_make(const abut_context* context, const abut__sites* sites,
                      const abut__grid_cells* grid, uint32_t band, abut__field* field);
// The nearest body of a cell that is not `body`.
abut__label abut__field_other(const abut__field* field, uint32_t cell, uint32_t body);
// The two labels of a cell, nearest first.
void abut__field_labels(const abut__field* field, uint32_t cell, abut__label labels[2]);
void abut__field_free(const abut_context* context, abut__field* field);

// A distance that no point of a cell with that label can fall short of, to any other body's point.
float abut__label_below(const abut__field* field, int32_t distance_sq);

#endif
