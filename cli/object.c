// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// An OBJECT of the command line: see object.h.
#include "cli/object.h"

#include "cli/message.h"
#include "cli/parts.h"

#include <stdio.h>
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

enum { MOST_PARTS = 1024 };

// the parts of an object, each of which finds its files again
static bool add_parts(object_list* out, const object* o, uint32_t parts) {
    io_error error;
    out->objects = reallocate(out->objects, out->count + parts, sizeof *out->objects);
    for (uint32_t p = 0; p < parts; ++p) {
        object* part = &out->objects[out->count];
        *part = (object){.name = o->name, .part = p, .parts = parts > 1 ? parts : 0};
        if (!io_sequence_list(o->name, &part->files, &error)) {
            complain("%s", error.message);
            return false;
        }
        ++out->count;
        if (parts > 1) {
            const size_t room = strlen(o->name) + 48;
            part->own_name = allocate(room, 1);
            snprintf(part->own_name, room, "%s (part %u of %u)", o->name, p + 1, parts);
            part->name = part->own_name;
        }
    }
    return true;
}

bool objects_part(object_list* list) {
    object_list out = {NULL, 0, list->frames};
    bool done = true;
    for (size_t i = 0; i < list->count && done; ++i) {
        const object* o = &list->objects[i];
        io_mesh mesh;
        io_error error;
        uint32_t* part_of;
        if (!io_read_mesh(o->files.paths[0], &mesh, &error)) {
            complain("%s", error.message);
            done = false;
            break;
        }
        const uint32_t parts = mesh_parts(&mesh, &part_of);
        free(part_of);
        io_mesh_free(&mesh);
        if (parts > MOST_PARTS) {
            complain("%s: %u connected components, and --components takes %d at most", o->name,
                     parts, MOST_PARTS);
            done = false;
        } else {
            done = add_parts(&out, o, parts);
        }
    }
    objects_free(list);
    *list = out;
    return done;
}

void objects_free(object_list* list) {
    for (size_t i = 0; i < list->count; ++i) {
        io_sequence_free(&list->objects[i].files);
        io_mesh_free(&list->objects[i].mesh);
        free(list->objects[i].own_name);
    }
    free(list->objects);
    *list = (object_list){0};
}

static bool same_triangles(const io_mesh* a, const io_mesh* b) {
    return a->vertex_count == b->vertex_count && a->triangle_count == b->triangle_count &&
           memcmp(a->triangles, b->triangles, 3 * sizeof(uint32_t) * a->triangle_count) == 0;
}

// the triangles of all other parts
static uint32_t* other_parts(const object* o, const io_mesh* mesh, size_t* count) {
    uint32_t* part_of;
    mesh_parts(mesh, &part_of);
    *count = 0;
    for (size_t t = 0; t < mesh->triangle_count; ++t) {
        if (part_of[t] != o->part) {
            part_of[(*count)++] = (uint32_t)t;
        }
    }
    return part_of;
}

static bool add_part(const object* o, world* w, surface* s, const io_mesh* mesh) {
    uint32_t* others = other_parts(o, mesh, &s->left_out_count);
    s->left_out = others;
    const bool added = world_add(w, s, false);
    free(others);
    return added;
}

// gives a mesh that was just read to the object's body
static bool put_on_body(object* o, world* w, const io_mesh* mesh, const char* path) {
    surface s = {.name = path,
                 .positions = mesh->positions,
                 .vertex_count = mesh->vertex_count,
                 .triangles = mesh->triangles,
                 .triangle_count = mesh->triangle_count};
    if (!o->loaded) {
        o->body = w->body_count;
        return o->parts > 0 ? add_part(o, w, &s, mesh) : world_add(w, &s, false);
    }
    if (same_triangles(&o->mesh, mesh)) {
        return world_move(w, o->body, &s);
    }
    if (o->parts > 0) {
        complain("%s has other triangles than the first frame; --components needs the same in all",
                 path);
        return false;
    }
    ++o->topology_changes;
    return world_replace(w, o->body, &s);
}

static bool show(object* o, world* w, size_t frame) {
    const size_t last = o->files.count - 1;
    frame = frame < last ? frame : last;
    if (o->loaded && o->showing == frame) {
        return true;
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
