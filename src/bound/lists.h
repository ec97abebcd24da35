// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Which fields have a part in what lies under the nodes of a tree, and in its blocks.
#ifndef ABUT_BOUND_LISTS_H
#define ABUT_BOUND_LISTS_H

#include "mesh/fields.h"
#include "tree/tree.h"

// Lists of numbers of fields, ascending: ids[first .. first + count) each. Neighbours share them.
typedef struct abut__field_lists {
    const abut_context* context;
    uint32_t node_count;
    uint32_t block_count;
    abut__field_list* nodes;
    abut__field_list* blocks;
    abut__uint32s ids;
} abut__field_lists;

// Sets the bits of the fields that have a part in a vertex.
typedef void abut__field_marker(const void* of, uint32_t vertex, uint64_t* bits);

// False: no memory; what there is must be freed all the same.
bool abut__field_lists_make(const abut_context* context, const abut__tree* tree,
                            uint32_t field_count, abut__field_marker* marker, const void* of,
                            abut__field_lists* made);
void abut__field_lists_free(abut__field_lists* lists);

// A marker for displacement fields, `of` being abut__fields.
void abut__mark_fields(const void* of, uint32_t vertex, uint64_t* bits);

#endif
