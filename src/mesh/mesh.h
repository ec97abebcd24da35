// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// The library's representation of a mesh, and functions to read the caller's positions.
#ifndef ABUT_MESH_MESH_H
#define ABUT_MESH_MESH_H

#include <stdatomic.h>
#include <string.h>

#include "abut/mesh.h"
#include "base/memory.h"
#include "simd/layout.h"

struct abut_mesh {
    abut_context* context;
    atomic_uint holders;
    uint32_t vertex_count;
    uint32_t triangle_count;  // dead ones included
    uint32_t alive_count;
    abut_scalar scalar;
    abut_class_rule class_rule;
    void* positions;      // tightly packed, of type `scalar`
    float origin[3];      // near them, if they are far away: see abut__source_centre()
    uint32_t* triangles;  // the corners of dead ones are UINT32_MAX
    uint32_t* classes;
    uint32_t* rest_classes;  // before motions split them; NULL: equal to `classes`
    uint32_t* tags;          // NULL: all 0
    uint32_t fullest_class;  // upper bound on the triangles that have a class in common
};

static inline uint32_t abut__mesh_class(const abut_mesh* mesh, uint32_t vertex) {
    return mesh->classes[vertex];
}
static inline const uint32_t* abut__mesh_rest_classes(const abut_mesh* mesh) {
    return mesh->rest_classes != NULL ? mesh->rest_classes : mesh->classes;
}
static inline uint32_t abut__mesh_tag(const abut_mesh* mesh, uint32_t triangle) {
    return mesh->tags != NULL ? mesh->tags[triangle] : 0;
}
static inline bool abut__mesh_alive(const abut_mesh* mesh, uint32_t triangle) {
    return mesh->triangles[3 * (size_t)triangle] != UINT32_MAX;
}

// Writes the classes of a triangle, each once; unused entries are UINT32_MAX.
static inline void abut__mesh_triangle_classes(const abut_mesh* mesh, uint32_t triangle,
                                               uint32_t classes[3]) {
    for (int c = 0; c < 3; ++c) {
        classes[c] = abut__mesh_class(mesh, mesh->triangles[3 * (size_t)triangle + (size_t)c]);
    }
    classes[2] = classes[2] == classes[0] || classes[2] == classes[1] ? UINT32_MAX : classes[2];
    classes[1] = classes[1] == classes[0] ? UINT32_MAX : classes[1];
}

static inline size_t abut__scalar_size(abut_scalar scalar) {
    return scalar == ABUT_SCALAR_F64 ? sizeof(double) : sizeof(float);
}
static inline size_t abut__positions_stride(abut_positions positions) {
    return positions.stride != 0 ? positions.stride : 3 * abut__scalar_size(positions.type);
}
static inline abut__source abut__source_of(abut_positions positions) {
    return abut__source_make(positions.data, abut__positions_stride(positions),
                             positions.type == ABUT_SCALAR_F64);
}
// Finds an origin for boxes of what lies in a box: near it if it is so far from 0, for its size, that
// floats would be too coarse, or else 0. Boxes at one place that are about as large mostly get the
// same origin.
void abut__origin_choose(const double lo[3], const double hi[3], float origin[3]);
// How many of some positions their origin is found from, and which ones.
size_t abut__origin_samples(size_t count);
size_t abut__origin_sample(size_t count, size_t i);
// Sets the origin of a source, by some of its positions. It depends on the positions alone.
void abut__source_centre(abut__source* source, size_t count);
// The source of positions, with its origin set.
static inline abut__source abut__source_centred(abut_positions positions) {
    abut__source source = abut__source_of(positions);
    abut__source_centre(&source, positions.count);
    return source;
}
static inline void abut__read_position(const char* data, size_t stride, bool is_double,
                                       size_t index, double out[3]) {
    const char* place = data + index * stride;
    if (is_double) {
        memcpy(out, place, 3 * sizeof(double));
    } else {
        float xyz[3];
        memcpy(xyz, place, sizeof xyz);
        out[0] = (double)xyz[0];
        out[1] = (double)xyz[1];
        out[2] = (double)xyz[2];
    }
}

