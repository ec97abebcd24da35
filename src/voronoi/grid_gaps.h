// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Cheap lower and upper bounds of the distance of two sites, in cells. Both cover all rounding
// errors, given the pad of the sites, which is 2^-21 of the number of cells: points of triangles
// are off by a few 2^-24 of their coordinates.
#ifndef ABUT_VORONOI_GRID_GAPS_H
#define ABUT_VORONOI_GRID_GAPS_H

#include <math.h>
#include <string.h>

#include "voronoi/sites.h"

// Returns the distance of two boxes.
static inline float abut__box_gap(const float lo_a[3], const float hi_a[3], const float lo_b[3],
                                  const float hi_b[3]) {
    float square = 0;
    for (int d = 0; d < 3; ++d) {
        const float below = lo_b[d] - hi_a[d];
        const float above = lo_a[d] - hi_b[d];
        const float gap = below > above ? below : above;
        square += gap > 0 ? gap * gap : 0;
    }
    return sqrtf(square);
}

// Returns a lower bound of the distance of two triangles along a direction; 0 or less if they
// overlap. Rounding: a product with a difference, summed over three axes, is off by at most 4 of
// 2^-24 of the sum of magnitudes, and a gap contains two such sums.
static inline float abut__gap_along(const abut__site* a, const abut__site* b, const float n[3]) {
    float low[2] = {INFINITY, INFINITY};
    float high[2] = {-INFINITY, -INFINITY};
    float most = 0;
    for (int side = 0; side < 2; ++side) {
        const abut__site* s = side == 0 ? a : b;
        for (int c = 0; c < 3; ++c) {
            // Relative to a corner of a, so that numbers are small.
            float at = 0;
            float size = 0;
            for (int d = 0; d < 3; ++d) {
                const float part = n[d] * (s->corner[c][d] - a->corner[0][d]);
                at += part;
                size += fabsf(part);
            }
            low[side] = at < low[side] ? at : low[side];
            high[side] = at > high[side] ? at : high[side];
            most = size > most ? size : most;
        }
    }
    const float below = low[1] - high[0];
    const float above = low[0] - high[1];
    const float gap = (below > above ? below : above) - 0x1p-20f * most;
    const float square = n[0] * n[0] + n[1] * n[1] + n[2] * n[2];
    // A shorter direction gives no bound.
    return square > 0x1p-60f ? gap / sqrtf(square) * (1 - 0x1p-18f) : 0;
}

// How often bounds go from point to nearest point and back. More makes them tighter.
#define ABUT__SITE_TURNS 3

// Moves `out` to the projection of the point if that is inside the triangle.
static inline void abut__site_inside(const abut__site* s, const float p[3], float out[3]) {
    float uu = 0;
    float uv = 0;
    float vv = 0;
    float pu = 0;
    float pv = 0;
    for (int d = 0; d < 3; ++d) {
        const float u = s->corner[1][d] - s->corner[0][d];
        const float v = s->corner[2][d] - s->corner[0][d];
        const float x = p[d] - s->corner[0][d];
        uu += u * u;
        uv += u * v;
        vv += v * v;
        pu += x * u;
        pv += x * v;
    }
    const float whole = uu * vv - uv * uv;
    const float first = vv * pu - uv * pv;
    const float second = uu * pv - uv * pu;
    if (whole > 0 && first > 0 && second > 0 && first + second < whole) {
        for (int d = 0; d < 3; ++d) {
            out[d] = s->corner[0][d] + first / whole * (s->corner[1][d] - s->corner[0][d]) +
                     second / whole * (s->corner[2][d] - s->corner[0][d]);
        }
    }
}

// Computes a point of a triangle that is approximately nearest to a point.
static inline void abut__site_nearest(const abut__site* s, const float p[3], float out[3]) {
    float least = INFINITY;
    for (int c = 0; c < 3; ++c) {
        const float* a = s->corner[c];
        const float* b = s->corner[(c + 1) % 3];
        float along = 0;
        float length = 0;
        for (int d = 0; d < 3; ++d) {
            along += (p[d] - a[d]) * (b[d] - a[d]);
            length += (b[d] - a[d]) * (b[d] - a[d]);
        }
        float part = length > 0 ? along / length : 0;
        part = part < 0 ? 0 : part > 1 ? 1 : part;
        float at[3];
        float square = 0;
        for (int d = 0; d < 3; ++d) {
            at[d] = a[d] + part * (b[d] - a[d]);
            square += (p[d] - at[d]) * (p[d] - at[d]);
        }
        if (square < least) {
            least = square;
            memcpy(out, at, sizeof at);
        }
    }
    abut__site_inside(s, p, out);
}

static inline float abut__point_gap(const float p[3], const float q[3]) {
    float square = 0;
    for (int d = 0; d < 3; ++d) {
        square += (p[d] - q[d]) * (p[d] - q[d]);
    }
    return sqrtf(square);
}

// Bounds the distance of two triangles whose boxes are `least` apart. Alternating projections give
// a segment between them: its length is an upper bound, and the gap along it a lower bound. Ends as
// soon as the lower bound exceeds `reach`.
typedef struct abut__site_bounds {
    float below;
    float above;
} abut__site_bounds;
static inline abut__site_bounds abut__site_bound(const abut__sites* sites, const abut__site* a,
                                                 const abut__site* b, float least, float reach) {
    const float slack = 2 * sites->pad;
    abut__site_bounds bounds = {least - slack, INFINITY};
    float p[3];
    float q[3];
    float n[3];
    for (int d = 0; d < 3; ++d) {
        p[d] = (a->corner[0][d] + a->corner[1][d] + a->corner[2][d]) * (1.0f / 3);
    }
    for (int turn = 0; turn < ABUT__SITE_TURNS && bounds.below <= reach; ++turn) {
        abut__site_nearest(b, p, q);
        abut__site_nearest(a, q, p);
        for (int d = 0; d < 3; ++d) {
            n[d] = q[d] - p[d];
        }
        const float above = abut__point_gap(p, q) * (1 + 0x1p-18f) + slack;
        const float below = abut__gap_along(a, b, n) - slack;
        bounds.above = above < bounds.above ? above : bounds.above;
        bounds.below = below > bounds.below ? below : bounds.below;
    }
    return bounds;
}

#endif
