// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// The discrete second-order Voronoi diagram of bodies, in a band: for every cell the two nearest
// different bodies, a triangle of each, and their distances from cell to cell. In a body's own
// cells these are the body and its nearest other one. Based on: Sud, Govindaraju, Gayle, Kabul,
// Manocha, "Fast Proximity Computation Among Deformable Models Using Discrete Voronoi Diagrams"
// (2006).
//
// Distances are those of the middles of cells, squared, in cells. They are computed axis by axis.
// That is correct for two bodies as for one: let B be second at a cell, through a cell of another
// row. All bodies that are nearer than B at that cell are nearer at the first cell, too. So there
// is at most one, and B is among the two bodies stored there.
//
// A point of a triangle is at most half a diagonal from the middle of its cell. So the distance
// from cell to cell differs from the true one by at most a whole diagonal. (From primitives to
// cells it would be half of that, but labels here come from cells.)
#ifndef ABUT_VORONOI_FIELD_H
#define ABUT_VORONOI_FIELD_H

#include "simd/kernels.h"
#include "voronoi/voronoi_grid.h"

#define ABUT__BAND_MOST 12u
#define ABUT__DIAGONAL 1.7320509f

typedef struct abut__field {
    ABUT__VECTOR(int32_t) numbers[2];  // ABUT__LABEL_ROWS times `stride`; passes alternate
    ABUT__VECTOR(uint8_t) filled[2];   // per row: whether it has a label
    size_t stride;                     // cells including the margins of rows
    uint32_t row;                      // length of a row with its margins
    uint32_t size[3];
    uint32_t band;     // cells that labels reach along each axis
    uint32_t current;  // which of the two is valid
} abut__field;

// A label of a cell.
typedef struct abut__label {
    int32_t distance_sq;  // in cells; ABUT__LABEL_FAR: no body within the band
    int32_t body;         // among the sites
    int32_t site;
} abut__label;

// Computes the diagram for a band of at most ABUT__BAND_MOST cells. False: no memory.
bool abut__field_make(const abut_context* context, const abut__sites* sites,
                      const abut__grid_cells* grid, uint32_t band, abut__field* field);
// Returns the nearest body of a cell that is not `body`.
abut__label abut__field_other(const abut__field* field, uint32_t cell, uint32_t body);
// Reads the two labels of a cell, nearest first.
void abut__field_labels(const abut__field* field, uint32_t cell, abut__label labels[2]);
void abut__field_free(const abut_context* context, abut__field* field);

// Returns a lower bound of the distance from any point of a cell with that label to any other body.
float abut__label_below(const abut__field* field, int32_t distance_sq);

#endif
