// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Turns cells of VTK into the faces of a surface. Internal to io/.
#ifndef IO_VTK_CELLS_H
#define IO_VTK_CELLS_H

#include "io/builder.h"
#include "io/vtk_array.h"

/// Numbers of cell types in the files.
enum {
    VTK_LAST_LINE = 4,  // 0 to 4: nothing, vertices and lines, which are ignored
    VTK_TRIANGLE = 5,
    VTK_STRIP = 6,
    VTK_POLYGON = 7,
    VTK_PIXEL = 8,
    VTK_QUAD = 9,
    VTK_TETRA = 10,
    VTK_VOXEL = 11,
    VTK_HEXAHEDRON = 12,
    VTK_WEDGE = 13,
    VTK_PYRAMID = 14,
};

/// Cells: corners one after the other, where each cell ends, and types (NULL: all are `type`).
typedef struct vtk_cells {
    const int64_t* corners;
    size_t corner_count;
    const int64_t* ends;
    size_t count;
    const int64_t* types;
    int64_t type;
    size_t first_vertex;  // in the builder, of the piece
    size_t vertex_count;  // of the piece
} vtk_cells;

/// Adds the faces of cells to the builder. Of solid cells these are the faces that one cell alone
/// has, turned outwards; a face that is also a cell of its own is added once.
bool vtk_add_cells(vtk_file* file, io_builder* b, const vtk_cells* cells);

#endif
