// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Rays of the command line and of text files. False means that an error message was printed.
#ifndef CLI_CAST_RAYS_H
#define CLI_CAST_RAYS_H

#include <stdbool.h>
#include <stddef.h>

typedef struct ray_table {
    double* from;  ///< xyz of each
    double* to;
    size_t count;
    size_t capacity;
} ray_table;

/// Appends a ray; returns where it begins, to be filled in.
double* rays_add(ray_table* rays);
/// Where the last ray ends.
double* rays_end(const ray_table* rays);
/// Reads "X,Y,Z"; `option` is named in the message.
bool ray_point(const char* option, const char* text, double point[3]);
/// Appends the rays of a file: six numbers a line, between spaces or commas; empty lines and lines
/// that begin with # are skipped.
bool rays_read(ray_table* rays, const char* path);
void rays_free(ray_table* rays);

#endif
