// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Writes the findings of a frame as CSV: one row for each pair of triangles, swept contact, pair of
// features, distance, region and body inside another one. docs/files.md describes the columns.
#ifndef CLI_CONTACT_CSV_H
#define CLI_CONTACT_CSV_H

#include "cli/findings.h"

#include <stdio.h>

typedef struct csv_table {
    FILE* file;
    const char* const* names;  ///< of the bodies, cleaned
    double fps;                ///< frames per second
    const char* scene;         ///< of a last column, cleaned; NULL: there is none
} csv_table;

/// Writes the names of the columns; `scenes`: with that of the scene.
void csv_head(FILE* file, bool scenes);
/// Writes the rows of a frame; `now` are its findings, `time` is in seconds.
void csv_frame(const csv_table* t, const world* w, const question* q, const findings* now,
               uint32_t frame, double time);

/// Gets the two points farthest apart of the intersection of two triangles; false if it is empty.
bool shared_segment(const abut_intersection* shared, double ends[2][3]);
/// The same for two triangles of the world in their current state.
bool segment_of_triangles(const world* w, uint32_t body_a, uint32_t triangle_a, uint32_t body_b,
                          uint32_t triangle_b, double ends[2][3]);

#endif
