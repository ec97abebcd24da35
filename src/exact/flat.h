// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Pairs of triangles in special position: in one plane, or without area.
#ifndef ABUT_EXACT_FLAT_H
#define ABUT_EXACT_FLAT_H

#include <stdbool.h>

// Lexicographic order of points. On a line it is the order along the line (or its opposite), so
// the ends of a triangle without area are its least and its greatest corner.
int abut__compare_points(const double a[3], const double b[3]);

typedef struct abut__segment {
    const double* end[2];  // in lexicographic order; the same for a point
} abut__segment;
abut__segment abut__triangle_ends(const double t[3][3]);

// An axis along which the four points, which lie in one plane, do not all project to one line;
// -1 if they are collinear.
int abut__plane_axis(const double a[3], const double b[3], const double c[3], const double d[3]);

// Do triangles in one plane share a point? Along the axis p projects to an area; q need not have
// one.
bool abut__planar_touch(const double p[3][3], const double q[3][3], int axis);

// Do the triangles share a point? For pairs of which all corners of one, or of both, lie in the
// plane of the other, as the flags say; every plane is one of a triangle without area.
bool abut__flat_touch(const double p[3][3], const double q[3][3], bool q_in_plane, bool p_in_plane);

#endif
