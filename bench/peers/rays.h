// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Embree's rays: the first triangle of a mesh that each ray meets.
#ifndef BENCH_PEER_RAYS_H
#define BENCH_PEER_RAYS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// The ways in which Embree takes rays.
typedef enum rays_way {
    RAYS_SINGLE,   ///< one at a time
    RAYS_PACKETS,  ///< sixteen at a time
    RAYS_STREAM,   ///< 256 at a time
    RAYS_WAYS,
} rays_way;

/// Rays in float, xyz each, from 0 to infinity.
typedef struct rays_batch {
    const float* origins;
    const float* directions;
    size_t count;
    bool coherent;  ///< neighbours go about the same way
} rays_batch;

#define RAYS_NONE UINT32_MAX

/// Builds a tree of triangles: with the quality for static ones, or to be refitted. The arrays must
/// outlive it; 16 bytes beyond the last position may be read.
void* rays_embree_create(const float* xyz, uint32_t vertices, const uint32_t* triangles,
                         uint32_t count, bool robust, bool refits);
void rays_embree_destroy(void* made);
/// Refits it to other positions.
void rays_embree_update(void* made, const float* xyz);
/// Finds the triangle that each ray meets first, or RAYS_NONE, and where.
void rays_embree_cast(void* made, rays_way way, const rays_batch* rays, uint32_t* triangles,
                      float* t);

#endif
