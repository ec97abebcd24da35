// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Embree's point queries: the distance of a mesh from the nearest of many points.
#ifndef BENCH_POINTS_H
#define BENCH_POINTS_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Builds a tree of triangles, with the quality for static ones. The arrays must outlive it; 16
/// bytes beyond the last position may be read.
void* points_embree_create(const float* xyz, uint32_t vertices, const uint32_t* triangles,
                           uint32_t count);
void points_embree_destroy(void* made);
/// Asks for each point in turn, within the distance of the best so far.
double points_embree_nearest(void* made, const float* points, size_t count);
/// Asks for the distance of each point.
void points_embree_each(void* made, const float* points, size_t count, float* distances);

/// How Embree follows new positions.
typedef enum points_way { POINTS_REFIT, POINTS_MORTON, POINTS_WAYS } points_way;
/// Builds a tree that points_embree_update() follows new positions with: those in the same array.
void* points_embree_create_moving(const float* xyz, uint32_t vertices, const uint32_t* triangles,
                                  uint32_t count, points_way way);
void points_embree_update(void* made);

/// CGAL: an AABB tree for distances, and a point's side of a closed mesh; numbers are double.
void* points_cgal_create(const double* xyz, uint32_t vertices, const uint32_t* triangles,
                         uint32_t count);
void points_cgal_destroy(void* made);
void points_cgal_each(void* made, const double* points, size_t count, double* distances);
/// 1: inside, 0: outside, -1: on the surface.
void points_cgal_sides(void* made, const double* points, size_t count, signed char* sides);

#ifdef __cplusplus
}
#endif

#endif
