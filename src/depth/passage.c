// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// When a triangle that is shifted along a direction touches another one: see passage.h.
//
// The differences q - p of two triangles are a convex body; t d lies in it as long as they touch. A line
// enters and leaves a convex body through its faces, and these are q less a corner of p, a corner of q
// less p, and an edge of q less an edge of p: fifteen. The first and the last one met are the ends.
#include "depth/passage.h"

#include <math.h>
#include <stddef.h>

// how far outside of a face, as a part of it, still counts as met: neighbours overlap then
#define SLACK 1e-9

static void subtract(const double a[3], const double b[3], double out[3]) {
    for (int k = 0; k < 3; ++k) {
        out[k] = a[k] - b[k];
    }
}

static void cross(const double a[3], const double b[3], double out[3]) {
    out[0] = a[1] * b[2] - a[2] * b[1];
    out[1] = a[2] * b[0] - a[0] * b[2];
    out[2] = a[0] * b[1] - a[1] * b[0];
}

static double dot(const double a[3], const double b[3]) {
    return (a[0] * b[0] + a[1] * b[1]) + a[2] * b[2];
}

static void take(abut__passage* passage, double t) {
    passage->in = t < passage->in ? t : passage->in;
    passage->out = t > passage->out ? t : passage->out;
}

// Where t d meets origin + r u + s v; r and s are from 0 to 1, and r + s too for a triangle.
static void meet_face(const double origin[3], const double u[3], const double v[3], bool triangle,
                      const double d[3], abut__passage* passage) {
    double normal[3];
    double side[3];
    cross(u, v, normal);
    const double along = dot(normal, d);
    if (along == 0) {
        return;
    }
    // t d = origin + r u + s v: Cramer's rule
    const double t = dot(normal, origin) / along;
    cross(origin, d, side);
    const double r = dot(side, v) / along;
    const double s = -dot(side, u) / along;
    const double most = triangle ? 1 - s : 1;
    if (r >= -SLACK && s >= -SLACK && r <= most + SLACK && s <= 1 + SLACK) {
        take(passage, t);
    }
}

bool abut__passage_of(const double p[3][3], const double q[3][3], const double d[3],
                      abut__passage* passage) {
    *passage = (abut__passage){INFINITY, -INFINITY};
    double edge_p[3][3];
    double edge_q[3][3];
    for (int c = 0; c < 3; ++c) {
        subtract(p[(c + 1) % 3], p[c], edge_p[c]);
        subtract(q[(c + 1) % 3], q[c], edge_q[c]);
    }
    for (int i = 0; i < 3; ++i) {
        double origin[3];
        double back[2][3];
        subtract(q[0], p[i], origin);  // q less corner i of p
        double far[3];
        subtract(q[2], q[0], far);
        meet_face(origin, edge_q[0], far, true, d, passage);
        subtract(q[i], p[0], origin);  // corner i of q less p
        subtract(p[0], p[1], back[0]);
        subtract(p[0], p[2], back[1]);
        meet_face(origin, back[0], back[1], true, d, passage);
        for (int k = 0; k < 3; ++k) {  // edge k of q less edge i of p
            double less[3] = {-edge_p[i][0], -edge_p[i][1], -edge_p[i][2]};
            subtract(q[k], p[i], origin);
            meet_face(origin, edge_q[k], less, false, d, passage);
        }
    }
    return passage->in <= passage->out;
}
