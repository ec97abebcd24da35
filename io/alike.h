// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Which vertices of an animation are one: those that are at the same place at rest and in every
// frame. The frames are shown one after the other, so that they need not be in memory together.
#ifndef IO_ALIKE_H
#define IO_ALIKE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct io_alike {
    uint32_t* order;   // vertices, those that are alike so far beside each other
    uint32_t* ends;    // of the group that begins at a place; groups of one are not looked at again
    uint32_t* groups;  // places where groups of two and more begin
    size_t group_count;
    size_t vertex_count;
} io_alike;

/// Starts with all vertices in one group. False when memory is short.
bool io_alike_begin(io_alike* a, size_t vertex_count);
/// Parts vertices that are not at the same place: by doubles, or by floats (the other NULL).
bool io_alike_part(io_alike* a, const double* wide, const float* narrow);
/// Writes for every vertex the lowest one of its group.
void io_alike_classes(const io_alike* a, uint32_t* classes);
void io_alike_free(io_alike* a);

#endif
