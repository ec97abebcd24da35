// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Many bodies as one mesh of another peer: its query within a body then finds the pairs between
// bodies. All vertices of a body have one class, so that its own triangles count as neighbours. The
// positions of all bodies are copied into one array, which is a part of the update.
#include "bench.h"
#include "peers/peer.h"

#include <stdlib.h>
#include <string.h>

typedef struct joined {
    const peer_kind* inner;
    void* peer;
    uint32_t count;
    peer_mesh mesh;
    uint32_t* first_vertex;  // [body]
    uint32_t* body_of;       // [triangle]
    uint32_t* own_number;    // [triangle]: within its body
    const peer_mesh* bodies;
    float* xyz;
    peer_pairs found;
} joined;

static void count_all(joined* j) {
    j->first_vertex = bench_alloc(j->count, sizeof *j->first_vertex);
    for (uint32_t b = 0; b < j->count; ++b) {
        j->first_vertex[b] = j->mesh.vertex_count;
        j->mesh.vertex_count += j->bodies[b].vertex_count;
        j->mesh.triangle_count += j->bodies[b].triangle_count;
        j->mesh.moves = j->mesh.moves || j->bodies[b].moves;
    }
}

static void copy_positions(const joined* j, uint32_t body, const float* from, float* to) {
    memcpy(to + 3 * (size_t)j->first_vertex[body], from,
           3 * (size_t)j->bodies[body].vertex_count * sizeof *to);
}

static void join_meshes(joined* j) {
    count_all(j);
    uint32_t* triangles = bench_alloc(3 * (size_t)j->mesh.triangle_count, sizeof *triangles);
    uint32_t* classes = bench_alloc(j->mesh.vertex_count, sizeof *classes);
    float* rest = bench_alloc(3 * (size_t)j->mesh.vertex_count + 4, sizeof *rest);
    j->body_of = bench_alloc(j->mesh.triangle_count, sizeof *j->body_of);
    j->own_number = bench_alloc(j->mesh.triangle_count, sizeof *j->own_number);
    uint32_t next = 0;
    for (uint32_t b = 0; b < j->count; ++b) {
        const peer_mesh* from = &j->bodies[b];
        copy_positions(j, b, from->rest, rest);
        for (uint32_t v = 0; v < from->vertex_count; ++v) {
            classes[j->first_vertex[b] + v] = b;
        }
        for (uint32_t t = 0; t < from->triangle_count; ++t, ++next) {
            j->body_of[next] = b;
            j->own_number[next] = t;
            for (size_t c = 0; c < 3; ++c) {
                triangles[3 * (size_t)next + c] = j->first_vertex[b] +
                                                  from->triangles[3 * (size_t)t + c];
            }
        }
    }
    j->mesh.triangles = triangles;
    j->mesh.classes = classes;
    j->mesh.rest = rest;
    j->xyz = bench_alloc(3 * (size_t)j->mesh.vertex_count + 4, sizeof *j->xyz);
    memcpy(j->xyz, rest, 3 * (size_t)j->mesh.vertex_count * sizeof *rest);
}

static void* create(const peer_mesh* meshes, uint32_t count, const char* inner) {
    joined* j = bench_alloc(1, sizeof *j);
    j->inner = peer_find(inner);
    j->count = count;
    j->bodies = meshes;
    if (j->inner == NULL) {
        free(j);
        return NULL;
    }
    join_meshes(j);
    j->peer = j->inner->create(&j->mesh, 1);
    return j;
}

static void destroy(void* peer) {
    joined* j = peer;
    j->inner->destroy(j->peer);
    free((void*)j->mesh.triangles);
    free((void*)j->mesh.classes);
    free((void*)j->mesh.rest);
    free(j->first_vertex);
    free(j->body_of);
    free(j->own_number);
    free(j->xyz);
    free(j->found.pairs);
    free(j);
}

static void update(void* peer, const float* const* xyz) {
    joined* j = peer;
    for (uint32_t b = 0; b < j->count; ++b) {
        if (j->bodies[b].moves) {
            copy_positions(j, b, xyz[b], j->xyz);
        }
    }
    const float* all = j->xyz;
    j->inner->update(j->peer, &all);
}

// Triangles are numbered body by body, so the first of a pair is of the body with the lower number.
static void collide(void* peer, peer_pairs* out) {
    joined* j = peer;
    j->found.count = 0;
    j->inner->self(j->peer, &j->found);
    for (size_t i = 0; i < j->found.count; ++i) {
        const abut_pair* p = &j->found.pairs[i];
        peer_add(out, j->body_of[p->triangle_a], j->own_number[p->triangle_a],
                 j->body_of[p->triangle_b], j->own_number[p->triangle_b]);
    }
}

#define JOINED_KIND(id, of)                                             \
    static void* create_##id(const peer_mesh* meshes, uint32_t count) { \
        return create(meshes, count, of);                               \
    }                                                                   \
    extern const peer_kind peer_##id;                                   \
    const peer_kind peer_##id = {                                       \
        .name = of ", joined",                                          \
        .create = create_##id,                                          \
        .destroy = destroy,                                             \
        .update = update,                                               \
        .collide = collide,                                             \
    };

JOINED_KIND(joined_refit, "Embree refit")
JOINED_KIND(joined_low, "Embree Morton")
