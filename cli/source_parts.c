// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Opens a mesh or a sequence of meshes, split: every connected component of the first mesh is an
// object, whose triangles keep their numbers in the file. See source.h.
#include "cli/message.h"
#include "cli/parts.h"
#include "cli/source.h"
#include "io/file.h"
#include "io/sequence.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_PARTS = 1024 };

typedef struct parts {
    io_sequence files;
    io_mesh first;      // all frames must have its triangles
    uint32_t* part_of;  // the component of every triangle
    uint32_t count;
} parts;

// lists all triangles but those of a part
static uint32_t* others(const parts* p, uint32_t part, size_t* count) {
    uint32_t* list = allocate(p->first.triangle_count, sizeof *list);
    *count = 0;
    for (size_t t = 0; t < p->first.triangle_count; ++t) {
        if (p->part_of[t] != part) {
            list[(*count)++] = (uint32_t)t;
        }
    }
    return list;
}

static bool add_bodies(const parts* p, object* objects, world* w, surface* s) {
    bool done = true;
    for (uint32_t k = 0; k < p->count && done; ++k) {
        uint32_t* left_out = others(p, k, &s->left_out_count);
        s->left_out = left_out;
        objects[k].body = w->body_count;
        objects[k].format = io_format_name(p->first.format);
        objects[k].triangle_count = p->first.triangle_count;
        objects[k].face_count = p->first.face_count;
        objects[k].tags = &p->first.tags;
        done = world_add(w, s, false);
        free(left_out);
    }
    return done;
}

static bool same_triangles(const io_mesh* a, const io_mesh* b) {
    return a->vertex_count == b->vertex_count && a->triangle_count == b->triangle_count &&
           memcmp(a->triangles, b->triangles, 3 * sizeof(uint32_t) * a->triangle_count) == 0;
}

static bool read_mesh(const parts* p, size_t frame, io_mesh* mesh) {
    io_error error;
    if (!io_read_mesh(p->files.paths[frame], mesh, &error)) {
        complain("%s", error.message);
        return false;
    }
    return true;
}

static bool show(source* s, object* objects, world* w, size_t frame) {
    const parts* p = s->data;
    io_mesh mesh;
    if (!read_mesh(p, frame, &mesh)) {
        return false;
    }
    surface now = {.name = io_input_name(p->files.paths[frame]),
                   .positions = mesh.positions,
                   .vertex_count = mesh.vertex_count,
                   .triangles = mesh.triangles,
                   .triangle_count = mesh.triangle_count};
    bool done = same_triangles(&p->first, &mesh);
    if (!done) {
        complain("%s has other triangles than the first frame; with --components all must agree",
                 now.name);
    } else if (!s->loaded) {
        done = add_bodies(p, objects, w, &now);
    }
    for (uint32_t k = 0; k < p->count && done && s->loaded; ++k) {
        done = world_move(w, objects[k].body, &now);
    }
    io_mesh_free(&mesh);
    return done;
}

static void release(source* s) {
    parts* p = s->data;
    io_sequence_free(&p->files);
    io_mesh_free(&p->first);
    free(p->part_of);
    free(p);
}

static void append_part(source* s, object_list* list, uint32_t part, uint32_t count) {
    object* o = objects_append(list, s);
    const size_t room = strlen(io_input_name(s->name)) + 48;
    o->name = reallocate(o->name, room, 1);
    snprintf(o->name, room, "%s (part %u of %u)", io_input_name(s->name), part + 1, count);
}

bool source_open_parts(source* s, object_list* list) {
    static const source_kind kind = {show, release, false};
    parts* p = allocate(1, sizeof *p);
    io_error error;
    s->kind = &kind;
    s->data = p;
    if (!io_sequence_list(s->name, &p->files, &error)) {
        complain("%s", error.message);
        return false;
    }
    if (!read_mesh(p, 0, &p->first)) {
        return false;
    }
    p->count = mesh_parts(&p->first, &p->part_of);
    if (p->count > MOST_PARTS) {
        complain("%s has %u connected components; --components takes %d at most", s->name, p->count,
                 MOST_PARTS);
        return false;
    }
    if (p->count == 1) {  // nothing to split
        release(s);
        return source_open_meshes(s, list);
    }
    s->frames = p->files.count;
    s->numbers = p->files.numbers;
    for (uint32_t k = 0; k < p->count; ++k) {
        append_part(s, list, k, p->count);
    }
    return true;
}
