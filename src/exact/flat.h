// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Pairs of triangles in special position: in one plane, or without area.
#ifndef ABUT_EXACT_FLAT_H
#define ABUT_EXACT_FLAT_H

#include <stdbool.h>

// Compares points in lexicographic order. On a line this is the order along the line (or its
// opposite), so the ends of a triangle without area are its least and its greatest corner.
int abut__compare_points(const double a[3], const double b[3]);

typedef struct abut__segment {
    const double* end[2];  // in lexicographic order; equal for a point
} abut__segment;
abut__segment abut__triangle_ends(const double t[3][3]);

// Returns an axis along which four points of one plane do not all project to one line; -1 if they
// are collinear.
int abut__plane_axis(const double a[3], const double b[3], const double c[3], const double d[3]);

// Tells whether triangles in one plane share a point. Along the axis p must project to an area; q
// may project to none.
bool abut__planar_touch(const double p[3][3], const double q[3][3], int axis);

// Tells whether triangles share a point if all corners of one lie in the plane of the other. The
// flags say for which. Any plane through a triangle without area counts as its plane.
bool abut__flat_touch(const double p[3][3], const double q[3][3], bool q_in_plane, bool p_in_plane);

#endif
