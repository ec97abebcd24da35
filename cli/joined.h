// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Joins all bodies of a world, in their current state, into one surface.
#ifndef CLI_JOINED_H
#define CLI_JOINED_H

#include "cli/world.h"

/// The surface: bodies in the order of their numbers; removed triangles are left out.
typedef struct joined {
    double* positions;  ///< in world coordinates
    size_t vertex_count;
    uint32_t* triangles;
    size_t triangle_count;
    uint32_t* bodies;  ///< per triangle: the number of its body
    uint32_t* ids;     ///< per triangle: its number in the body
    size_t* first;     ///< per body: its first triangle; one more entry at the end
    uint32_t body_count;
} joined;

/// Takes the bodies in their current state. Zero the struct before the first call.
void joined_take(joined* j, const world* w);
/// The index of a body's triangle in the surface; SIZE_MAX if it was removed.
size_t joined_place(const joined* j, uint32_t body, uint32_t triangle);
void joined_free(joined* j);

#endif
