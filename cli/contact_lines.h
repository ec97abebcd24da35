// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Collects points or lines with columns of numbers, row by row, and writes them as VTK.
#ifndef CLI_CONTACT_LINES_H
#define CLI_CONTACT_LINES_H

#include "io/vtk.h"

enum { MOST_LINE_COLUMNS = 8 };

/// Cells of one or two points each. Columns are numbers, reals or vectors; a cell has all of them.
/// Zero the struct, then call lines_begin().
typedef struct line_set {
    size_t points_a_cell;
    const char* names[MOST_LINE_COLUMNS];
    char kinds[MOST_LINE_COLUMNS];  ///< 'n', 'r' or 'v'
    size_t column_count;
    double* points;
    uint32_t* numbers[MOST_LINE_COLUMNS];
    double* reals[MOST_LINE_COLUMNS];  ///< also of vectors, three each
    size_t count;
    size_t room;
    const char* texts_name;  ///< name of texts about the whole file, borrowed
    const char* texts;
    size_t text_count;  ///< each ends with a 0 byte
} line_set;

/// Starts a new set. `kinds` has a letter for each of the names, which are borrowed.
void lines_begin(line_set* l, size_t points_a_cell, const char* const* names, const char* kinds);
/// Adds a cell; its columns are 0 until the functions below set them.
void lines_add(line_set* l, const double* points);
void lines_number(line_set* l, size_t column, uint32_t value);
void lines_real(line_set* l, size_t column, double value);
void lines_vector(line_set* l, size_t column, const double value[3]);
void lines_free(line_set* l);

/// Writes the cells; false with the reason in `error`.
bool lines_write(const line_set* l, const char* path, io_error* error);

#endif
