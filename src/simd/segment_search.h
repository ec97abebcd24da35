// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// The search for the closest points of two segments in plain doubles, written once for one pair
// (exact/segment_distance.c) and for lanes of pairs (simd/kernels/segments_kernel.c). It takes its
// parts, the scaling and the error bounds from distance_search.h, of which this is the case of two
// triangles that are edges.
//
// Slabs along the difference of the points and along the normal of both segments prove the
// distance, as they do for triangles.
#ifndef ABUT_SIMD_SEGMENT_SEARCH_H
#define ABUT_SIMD_SEGMENT_SEARCH_H

#include "simd/distance_search.h"

// Returns at most 0 if the segments are at least `width` apart along an axis. `e` is the edge of p,
// `w` the vectors from its first end to those of q.
static inline number segments_deficit(const number e[3], const number w[2][3], const number axis[3],
                                      number width) {
    const number p1 = product(axis, e);
    const number q0 = product(axis, w[0]);
    const number q1 = product(axis, w[1]);
    const number above = least(q0, q1) - greatest(p1, (number){0});
    const number below = least(p1, (number){0}) - greatest(q0, q1);
    return gap_deficit(above, below, axis, width);
}

// Finds the closest points of two scaled segments and returns their distance; s and t are the
// weights of their second ends. If `doubt` is at most 0, the distance is correct and the segments
// share no point.
static inline number search_segments(const number p[2][3], const number q[2][3],
                                     closest_points* best, number* doubt) {
    number e[3];
    number f[3];
    number w[2][3];
    for (int k = 0; k < 3; ++k) {
        e[k] = p[1][k] - p[0][k];
        f[k] = q[1][k] - q[0][k];
        w[0][k] = q[0][k] - p[0][k];
        w[1][k] = q[1][k] - p[0][k];
    }
    best->square = (number){0} + INFINITY;
    best->s = best->t = best->feature = (number){0};
    for (int k = 0; k < 3; ++k) {
        best->difference[k] = best->u[k] = best->v[k] = (number){0};
    }
    search_edges(e, f, w[0], 1.0 / product(e, e), 1.0 / product(f, f), 0, best);
    const number distance = root(best->square);
    const number width = distance - ABUT__DISTANCE_SLACK;
    number axis[3];
    number normal[3];
    refine_axis(best, axis);
    cross_product(e, f, normal);
    const number deficit = least(segments_deficit(e, (const number(*)[3])w, axis, width),
                                 segments_deficit(e, (const number(*)[3])w, normal, width));
    *doubt = greatest(deficit, ABUT__DISTANCE_LEAST - distance);
    return distance;
}

#endif