// Reads many positions: coordinate d of ids[i] goes to out[d][i].
static inline void abut__read_positions(abut__source source, const uint32_t* ids, uint32_t count,
                                        double* const out[3]) {
    for (uint32_t i = 0; i < count && source.is_double; ++i) {
        const double* p = (const double*)(const void*)(source.data + ids[i] * source.stride);
        out[0][i] = p[0];
        out[1][i] = p[1];
        out[2][i] = p[2];
    }
    for (uint32_t i = 0; i < count && !source.is_double; ++i) {
        const float* p = (const float*)(const void*)(source.data + ids[i] * source.stride);
        out[0][i] = (double)p[0];
        out[1][i] = (double)p[1];
        out[2][i] = (double)p[2];
    }
}
static inline abut__source abut__mesh_source(const abut_mesh* mesh) {
    abut__source source = abut__source_make(mesh->positions, 3 * abut__scalar_size(mesh->scalar),
                                            mesh->scalar == ABUT_SCALAR_F64);
    memcpy(source.origin, mesh->origin, sizeof source.origin);
    return source;
}
// Sets the origin of a new mesh.
static inline void abut__mesh_centre(abut_mesh* mesh) {
    abut__source source = abut__mesh_source(mesh);
    abut__source_centre(&source, mesh->vertex_count);
    memcpy(mesh->origin, source.origin, sizeof mesh->origin);
}

// Adds a number to a hash. -0 and +0 are equal.
static inline uint64_t abut__hash_bits(uint64_t hash, uint64_t bits) {
    hash ^= bits;
    hash = (hash ^ hash >> 32) * UINT64_C(0x9e3779b97f4a7c15);
    return hash ^ hash >> 29;
}
static inline uint64_t abut__hash_double(uint64_t hash, double value) {
    const double plus = value + 0.0;  // -0 becomes +0
    uint64_t bits;
    memcpy(&bits, &plus, sizeof bits);
    return abut__hash_bits(hash, bits);
}

// Reads the rest position of a vertex.
static inline void abut__mesh_rest(const abut_mesh* mesh, uint32_t vertex, double out[3]) {
    const abut__source rest = abut__mesh_source(mesh);
    abut__read_position(rest.data, rest.stride, rest.is_double, vertex, out);
}

// The same relative to the mesh's origin. Its error is below 2^-53 of what it returns.
static inline void abut__mesh_rest_near(const abut_mesh* mesh, uint32_t vertex, double out[3]) {
    abut__mesh_rest(mesh, vertex, out);
    for (int d = 0; d < 3; ++d) {
        out[d] -= (double)mesh->origin[d];
    }
}

// Checks a view: pointer, type, stride, alignment, count, and that its end fits in memory.
abut_status abut__positions_check(abut_positions positions, const char* what, abut_error* error);
// A copy in tasks: tightly packed, and checked on the way.
typedef struct abut__copying {
    const abut_context* context;
    abut_positions positions;
    size_t stride;
    size_t size;  // of one packed position
    char* out;
    uint32_t task_count;
    atomic_bool finite;
} abut__copying;
abut__copying abut__copying_make(const abut_context* context, abut_positions positions, void* out);
void abut__copying_run(void* copying, uint32_t index, uint32_t worker);
// Call it after all tasks. Fails if a position is not finite; the error gives `first` + its index.
abut_status abut__copying_end(abut__copying* copying, size_t first, const char* what,
                              abut_error* error);
// Does all of the above: copies positions, tightly packed. Fails if a position is not finite; the
// error gives `first` + its index.
abut_status abut__positions_copy(const abut_context* context, abut_positions positions, void* out,
                                 size_t first, const char* what, abut_error* error);

// Adds a reference to a mesh; abut_mesh_destroy() releases one.
void abut__mesh_hold(const abut_mesh* mesh);

// Makes a copy of a mesh with finer classes, each given by its lowest vertex. The copy stores the
// coarser ones, too.
abut_status abut__mesh_with_classes(const abut_mesh* mesh, const uint32_t* classes,
                                    const abut_mesh** out, abut_error* error);

// Decides whether two vertices move alike.
typedef struct abut__likeness {
    uint64_t (*hash)(const void* of, uint32_t vertex, uint64_t hash);
    bool (*equal)(const void* of, uint32_t a, uint32_t b);
    const void* of;
} abut__likeness;
// Splits classes so that the vertices of each move alike. Returns a copy with finer classes, or, if
// nothing changes or the classes were not computed, the mesh with one more reference. It starts
// from the classes by rest position, regardless of earlier splits.
abut_status abut__mesh_part_classes(const abut_mesh* mesh, const abut__likeness* like,
                                    const abut_mesh** parted, abut_error* error);

// Fills mesh->classes[first ..] by equal rest positions. Classes below `first` stay, and a vertex
// equal to an earlier one joins its class.
abut_status abut__mesh_find_classes(abut_mesh* mesh, uint32_t first, abut_error* error);

#endif
