// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Places: the blocks that use a vertex, for updates that change only a few vertices.
#ifndef ABUT_TREE_PLACES_H
#define ABUT_TREE_PLACES_H

#include "tree/tree.h"

typedef struct abut__places {
    const abut_context* context;
    uint32_t vertex_count;
    uint32_t count;
    uint32_t* first;  // per vertex: its blocks are block[first[v] .. first[v + 1]), ascending
    uint32_t* block;
} abut__places;

// NULL: no memory
abut__places* abut__places_make(const abut__tree* tree, const abut_mesh* mesh);
void abut__places_free(abut__places* places);

#endif
