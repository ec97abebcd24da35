// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Finds vertices at equal positions, for formats that repeat them. Internal to io/.
#ifndef IO_WELD_H
#define IO_WELD_H

#include "io/builder.h"

/// The vertices of a builder by position. {0} is empty.
typedef struct io_weld {
    uint32_t* table;  ///< number + 1 of a vertex; 0: none
    size_t size;      ///< a power of two, at least twice the number of vertices
    uint64_t seed;    ///< of the hash; no answer depends on it
} io_weld;

/// Returns the vertex at this position, which is added to the builder if there is none; 0 and -0 are
/// equal. False: no memory, or the position is not finite.
bool io_weld_vertex(io_weld* weld, io_builder* b, const double position[3], size_t line,
                    uint32_t* vertex);
void io_weld_free(io_weld* weld);

#endif
