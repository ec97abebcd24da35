// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Pieces of sites in the cells of a uniform grid. A piece is a box that is not larger than a cell. A
// site that fits into one has a single piece, its own box, in the cell of its middle. A larger site
// has a piece in each cell that it passes through (and in hardly any other): the part of its box in
// that cell. Every point of a site is in one of its pieces. (Far from the origin, where coordinates
// are coarse, every site has a single piece.)
//
// Pieces are what the diagram samples, see diagram.h.
#ifndef ABUT_VORONOI_VORONOI_GRID_H
#define ABUT_VORONOI_VORONOI_GRID_H

#include "simd/kernels.h"
#include "voronoi/sites.h"

typedef struct abut__piece {
    float lo[3];
    float hi[3];
    uint32_t cell;
} abut__piece;

typedef struct abut__grid_cells {
    ABUT__VECTOR(abut__piece) pieces;  // site by site
    abut__uint32s site_first;          // by site: its first piece, and the end
    ABUT__VECTOR(float) sides;         // boxes in the order of their cells, see `bins`
    abut__uint32s site_of;             // in that order: the site
    ABUT__VECTOR(int32_t) body_of;     // and its body
    abut__uint32s cell_first;          // by cell: its first box in that order, and the end
    abut__bins bins;
    float beyond[3];  // how far boxes reach beyond their cells at most
    bool split;       // some site has several pieces
    uint32_t size[3];
} abut__grid_cells;

static inline uint32_t abut__cell_count(const abut__grid_cells* grid) {
    return grid->size[0] * grid->size[1] * grid->size[2];
}

// A range of cells, ends included.
typedef struct abut__cell_range {
    uint32_t lo[3];
    uint32_t hi[3];
} abut__cell_range;

static inline uint32_t abut__cell_at(float x, uint32_t size) {
    return x <= 0 ? 0 : x < (float)size ? (uint32_t)x : size - 1;
}

// Returns the cells that have all boxes within reach of a box; `cells` receives their number.
static inline abut__cell_range abut__cells_near(const abut__grid_cells* grid, const float lo[3],
                                                const float hi[3], float reach, uint64_t* cells) {
    abut__cell_range range;
    *cells = 1;
    for (int d = 0; d < 3; ++d) {
        range.lo[d] = abut__cell_at(lo[d] - reach - grid->beyond[d], grid->size[d]);
        range.hi[d] = abut__cell_at(hi[d] + reach + grid->beyond[d], grid->size[d]);
        *cells *= range.hi[d] - range.lo[d] + 1;
    }
    return range;
}

// Enters the pieces of all sites. False: no memory.
bool abut__grid_fill(const abut_context* context, const abut__sites* sites, abut__grid_cells* grid);
void abut__grid_free(const abut_context* context, abut__grid_cells* grid);

#endif
