// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// A mesh, or a sequence of them, read frame by frame; their triangles may change. See source.h.
#include "cli/message.h"
#include "cli/source.h"
#include "io/mesh_file.h"
#include "io/sequence.h"

#include <stdlib.h>
#include <string.h>

typedef struct meshes {
    io_sequence files;
    io_mesh mesh;  // what the body has now
} meshes;

static bool same_triangles(const io_mesh* a, const io_mesh* b) {
    return a->vertex_count == b->vertex_count && a->triangle_count == b->triangle_count &&
           memcmp(a->triangles, b->triangles, 3 * sizeof(uint32_t) * a->triangle_count) == 0;
}

// gives a mesh that was just read to the object's body
static bool put_on_body(const source* s, object* o, world* w, const io_mesh* mesh,
                        const char* path) {
    const meshes* m = s->data;
    const surface now = {.name = path,
                         .positions = mesh->positions,
                         .vertex_count = mesh->vertex_count,
                         .triangles = mesh->triangles,
                         .triangle_count = mesh->triangle_count};
    if (!s->loaded) {
        o->body = w->body_count;
        return world_add(w, &now, false);
    }
    if (same_triangles(&m->mesh, mesh)) {
        return world_move(w, o->body, &now);
    }
    ++o->topology_changes;
    return world_replace(w, o->body, &now);
}

static bool show(source* s, object* o, world* w, size_t frame) {
    meshes* m = s->data;
    io_mesh mesh;
    io_error error;
    if (!io_read_mesh(m->files.paths[frame], &mesh, &error)) {
        complain("%s", error.message);
        return false;
    }
    const bool done = put_on_body(s, o, w, &mesh, m->files.paths[frame]);
    io_mesh_free(&m->mesh);
    m->mesh = mesh;
    o->format = io_format_name(mesh.format);
    o->triangle_count = mesh.triangle_count;
    o->face_count = mesh.face_count;
    return done;
}

static void release(source* s) {
    meshes* m = s->data;
    io_sequence_free(&m->files);
    io_mesh_free(&m->mesh);
    free(m);
}

bool source_open_meshes(source* s, object_list* list) {
    static const source_kind kind = {show, release};
    meshes* m = allocate(1, sizeof *m);
    io_error error;
    s->kind = &kind;
    s->data = m;
    if (!io_sequence_list(s->name, &m->files, &error)) {
        complain("%s", error.message);
        return false;
    }
    s->frames = m->files.count;
    objects_append(list, s);
    return true;
}
