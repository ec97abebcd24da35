// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Writes Wavefront OBJ: see obj_write.h.
#include "io/obj_write.h"

#include "io/output.h"

#include <stdio.h>

bool io_write_obj(const char* path, const double* positions, size_t vertex_count,
                  const uint32_t* triangles, size_t triangle_count, io_error* error) {
    FILE* file = io_output_open(path, error);
    if (file == NULL) {
        return false;
    }
    for (size_t i = 0; i < vertex_count; ++i) {
        const double* p = positions + 3 * i;
        fprintf(file, "v %.17g %.17g %.17g\n", p[0], p[1], p[2]);
    }
    for (size_t i = 0; i < triangle_count; ++i) {
        const uint32_t* t = triangles + 3 * i;
        fprintf(file, "f %llu %llu %llu\n", t[0] + 1ULL, t[1] + 1ULL, t[2] + 1ULL);
    }
    return io_output_end(file, error);
}
