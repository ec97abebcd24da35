// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Batches that the exact layer passes to kernels: sixteen pairs or eight sweeps at a time.
#ifndef ABUT_SIMD_BATCHES_H
#define ABUT_SIMD_BATCHES_H

#include <stdint.h>

// Sixteen pairs for the batched filters (kernels/triangles_kernel.c): corners p0 p1 p2 q0 q1 q2,
// then axis, then lane. Unused lanes may hold anything, because their results are masked out. Zeros
// are best, because denormals are slow.
typedef struct abut__triangle_batch {
    double corner[6][3][16];
} abut__triangle_batch;

// Bit k of `apart`: pair k is proven to share no point (or to be farther apart than the margin).
// Bit k of `touch`: it is proven to share one. Neither: undecided, use exact/triangles.h.
typedef struct abut__triangle_verdict {
    uint32_t apart;
    uint32_t touch;
} abut__triangle_verdict;

// Sixteen pairs of triangles whose corners move on segments: end, corner (p0 p1 p2 q0 q1 q2), axis,
// lane. A distance of a lane is `distance`, and `relative` of the greatest coordinate of a corner at
// either end relative to p0 at the start.
typedef struct abut__path_batch {
    double corner[2][6][3][16];
    double distance[16];
    double relative[16];
} abut__path_batch;

// Sixteen distances and their closest points. Bit k of `open`: pair k is undecided and needs
// abut__triangles_distance() (exact/distance.h); its other values are meaningless.
typedef struct abut__distances {
    double distance[16];
    double s[16];
    double t[16];
    double feature[16];
    uint32_t open;
} abut__distances;

// Sixteen pairs of a triangle and a point: corners, axis, lane. The distances of such pairs are
// `open` if they need abut__point_distance_open() (exact/point_distance.h).
typedef struct abut__point_batch {
    double corner[3][3][16];
    double point[3][16];
} abut__point_batch;

// Sixteen pairs of segments: ends p0 p1 q0 q1, axis, lane. The distances of such pairs are `open` if
// they need abut__segments_distance_open() (exact/segment_distance.h); `feature` is not set.
typedef struct abut__segment_batch {
    double end[4][3][16];
} abut__segment_batch;

// Sixteen triangles and one point in float.
typedef struct abut__point_lanes {
    float corner[3][3][16];
    float point[3];
} abut__point_lanes;

// Sixteen pairs of a triangle and a point in float.
typedef struct abut__point_pairs {
    _Alignas(64) float corner[3][3][16];
    float point[3][16];
} abut__point_pairs;

// The number of sweeps per call of the filter. Bit i of its result: sweep i is proven to have no
// contact.
#define ABUT__SWEEP_LANES 8

#endif
