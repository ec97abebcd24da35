// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// The triangles of a square grid of vertices.

#ifndef ABUT_TESTS_SUPPORT_GRID_H
#define ABUT_TESTS_SUPPORT_GRID_H

#include <stdint.h>

/// Writes 2 (side - 1)^2 triangles. Vertex (x, y) has the index y * side + x.
void grid_triangles(uint32_t side, uint32_t* triangles);

#endif  // ABUT_TESTS_SUPPORT_GRID_H
