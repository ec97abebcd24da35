// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Stretches: the vertices of blocks as pieces of the array of positions, for refits.
#ifndef ABUT_TREE_STRETCHES_H
#define ABUT_TREE_STRETCHES_H

#include "tree/tree.h"

typedef struct abut__stretches {
    const abut_context* context;
    uint32_t block_count;
    uint32_t count;  // 0: the mesh's order has none that pay, and there are no arrays
    abut__stretch* list;
    uint32_t* first;  // per block: its stretches are [first[i] .. first[i + 1]), perhaps none
} abut__stretches;

// NULL: no memory
abut__stretches* abut__stretches_make(const abut__tree* tree, const abut_mesh* mesh);
void abut__stretches_free(abut__stretches* stretches);

#endif
