// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Wavefront OBJ, written: see obj_write.h.
#include "io/obj_write.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

bool io_write_obj(const char* path, const double* positions, size_t vertex_count,
                  const uint32_t* triangles, size_t triangle_count, io_error* error) {
    FILE* file = fopen(path, "w");
    if (file == NULL) {
        return io_fail_in(error, path, "it cannot be written: %s", strerror(errno));
    }
    for (size_t i = 0; i < vertex_count; ++i) {
        const double* p = positions + 3 * i;
        fprintf(file, "v %.17g %.17g %.17g\n", p[0], p[1], p[2]);
    }
    for (size_t i = 0; i < triangle_count; ++i) {
        const uint32_t* t = triangles + 3 * i;
        fprintf(file, "f %llu %llu %llu\n", t[0] + 1ULL, t[1] + 1ULL, t[2] + 1ULL);
    }
    const bool written = !ferror(file);
    return (fclose(file) == 0 && written) ||
           io_fail_in(error, path, "it cannot be written: %s", strerror(errno));
}
