// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Inspects the meshes of a world in a thread of its own while a query runs, because the answer does
// not depend on what is found.
#ifndef CLI_INSPECTION_H
#define CLI_INSPECTION_H

#include "cli/world.h"

typedef struct inspection inspection;

/// Begins with the bodies that the world has. NULL: the world has one thread only, or there is no
/// other. Until inspection_end() no body may get another shape.
inspection* inspection_begin(const world* w);
/// Waits for the end; NULL is fine.
void inspection_end(inspection* i);
/// What was found of a body. NULL: it was not inspected, or failed; also for NULL.
const abut_mesh_info* inspection_of(const inspection* i, uint32_t body);
/// Call inspection_end() before; NULL is fine.
void inspection_free(inspection* i);

#endif
