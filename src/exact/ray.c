// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Rays and triangles: filters in doubles, and the exact stages behind them.
//
// Error bounds. A turn is evaluated as d . ((p - o) x (q - p)): six products of a component of d, one
// of p - o and one of an edge, along three different axes. Each factor is off by a factor of at most
// 1 + u, u = 2^-53. Each product gets five more such factors: product, difference, product, two sums.
// So a turn is off by less than 8.01 u times the sum S of the magnitudes of the products, and 10 u S
// leaves room for the rounding of S. Likewise D with products of d and two edges, and N with products
// of p - o and two edges.
//   Range. A finite sum of magnitudes means that nothing overflowed. A product of two that underflows
// is off by 2^-1075; the third is at most 2^300, so that the error is below 2^-774. The sums of
// magnitudes are above 2^-700, so that what is left of the bounds is above 2^-752. Outside of this
// range the bound is infinite.
#include "exact/ray.h"

#include <float.h>
#include <math.h>

#include "exact/distance.h"
#include "exact/orient.h"
#include "exact/triangles.h"

#define TURN_BOUND (10.0 * 0x1p-53)
#define SUM_LEAST 0x1p-700

static inline double greater(double a, double b) {
    return a > b ? a : b;
}

static inline double most(const double a[3]) {
    return greater(greater(fabs(a[0]), fabs(a[1])), fabs(a[2]));
}

// a . (u x v), and the bound of its error
static inline double triple(const double a[3], const double u[3], const double v[3],
                            double* error) {
    const double x = u[1] * v[2];
    const double x1 = u[2] * v[1];
    const double y = u[2] * v[0];
    const double y1 = u[0] * v[2];
    const double z = u[0] * v[1];
    const double z1 = u[1] * v[0];
    const double size = (fabs(a[0]) * (fabs(x) + fabs(x1)) + fabs(a[1]) * (fabs(y) + fabs(y1))) +
                        fabs(a[2]) * (fabs(z) + fabs(z1));
    *error = size > SUM_LEAST && size <= DBL_MAX ? TURN_BOUND * size : (double)INFINITY;
    return (a[0] * (x - x1) + a[1] * (y - y1)) + a[2] * (z - z1);
}

static inline void subtract(const double a[3], const double b[3], double out[3]) {
    out[0] = a[0] - b[0];
    out[1] = a[1] - b[1];
    out[2] = a[2] - b[2];
}

// Returns the sign of the turn opposite to a corner; 0: the filter does not decide.
static inline int filter_turn(const abut__ray* ray, const double t[3][3], int corner, bool in_range,
                              abut__ray_hit* hit) {
    const double* a = t[(corner + 1) % 3];
    const double* b = t[(corner + 2) % 3];
    double p[3];
    double edge[3];
    subtract(a, ray->o, p);
    subtract(b, a, edge);
    double error;
    const double turn = triple(ray->d, p, edge, &error);
    error = in_range ? error : (double)INFINITY;
    hit->turn[corner] = turn;
    hit->turn_error[corner] = error;
    return (turn > error) - (turn < -error);
}

static int exact_turn(const abut__ray* ray, const double a[3], const double b[3]) {
    return ray->to_end ? abut__orient3d_exact(ray->o, ray->end, a, b)
                       : abut__orient_ray(ray->o, ray->d, a, b);
}

// Sets the signs of the turns opposite to the corners. False: the line misses the triangle.
static inline bool find_signs(const abut__ray* ray, const double t[3][3], abut__ray_hit* hit,
                              int signs[3], bool* fallback) {
    const bool in_range = most(ray->d) < ABUT__FILTER_GREATEST;
    signs[0] = filter_turn(ray, t, 0, in_range, hit);
    signs[1] = filter_turn(ray, t, 1, in_range, hit);
    if (signs[0] * signs[1] < 0) {
        return false;
    }
    signs[2] = filter_turn(ray, t, 2, in_range, hit);
    const int sum = signs[0] + signs[1] + signs[2];
    if (sum == 3 || sum == -3) {
        return true;
    }
    bool below = signs[0] < 0 || signs[1] < 0 || signs[2] < 0;
    bool above = signs[0] > 0 || signs[1] > 0 || signs[2] > 0;
    for (int i = 0; i < 3 && !(below && above); ++i) {
        if (signs[i] == 0) {
            *fallback = true;
            signs[i] = exact_turn(ray, t[(i + 1) % 3], t[(i + 2) % 3]);
            below = below || signs[i] < 0;
            above = above || signs[i] > 0;
        }
    }
    return !(below && above);
}

