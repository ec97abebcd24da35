// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Thick rays: a sphere whose centre moves along a segment. Whether it meets a triangle is a question
// about the distance of the segment and the triangle, which is decided exactly. Where it meets it
// first is computed: the distance of the centre from the triangle is a convex function of t, so
// Newton's method from the start approaches the first root from below.
//
// All coordinates and the radius are scaled by a power of two, so that the greatest is at most 1.
// Computed distances are then off by 2^-44 at most, and centres by 2^-51. The iteration ends when the
// computed distance is at most 2^-43 above the radius. A triangle is in reach of the sphere, so at the
// least distance the computed one is not more than 2^-44 above the radius, and the iteration ends
// before the distance grows.
#include <math.h>

#include "exact/orient.h"
#include "exact/point_distance.h"
#include "exact/triangles.h"
#include "query/cast.h"

#define STEPS_MOST 200
#define ENOUGH 0x1p-43

// The segment, the triangle and the radius, scaled.
typedef struct thick {
    double o[3];
    double d[3];
    double end[3];
    double corners[3][3];
    double radius;
} thick;

static double greatest_of(double most, const double p[3]) {
    for (int k = 0; k < 3; ++k) {
        most = fabs(p[k]) > most ? fabs(p[k]) : most;
    }
    return most;
}

static void set_thick(const abut__cast_ray* ray, const double t[3][3], thick* out) {
    double most = greatest_of(greatest_of(ray->radius, ray->exact.o), ray->exact.end);
    for (int c = 0; c < 3; ++c) {
        most = greatest_of(most, t[c]);
    }
    const int exponent = -ilogb(most) - 1;
    out->radius = ldexp(ray->radius, exponent);
    for (int k = 0; k < 3; ++k) {
        out->o[k] = ldexp(ray->exact.o[k], exponent);
        out->end[k] = ldexp(ray->exact.end[k], exponent);
        out->d[k] = out->end[k] - out->o[k];
        for (int c = 0; c < 3; ++c) {
            out->corners[c][k] = ldexp(t[c][k], exponent);
        }
    }
}

static void place(const thick* s, double t, double x[3]) {
    for (int k = 0; k < 3; ++k) {
        x[k] = t < 1 ? s->o[k] + t * s->d[k] : s->end[k];
    }
}

// Returns the distance from the triangle at t, and how fast it becomes less.
static double gap_at(const thick* s, double t, double* slope) {
    double x[3];
    double distance;
    abut_witness nearest;
    place(s, t, x);
    abut__point_distance((const double(*)[3])s->corners, x, &distance, &nearest);
    double along = 0;
    for (int k = 0; k < 3; ++k) {
        along -= s->d[k] * (x[k] - nearest.point[k]);
    }
    *slope = along / distance;
    return distance;
}

bool abut__thick_meets(const abut__cast_ray* ray, const double t[3][3], abut__ray_hit* hit) {
    const double* o = ray->exact.o;
    const double* e = ray->exact.end;
    const double segment[3][3] = {{o[0], o[1], o[2]}, {e[0], e[1], e[2]}, {e[0], e[1], e[2]}};
    const double start[3][3] = {{o[0], o[1], o[2]}, {o[0], o[1], o[2]}, {o[0], o[1], o[2]}};
    memset(hit, 0, sizeof *hit);
    if (!abut__triangles_within(segment, t, ray->radius)) {
        return false;
    }
    if (abut__triangles_within(start, t, ray->radius)) {
        return true;  // at 0
    }
    thick s;
    set_thick(ray, t, &s);
    for (int i = 0; i < STEPS_MOST; ++i) {
        double slope;
        const double gap = gap_at(&s, hit->t, &slope) - s.radius;
        const double next = hit->t + gap / slope;
        if (!(gap > ENOUGH && slope > 0 && next > hit->t)) {
            break;
        }
        hit->t = next < 1 ? next : 1;
        if (next >= 1) {
            break;
        }
    }
    hit->t = hit->t > 0 ? hit->t : 0x1p-1074;  // 0 means that it touches at the start
    hit->error = 0x1p-48 * hit->t;
    return true;
}

void abut__thick_row(const abut__cast_ray* ray, const double t[3][3], const abut__ray_hit* hit,
                     abut_ray_hit* row) {
    thick s;
    double x[3];
    double distance;
    abut_witness nearest;
    set_thick(ray, t, &s);
    place(&s, hit->t, x);
    const double(*corners)[3] = (const double(*)[3])s.corners;
    abut__point_distance(corners, x, &distance, &nearest);
    const int side = abut__orient3d(corners[0], corners[1], corners[2], x);
    row->side = side > 0   ? ABUT_RAY_SIDE_FRONT
                : side < 0 ? ABUT_RAY_SIDE_BACK
                           : ABUT_RAY_SIDE_EDGE_ON;
    row->t = hit->t;
    memcpy(row->weights, nearest.weights, sizeof row->weights);
}
