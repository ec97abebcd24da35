// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Penetration as reported by peers: a translation of the first mesh that should separate two.
#ifndef BENCH_PEERS_VECTOR_H
#define BENCH_PEERS_VECTOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct vector_mesh {
    const double* xyz;
    const uint32_t* triangles;
    size_t vertex_count;
    size_t triangle_count;
} vector_mesh;

/// Returns the normal of the deepest contact times its depth; false: there is none.
bool vector_fcl(const vector_mesh* a, const vector_mesh* b, double out[3]);
bool vector_bullet(const vector_mesh* a, const vector_mesh* b, double out[3]);

#ifdef __cplusplus
}
#endif

#endif
