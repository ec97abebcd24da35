// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// How the triangles of a mesh hang together, through the classes of their corners: which are around
// a vertex, which pieces there are, and whether the surface is closed, so that it has an inside.
#ifndef ABUT_MESH_TOPOLOGY_H
#define ABUT_MESH_TOPOLOGY_H

#include "mesh/mesh.h"

typedef struct abut__topology {
    const abut_context* context;
    uint32_t vertex_count;
    uint32_t corner_count;
    // Every edge is used as often in one direction as in the other. Then how often the surface winds
    // around a point is a whole number that changes only across it.
    bool closed;
    uint32_t* first;  // by class, one more than there are vertices: where its triangles begin
    uint32_t* around;
    uint32_t piece_count;
    uint32_t* piece_vertex;  // one of each connected piece, ascending
    uint32_t* piece_of;      // by class, of those that triangles have: the number of its piece
} abut__topology;

// The root of an entry of a forest in which every entry names its parent; ways get shorter.
static inline uint32_t abut__root_of(uint32_t* parent, uint32_t i) {
    while (parent[i] != i) {
        parent[i] = parent[parent[i]];
        i = parent[i];
    }
    return i;
}
// Joins two trees of it: the lower root stays one.
static inline void abut__unite(uint32_t* parent, uint32_t i, uint32_t k) {
    const uint32_t a = abut__root_of(parent, i);
    const uint32_t b = abut__root_of(parent, k);
    parent[a < b ? b : a] = a < b ? a : b;
}

// NULL: no memory
abut__topology* abut__topology_make(const abut_mesh* mesh);
void abut__topology_free(abut__topology* topology);

#endif
