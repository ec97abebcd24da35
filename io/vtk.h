// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Writes surfaces, lines and points for VTK and ParaView: one .vtp file each, and a .pvd file that
// lists them with their times.
#ifndef IO_VTK_H
#define IO_VTK_H

#include "io/error.h"

#include <stdint.h>
#include <stdio.h>

typedef enum io_vtk_kind {
    IO_VTK_NUMBERS = 0,  ///< whole numbers, in `values`
    IO_VTK_REALS,        ///< in `reals`
    IO_VTK_VECTORS,      ///< three reals each
} io_vtk_kind;

/// One value per cell.
typedef struct io_vtk_column {
    const char* name;
    const uint32_t* values;
    const double* reals;
    io_vtk_kind kind;
} io_vtk_column;

/// Points, and cells over them.
typedef struct io_vtk_cells {
    const double* points;
    size_t point_count;
    const uint32_t* corners;  ///< of all cells
    size_t corner_count;      ///< per cell: 3 for triangles, 2 for lines, 1 for points
    const size_t* ends;  ///< of polylines (corner_count 2): where each ends in `corners`, or NULL
    size_t cell_count;
    const io_vtk_column* columns;
    size_t column_count;
    const char* texts_name;  ///< name of the texts, if there are any
    const char* texts;       ///< texts about the whole file, each ended by a 0 byte
    size_t text_count;
} io_vtk_cells;

/// Writes a .vtp file. False with the reason in `error`.
bool io_write_vtp(const char* path, const io_vtk_cells* cells, io_error* error);

/// A list of .vtp files with their times.
typedef struct io_pvd {
    FILE* file;
    const char* path;
} io_pvd;
bool io_pvd_begin(io_pvd* list, const char* path, io_error* error);
/// Adds a file, in the folder of the list. Files of the same time differ in `part`.
void io_pvd_add(io_pvd* list, double time, int part, const char* name);
/// Ends the list. Call it after the files it names were ended, so that it is placed last.
bool io_pvd_end(io_pvd* list, io_error* error);
/// After a failure, instead of io_pvd_end().
void io_pvd_drop(io_pvd* list);

#endif
