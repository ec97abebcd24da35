// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Computes the coordinates of the intersection of two triangles. Tells whether it extends beyond
// the simplex that they share as neighbours in a mesh.
#include <stddef.h>
#include <string.h>

#include "exact/contact.h"
#include "exact/flat.h"
#include "exact/orient.h"
#include "exact/sides.h"
#include "exact/triangles.h"

void abut__triangles_intersection(const double p[3][3], const double q[3][3],
                                  abut__intersection* out) {
    abut__contact contact;
    abut__triangles_contact(p, q, &contact);
    out->count = contact.count;
    for (uint32_t i = 0; i < contact.count; ++i) {
        const abut__contact_point* x = &contact.point[i];
        if (x->corner != NULL) {
            memcpy(out->points[i], x->corner, sizeof out->points[i]);
        } else {
            abut__crossing_round(x, out->points[i]);
        }
    }
}

static bool corner_on_segment(const double x[3], const double a[3], const double b[3]) {
    if (abut__same_point(x, a) || abut__same_point(x, b)) {
        return true;
    }
    for (int k = 0; k < 3; ++k) {
        if (x[k] < ABUT__LESSER(a[k], b[k]) || x[k] > ABUT__GREATER(a[k], b[k])) {
            return false;
        }
    }
    return abut__orient2d(a, b, x, 0) == 0 && abut__orient2d(a, b, x, 1) == 0 &&
           abut__orient2d(a, b, x, 2) == 0;
}

// Tells whether t meets a plane only in corners that are in the mask of p. `sides` are the sides of
// t's corners about the plane. If t is on one side, it meets the plane in the simplex of its
// corners with side 0.
static bool only_simplex_on_plane(const double t[3][3], const int sides[3], const double p[3][3],
                                  uint32_t mask) {
    int side = 0;
    for (int i = 0; i < 3; ++i) {
        if (sides[i] != 0) {
            if (sides[i] * side < 0) {
                return false;
            }
            side = sides[i];
            continue;
        }
        const bool shared = ((mask & 1) != 0 && abut__same_point(t[i], p[0])) ||
                            ((mask & 2) != 0 && abut__same_point(t[i], p[1])) ||
                            ((mask & 4) != 0 && abut__same_point(t[i], p[2]));
        if (!shared) {
            return false;
        }
    }
    return side != 0;
}

bool abut__triangles_overlap_beyond(const double p[3][3], const double q[3][3], uint32_t shared_p) {
    if (shared_p == 7) {
        return false;  // p contains the whole intersection
    }
    const double bound = abut__pair_bound(p, q);
    if (bound < 0.0) {
        return false;
    }
    if (bound > 0.0) {  // decides neighbours in general position
        int sides[3];
        abut__plane_sides(q, p, bound, sides);
        if (only_simplex_on_plane(p, sides, p, shared_p)) {
            return false;
        }
        abut__plane_sides(p, q, bound, sides);
        if (only_simplex_on_plane(q, sides, p, shared_p)) {
            return false;
        }
    }
    const double* a = (shared_p & 1) != 0 ? p[0] : (shared_p & 2) != 0 ? p[1] : p[2];
    const double* b = (shared_p & 4) != 0 ? p[2] : (shared_p & 2) != 0 ? p[1] : p[0];
    abut__contact contact;
    abut__triangles_contact(p, q, &contact);
    if (contact.count > (a == b ? 1U : 2U)) {
        return true;  // more than a point or a segment can have
    }
    for (uint32_t i = 0; i < contact.count; ++i) {
        const abut__contact_point* x = &contact.point[i];
        if (x->corner != NULL ? !corner_on_segment(x->corner, a, b)
                              : !abut__crossing_on_segment(x, a, b)) {
            return true;
        }
    }
    return false;
}