// Sets t and its error from N and D; if they are too inexact, by wide integers.
static inline void set_parameter(const abut__ray* ray, const double t[3][3], abut__ray_hit* hit) {
    double p[3];
    double u[3];
    double v[3];
    double n_error;
    subtract(t[0], ray->o, p);
    subtract(t[1], t[0], u);
    subtract(t[2], t[0], v);
    const double n = triple(p, u, v, &n_error);
    hit->det = triple(ray->d, u, v, &hit->det_error);
    if (!(most(p) < ABUT__FILTER_GREATEST && most(ray->d) < ABUT__FILTER_GREATEST)) {
        n_error = hit->det_error = (double)INFINITY;
    }
    const double size = fabs(hit->det);
    if (size > 16 * hit->det_error && size > SUM_LEAST && n_error < (double)INFINITY) {
        hit->t = n / hit->det;
        // the exact t is (n + n') / (D + D') with errors n' and D'
        hit->error = (n_error + fabs(hit->t) * hit->det_error) / (size - hit->det_error) * 1.01 +
                     0x1p-52 * fabs(hit->t);
        if (isfinite(hit->error)) {
            return;
        }
    }
    hit->det_error = (double)INFINITY;
    hit->t = abut__ray_quotient(ray, t);
    hit->error = 0x1p-51 * fabs(hit->t) + 0x1p-1060;
    hit->error = isfinite(hit->t) ? hit->error : (double)INFINITY;
}

// whether t is within the ray's limits
static bool is_within(const abut__ray* ray, const double t[3][3], const abut__ray_hit* hit,
                      bool* fallback) {
    if (hit->t - hit->error >= ray->from && hit->t + hit->error <= ray->to) {
        return true;
    }
    if (hit->t + hit->error < ray->from || hit->t - hit->error > ray->to) {
        return false;
    }
    *fallback = true;
    return abut__ray_beyond(ray, t, ray->from) >= 0 &&
           (ray->to == (double)INFINITY || abut__ray_beyond(ray, t, ray->to) <= 0);
}

static bool meets_flat(const abut__ray* ray, const double t[3][3], abut__ray_hit* hit) {
    hit->flat = true;
    hit->side = 0;
    if (!abut__ray_meets_flat(ray, t)) {
        return false;
    }
    hit->t = abut__ray_quotient(ray, t);
    hit->error = isfinite(hit->t) ? 0x1p-51 * fabs(hit->t) + 0x1p-1060 : (double)INFINITY;
    return true;
}

bool abut__ray_meets(const abut__ray* ray, const double t[3][3], abut__ray_hit* hit,
                     bool* fallback) {
    if (!(ray->from <= ray->to)) {
        return false;
    }
    int signs[3];
    if (!find_signs(ray, t, hit, signs, fallback)) {
        return false;
    }
    const int sum = signs[0] + signs[1] + signs[2];
    if (sum == 0) {
        *fallback = true;
        return meets_flat(ray, t, hit);
    }
    hit->zeros = (signs[0] == 0) | (signs[1] == 0) << 1 | (signs[2] == 0) << 2;
    hit->flat = false;
    hit->side = sum > 0 ? 1 : -1;
    set_parameter(ray, t, hit);
    return is_within(ray, t, hit, fallback);
}

int abut__ray_order(const abut__ray* ray, const double p[3][3], const abut__ray_hit* hit_p,
                    const double q[3][3], const abut__ray_hit* hit_q) {
    if (hit_p->t + hit_p->error < hit_q->t - hit_q->error) {
        return -1;
    }
    if (hit_q->t + hit_q->error < hit_p->t - hit_p->error) {
        return 1;
    }
    return abut__ray_compare(ray, p, q);
}

// The weights of a point of the triangle near o + t d.
static void set_flat_weights(const abut__ray* ray, const double t[3][3], double at,
                             double weights[3]) {
    abut_distance measured;
    double p[3][3];
    for (int k = 0; k < 3; ++k) {
        double x = ray->o[k] + (ray->d[k] == 0 ? 0 : at * ray->d[k]);
        const double lo = fmin(fmin(t[0][k], t[1][k]), t[2][k]);
        const double hi = fmax(fmax(t[0][k], t[1][k]), t[2][k]);
        x = x < hi ? x : hi;
        x = x > lo ? x : lo;
        p[0][k] = p[1][k] = p[2][k] = x;
    }
    abut__triangles_distance(t, (const double(*)[3])p, &measured);
    for (int i = 0; i < 3; ++i) {
        weights[i] = measured.p.weights[i];
    }
}

double abut__ray_finish(const abut__ray* ray, const double t[3][3], const abut__ray_hit* hit,
                        double weights[3]) {
    if (hit->flat) {
        set_flat_weights(ray, t, hit->t, weights);
        return hit->t;
    }
    const double size = fabs(hit->det) - hit->det_error;
    for (int i = 0; i < 3; ++i) {
        const double w = fabs(hit->turn[i]) / fabs(hit->det);
        const double error = (hit->turn_error[i] + w * hit->det_error) / size * 1.01 + 0x1p-52;
        const bool sharp = size > 0 && error < ABUT__WEIGHT_ERROR;
        weights[i] = (hit->zeros >> i & 1) != 0 ? 0 : sharp ? w : abut__ray_weight(ray, t, i);
        weights[i] = weights[i] < 1 ? weights[i] : 1;
    }
    if (hit->error <= ABUT__RAY_ERROR * (fabs(hit->t) - hit->error)) {
        return hit->t;
    }
    return abut__ray_quotient(ray, t);
}
