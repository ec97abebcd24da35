// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Hubs: classes of so many triangles (the tip of a fan, the back of a book, the corners of a triangle
// that comes again and again) that pairs of their triangles must not be looked at one by one.
// Triangles with the same hubs are kept together when blocks are made, whatever else is near, so that
// blocks and the nodes above them have a hub in common.
#ifndef ABUT_TREE_HUBS_H
#define ABUT_TREE_HUBS_H

#include "base/memory.h"
#include "mesh/mesh.h"

#define ABUT__HUB_BLOCKS 16u  // a class in more blocks than this is a hub

typedef struct abut__hub_groups {
    uint32_t count;
    uint32_t* of;  // per triangle of the mesh: its group, below `count`; NULL: there are no hubs
} abut__hub_groups;

// Groups triangles by their hubs, for blocks of up to `leaf_most`; ids NULL: the first `count`. Memory
// comes from the arena; false: there is none.
bool abut__hubs_find(abut__arena* arena, const abut_mesh* mesh, const uint32_t* ids, uint32_t count,
                     uint32_t leaf_most, abut__hub_groups* out);

#endif
