// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Reads points from a text file: x y z on each line.
#ifndef CLI_POINT_FILE_H
#define CLI_POINT_FILE_H

#include <stdbool.h>
#include <stddef.h>

typedef struct point_file {
    double* xyz;
    size_t count;
} point_file;

/// Reads all points; "-" is the standard input. False after an error message.
bool point_file_read(point_file* points, const char* path);
void point_file_free(point_file* points);

#endif
