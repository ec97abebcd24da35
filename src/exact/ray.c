// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Rays and triangles: filters in doubles, and the exact stages behind them.
//
// Error bounds. Let h be the greatest magnitudes, per axis, of the computed edges, and m those of the
// corners relative to o, or more. A turn is evaluated as d . ((p - o) x (q - p)): six products of a
// component of d, one of p - o and one of an edge, along three different axes. Each factor is off by a
// factor of at most 1 + u, u = 2^-53. Each product gets five more such factors: product, difference,
// product, two sums. So a turn is off by less than 8.01 u times the sum of the magnitudes of the
// products, which is at most
//   S = |d_x| (m_y h_z + m_z h_y) + |d_y| (m_z h_x + m_x h_z) + |d_z| (m_x h_y + m_y h_x),
// and 10 u S leaves room for the rounding of S. Likewise D with products of d and two edges, and N
// with products of p - o and two edges: 20 u times m_x h_y h_z + ..., each of which counts twice.
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
#define NORMAL_BOUND (20.0 * 0x1p-53)
#define SUM_LEAST 0x1p-700

// A triangle relative to the origin of a ray.
typedef struct relative {
    double p[3][3];     // corners - o
    double edge[3][3];  // from corner i to the next
    double m[3];
    double h[3];
} relative;

static inline double greater(double a, double b) {
    return a > b ? a : b;
}

static inline void set_relative(const abut__ray* ray, const double t[3][3], relative* r) {
    for (int k = 0; k < 3; ++k) {
        for (int i = 0; i < 3; ++i) {
            r->p[i][k] = t[i][k] - ray->o[k];
        }
        r->edge[0][k] = t[1][k] - t[0][k];
        r->edge[1][k] = t[2][k] - t[1][k];
        r->edge[2][k] = t[0][k] - t[2][k];
        r->h[k] = greater(greater(fabs(r->edge[0][k]), fabs(r->edge[1][k])), fabs(r->edge[2][k]));
        r->m[k] = fabs(r->p[0][k]) + r->h[k];
    }
}

// a . (b x c)
static inline double triple(const double a[3], const double b[3], const double c[3]) {
    return (a[0] * (b[1] * c[2] - b[2] * c[1]) + a[1] * (b[2] * c[0] - b[0] * c[2])) +
           a[2] * (b[0] * c[1] - b[1] * c[0]);
}

// The error bound of a sum of products. A third factor of up to 2^300 is either in the sum, or a
// component of the direction.
static inline double bound_of(double greatest, double sum, double factor) {
    return greatest < ABUT__FILTER_GREATEST && sum > SUM_LEAST && sum <= DBL_MAX ? factor * sum
                                                                                 : (double)INFINITY;
}

static inline double most(const double a[3]) {
    return greater(greater(fabs(a[0]), fabs(a[1])), fabs(a[2]));
}

static inline double turn_bound(const abut__ray* ray, const relative* r) {
    const double* m = r->m;
    const double* h = r->h;
    return bound_of(most(ray->d),
                    (fabs(ray->d[0]) * (m[1] * h[2] + m[2] * h[1]) +
                     fabs(ray->d[1]) * (m[2] * h[0] + m[0] * h[2])) +
                        fabs(ray->d[2]) * (m[0] * h[1] + m[1] * h[0]),
                    TURN_BOUND);
}

// of a product of a vector and the normal
static inline double normal_bound(const double a[3], const relative* r) {
    const double* h = r->h;
    return bound_of(most(a),
                    (fabs(a[0]) * (h[1] * h[2]) + fabs(a[1]) * (h[2] * h[0])) +
                        fabs(a[2]) * (h[0] * h[1]),
                    NORMAL_BOUND);
}

static int exact_turn(const abut__ray* ray, const double a[3], const double b[3]) {
    return ray->to_end ? abut__orient3d_exact(ray->o, ray->end, a, b)
                       : abut__orient_ray(ray->o, ray->d, a, b);
}

// Sets the signs of the turns opposite to the corners. False: the line misses the triangle.
static inline bool find_signs(const abut__ray* ray, const double t[3][3], const abut__ray_hit* hit,
                              int signs[3], bool* fallback) {
    bool below = false;
    bool above = false;
    bool open = false;
    for (int i = 0; i < 3; ++i) {
        signs[i] = (hit->turn[i] > hit->turn_error) - (hit->turn[i] < -hit->turn_error);
        below = below || signs[i] < 0;
        above = above || signs[i] > 0;
        open = open || signs[i] == 0;
    }
    if (below && above) {
        return false;
    }
    for (int i = 0; i < 3 && open && !(below && above); ++i) {
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
static inline void set_parameter(const abut__ray* ray, const double t[3][3], const relative* r,
                                 abut__ray_hit* hit) {
    double normal[3];
    const double* u = r->edge[0];
    const double v[3] = {-r->edge[2][0], -r->edge[2][1], -r->edge[2][2]};
    normal[0] = u[1] * v[2] - u[2] * v[1];
    normal[1] = u[2] * v[0] - u[0] * v[2];
    normal[2] = u[0] * v[1] - u[1] * v[0];
    const double* p = r->p[0];
    const double n = (p[0] * normal[0] + p[1] * normal[1]) + p[2] * normal[2];
    hit->det = (ray->d[0] * normal[0] + ray->d[1] * normal[1]) + ray->d[2] * normal[2];
    hit->det_error = normal_bound(ray->d, r);
    const double n_error = normal_bound(r->m, r);
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
    relative r;
    int signs[3];
    set_relative(ray, t, &r);
    hit->turn[0] = triple(ray->d, r.p[1], r.edge[1]);
    hit->turn[1] = triple(ray->d, r.p[2], r.edge[2]);
    hit->turn[2] = triple(ray->d, r.p[0], r.edge[0]);
    hit->turn_error = turn_bound(ray, &r);
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
    set_parameter(ray, t, &r, hit);
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
        const double error = (hit->turn_error + w * hit->det_error) / size * 1.01 + 0x1p-52;
        const bool sharp = size > 0 && error < ABUT__WEIGHT_ERROR;
        weights[i] = (hit->zeros >> i & 1) != 0 ? 0 : sharp ? w : abut__ray_weight(ray, t, i);
        weights[i] = weights[i] < 1 ? weights[i] : 1;
    }
    if (hit->error <= ABUT__RAY_ERROR * (fabs(hit->t) - hit->error)) {
        return hit->t;
    }
    return abut__ray_quotient(ray, t);
}
