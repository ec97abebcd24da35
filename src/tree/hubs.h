// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Hubs: classes of very many triangles (the tip of a fan, the spine of a book, the corners of a
// triangle that occurs many times). Testing all pairs of their triangles would take quadratic time.
// Blocks are made of triangles with the same hubs, regardless of distance, so that a block and the
// nodes above it have a hub in common.
#ifndef ABUT_TREE_HUBS_H
#define ABUT_TREE_HUBS_H

#include "base/memory.h"
#include "mesh/mesh.h"

#define ABUT__HUB_BLOCKS 16u  // a class in more blocks than this is a hub

typedef struct abut__hub_groups {
    uint32_t count;
    uint32_t* of;  // per triangle of the mesh: its group, below `count`; NULL: there are no hubs
} abut__hub_groups;

// Groups triangles by their hubs, for blocks of up to `leaf_most` triangles (ids NULL: the first
// `count`), in arena memory. False: no memory.
bool abut__hubs_find(abut__arena* arena, const abut_mesh* mesh, const uint32_t* ids, uint32_t count,
                     uint32_t leaf_most, abut__hub_groups* out);

#endif
