// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// An OBJECT of the command line: see object.h.
#include "cli/object.h"

#include "cli/message.h"

#include <stdlib.h>
#include <string.h>

bool objects_find(object_list* list, const char* const* names, size_t count) {
    io_error error;
    *list = (object_list){allocate(count, sizeof(object)), count, 0};
    for (size_t i = 0; i < count; ++i) {
        object* o = &list->objects[i];
        o->name = names[i];
        if (!io_sequence_list(names[i], &o->files, &error)) {
            complain("%s", error.message);
            return false;
        }
        list->frames = o->files.count > list->frames ? o->files.count : list->frames;
    }
    return true;
}

void objects_free(object_list* list) {
    for (size_t i = 0; i < list->count; ++i) {
        io_sequence_free(&list->objects[i].files);
        io_mesh_free(&list->objects[i].mesh);
    }
    free(list->objects);
    *list = (object_list){0};
}

static bool same_triangles(const io_mesh* a, const io_mesh* b) {
    return a->vertex_count == b->vertex_count && a->triangle_count == b->triangle_count &&
           memcmp(a->triangles, b->triangles, 3 * sizeof(uint32_t) * a->triangle_count) == 0;
}

// gives a mesh that was just read to the object's body
static bool put_on_body(object* o, world* w, const io_mesh* mesh, const char* path) {
    const surface s = {.name = path,
                       .positions = mesh->positions,
                       .vertex_count = mesh->vertex_count,
                       .triangles = mesh->triangles,
                       .triangle_count = mesh->triangle_count};
    o->still = false;
    if (!o->loaded) {
        o->body = w->body_count;
        return world_add(w, &s, false);
    }
    if (same_triangles(&o->mesh, mesh)) {
        return world_move(w, o->body, &s);
    }
    ++o->topology_changes;
    return world_replace(w, o->body, &s);
}

static bool show(object* o, world* w, size_t frame) {
    const size_t last = o->files.count - 1;
    frame = frame < last ? frame : last;
    if (o->loaded && o->showing == frame) {
        const bool done = o->still || put_on_body(o, w, &o->mesh, o->files.paths[frame]);
        o->still = true;
        return done;
    }
    io_mesh mesh;
    io_error error;
    if (!io_read_mesh(o->files.paths[frame], &mesh, &error)) {
        complain("%s", error.message);
        return false;
    }
    const bool done = put_on_body(o, w, &mesh, o->files.paths[frame]);
    io_mesh_free(&o->mesh);
    o->mesh = mesh;
    o->showing = frame;
    o->loaded = done;
    return done;
}

bool objects_show(object_list* list, world* w, size_t frame) {
    for (size_t i = 0; i < list->count; ++i) {
        if (!show(&list->objects[i], w, frame)) {
            return false;
        }
    }
    return true;
}
