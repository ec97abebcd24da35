// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// The search for the point of a triangle that is closest to a point, in plain doubles, written once
// for one pair (exact/point_distance.c) and for lanes of pairs (simd/kernels/closest_kernel.c). It
// takes its parts, the scaling and the error bounds from distance_search.h, of which this is the
// case of a second triangle without extent.
//
// Three edges, which include the corners, and the face give four points of the triangle. At a
// corner the difference is that of the coordinates, so that all triangles around a vertex have the
// same distance, bit for bit. Slabs prove the distance as they do for two triangles.
#ifndef ABUT_SIMD_POINT_SEARCH_H
#define ABUT_SIMD_POINT_SEARCH_H

#include "simd/distance_search.h"

// numbers of features: edges 0 to 2, with the weight s of the second corner, and
#define ABUT__POINT_FACE 3.0  // the face, with weights s and t of the second and third corner

// Tries the edge from a corner to the next one; w and w_next are the vectors from them to the point.
static inline void search_edge(const number e[3], const number w[3], const number w_next[3],
                               double feature, closest_points* best) {
    const number zero = (number){0};
    const number s = clamp_to_unit(product(w, e) / product(e, e));
    number difference[3];
    for (int k = 0; k < 3; ++k) {
        const number inside = w[k] - s * e[k];
        difference[k] = pick_less(s, zero + 1.0, pick_less(zero, s, inside, w[k]), w_next[k]);
    }
    const number none[3] = {zero, zero, zero};
    take_closer(best, product(difference, difference), difference, e, none, s, zero, feature);
}

// Finds the closest point of a scaled triangle and returns its distance. If `doubt` is at most 0,
// the distance is correct and the point is not on the triangle.
static inline number search_point(const number t[3][3], const number x[3], closest_points* best,
                                  number* doubt) {
    number e[3][3];
    number w[3][3];
    for (int i = 0; i < 3; ++i) {
        for (int k = 0; k < 3; ++k) {
            e[i][k] = t[(i + 1) % 3][k] - t[i][k];
            w[i][k] = x[k] - t[i][k];
        }
    }
    best->square = (number){0} + INFINITY;
    best->s = best->t = best->feature = (number){0};
    for (int k = 0; k < 3; ++k) {
        best->difference[k] = best->u[k] = best->v[k] = (number){0};
    }
    for (int i = 0; i < 3; ++i) {
        search_edge(e[i], w[i], w[(i + 1) % 3], i, best);
    }
    const search_face face = prepare_face(e[0], e[2]);
    search_corner(&face, w[0], 1.0, ABUT__POINT_FACE, best);
    const number distance = root(best->square);
    const number width = distance - ABUT__DISTANCE_SLACK;
    number axis[3];
    refine_axis(best, axis);
    number ends[3][3];
    for (int k = 0; k < 3; ++k) {
        ends[0][k] = ends[1][k] = ends[2][k] = w[0][k];
    }
    const number deficit = least(slab_deficit(e, (const number(*)[3])ends, axis, width),
                                 slab_deficit(e, (const number(*)[3])ends, face.normal, width));
    *doubt = greatest(deficit, ABUT__DISTANCE_LEAST - distance);
    return distance;
}

#endif
