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
} abut__topology;

// NULL: no memory
abut__topology* abut__topology_make(const abut_mesh* mesh);
void abut__topology_free(abut__topology* topology);

#endif
