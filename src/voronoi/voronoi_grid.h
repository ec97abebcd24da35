// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// The cells of a uniform grid that contain each triangle, and the triangles in each cell. A
// triangle is in all cells that contain a point of it (grown by the pad of the sites), and in
// hardly any other.
#ifndef ABUT_VORONOI_VORONOI_GRID_H
#define ABUT_VORONOI_VORONOI_GRID_H

#include "voronoi/sites.h"

typedef struct abut__grid_cells {
    abut__uint32s of_site;     // cells of every triangle, one after the other
    abut__uint32s site_first;  // where those of a triangle begin, and the end
    abut__uint32s in_cell;     // triangles of every cell, ascending
    abut__uint32s cell_first;  // where those of a cell begin, and the end
    uint32_t size[3];
} abut__grid_cells;

static inline uint32_t abut__cell_count(const abut__grid_cells* grid) {
    return grid->size[0] * grid->size[1] * grid->size[2];
}

// Finds the cells of all sites. False: no memory.
bool abut__grid_fill(const abut_context* context, const abut__sites* sites, abut__grid_cells* grid);
void abut__grid_free(const abut_context* context, abut__grid_cells* grid);

#endif
