// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Collects points or lines with columns of numbers: see contact_lines.h.
#include "cli/contact_lines.h"

#include "cli/message.h"

#include <stdlib.h>
#include <string.h>

void lines_begin(line_set* l, size_t points_a_cell, const char* const* names, const char* kinds) {
    l->points_a_cell = points_a_cell;
    l->column_count = strlen(kinds);
    l->count = 0;
    for (size_t i = 0; i < l->column_count; ++i) {
        l->names[i] = names[i];
        l->kinds[i] = kinds[i];
    }
}

static size_t reals_a_cell(const line_set* l, size_t column) {
    return l->kinds[column] == 'v' ? 3 : 1;
}

static void grow(line_set* l) {
    l->room = 2 * l->room + 64;
    l->points = reallocate(l->points, l->room, 3 * l->points_a_cell * sizeof *l->points);
    for (size_t i = 0; i < l->column_count; ++i) {
        if (l->kinds[i] == 'n') {
            l->numbers[i] = reallocate(l->numbers[i], l->room, sizeof *l->numbers[i]);
        } else {
            l->reals[i] = reallocate(l->reals[i], l->room,
                                     reals_a_cell(l, i) * sizeof *l->reals[i]);
        }
    }
}

void lines_add(line_set* l, const double* points) {
    if (l->count == l->room) {
        grow(l);
    }
    const size_t at = l->count++;
    memcpy(l->points + 3 * l->points_a_cell * at, points, 3 * l->points_a_cell * sizeof *l->points);
    for (size_t i = 0; i < l->column_count; ++i) {
        const size_t reals = reals_a_cell(l, i);
        if (l->kinds[i] == 'n') {
            l->numbers[i][at] = 0;
        } else {
            memset(l->reals[i] + reals * at, 0, reals * sizeof *l->reals[i]);
        }
    }
}

void lines_number(line_set* l, size_t column, uint32_t value) {
    l->numbers[column][l->count - 1] = value;
}

void lines_real(line_set* l, size_t column, double value) {
    l->reals[column][l->count - 1] = value;
}

void lines_vector(line_set* l, size_t column, const double value[3]) {
    memcpy(l->reals[column] + 3 * (l->count - 1), value, 3 * sizeof *value);
}

void lines_free(line_set* l) {
    free(l->points);
    for (size_t i = 0; i < MOST_LINE_COLUMNS; ++i) {
        free(l->numbers[i]);
        free(l->reals[i]);
    }
    *l = (line_set){0};
}

bool lines_write(const line_set* l, const char* path, io_error* error) {
    io_vtk_column columns[MOST_LINE_COLUMNS] = {{0}};
    const size_t corner_count = l->points_a_cell * l->count;
    uint32_t* corners = allocate(corner_count, sizeof *corners);
    for (size_t i = 0; i < corner_count; ++i) {
        corners[i] = (uint32_t)i;
    }
    for (size_t i = 0; i < l->column_count; ++i) {
        columns[i] = (io_vtk_column){.name = l->names[i],
                                     .kind = l->kinds[i] == 'n'   ? IO_VTK_NUMBERS
                                             : l->kinds[i] == 'r' ? IO_VTK_REALS
                                                                  : IO_VTK_VECTORS,
                                     .values = l->numbers[i],
                                     .reals = l->reals[i]};
    }
    const io_vtk_cells cells = {.points = l->points,
                                .point_count = corner_count,
                                .corners = corners,
                                .corner_count = l->points_a_cell,
                                .cell_count = l->count,
                                .columns = columns,
                                .column_count = l->column_count,
                                .texts_name = l->texts_name,
                                .texts = l->texts,
                                .text_count = l->text_count};
    const bool done = io_write_vtp(path, &cells, error);
    free(corners);
    return done;
}
