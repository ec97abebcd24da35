// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// What tests of failures do to one rank: an allocation that fails, an exchange that fails, damaged messages;
// and whether all ranks then say the same.
#ifndef TESTS_MPI_SABOTAGE_H
#define TESTS_MPI_SABOTAGE_H

#include "mpi/world.h"

typedef struct limited_memory {
    long left;   // allocations until one fails; negative: none does
    bool zeros;  // for valgrind, which takes lanes that a mask replaces for uninitialised
} limited_memory;

abut_allocator limited_hooks(limited_memory* memory);

typedef struct sabotage {
    uint32_t exchange;
    uint32_t byte;  // of each message
    bool fail;
    bool payload;
    bool wire;
    bool done;
} sabotage;

abut__saboteur sabotage_hooks(sabotage* s);

// Whether all ranks have the same status, blame the same rank and name the same body. Collective.
bool ranks_agree(const abut_world* world, abut_status status, const abut_error* error);

#endif
