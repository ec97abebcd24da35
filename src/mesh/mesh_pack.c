// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Packs a mesh into bytes, and unpacks one from bytes that may be damaged.
#include "mesh/mesh_pack.h"

#define HAS_REST_CLASSES 1u
#define HAS_TAGS 2u
#define TRIANGLES_BELOW (1u << 30)

void abut__mesh_write(const abut_mesh* mesh, abut__packer* writer) {
    const uint32_t has = (mesh->rest_classes != NULL ? HAS_REST_CLASSES : 0) |
                         (mesh->tags != NULL ? HAS_TAGS : 0);
    abut__write_u32(writer, mesh->vertex_count);
    abut__write_u32(writer, mesh->triangle_count);
    abut__write_u32(writer, (uint32_t)mesh->scalar);
    abut__write_u32(writer, (uint32_t)mesh->class_rule);
    abut__write_u32(writer, mesh->fullest_class);
    abut__write_u32(writer, has);
    const size_t vertices = mesh->vertex_count;
    const size_t triangles = mesh->triangle_count;
    abut__write_numbers(writer, mesh->positions, 3 * vertices, abut__scalar_size(mesh->scalar));
    abut__write_numbers(writer, mesh->triangles, 3 * triangles, sizeof *mesh->triangles);
    abut__write_numbers(writer, mesh->classes, vertices, sizeof *mesh->classes);
    if (mesh->rest_classes != NULL) {
        abut__write_numbers(writer, mesh->rest_classes, vertices, sizeof *mesh->rest_classes);
    }
    if (mesh->tags != NULL) {
        abut__write_numbers(writer, mesh->tags, triangles, sizeof *mesh->tags);
    }
}

abut_scalar abut__read_scalar(abut__unpacker* reader) {
    const uint32_t scalar = abut__read_u32(reader);
    (void)abut__read_check(reader, scalar == ABUT_SCALAR_F32 || scalar == ABUT_SCALAR_F64,
                           "a type of numbers is unknown");
    return scalar == ABUT_SCALAR_F64 ? ABUT_SCALAR_F64 : ABUT_SCALAR_F32;
}

// Counts living triangles, whose corners must be vertices. Those of dead ones are all UINT32_MAX.
static bool check_triangles(abut_mesh* mesh) {
    bool right = true;
    for (uint32_t t = 0; t < mesh->triangle_count; ++t) {
        const uint32_t* corner = mesh->triangles + 3 * (size_t)t;
        const bool dead = corner[0] == UINT32_MAX;
        for (int c = 0; c < 3; ++c) {
            right &= dead ? corner[c] == UINT32_MAX : corner[c] < mesh->vertex_count;
        }
        mesh->alive_count += dead ? 0 : 1;
    }
    return right && mesh->alive_count > 0;
}

// A class has the number of its lowest vertex.
static bool check_classes(const uint32_t* classes, uint32_t count) {
    for (uint32_t v = 0; v < count; ++v) {
        if (classes[v] > v || classes[classes[v]] != classes[v]) {
            return false;
        }
    }
    return true;
}

// Vertices of one class were of one class before motions split it.
static bool check_split(const uint32_t* classes, const uint32_t* before, uint32_t count) {
    for (uint32_t v = 0; v < count; ++v) {
        if (before[classes[v]] != before[v]) {
            return false;
        }
    }
    return true;
}

// Tells whether no class has more triangles than the mesh says.
static bool check_fullest(abut__unpacker* reader, const abut_mesh* mesh) {
    const size_t count = mesh->vertex_count;
    uint32_t* uses = abut__alloc_zero(reader->context, count, sizeof *uses);
    if (uses == NULL) {
        abut__read_fail(reader, abut__fail_memory(reader->error));
        return false;
    }
    bool right = true;
    for (uint32_t t = 0; t < mesh->triangle_count; ++t) {
        for (size_t c = 0; c < 3 && abut__mesh_alive(mesh, t); ++c) {
            right &= ++uses[mesh->classes[mesh->triangles[3 * (size_t)t + c]]] <=
                     mesh->fullest_class;
        }
    }
    abut__free(reader->context, uses, count, sizeof *uses);
    return right;
}

static void check_mesh(abut__unpacker* reader, abut_mesh* mesh) {
    const size_t vertices = mesh->vertex_count;
    if (!abut__read_ok(reader)) {
        return;
    }
    (void)(abut__read_check(reader,
                            abut__all_finite(mesh->positions, 3 * vertices,
                                             mesh->scalar == ABUT_SCALAR_F64),
                            "a rest position is not finite") &&
           abut__read_check(reader, check_triangles(mesh), "a triangle has no such vertex") &&
           abut__read_check(
               reader,
               check_classes(mesh->classes, mesh->vertex_count) &&
                   (mesh->rest_classes == NULL ||
                    (check_classes(mesh->rest_classes, mesh->vertex_count) &&
                     check_split(mesh->classes, mesh->rest_classes, mesh->vertex_count))),
               "the classes of vertices are wrong") &&
           abut__read_check(reader, check_fullest(reader, mesh), "a class has too many triangles"));
}

static void read_arrays(abut__unpacker* reader, uint32_t has, abut_mesh* mesh) {
    const size_t vertices = mesh->vertex_count;
    const size_t triangles = mesh->triangle_count;
    const size_t id = sizeof(uint32_t);
    mesh->positions = abut__read_array(reader, vertices, 3, abut__scalar_size(mesh->scalar));
    mesh->triangles = abut__read_array(reader, triangles, 3, id);
    mesh->classes = abut__read_array(reader, vertices, 1, id);
    if ((has & HAS_REST_CLASSES) != 0) {
        mesh->rest_classes = abut__read_array(reader, vertices, 1, id);
    }
    if ((has & HAS_TAGS) != 0) {
        mesh->tags = abut__read_array(reader, triangles, 1, id);
    }
}

abut_mesh* abut__mesh_read(abut_context* context, abut__unpacker* reader) {
    abut_mesh* mesh = abut__alloc_zero(context, 1, sizeof *mesh);
    if (mesh == NULL) {
        abut__read_fail(reader, abut__fail_memory(reader->error));
        return NULL;
    }
    mesh->context = context;
    atomic_init(&mesh->holders, 1);
    mesh->vertex_count = abut__read_up_to(reader, UINT32_MAX - 1, "it has too many vertices");
    mesh->triangle_count = abut__read_up_to(reader, TRIANGLES_BELOW - 1,
                                            "it has too many triangles");
    mesh->scalar = abut__read_scalar(reader);
    mesh->class_rule = (abut_class_rule)abut__read_up_to(reader, ABUT_CLASS_RULE_NONE,
                                                         "its class rule is unknown");
    mesh->fullest_class = abut__read_u32(reader);
    const uint32_t has = abut__read_up_to(reader, HAS_REST_CLASSES | HAS_TAGS,
                                          "it has unknown tables");
    if (abut__read_check(reader, mesh->vertex_count > 0 && mesh->triangle_count > 0,
                         "it has no vertices or no triangles")) {
        read_arrays(reader, has, mesh);
        check_mesh(reader, mesh);
        if (abut__read_ok(reader)) {
            abut__mesh_centre(mesh);
        }
    }
    if (!abut__read_ok(reader)) {
        abut_mesh_destroy(mesh);
        return NULL;
    }
    return mesh;
}
