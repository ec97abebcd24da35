// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Opens a mesh with a point cache (mesh+cache, or both in one file) as a flight body whose keyframes
// are the frames of the cache. Of a long cache only a window of frames is in memory at a time. See source.h.
#include "cli/message.h"
#include "cli/progress.h"
#include "cli/source.h"
#include "io/alike.h"
#include "io/cache.h"
#include "io/mesh_file.h"
#include "io/output.h"

#include <stdlib.h>
#include <string.h>

#ifndef WINDOW_BYTES  // tests set it smaller
#define WINDOW_BYTES ((size_t)64 << 20)
#endif

typedef struct cache_source {
    char* mesh_path;
    io_mesh mesh;
    io_cache cache;
    uint32_t* classes;  // of the vertices, over all frames
    // the frames in memory
    void* window;  // floats or doubles, as the cache has them
    abut_keyframe* keys;
    size_t first;
    size_t count;
    size_t most;  // largest number of frames of a window
} cache_source;

static size_t frame_bytes(const cache_source* c) {
    return 3 * c->mesh.vertex_count * (c->cache.doubles ? sizeof(double) : sizeof(float));
}

static bool fail(const io_error* error) {
    complain("%s", error->message);
    return false;
}

// finds the vertex classes in one pass over the whole cache, so that they do not depend on the
// window; also finds numbers that are not finite
static bool find_classes(cache_source* c) {
    io_alike alike;
    io_error error;
    const size_t vertices = c->mesh.vertex_count;
    const bool doubles = c->cache.doubles;
    void* frame = allocate(1, frame_bytes(c));
    c->classes = allocate(vertices, sizeof *c->classes);
    bool done = io_alike_begin(&alike, vertices) && io_alike_part(&alike, c->mesh.positions, NULL);
    if (!done) {
        complain("there is not enough memory");
    }
    progress bar = progress_begin("scanning frame", c->cache.frame_count);
    for (size_t f = 0; f < c->cache.frame_count && done; ++f) {
        progress_step(&bar, f);
        done = io_cache_read(&c->cache, f, 1, frame, &error);
        if (!done) {
            fail(&error);
        } else if (!io_alike_part(&alike, doubles ? frame : NULL, doubles ? NULL : frame)) {
            complain("there is not enough memory");
            done = false;
        }
    }
    progress_end(&bar);
    if (done) {
        io_alike_classes(&alike, c->classes);
    }
    io_alike_free(&alike);
    free(frame);
    return done;
}

// reads the frames from `first` on, as many as there is room for
static bool read_window(cache_source* c, size_t first, void** window, abut_keyframe** keys,
                        size_t* count) {
    io_error error;
    const size_t vertices = c->mesh.vertex_count;
    const size_t left = c->cache.frame_count - first;
    *count = left < c->most ? left : c->most;
    *window = allocate(*count, frame_bytes(c));
    *keys = allocate(*count, sizeof **keys);
    if (!io_cache_read(&c->cache, first, *count, *window, &error)) {
        free(*window);
        free(*keys);
        return fail(&error);
    }
    for (size_t i = 0; i < *count; ++i) {
        const void* at = (const char*)*window + frame_bytes(c) * i;
        (*keys)[i] = (abut_keyframe){(double)(first + i), c->cache.doubles
                                                              ? abut_positions_f64(at, vertices)
                                                              : abut_positions_f32(at, vertices)};
    }
    return true;
}

static surface surface_of(const source* s, const abut_keyframe* keys, size_t count) {
    const cache_source* c = s->data;
    return (surface){.name = s->name,
                     .positions = c->mesh.positions,
                     .vertex_count = c->mesh.vertex_count,
                     .triangles = c->mesh.triangles,
                     .triangle_count = c->mesh.triangle_count,
                     .motion = ABUT_MOTION_FLIGHT,
                     .classes = c->classes,
                     .keys = keys,
                     .key_count = count};
}

static bool move_window(source* s, object* o, world* w, size_t frame) {
    cache_source* c = s->data;
    void* window = NULL;
    abut_keyframe* keys = NULL;
    size_t count = 0;
    const size_t first = frame > 0 ? frame - 1 : 0;  // a step starts at the frame before
    if (!read_window(c, first, &window, &keys, &count)) {
        return false;
    }
    const surface shown = surface_of(s, keys, count);
    o->body = s->loaded ? o->body : w->body_count;
    const bool done = s->loaded ? world_rekey(w, o->body, &shown) : world_add(w, &shown, false);
    // the body uses the new keyframes now; after a failure the command ends
    free(c->window);
    free(c->keys);
    c->window = window;
    c->keys = keys;
    c->first = first;
    c->count = count;
    return done;
}

static bool show(source* s, object* o, world* w, size_t frame) {
    const cache_source* c = s->data;
    const bool inside = s->loaded && frame >= c->first && frame - c->first < c->count;
    return (inside || move_window(s, o, w, frame)) &&
           world_set_time(w, o->body, s->name, (double)frame);
}

static void release(source* s) {
    cache_source* c = s->data;
    io_mesh_free(&c->mesh);
    io_cache_close(&c->cache);
    free(c->mesh_path);
    free(c->classes);
    free(c->window);
    free(c->keys);
    free(c);
}

const char* cache_part(const char* name) {
    const char* plus = io_is_cache_name(name) ? strrchr(name, '+') : NULL;
    return plus == NULL || plus == name ? NULL : plus + 1;
}

static bool open_both(source* s, cache_source* c) {
    io_error error;
    const char* part = cache_part(s->name);
    io_input_note(c->mesh_path);
    if (!io_read_mesh(c->mesh_path, &c->mesh, &error) ||
        !io_cache_open(part == NULL ? s->name : part, &c->cache, &error)) {
        return fail(&error);
    }
    if (c->mesh.vertex_count != c->cache.vertex_count) {
        complain(
            "%s: the mesh has %zu vertices, but the cache has %zu; they do not belong together",
            s->name, c->mesh.vertex_count, c->cache.vertex_count);
        return false;
    }
    const size_t fit = WINDOW_BYTES / frame_bytes(c);
    c->most = fit < 3 ? 3 : fit;
    return find_classes(c);
}

bool source_open_cache(source* s, object_list* list) {
    static const source_kind kind = {show, release, false};
    cache_source* c = allocate(1, sizeof *c);
    const char* part = cache_part(s->name);
    const size_t length = part == NULL ? strlen(s->name) : (size_t)(part - s->name) - 1;
    s->kind = &kind;
    s->data = c;
    c->mesh_path = allocate(length + 1, 1);
    memcpy(c->mesh_path, s->name, length);
    if (!open_both(s, c)) {
        return false;
    }
    s->frames = c->cache.frame_count;
    s->numbers = c->cache.frames.numbers;
    object* o = objects_append(list, s);
    o->format = c->cache.format;
    o->triangle_count = c->mesh.triangle_count;
    o->face_count = c->mesh.face_count;
    o->tags = &c->mesh.tags;
    return true;
}
