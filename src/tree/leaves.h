// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Leaves: triangles grouped so that each group fits in a block.
#ifndef ABUT_TREE_LEAVES_H
#define ABUT_TREE_LEAVES_H

#include "tree/split.h"
#include "tree/tree.h"

typedef struct abut__leaves {
    uint32_t count;
    uint32_t* ids;     // triangles, leaf after leaf
    uint32_t* first;   // leaf i is ids[first[i]] .. ids[first[i + 1] - 1]
    uint8_t* corners;  // three a triangle: indices among the vertices of the leaf
} abut__leaves;

// Groups triangles by position (ids NULL: the first `count`), in arena memory. False: no memory.
bool abut__leaves_find(abut__arena* arena, const abut_mesh* mesh, abut_positions positions,
                       const uint32_t* ids, uint32_t count, uint32_t leaf_most, abut__leaves* out);

#endif
