// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Scenes prepared for measurements: see moving.h.
#include "bench/moving.h"

#include "bench/bench.h"
#include "scenes/scenes.h"

#include <abut/mesh.h>
#include <stdlib.h>
#include <string.h>

// Allocates 16 bytes beyond the last position, which some peers read.
static float* alloc_positions(uint32_t vertices) {
    return bench_alloc(3 * (size_t)vertices + 4, sizeof(float));
}

static uint32_t* copy_indices(const uint32_t* from, size_t count) {
    return memcpy(bench_alloc(count, sizeof *from), from, count * sizeof *from);
}

// Which triangles share a vertex is decided once, by abut's rule, for all peers.
static const uint32_t* find_classes(const peer_mesh* mesh) {
    abut_mesh_def def = abut_mesh_def_default();
    def.positions = abut_positions_f32(mesh->rest, mesh->vertex_count);
    def.triangles = mesh->triangles;
    def.triangle_count = mesh->triangle_count;
    abut_error error;
    abut_context* context = NULL;
    abut_mesh* checked = NULL;
    if (abut_context_create(bench_context_def(), &context, &error) != ABUT_OK ||
        abut_mesh_create(context, &def, &checked, &error) != ABUT_OK) {
        bench_die("%s", error.message);
    }
    const uint32_t* classes = copy_indices(abut_mesh_classes(checked), mesh->vertex_count);
    abut_mesh_destroy(checked);
    abut_context_destroy(context);
    return classes;
}

static void narrow(const double* from, float* to, size_t count) {
    for (size_t i = 0; i < count; ++i) {
        to[i] = (float)from[i];
    }
}

static void make_body(moving* m, const scene* from, uint32_t body, uint32_t step) {
    const scene_body* b = scene_get_body(from, body);
    const size_t numbers = 3 * (size_t)b->vertex_count;
    float* rest = alloc_positions(b->vertex_count);
    narrow(b->rest, rest, numbers);
    peer_mesh* mesh = &m->meshes[body];
    *mesh = (peer_mesh){
        .vertex_count = b->vertex_count,
        .triangle_count = b->triangle_count,
        .triangles = copy_indices(b->triangles, 3 * (size_t)b->triangle_count),
        .rest = rest,
        .moves = b->moves,
    };
    mesh->classes = find_classes(mesh);
    m->buffer[0][body] = alloc_positions(b->vertex_count);
    m->buffer[1][body] = alloc_positions(b->vertex_count);
    if (!b->moves) {
        memcpy(m->buffer[0][body], rest, numbers * sizeof(float));
        memcpy(m->buffer[1][body], rest, numbers * sizeof(float));
        return;
    }
    double* xyz = bench_alloc(numbers, sizeof *xyz);
    for (uint32_t f = 0; f < m->frame_count; ++f) {
        float* frame = alloc_positions(b->vertex_count);
        scene_positions(from, body, f * step, xyz);
        narrow(xyz, frame, numbers);
        m->frames[(size_t)f * m->body_count + body] = frame;
    }
    free(xyz);
}

moving* moving_create(const char* name, uint32_t triangles, uint32_t frames, uint32_t step,
                      uint32_t seed) {
    scene* from = scene_create(name, triangles, frames, seed);
    if (from == NULL) {
        bench_die("the scene '%s' cannot be made", name);
    }
    moving* m = bench_alloc(1, sizeof *m);
    m->body_count = scene_body_count(from);
    m->frame_count = (scene_frame_count(from) + step - 1) / step;
    m->meshes = bench_alloc(m->body_count, sizeof *m->meshes);
    m->frames = bench_alloc((size_t)m->frame_count * m->body_count, sizeof *m->frames);
    m->buffer[0] = bench_alloc(m->body_count, sizeof *m->buffer[0]);
    m->buffer[1] = bench_alloc(m->body_count, sizeof *m->buffer[1]);
    for (uint32_t i = 0; i < m->body_count; ++i) {
        make_body(m, from, i, step);
    }
    scene_destroy(from);
    return m;
}

void moving_destroy(moving* m) {
    if (m == NULL) {
        return;
    }
    for (size_t i = 0; i < (size_t)m->frame_count * m->body_count; ++i) {
        free(m->frames[i]);
    }
    for (uint32_t i = 0; i < m->body_count; ++i) {
        free((void*)m->meshes[i].triangles);
        free((void*)m->meshes[i].classes);
        free((void*)m->meshes[i].rest);
        free(m->buffer[0][i]);
        free(m->buffer[1][i]);
    }
    free(m->meshes);
    free(m->frames);
    free(m->buffer[0]);
    free(m->buffer[1]);
    free(m);
}

const float* const* moving_frame(moving* m, uint32_t frame) {
    m->turn ^= 1;
    float** to = m->buffer[m->turn];
    for (uint32_t i = 0; i < m->body_count; ++i) {
        const float* from = m->frames[(size_t)frame * m->body_count + i];
        if (from != NULL) {
            memcpy(to[i], from, 3 * (size_t)m->meshes[i].vertex_count * sizeof(float));
        }
    }
    return (const float* const*)to;
}

const float* const* moving_stored(const moving* m, uint32_t frame) {
    return (const float* const*)m->frames + (size_t)frame * m->body_count;
}

void moving_triangle(const moving* m, uint32_t frame, uint32_t body, uint32_t triangle,
                     double corner[3][3]) {
    const peer_mesh* mesh = &m->meshes[body];
    const float* xyz = mesh->moves ? m->frames[(size_t)frame * m->body_count + body] : mesh->rest;
    for (int i = 0; i < 3; ++i) {
        const float* p = xyz + 3 * (size_t)mesh->triangles[3 * (size_t)triangle + (size_t)i];
        for (int k = 0; k < 3; ++k) {
            corner[i][k] = p[k];
        }
    }
}
