// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Embree's point queries: the distance of a mesh from the nearest of many points.
#ifndef BENCH_POINTS_H
#define BENCH_POINTS_H

#include <stddef.h>
#include <stdint.h>

/// Builds a tree of triangles, with the quality for static ones. The arrays must outlive it; 16
/// bytes beyond the last position may be read.
void* points_embree_create(const float* xyz, uint32_t vertices, const uint32_t* triangles,
                           uint32_t count);
void points_embree_destroy(void* made);
/// Asks for each point in turn, within the distance of the best so far.
double points_embree_nearest(void* made, const float* points, size_t count);

#endif
