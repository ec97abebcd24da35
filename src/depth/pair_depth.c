// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Penetration depth of two triangles, and the lower bound of depth within one body. The differences
// of the points of two triangles that touch form a convex polytope that contains the origin. While
// a translation lies in it, too, they touch. So the distance from the origin to its boundary is a
// bound: the minimum over the normals of its faces (see shift_interval.c). A region's bound is the
// maximum over its pairs.
#include <math.h>

#include "base/vec3.h"
#include "depth/depth.h"

// Sines of the angle of two edges. Below the first they count as parallel: a corner is then off by
// less than the pad below. Below the second their cross product is too inaccurate, and the depth is
// undefined.
#define PARALLEL 0x1p-40
#define ROUGH 0x1p-26

static void extent(const double t[3][3], const double n[3], double* low, double* high) {
    *low = INFINITY;
    *high = -INFINITY;
    for (int c = 0; c < 3; ++c) {
        const double along = abut__dot3(t[c], n);
        *low = along < *low ? along : *low;
        *high = along > *high ? along : *high;
    }
}

// returns the lesser of the depths along a direction and against it
static abut__pair_depth least_along(const double p[3][3], const double q[3][3], const double n[3]) {
    double low[2];
    double high[2];
    extent(p, n, &low[0], &high[0]);
    extent(q, n, &low[1], &high[1]);
    const double ahead = high[1] - low[0];
    const double behind = high[0] - low[1];
    const double length = ahead < behind ? sqrt(abut__dot3(n, n)) : -sqrt(abut__dot3(n, n));
    return (abut__pair_depth){(ahead < behind ? ahead : -behind) / length,
                              {n[0] / length, n[1] / length, n[2] / length}};
}

// Lowers the bound by the faces that two edges span. False: the edges are too nearly parallel.
static bool lower_by(const double p[3][3], const double q[3][3], const double u[3],
                     const double v[3], abut__pair_depth* bound) {
    double n[3];
    abut__cross3(u, v, n);
    const double square = abut__dot3(n, n);
    const double sizes = abut__dot3(u, u) * abut__dot3(v, v);
    if (square <= PARALLEL * PARALLEL * sizes) {
        return true;
    }
    const abut__pair_depth now = least_along(p, q, n);
    *bound = now.length < bound->length ? now : *bound;
    return square > ROUGH * ROUGH * sizes;
}

abut__pair_depth abut__pair_depth_of(const double p[3][3], const double q[3][3]) {
    const abut__pair_depth nothing = {INFINITY, {0, 0, 0}};
    abut__pair_depth bound = nothing;
    double edge[2][3][3];
    bool reliable = true;
    for (int c = 0; c < 3; ++c) {
        abut__subtract3(p[(c + 1) % 3], p[c], edge[0][c]);
        abut__subtract3(q[(c + 1) % 3], q[c], edge[1][c]);
    }
    for (int s = 0; s < 2 && reliable; ++s) {
        abut__pair_depth own = nothing;  // remains so for a needle
        reliable = lower_by(p, q, edge[s][0], edge[s][1], &own) && own.length < INFINITY;
        bound = own.length < bound.length ? own : bound;
    }
    for (int k = 0; k < 9 && reliable; ++k) {
        reliable = lower_by(p, q, edge[0][k / 3], edge[1][k % 3], &bound);
    }
    return reliable ? bound : (abut__pair_depth){0, {0, 0, 0}};
}

static void corners_of(const abut__depth_side* side, uint32_t triangle, double out[3][3]) {
    const abut__depth_triangle* t = &side->triangles.data[abut__depth_number(side, triangle)];
    for (int c = 0; c < 3; ++c) {
        memcpy(out[c], side->vertices.data[t->corner[c]].p, sizeof out[c]);
    }
}

void abut__attempt_raise_lower_self(const abut__attempt* a) {
    const abut_depth_result* depths = a->depths;
    const abut_pair* pairs = depths->oriented_pairs.data;
    size_t count;
    const uint32_t* numbers = abut__depths_pairs_of(depths, a->trial.region, &count);
    for (size_t i = 0; i < count; ++i) {
        double p[3][3];
        double q[3][3];
        corners_of(&depths->regions.side[0], pairs[numbers[i]].triangle_a, p);
        corners_of(&depths->regions.side[1], pairs[numbers[i]].triangle_b, q);
        // the pad is more than the rounding error of the whole computation
        const double bound =
            abut__pair_depth_of((const double(*)[3])p, (const double(*)[3])q).length -
            0x1p-24 * a->scale;
        a->region->lower = bound > a->region->lower ? bound : a->region->lower;
    }
}
