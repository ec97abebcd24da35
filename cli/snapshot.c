// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Writes scenes as PLY files: see snapshot.h.
#include "cli/snapshot.h"

#include "cli/message.h"
#include "cli/output.h"
#include "io/file.h"
#include "io/mesh_file.h"
#include "io/model.h"

#include <string.h>

// the mesh of a body; NULL if the body was removed
static const abut_mesh* mesh_at(const abut_scene* scene, uint32_t index) {
    const abut_shape* shape = abut_body_shape(scene, abut_scene_body_at(scene, index));
    return shape != NULL ? abut_shape_mesh(shape) : NULL;
}

static uint32_t vertices_at(const abut_scene* scene, uint32_t index) {
    const abut_mesh* mesh = mesh_at(scene, index);
    return mesh != NULL ? abut_mesh_vertex_count(mesh) : 0;
}

// saturated colours; consecutive bodies get very different hues
static void colour_of(uint32_t index, uint8_t colour[3]) {
    const double hue = 6 * ((double)(index * 159u % 256u) / 256);
    for (int c = 0; c < 3; ++c) {
        double d = hue - 2.0 * c;
        d = d > 3 ? d - 6 : d < -3 ? d + 6 : d;
        const double level = d < 0 ? 2 + d : 2 - d;
        colour[c] = (uint8_t)(70 + 170 * (level < 0 ? 0 : level > 1 ? 1 : level));
    }
}

static bool is_present(const uint32_t* corners, size_t triangle) {
    return corners[3 * triangle] != UINT32_MAX;
}

static uint64_t count_present(const abut_mesh* mesh) {
    uint64_t count = 0;
    for (size_t t = 0; mesh != NULL && t < abut_mesh_triangle_count(mesh); ++t) {
        count += is_present(abut_mesh_triangles(mesh), t);
    }
    return count;
}

static void write_head(FILE* file, const abut_scene* scene, uint32_t count) {
    uint64_t vertices = 0;
    uint64_t triangles = 0;
    const uint16_t one = 1;
    uint8_t low;
    memcpy(&low, &one, 1);
    for (uint32_t i = 0; i < count; ++i) {
        vertices += vertices_at(scene, i);
        triangles += count_present(mesh_at(scene, i));
    }
    fprintf(file,
            "ply\nformat binary_%s_endian 1.0\nelement vertex %llu\n"
            "property float x\nproperty float y\nproperty float z\n"
            "property uchar red\nproperty uchar green\nproperty uchar blue\n"
            "element face %llu\nproperty list uchar uint vertex_indices\nend_header\n",
            low == 1 ? "little" : "big", (unsigned long long)vertices,
            (unsigned long long)triangles);
}

static void write_vertices(FILE* file, const abut_scene* scene, uint32_t index) {
    const abut_body_id body = abut_scene_body_at(scene, index);
    const uint32_t count = vertices_at(scene, index);
    uint8_t colour[3];
    colour_of(index, colour);
    for (uint32_t v = 0; v < count; ++v) {
        double p[3] = {0, 0, 0};
        abut_body_world_vertex(scene, body, v, p, NULL);
        const float narrow[3] = {(float)p[0], (float)p[1], (float)p[2]};
        fwrite(narrow, sizeof narrow, 1, file);
        fwrite(colour, sizeof colour, 1, file);
    }
}

static void write_triangles(FILE* file, const abut_mesh* mesh, uint32_t first) {
    const uint32_t* corners = mesh != NULL ? abut_mesh_triangles(mesh) : NULL;
    for (size_t t = 0; mesh != NULL && t < abut_mesh_triangle_count(mesh); ++t) {
        if (!is_present(corners, t)) {
            continue;
        }
        const uint32_t numbers[3] = {first + corners[3 * t], first + corners[3 * t + 1],
                                     first + corners[3 * t + 2]};
        fputc(3, file);
        fwrite(numbers, sizeof numbers, 1, file);
    }
}

FILE* snapshot_open(const char* path) {
    if (io_is_object_name(path) &&
        (io_format_of_name(path) != IO_FORMAT_PLY || io_is_packed_name(path))) {
        complain(
            "--snapshot: '%s' is the name of another kind of mesh; a snapshot is a PLY file: "
            "end its name with .ply",
            path);
        return NULL;
    }
    return output_open(path);
}

bool snapshot_write(FILE* file, const abut_scene* scene) {
    const uint32_t count = abut_scene_body_limit(scene);
    write_head(file, scene, count);
    for (uint32_t i = 0; i < count; ++i) {
        write_vertices(file, scene, i);
    }
    for (uint32_t i = 0, first = 0; i < count; ++i) {
        write_triangles(file, mesh_at(scene, i), first);
        first += vertices_at(scene, i);
    }
    return output_end(file);
}
