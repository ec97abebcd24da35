// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Fuzzes the reader of glTF with any bytes, and poses each accepted model (scripts/fuzz).
#include "io/model.h"

#include <math.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t size) {
    io_model model;
    io_error error = {""};
    const io_model_settings settings = {size % 2 == 0 ? "all" : NULL, 30};
    if (!io_parse_gltf("fuzz.glb", bytes, size, &settings, &model, &error)) {
        return error.message[0] == '\0' ? abort(), 0 : 0;
    }
    for (size_t frame = 0; frame < model.frame_count; frame += 1 + model.frame_count / 3) {
        io_model_show(&model, frame);
        for (size_t i = 0; i < model.body_count && i < 8; ++i) {
            double rows[12];
            double* all = calloc(model.bodies[i].transform_count + 1, sizeof rows);
            io_model_frame(&model, i, rows);
            if (all != NULL) {
                io_model_transforms(&model, i, all);
            }
            free(all);
        }
    }
    for (size_t i = 0; i < model.mesh_count; ++i) {  // promises of the header
        const io_model_mesh* mesh = &model.meshes[i];
        for (size_t k = 0; k < 3 * mesh->triangle_count; ++k) {
            if (mesh->triangles[k] >= mesh->vertex_count) {
                abort();
            }
        }
        for (size_t k = 0; k < 3 * mesh->vertex_count; ++k) {
            if (!isfinite(mesh->positions[k])) {
                abort();
            }
        }
    }
    io_model_free(&model);
    return 0;
}
