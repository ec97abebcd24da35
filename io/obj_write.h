// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Writes meshes as Wavefront OBJ.
#ifndef IO_OBJ_WRITE_H
#define IO_OBJ_WRITE_H

#include "io/error.h"

#include <stdint.h>

/// Writes positions and triangles, with enough digits to read the same doubles back. False with the
/// reason in `error`.
bool io_write_obj(const char* path, const double* positions, size_t vertex_count,
                  const uint32_t* triangles, size_t triangle_count, io_error* error);

#endif
