// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Writes GLB files: meshes with morph targets, and one animation of their weights.
#ifndef IO_GLTF_WRITE_H
#define IO_GLTF_WRITE_H

#include "io/error.h"

#include <stdint.h>

/// A mesh, shown by a node of its own.
typedef struct io_gltf_mesh {
    const char* name;
    const float* positions;
    size_t vertex_count;
    const uint32_t* triangles;
    size_t triangle_count;
    size_t target_count;
    const float* targets;             ///< displacements, target after target
    const char* const* target_names;  ///< or NULL
    const float* weights;             ///< of the targets, frame after frame
} io_gltf_mesh;

/// Writes the meshes with an animation of `frame_count` frames (1: no animation). False with the
/// reason in `error`.
bool io_write_glb(const char* path, const io_gltf_mesh* meshes, size_t count, size_t frame_count,
                  double fps, io_error* error);

#endif
