// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// The connected components of a mesh.
#ifndef CLI_PARTS_H
#define CLI_PARTS_H

#include "io/mesh_file.h"

/// Gives every triangle the number of its component: components are numbered by their first
/// triangles. Triangles are connected if they share a vertex, or vertices at the same place.
/// Returns the number of components; the array is the caller's to free.
uint32_t mesh_parts(const io_mesh* mesh, uint32_t** part_of);

#endif
