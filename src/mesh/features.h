// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// The owner of a vertex or an edge: the lowest triangle that has it. Queries that find vertices and
// edges through pairs of triangles handle them where the owners meet. Every vertex with a face, and
// every two edges, then occurs exactly once. A segment (i, j, j) has one edge, a point (i, i, i) has
// none.
#ifndef ABUT_MESH_FEATURES_H
#define ABUT_MESH_FEATURES_H

#include "mesh/mesh.h"

// Returns a byte per triangle: bit i: it owns corner i; bit 3 + i: it owns the edge from corner i
// to the next. Dead triangles own nothing. The caller frees triangle_count bytes. NULL: no memory.
uint8_t* abut__features_make(const abut_mesh* mesh);

#endif
