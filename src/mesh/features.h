// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Which triangle owns a vertex or an edge: the lowest one that has it. What is asked of vertices and
// edges once, and found by pairs of triangles, is asked where the owners meet: every vertex and face,
// and every two edges, exactly once.
#ifndef ABUT_MESH_FEATURES_H
#define ABUT_MESH_FEATURES_H

#include "mesh/mesh.h"

// Per triangle a byte: bit i: it owns corner i; bit 3 + i: it owns the edge from corner i to the
// next. Dead triangles own nothing. NULL: no memory; else the caller frees triangle_count bytes.
uint8_t* abut__features_make(const abut_mesh* mesh);

#endif
