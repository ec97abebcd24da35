// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Opens a mesh or a sequence. If all frames have the same triangles and fit in memory, it becomes a
// flight body with a keyframe per frame. Otherwise frames are read one after the other into a free
// body. See source.h.
//
// What a free body is at rest depends on its frame alone, not on those that were shown before: frames with the
// triangles of the first one are at rest in that; others in the first of the consecutive frames that have their
// triangles.
#include "cli/message.h"
#include "cli/progress.h"
#include "cli/source.h"
#include "io/file.h"
#include "io/mesh_file.h"
#include "io/sequence.h"

#include <stdlib.h>
#include <string.h>

#define MOST_KEY_BYTES ((size_t)512 << 20)

typedef struct meshes {
    io_sequence files;
    io_mesh mesh;   // the current mesh of the body
    io_mesh first;  // of a free body: the first frame, if the body was shown in it
    // of a flight body: one keyframe per frame, which owns its positions; otherwise NULL
    abut_keyframe* keys;
} meshes;

static bool same_triangles(const io_mesh* a, const io_mesh* b) {
    return a->vertex_count == b->vertex_count && a->triangle_count == b->triangle_count &&
           memcmp(a->triangles, b->triangles, 3 * sizeof(uint32_t) * a->triangle_count) == 0;
}

static bool read_frame(const meshes* m, size_t frame, io_mesh* mesh) {
    io_error error;
    if (!io_read_mesh(m->files.paths[frame], mesh, &error)) {
        complain("%s", error.message);
        return false;
    }
    if (mesh->frame_count > 1) {  // a single file of several frames is opened as a cache
        complain("%s has %zu frames, but each file of a sequence, and the input, is one",
                 io_input_name(m->files.paths[frame]), mesh->frame_count);
        io_mesh_free(mesh);
        return false;
    }
    return true;
}

static surface surface_of(const io_mesh* mesh, const char* path) {
    return (surface){.name = path,
                     .positions = mesh->positions,
                     .vertex_count = mesh->vertex_count,
                     .triangles = mesh->triangles,
                     .triangle_count = mesh->triangle_count};
}

// Gets the first of the consecutive frames that have the triangles of a frame, and its mesh, which is that of
// the frame itself if there is no other. False after an error message.
static bool find_start(const meshes* m, const io_mesh* mesh, size_t frame, size_t* start,
                       io_mesh* at) {
    *at = (io_mesh){0};
    for (*start = frame; *start > 0; --*start) {
        io_mesh before;
        if (!read_frame(m, *start - 1, &before)) {
            return false;
        }
        if (!same_triangles(&before, mesh)) {
            io_mesh_free(&before);
            return true;
        }
        io_mesh_free(at);
        *at = before;
    }
    return true;
}

// sets a body to a mesh whose triangles are not those of the first frame, or of a frame that is not the next
static bool put_other(const source* s, object* o, world* w, const io_mesh* mesh, size_t frame,
                      const char* path) {
    const meshes* m = s->data;
    const surface now = surface_of(mesh, path);
    io_mesh rest = {0};
    size_t start = frame;
    if (frame != s->showing + 1 && !find_start(m, mesh, frame, &start, &rest)) {
        io_mesh_free(&rest);
        return false;
    }
    const surface at_rest = start < frame ? surface_of(&rest, path) : now;
    // the frame that is shown may be among these frames
    const bool same = start <= s->showing && s->showing < frame;
    const bool done = same ? world_move(w, o->body, &now)
                           : world_replace(w, o->body, &at_rest, &now);
    io_mesh_free(&rest);
    return done;
}

// sets the object's body to a mesh that was just read
static bool put_on_body(const source* s, object* o, world* w, const io_mesh* mesh, size_t frame,
                        const char* path) {
    const meshes* m = s->data;
    const surface now = surface_of(mesh, path);
    if (!s->loaded) {
        o->body = w->body_count;
        return world_add(w, &now, false);
    }
    const bool same = same_triangles(&m->mesh, mesh);
    if (m->first.positions != NULL && same_triangles(&m->first, mesh)) {
        const surface rest = surface_of(&m->first, path);
        return same ? world_move(w, o->body, &now) : world_replace(w, o->body, &rest, &now);
    }
    return same && frame == s->showing + 1 ? world_move(w, o->body, &now)
                                           : put_other(s, o, w, mesh, frame, path);
}

// hashes the triangles (FNV-1a)
static uint64_t topology_of(const io_mesh* mesh) {
    uint64_t hash = 14695981039346656037u;
    for (size_t i = 0; i < 3 * mesh->triangle_count; ++i) {
        hash = (hash ^ mesh->triangles[i]) * 1099511628211u;
    }
    return (hash ^ mesh->vertex_count) * 1099511628211u;
}

