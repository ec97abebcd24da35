// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Connectivity of the triangles of a mesh through the classes of their corners: the triangles
// around a vertex, the connected pieces, and whether the surface is closed and so has an inside.
#ifndef ABUT_MESH_TOPOLOGY_H
#define ABUT_MESH_TOPOLOGY_H

#include "mesh/mesh.h"

typedef struct abut__topology {
    const abut_context* context;
    uint32_t vertex_count;
    uint32_t corner_count;
    // Every edge is used equally often in both directions. The winding number around a point is
    // then an integer that changes only across the surface.
    bool closed;
    uint32_t* first;  // per class: start of its triangles in `around`; one more at the end
    uint32_t* around;
    uint32_t piece_count;
    uint32_t* piece_vertex;  // a vertex of each connected piece, ascending
    uint32_t* piece_of;      // per class that triangles use: the index of its piece
} abut__topology;

// Finds the root of an entry of a union-find forest and shortens the path.
static inline uint32_t abut__root_of(uint32_t* parent, uint32_t i) {
    while (parent[i] != i) {
        parent[i] = parent[parent[i]];
        i = parent[i];
    }
    return i;
}
// Unites two trees; the lower root stays a root.
static inline void abut__unite(uint32_t* parent, uint32_t i, uint32_t k) {
    const uint32_t a = abut__root_of(parent, i);
    const uint32_t b = abut__root_of(parent, k);
    parent[a < b ? b : a] = a < b ? a : b;
}

// NULL: no memory
abut__topology* abut__topology_make(const abut_mesh* mesh);
void abut__topology_free(abut__topology* topology);

#endif
