// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// What a frame found as rows of a table (CSV): one row for each pair of triangles, contact on the way,
// distance, region and body inside another one. docs/files.md says what stands in which column.
#ifndef CLI_CONTACT_CSV_H
#define CLI_CONTACT_CSV_H

#include "cli/findings.h"

#include <stdio.h>

typedef struct csv_table {
    FILE* file;
    const char* const* names;  ///< of the bodies, cleaned
    double fps;                ///< frames a second
} csv_table;

void csv_head(FILE* file);
/// `now` are the findings of the frame.
void csv_frame(const csv_table* t, const world* w, const question* q, const findings* now,
               uint32_t frame, double time);

/// The two points of what triangles share that are farthest apart; false if they share nothing.
bool shared_segment(const abut_intersection* shared, double ends[2][3]);
/// The same of two triangles of the world, where they are now.
bool segment_of_triangles(const world* w, uint32_t body_a, uint32_t triangle_a, uint32_t body_b,
                          uint32_t triangle_b, double ends[2][3]);

#endif