static void take_over(meshes* m, object* o, const io_mesh* mesh) {
    io_mesh_free(&m->mesh);
    m->mesh = *mesh;
    o->format = io_format_name(mesh->format);
    o->triangle_count = mesh->triangle_count;
    o->face_count = mesh->face_count;
    o->topology = topology_of(mesh);
    o->tags = &m->mesh.tags;
}

static void keep_first(meshes* m, const io_mesh* mesh) {
    const size_t positions = 3 * sizeof(double) * mesh->vertex_count;
    const size_t triangles = 3 * sizeof(uint32_t) * mesh->triangle_count;
    m->first.positions = memcpy(allocate(positions + 1, 1), mesh->positions, positions);
    m->first.triangles = memcpy(allocate(triangles + 1, 1), mesh->triangles, triangles);
    m->first.vertex_count = mesh->vertex_count;
    m->first.triangle_count = mesh->triangle_count;
}

// sets a free body to a frame
static bool show_free(source* s, object* o, world* w, size_t frame) {
    meshes* m = s->data;
    io_mesh mesh;
    if (!read_frame(m, frame, &mesh)) {
        return false;
    }
    const bool done = put_on_body(s, o, w, &mesh, frame, io_input_name(m->files.paths[frame]));
    if (!s->loaded && frame == 0 && s->frames > 1) {
        keep_first(m, &mesh);
    }
    take_over(m, o, &mesh);
    if (s->frames == 1) {  // the body has what it needs, and is never set again
        free(m->mesh.positions);
        free(m->mesh.triangles);
        m->mesh.positions = NULL;
        m->mesh.triangles = NULL;
    }
    return done;
}

static void drop_keys(meshes* m) {
    for (size_t i = 0; m->keys != NULL && i < m->files.count; ++i) {
        free((void*)m->keys[i].positions.data);
    }
    free(m->keys);
    m->keys = NULL;
}

// Reads all frames as keyframes, the first one also as the mesh. Leaves m->keys NULL if they do not
// fit in memory or their triangles change. False after an error message.
static bool read_keys(meshes* m, object* o) {
    io_mesh mesh;
    if (!read_frame(m, 0, &mesh)) {
        return false;
    }
    take_over(m, o, &mesh);
    const size_t vertices = mesh.vertex_count;
    if (m->files.count > MOST_KEY_BYTES / (3 * sizeof(double)) / vertices) {
        return true;
    }
    progress bar = progress_begin("reading frame", m->files.count);
    double* first = allocate(vertices, 3 * sizeof *first);
    memcpy(first, m->mesh.positions, 3 * vertices * sizeof *first);
    m->keys = allocate(m->files.count, sizeof *m->keys);
    m->keys[0] = (abut_keyframe){0, abut_positions_f64(first, vertices)};
    for (size_t i = 1; i < m->files.count && m->keys != NULL; ++i) {
        progress_step(&bar, i);
        if (!read_frame(m, i, &mesh)) {
            return false;
        }
        if (same_triangles(&m->mesh, &mesh)) {
            m->keys[i] = (abut_keyframe){(double)i, abut_positions_f64(mesh.positions, vertices)};
            mesh.positions = NULL;  // now owned by the keyframe
        } else {
            drop_keys(m);
        }
        io_mesh_free(&mesh);
    }
    progress_end(&bar);
    return true;
}

static bool show(source* s, object* o, world* w, size_t frame) {
    meshes* m = s->data;
    if (!s->loaded && s->frames > 1 && !read_keys(m, o)) {
        return false;
    }
    if (m->keys == NULL) {
        return show_free(s, o, w, frame);
    }
    if (!s->loaded) {
        const surface shown = {.name = s->name,
                               .positions = m->mesh.positions,
                               .vertex_count = m->mesh.vertex_count,
                               .triangles = m->mesh.triangles,
                               .triangle_count = m->mesh.triangle_count,
                               .motion = ABUT_MOTION_FLIGHT,
                               .keys = m->keys,
                               .key_count = m->files.count};
        o->body = w->body_count;
        if (!world_add(w, &shown, false)) {
            return false;
        }
    }
    return world_set_time(w, o->body, s->name, (double)frame);
}

static void release(source* s) {
    meshes* m = s->data;
    drop_keys(m);
    io_sequence_free(&m->files);
    io_mesh_free(&m->mesh);
    io_mesh_free(&m->first);
    free(m);
}

bool source_open_meshes(source* s, object_list* list) {
    static const source_kind kind = {show, release, false};
    meshes* m = allocate(1, sizeof *m);
    io_error error;
    s->kind = &kind;
    s->data = m;
    if (!io_sequence_list(s->name, &m->files, &error)) {
        complain("%s", error.message);
        return false;
    }
    s->frames = m->files.count;
    s->numbers = m->files.numbers;
    objects_append(list, s);
    return true;
}
