// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Rays and triangles: whether a ray meets a triangle, and which of two triangles it meets first.
// Both are exact for all finite doubles. A triangle is a closed set; one without area is the
// segment or the point that its corners span.
//
//   ray.c       filters in doubles, the order of stages, t and weights
//   ray_wide.c  exact parameters t as quotients of wide integers
//
// Notation. A point of the ray is o + t d. The corners are a, b, c. The turn of an edge from p to q
// is d . ((p - o) x (q - o)): its sign tells on which side the line of the ray passes the edge. The
// line crosses the triangle if no two turns have opposite signs. If not all turns are 0, then
// t = N / D with N = (a - o) . n, D = d . n, n = (b - a) x (c - a), and D is not 0, because it is the
// sum of the turns. If all are 0, then the line and the corners lie in one plane (the ray is flat),
// and the common points are an interval.
#ifndef ABUT_EXACT_RAY_H
#define ABUT_EXACT_RAY_H

#include <stdbool.h>

// A part of a line: the points at t in from .. to.
typedef struct abut__ray {
    double o[3];
    double d[3];    // the direction; if `to_end`, it is rounded
    double end[3];  // if `to_end`: the direction is exactly end - o
    bool to_end;
    double from;  // finite
    double to;    // may be infinite
} abut__ray;

// Where a ray first meets a triangle.
typedef struct abut__ray_hit {
    double t;  // at most `error` from the exact value
    double error;
    double turn[3];  // of the edges opposite to the corners: see `flat`
    double turn_error[3];
    double det;  // D
    double det_error;
    int zeros;  // bit i: turn i is exactly 0
    int side;   // the sign of D
    bool flat;  // all turns are 0: turns and D are meaningless
} abut__ray_hit;

// Whether the ray meets the triangle. `hit` receives where, if so. `fallback` is set if the filters left
// a decision open.
bool abut__ray_meets(const abut__ray* ray, const double t[3][3], abut__ray_hit* hit,
                     bool* fallback);
// The sign of t_p - t_q, the parameters at which the ray first meets two triangles, both of which
// it meets.
int abut__ray_compare(const abut__ray* ray, const double p[3][3], const double q[3][3]);
// The same, given both hits.
int abut__ray_order(const abut__ray* ray, const double p[3][3], const abut__ray_hit* hit_p,
                    const double q[3][3], const abut__ray_hit* hit_q);
// Returns t with a relative error of at most ABUT__RAY_ERROR, and the weights of the corners with an
// absolute error of at most ABUT__WEIGHT_ERROR.
#define ABUT__RAY_ERROR 0x1p-40
#define ABUT__WEIGHT_ERROR 0x1p-30
double abut__ray_finish(const abut__ray* ray, const double t[3][3], const abut__ray_hit* hit,
                        double weights[3]);

// ---- ray_wide.c
// The parameter at which the ray first meets a triangle that the line meets, clamped to
// ray->from: the nearest double or one next to it. It may be infinite.
double abut__ray_quotient(const abut__ray* ray, const double t[3][3]);
// The weight of a corner of a triangle with turns that are not all 0, likewise.
double abut__ray_weight(const abut__ray* ray, const double t[3][3], int corner);
// The sign of t - `limit` for a triangle with turns that are not all 0.
int abut__ray_beyond(const abut__ray* ray, const double t[3][3], double limit);
// Whether a flat ray meets the triangle.
bool abut__ray_meets_flat(const abut__ray* ray, const double t[3][3]);

#endif
