// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Cheap bounds on the distance of two sites, in cells: from below and from above. Both are for all
// rounding, given the pad of the sites.
#ifndef ABUT_VORONOI_GAPS_H
#define ABUT_VORONOI_GAPS_H

#include <math.h>

#include "voronoi/sites.h"

// The distance of two boxes.
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

// How far two triangles are apart along a direction, at least; below 0 if they are not.
static inline float abut__gap_along(const abut__site* a, const abut__site* b, const float n[3]) {
    float low[2] = {INFINITY, INFINITY};
    float high[2] = {-INFINITY, -INFINITY};
    for (int side = 0; side < 2; ++side) {
        const abut__site* s = side == 0 ? a : b;
        for (int c = 0; c < 3; ++c) {
            // from a corner of a: small numbers
            float at = 0;
            for (int d = 0; d < 3; ++d) {
                at += n[d] * (s->corner[c][d] - a->corner[0][d]);
            }
            low[side] = at < low[side] ? at : low[side];
            high[side] = at > high[side] ? at : high[side];
        }
    }
    const float below = low[1] - high[0];
    const float above = low[0] - high[1];
    const float gap = below > above ? below : above;
    const float length = sqrtf(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
    return length > 0 ? gap / length * (1 - 0x1p-18f) : 0;
}

static inline void abut__site_normal(const abut__site* s, float n[3]) {
    for (int d = 0; d < 3; ++d) {
        const int e = (d + 1) % 3;
        const int f = (d + 2) % 3;
        n[d] = (s->corner[1][e] - s->corner[0][e]) * (s->corner[2][f] - s->corner[0][f]) -
               (s->corner[1][f] - s->corner[0][f]) * (s->corner[2][e] - s->corner[0][e]);
    }
}

// Never more than the distance of two triangles whose boxes are `least` apart: their gap along the
// line between their middles, and along their normals.
static inline float abut__site_gap(const abut__sites* sites, const abut__site* a,
                                   const abut__site* b, float least) {
    float n[3][3];
    float best = least;
    for (int d = 0; d < 3; ++d) {
        n[0][d] = (b->corner[0][d] + b->corner[1][d] + b->corner[2][d]) -
                  (a->corner[0][d] + a->corner[1][d] + a->corner[2][d]);
    }
    abut__site_normal(a, n[1]);
    abut__site_normal(b, n[2]);
    for (int i = 0; i < 3; ++i) {
        const float gap = abut__gap_along(a, b, n[i]);
        best = gap > best ? gap : best;
    }
    return best - 2 * sites->pad;
}

// Never less than the distance of two triangles: that of their nearest corners.
static inline float abut__site_above(const abut__sites* sites, const abut__site* a,
                                     const abut__site* b) {
    float least = INFINITY;
    for (int i = 0; i < 3; ++i) {
        for (int k = 0; k < 3; ++k) {
            float square = 0;
            for (int d = 0; d < 3; ++d) {
                const float step = a->corner[i][d] - b->corner[k][d];
                square += step * step;
            }
            least = square < least ? square : least;
        }
    }
    return sqrtf(least) * (1 + 0x1p-18f) + 2 * sites->pad;
}

#endif
