// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Finds the connected components of a mesh.
#ifndef CLI_PARTS_H
#define CLI_PARTS_H

#include "io/mesh_file.h"

/// Sets (*part_of)[t] to the component of triangle t, numbered in the order of their first
/// triangles. Triangles are connected if they share a vertex, or vertices at the same place.
/// Returns the number of components; the caller frees the array.
uint32_t mesh_parts(const io_mesh* mesh, uint32_t** part_of);

#endif
