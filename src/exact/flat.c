// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Pairs of triangles in special position. Triangles in one plane are projected along an axis that
// is not parallel to the plane, which preserves all incidences, and are separated by the lines of
// their edges.
#include "exact/flat.h"

#include "exact/orient.h"

int abut__compare_points(const double a[3], const double b[3]) {
    for (int k = 0; k < 3; ++k) {
        if (a[k] != b[k]) {
            return a[k] < b[k] ? -1 : 1;
        }
    }
    return 0;
}

abut__segment abut__triangle_ends(const double t[3][3]) {
    abut__segment s = {{t[0], t[0]}};
    for (int i = 1; i < 3; ++i) {
        s.end[0] = abut__compare_points(t[i], s.end[0]) < 0 ? t[i] : s.end[0];
        s.end[1] = abut__compare_points(t[i], s.end[1]) > 0 ? t[i] : s.end[1];
    }
    return s;
}

int abut__plane_axis(const double a[3], const double b[3], const double c[3], const double d[3]) {
    for (int axis = 0; axis < 3; ++axis) {
        if (abut__orient2d(a, b, c, axis) != 0 || abut__orient2d(a, b, d, axis) != 0 ||
            abut__orient2d(c, d, a, axis) != 0) {
            return axis;
        }
    }
    return -1;
}

// Tells whether an edge line of t has all corners of `other` strictly on its outer side. A triangle
// without area has no inner side: it lies on the line, and either side counts as outer.
static bool edge_separates(const double t[3][3], const double other[3][3], int axis) {
    const int turn = abut__orient2d(t[0], t[1], t[2], axis);
    for (int i = 0; i < 3; ++i) {
        const double* from = t[i];
        const double* to = t[(i + 1) % 3];
        const int side = abut__orient2d(from, to, other[0], axis);
        if (side != 0 && side != turn && abut__orient2d(from, to, other[1], axis) == side &&
            abut__orient2d(from, to, other[2], axis) == side) {
            return true;
        }
    }
    return false;
}

// The difference of two convex sets in the plane, one of them with area, is a polygon whose sides
// are parallel to theirs. So if 0 is outside, one of their edges separates them.
bool abut__planar_touch(const double p[3][3], const double q[3][3], int axis) {
    return !edge_separates(p, q, axis) && !edge_separates(q, p, axis);
}

// The triangle t has area, and its plane does not contain the segment.
static bool segment_touches_triangle(abut__segment s, const double t[3][3]) {
    const double* a = s.end[0];
    const double* b = s.end[1];
    const int side_a = abut__orient3d(t[0], t[1], t[2], a);
    const int side_b = abut__orient3d(t[0], t[1], t[2], b);
    if (side_a == side_b) {
        return false;
    }
    int least = 1;
    int greatest = -1;
    for (int i = 0; i < 3; ++i) {
        const int side = abut__orient3d(a, b, t[i], t[(i + 1) % 3]);
        least = side < least ? side : least;
        greatest = side > greatest ? side : greatest;
    }
    return !(least < 0 && greatest > 0);
}

// The ends are ordered, so this is an overlap of intervals.
static bool collinear_touch(abut__segment s, abut__segment t) {
    return abut__compare_points(s.end[0], t.end[1]) <= 0 &&
           abut__compare_points(t.end[0], s.end[1]) <= 0;
}

static bool segments_touch(abut__segment s, abut__segment t) {
    const double* a = s.end[0];
    const double* b = s.end[1];
    const double* c = t.end[0];
    const double* d = t.end[1];
    if (abut__orient3d(a, b, c, d) != 0) {
        return false;
    }
    const int axis = abut__plane_axis(a, b, c, d);
    if (axis < 0) {
        return collinear_touch(s, t);
    }
    // not all on one line, so neither line contains both ends of the other segment
    return abut__orient2d(a, b, c, axis) * abut__orient2d(a, b, d, axis) <= 0 &&
           abut__orient2d(c, d, a, axis) * abut__orient2d(c, d, b, axis) <= 0;
}

bool abut__flat_touch(const double p[3][3], const double q[3][3], bool q_in_plane,
                      bool p_in_plane) {
    const int axis_p = abut__triangle_axis(p);
    if (axis_p >= 0 && q_in_plane) {
        return abut__planar_touch(p, q, axis_p);
    }
    const int axis_q = abut__triangle_axis(q);
    if (axis_q >= 0 && p_in_plane) {
        return abut__planar_touch(q, p, axis_q);
    }
    if (axis_p >= 0) {
        return segment_touches_triangle(abut__triangle_ends(q), p);
    }
    if (axis_q >= 0) {
        return segment_touches_triangle(abut__triangle_ends(p), q);
    }
    return segments_touch(abut__triangle_ends(p), abut__triangle_ends(q));
}
