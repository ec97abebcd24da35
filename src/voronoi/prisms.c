// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Computes a lower bound of the distance of two prisms. For a point of their difference, the
// support point towards the origin gives a gap and leads to a nearer point. Based on: Gilbert, "An
// iterative procedure for computing the minimum of a quadratic form on a convex set" (1966); prisms
// of sweeps are those of Sud, Govindaraju, Gayle, Kabul, Manocha, "Fast Proximity Computation Among
// Deformable Models Using Discrete Voronoi Diagrams" (2006).
#include "voronoi/prisms.h"

#define TURNS 6
#define POINTS 6

typedef struct prism {
    float point[POINTS][3];
} prism;

static prism prism_of(const abut__sites* sites, uint32_t site, const float origin[3]) {
    prism p;
    memcpy(p.point[0], sites->sites.data[site].corner, sizeof(float[9]));
    memcpy(p.point[3], sites->starts.data[site].corner, sizeof(float[9]));
    for (int i = 0; i < 3 * POINTS; ++i) {
        p.point[i / 3][i % 3] -= origin[i % 3];
    }
    return p;
}

// The corner of a prism that is farthest along a direction.
typedef struct farthest {
    int corner;
    float at;
    float size;  // of the terms, for rounding
} farthest;

static farthest farthest_along(const prism* p, const float n[3], float sign) {
    farthest f = {0, -INFINITY, 0};
    for (int i = 0; i < POINTS; ++i) {
        float at = 0;
        float size = 0;
        for (int d = 0; d < 3; ++d) {
            const float part = sign * n[d] * p->point[i][d];
            at += part;
            size += fabsf(part);
        }
        f.size = size > f.size ? size : f.size;
        if (at > f.at) {
            f.at = at;
            f.corner = i;
        }
    }
    return f;
}

// Moves v to about the point nearest to the origin on the segment from v to w.
static void move_nearer(float v[3], const float w[3]) {
    float along = 0;
    float length = 0;
    for (int d = 0; d < 3; ++d) {
        along += v[d] * (v[d] - w[d]);
        length += (v[d] - w[d]) * (v[d] - w[d]);
    }
    float part = length > 0 ? along / length : 0;
    part = part < 0 ? 0 : part > 1 ? 1 : part;
    for (int d = 0; d < 3; ++d) {
        v[d] += part * (w[d] - v[d]);
    }
}

// Rounding is as in kernels/voronoi_kernel.c: coordinates relative to a corner are off by 2^-24 of themselves,
// and so on.
float abut__prism_bound(const abut__sites* sites, uint32_t own, uint32_t other, float reach) {
    const float slack = 2 * sites->pad;
    float bound = -slack;
    const float* origin = sites->sites.data[own].corner[0];
    const prism a = prism_of(sites, own, origin);
    const prism b = prism_of(sites, other, origin);
    float v[3] = {0, 0, 0};
    for (int i = 0; i < 3 * POINTS; ++i) {
        v[i % 3] += (b.point[i / 3][i % 3] - a.point[i / 3][i % 3]) * (1.0f / POINTS);
    }
    for (int turn = 0; turn < TURNS && bound <= reach; ++turn) {
        const float square = v[0] * v[0] + v[1] * v[1] + v[2] * v[2];
        if (!(square > 0x1p-60f)) {
            break;
        }
        const farthest x = farthest_along(&a, v, 1);
        const farthest y = farthest_along(&b, v, -1);
        const float gap = -y.at - x.at - 0x1p-20f * (x.size + y.size);
        const float below = gap / sqrtf(square) * (1 - 0x1p-18f) - slack;
        bound = gap > 0 && below > bound ? below : bound;
        float w[3];
        for (int d = 0; d < 3; ++d) {
            w[d] = b.point[y.corner][d] - a.point[x.corner][d];
        }
        move_nearer(v, w);
    }
    return bound;
}

double abut__prisms_widest(const abut__sites* sites) {
    const uint32_t count = sites->before.count > 0 ? abut__site_count(sites) : 0;
    double widest = 0;
    for (uint32_t t = 0; t < count; ++t) {
        double end[9];
        double start[9];
        abut__site_corners(sites, t, 1, end);
        abut__site_corners(sites, t, 0, start);
        for (int d = 0; d < 3; ++d) {
            double lo = INFINITY;
            double hi = -INFINITY;
            for (int c = 0; c < 3; ++c) {
                lo = fmin(lo, fmin(end[3 * c + d], start[3 * c + d]));
                hi = fmax(hi, fmax(end[3 * c + d], start[3 * c + d]));
            }
            widest = fmax(widest, hi - lo);
        }
    }
    return widest * 1.75;  // sqrt(3), and rounding
}
