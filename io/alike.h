// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Finds vertices of an animation that coincide at rest and in every frame. The frames are passed
// one after the other, so that one of them is in memory at a time.
#ifndef IO_ALIKE_H
#define IO_ALIKE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct io_alike {
    uint32_t* order;   // vertices, group after group; a group has coincided in all frames so far
    uint32_t* ends;    // by the index in `order` of a group's start: one past its last vertex
    uint32_t* groups;  // indices in `order` where groups of two or more start
    size_t group_count;
    size_t vertex_count;
} io_alike;

/// Starts with all vertices in one group. False if memory is short.
bool io_alike_begin(io_alike* a, size_t vertex_count);
/// Splits groups by the positions of a frame: doubles or floats, the other pointer is NULL. False
/// if memory is short.
bool io_alike_part(io_alike* a, const double* wide, const float* narrow);
/// Writes for every vertex the lowest vertex of its group.
void io_alike_classes(const io_alike* a, uint32_t* classes);
void io_alike_free(io_alike* a);

#endif
