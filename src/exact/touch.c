// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Tells whether two triangles share a point. Compares boxes, then the sides of each triangle's
// corners about the plane of the other, then the order of four points on the line where the planes
// cross. It uses only signs of orientations, with one error bound: that of the box around both.
//
// Based on: Guigue, Devillers, "Fast and Robust Triangle-Triangle Overlap Test Using Orientation
// Predicates", Journal of Graphics Tools 8 (2003).
#include <math.h>

#include "exact/flat.h"
#include "exact/orient.h"
#include "exact/sides.h"
#include "exact/triangles.h"

// Planes that cross in a line: two intervals on it, see abut__arrange().
static bool crossing_touch(const double p[3][3], const double q[3][3], const int sides_p[3],
                           const int sides_q[3], double bound) {
    int i[3];
    int j[3];
    abut__arrange(sides_p, sides_q, i, j);
    const double first = abut__pair_determinant(p[i[0]], p[i[1]], q[j[0]], q[j[1]]);
    const double last = abut__pair_determinant(p[i[0]], p[i[2]], q[j[0]], q[j[2]]);
    if (fabs(first) > bound && fabs(last) > bound) {
        return (first < 0.0) & (last > 0.0);
    }
    if (first > bound || last < -bound) {
        return false;
    }
    return abut__orient3d_bounded(p[i[0]], p[i[1]], q[j[0]], q[j[1]], bound) <= 0 &&
           abut__orient3d_bounded(p[i[0]], p[i[2]], q[j[0]], q[j[2]], bound) >= 0;
}

bool abut__triangles_touch(const double p[3][3], const double q[3][3]) {
    const double bound = abut__pair_bound(p, q);
    if (bound < 0.0) {
        return false;
    }
    if (bound == 0.0) {
        return abut__flat_touch(p, q, true, true);
    }
    int sides_q[3];
    int sides_p[3];
    abut__plane_sides_filter(p, q, bound, sides_q);
    abut__plane_sides_filter(q, p, bound, sides_p);
    const int apart = abut__one_side(sides_q) + abut__one_side(sides_p);  // one branch for both
    if (apart != 0) {
        return false;
    }
    abut__plane_sides_exact(p, q, sides_q);
    if (abut__one_side(sides_q)) {
        return false;
    }
    if (abut__all_zero(sides_q)) {  // coplanar if p has area: the other sides are not needed
        const int axis = abut__triangle_axis(p);
        if (axis >= 0) {
            return abut__planar_touch(p, q, axis);
        }
    }
    abut__plane_sides_exact(q, p, sides_p);
    if (abut__one_side(sides_p)) {
        return false;
    }
    if (abut__all_zero(sides_p) || abut__all_zero(sides_q)) {
        return abut__flat_touch(p, q, abut__all_zero(sides_q), abut__all_zero(sides_p));
    }
    return crossing_touch(p, q, sides_p, sides_q, bound);
}
