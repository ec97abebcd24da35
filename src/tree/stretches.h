// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Stretches: the vertices of blocks as runs in the array of positions, for refits.
#ifndef ABUT_TREE_STRETCHES_H
#define ABUT_TREE_STRETCHES_H

#include "tree/tree.h"

typedef struct abut__stretches {
    const abut_context* context;
    uint32_t block_count;
    uint32_t count;  // 0: none pay in the order of this mesh, and the arrays are NULL
    abut__stretch* list;
    uint32_t* first;  // per block: its stretches are [first[i] .. first[i + 1]), perhaps none
} abut__stretches;

// Returns whether positions can be read by stretches: packed floats, in an order that pays.
// `stretches` may be NULL.
static inline bool abut__stretches_suit(const abut__stretches* stretches,
                                        const abut__source* source) {
    return stretches != NULL && stretches->count > 0 && !source->is_double &&
           source->stride == 3 * sizeof(float);
}
// NULL: no memory
abut__stretches* abut__stretches_make(const abut__tree* tree, const abut_mesh* mesh);
void abut__stretches_free(abut__stretches* stretches);

#endif
