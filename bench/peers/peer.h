// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// The interface of every library that is measured, abut included: bodies of triangles, new
// positions each frame, and three queries. Answers are appended in any order; the benchmark sorts
// and compares them while the clock is stopped.
#ifndef BENCH_PEER_H
#define BENCH_PEER_H

#include <abut/query.h>

#ifdef __cplusplus
extern "C" {
#endif

/// One body. The arrays outlive the peer.
typedef struct peer_mesh {
    uint32_t vertex_count;
    uint32_t triangle_count;
    const uint32_t* triangles;  ///< 3 vertex indices per triangle
    const uint32_t* classes;    ///< one per vertex; triangles that share a class are neighbours
    const float* rest;          ///< xyz of every vertex; 16 bytes beyond the last may be read
    bool moves;                 ///< false: all frames have the positions `rest`
} peer_mesh;

/// Pairs that touch: body_a < body_b, or body_a == body_b and triangle_a < triangle_b.
typedef struct peer_pairs {
    abut_pair* pairs;
    size_t count;
    size_t room;
} peer_pairs;

/// Appends a pair. Ends the process if memory runs out.
void peer_add(peer_pairs* out, uint32_t body_a, uint32_t triangle_a, uint32_t body_b,
              uint32_t triangle_b);
/// The same for many pairs.
void peer_add_all(peer_pairs* out, const abut_pair* pairs, size_t count);

/// A library in one way of use. NULL functions are not supported.
typedef struct peer_kind {
    const char* name;
    void* (*create)(const peer_mesh* meshes, uint32_t count);  ///< NULL: not on this machine
    void (*destroy)(void* peer);
    /// Takes positions of all bodies that move (xyz[body]). They stay valid until the next update,
    /// and 16 bytes beyond the last may be read.
    void (*update)(void* peer, const float* const* xyz);
    void (*collide)(void* peer, peer_pairs* out);      ///< between bodies
    void (*self)(void* peer, peer_pairs* out);         ///< within body 0, without neighbours
    void (*build)(void* peer);                         ///< rebuilds the tree of body 0
    void (*box)(void* peer, double lo_hi[6]);          ///< of body 0, from its tree
    void (*counters)(void* peer, abut_counters* out);  ///< of the last query
} peer_kind;

/// The kind of this name; NULL if it is not built in.
const peer_kind* peer_find(const char* name);

/// Returns whether two triangles of a mesh share a class.
static inline bool peer_neighbours(const peer_mesh* mesh, uint32_t a, uint32_t b) {
    const uint32_t* p = mesh->triangles + 3 * (size_t)a;
    const uint32_t* q = mesh->triangles + 3 * (size_t)b;
    for (int i = 0; i < 3; ++i) {
        const uint32_t c = mesh->classes[p[i]];
        if (c == mesh->classes[q[0]] || c == mesh->classes[q[1]] || c == mesh->classes[q[2]]) {
            return true;
        }
    }
    return false;
}

/// Returns whether two boxes (lo, then hi) share a point.
static inline bool peer_boxes_touch(const double a[6], const double b[6]) {
    return a[0] <= b[3] && b[0] <= a[3] && a[1] <= b[4] && b[1] <= a[4] && a[2] <= b[5] &&
           b[2] <= a[5];
}

#ifdef __cplusplus
}
#endif

#endif
