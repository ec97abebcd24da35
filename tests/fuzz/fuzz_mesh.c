// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Fuzzes the readers of meshes with any bytes (scripts/fuzz). The first byte selects the ending.
#include "io/mesh_file.h"

#include <math.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t size) {
    static const char* const names[] = {"fuzz.obj", "fuzz.ply", "fuzz.off", "fuzz.stl",
                                        "fuzz",     "fuzz.npz", "fuzz.npy", "fuzz.vtp"};
    io_mesh mesh;
    io_error error = {""};
    if (size == 0) {
        return 0;
    }
    if (!io_parse_mesh(names[bytes[0] % 8], bytes + 1, size - 1, &mesh, &error)) {
        return error.message[0] == '\0' ? abort(), 0 : 0;
    }
    for (size_t k = 0; k < 3 * mesh.triangle_count; ++k) {
        if (mesh.triangles[k] >= mesh.vertex_count) {
            abort();
        }
    }
    for (size_t k = 0; k < 3 * mesh.vertex_count; ++k) {
        if (!isfinite(mesh.positions[k])) {
            abort();
        }
    }
    io_mesh_free(&mesh);
    return 0;
}
