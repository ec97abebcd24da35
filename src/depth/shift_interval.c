// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Computes the shifts of a triangle along a direction for which it touches another one.
//
// The differences q - p of the points of two triangles form a convex polytope; they touch while t d
// lies in it. A line enters and leaves a convex polytope through its faces. These are q minus a
// corner of p, a corner of q minus p, and an edge of q minus an edge of p: fifteen. The first and
// the last intersection are the ends.
#include "depth/shift_interval.h"

#include "base/vec3.h"

#include <math.h>
#include <stddef.h>

// how far outside of a face, relative to its size, a line still meets it, so that neighbours
// overlap
#define SLACK 1e-9

static void take(abut__shift_interval* interval, double t) {
    interval->enter = t < interval->enter ? t : interval->enter;
    interval->leave = t > interval->leave ? t : interval->leave;
}

// Where t d meets origin + r u + s v; r and s are from 0 to 1, and r + s too for a triangle.
static void meet_face(const double origin[3], const double u[3], const double v[3], bool triangle,
                      const double d[3], abut__shift_interval* interval) {
    double normal[3];
    double side[3];
    abut__cross3(u, v, normal);
    const double along = abut__dot3(normal, d);
    if (along == 0) {
        return;
    }
    // t d = origin + r u + s v: Cramer's rule
    const double t = abut__dot3(normal, origin) / along;
    abut__cross3(origin, d, side);
    const double r = abut__dot3(side, v) / along;
    const double s = -abut__dot3(side, u) / along;
    const double most = triangle ? 1 - s : 1;
    if (r >= -SLACK && s >= -SLACK && r <= most + SLACK && s <= 1 + SLACK) {
        take(interval, t);
    }
}

bool abut__shift_interval_of(const double p[3][3], const double q[3][3], const double d[3],
                             abut__shift_interval* interval) {
    *interval = (abut__shift_interval){INFINITY, -INFINITY};
    double edge_p[3][3];
    double edge_q[3][3];
    for (int c = 0; c < 3; ++c) {
        abut__subtract3(p[(c + 1) % 3], p[c], edge_p[c]);
        abut__subtract3(q[(c + 1) % 3], q[c], edge_q[c]);
    }
    for (int i = 0; i < 3; ++i) {
        double origin[3];
        double back[2][3];
        abut__subtract3(q[0], p[i], origin);  // q minus corner i of p
        double far[3];
        abut__subtract3(q[2], q[0], far);
        meet_face(origin, edge_q[0], far, true, d, interval);
        abut__subtract3(q[i], p[0], origin);  // corner i of q minus p
        abut__subtract3(p[0], p[1], back[0]);
        abut__subtract3(p[0], p[2], back[1]);
        meet_face(origin, back[0], back[1], true, d, interval);
        for (int k = 0; k < 3; ++k) {  // edge k of q minus edge i of p
            double less[3] = {-edge_p[i][0], -edge_p[i][1], -edge_p[i][2]};
            abut__subtract3(q[k], p[i], origin);
            meet_face(origin, edge_q[k], less, false, d, interval);
        }
    }
    return interval->enter <= interval->leave;
}
