// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Lists the fields that act on the vertices under each node of a tree, and on those of each block.
#ifndef ABUT_BOUND_LISTS_H
#define ABUT_BOUND_LISTS_H

#include "mesh/fields.h"
#include "tree/tree.h"

// Lists of field numbers, ascending: each is ids[first .. first + count). Neighbours share equal
// lists.
typedef struct abut__field_lists {
    const abut_context* context;
    uint32_t node_count;
    uint32_t block_count;
    abut__field_list* nodes;
    abut__field_list* blocks;
    abut__uint32s ids;
} abut__field_lists;

// Sets the bits of the fields that act on a vertex.
typedef void abut__field_marker(const void* of, uint32_t vertex, uint64_t* bits);

// False: no memory; `made` must be freed in that case, too.
bool abut__field_lists_make(const abut_context* context, const abut__tree* tree,
                            uint32_t field_count, abut__field_marker* marker, const void* of,
                            abut__field_lists* made);
void abut__field_lists_free(abut__field_lists* lists);

// A marker for displacement fields; `of` is an abut__fields.
void abut__mark_fields(const void* of, uint32_t vertex, uint64_t* bits);

#endif
