// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Pairs of overlapping boxes in a list, found by a tree over it.
#ifndef ABUT_MPI_JOIN_H
#define ABUT_MPI_JOIN_H

#include "mpi/lists.h"

// A body as the rank of a region sees it.
typedef struct abut__record {
    float box[6];  // three lows, three highs
    uint32_t id;
    int owner;
    bool is_static;
    bool asks;
    bool parts;  // may be sent in part
    uint64_t groups;
    uint64_t mask;
} abut__record;
typedef ABUT__LIST(abut__record) abut__records;

// A node: records first .. first + count - 1 of the order, and two children if there are many.
typedef struct abut__join_node {
    float box[6];
    uint32_t first;
    uint32_t count;
    uint32_t child[2];  // 0: a leaf
} abut__join_node;

typedef struct abut__join {
    ABUT__LIST(abut__join_node) nodes;
    abut__ids order;
    uint64_t tests;  // pairs of boxes that were compared, added to
} abut__join;

// Receives the places of two records whose boxes overlap; false stops the search.
typedef bool (*abut__join_fn)(void* user, uint32_t a, uint32_t b);

// Calls `found` once for each pair of records whose boxes overlap. False: no memory, or stopped.
bool abut__join_pairs(const abut_allocator* memory, abut__join* join, const abut__records* records,
                      abut__join_fn found, void* user);
void abut__join_free(const abut_allocator* memory, abut__join* join);

#endif
