// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// All bodies of a world as one surface, where they are now: for files that hold one.
#ifndef CLI_JOINED_H
#define CLI_JOINED_H

#include "cli/world.h"

/// Bodies in the order of their numbers; triangles that were removed are left out.
typedef struct joined {
    double* positions;  ///< in the world
    size_t vertex_count;
    uint32_t* triangles;
    size_t triangle_count;
    uint32_t* bodies;  ///< of every triangle: the number of its body
    uint32_t* ids;     ///< and its number there
    size_t* first;     ///< first triangle of a body; one more at the end
    uint32_t body_count;
} joined;

/// Takes the bodies as they are. Start with all zero.
void joined_take(joined* j, const world* w);
/// The place of a body's triangle in the surface; SIZE_MAX if it is not there.
size_t joined_place(const joined* j, uint32_t body, uint32_t triangle);
void joined_free(joined* j);

#endif
