// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Exact questions about one pair of triangles.
#ifndef ABUT_EXACT_H
#define ABUT_EXACT_H

#include <stdbool.h>
#include <stdint.h>

#include "base.h"

ABUT_EXTERN_C_BEGIN

/// What two triangles share: nothing (`count` 0), a point (1), a segment (2) or a convex polygon
/// (3 to 6). The points are the corners of that set, each once; those of a polygon are in order
/// around it.
///
/// `count` is exact; entries of `point` past it are not written. A point that is a corner of one of
/// the triangles has that corner's bits. Every other one lies where an edge crosses the other
/// triangle; each of its coordinates lies within the edge's own and differs from the exact value by
/// at most 2^-50 times the extent of both triangles along that axis plus one unit in its last
/// place. So two points that are distinct may be equal once rounded.
typedef struct abut_intersection {
    uint32_t count;
    double point[6][3];
} abut_intersection;

/// Tells whether two triangles share at least one point, and on request what they share.
///
/// `p` and `q` are three corners each. A triangle is closed and has two sides; one without area is
/// the segment or the point that its corners span. The answer is exact for all finite values of
/// the corners, of whatever magnitudes, and depends on neither the order of corners nor that of
/// triangles.
///
/// `touch` receives the answer. `shared` receives what they share; it may be NULL.
/// Returns ABUT_ERR_INVALID_ARGUMENT, and writes nothing, if a coordinate is not finite or another
/// pointer is NULL. Allocates nothing, uses less than 128 KB of stack, safe on many threads.
ABUT_API abut_status abut_triangles_touch(const double p[3][3], const double q[3][3], bool* touch,
                                          abut_intersection* shared);

/// Tells whether the distance of two triangles is at most `margin`.
///
/// Corners are as in abut_triangles_touch. The answer is exact: a distance equal to `margin`
/// counts, and with a margin of 0 the question is whether they touch.
///
/// `margin` must be finite and >= 0. `within` receives the answer.
/// Returns ABUT_ERR_INVALID_ARGUMENT, and writes nothing, if `margin` or a coordinate is not as
/// described or a pointer is NULL. Allocates nothing, uses less than 128 KB of stack, safe on many
/// threads.
ABUT_API abut_status abut_triangles_within(const double p[3][3], const double q[3][3],
                                           double margin, bool* within);

ABUT_EXTERN_C_END

#endif
