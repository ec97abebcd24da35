// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Certificate (B) of moving_features.h, and estimates of good directions: from the origin to the
// closest point of the hull. Of several candidates the one with the widest gap wins, not the one
// with the closest point: on parallel edges these differ.
#include <math.h>

#include "base/vec3.h"
#include "exact/sides.h"
#include "exact/moving_features.h"

#define DIRECTION_ERROR 0x1.8p-50  // 12 u
#define DIRECTION_LEAST 0x1p-800
#define FLAT 1e-24  // squared normal, relative to its possible maximum: below this it is degenerate
#define NARROW 0x1p-40  // relative to an edge: a narrower gap may be a rounding error
#define BESIDE 0x1p-48  // relative to an edge: rounding may move a point this far past an end

// Keeps a direction if its gap is wider than the best so far.
static void consider(int count, const double d[4][3], const double g[3], double* best,
                     double kept[3]) {
    double most = ABUT__GREATER(fabs(g[0]), ABUT__GREATER(fabs(g[1]), fabs(g[2])));
    if (!(most > 0.0)) {
        return;
    }
    most = 1.0 / most;
    const double unit[3] = {g[0] * most, g[1] * most, g[2] * most};
    double gap = abut__dot3(unit, d[0]);
    for (int i = 1; i < count; ++i) {
        const double height = abut__dot3(unit, d[i]);
        gap = ABUT__LESSER(gap, height);
    }
    gap /= sqrt(abut__dot3(unit, unit));
    if (gap > *best) {
        *best = gap;
        for (int k = 0; k < 3; ++k) {
            kept[k] = unit[k];
        }
    }
}

// Considers the direction to the closest point of an edge. Near a corner it is still made
// perpendicular to the edge: a long edge may leave the plane through the corner by more than the
// gap.
static void consider_edge(int count, const double d[4][3], const double p[3], const double f[3],
                          double* best, double g[3]) {
    const double ff = abut__dot3(f, f);
    const double s = -abut__dot3(p, f) / ff;
    double x[3];
    if (s > -BESIDE && s < 1.0 + BESIDE) {
        for (int k = 0; k < 3; ++k) {
            x[k] = p[k] + s * f[k];
        }
        const double left = abut__dot3(x, f) / ff;
        for (int k = 0; k < 3; ++k) {
            x[k] -= left * f[k];
        }
    } else {
        for (int k = 0; k < 3; ++k) {
            x[k] = s >= 1.0 ? p[k] + f[k] : p[k];
        }
    }
    consider(count, d, x, best, g);
}

double abut__hull_direction(int count, const double d[4][3], double g[3]) {
    double f[4][3];
    const int last = count > 3 ? 3 : 2;
    for (int i = 0; i <= last; ++i) {
        const double* next = d[i < last ? i + 1 : 0];
        for (int k = 0; k < 3; ++k) {
            f[i][k] = next[k] - d[i][k];
        }
    }
    double n[3];
    abut__cross3(f[0], f[1], n);
    const bool flat = !(abut__dot3(n, n) > FLAT * abut__dot3(f[0], f[0]) * abut__dot3(f[1], f[1]));
    bool inside = !flat;
    double best = -INFINITY;
    g[0] = g[1] = g[2] = 0.0;
    for (int i = 0; i < count; ++i) {
        double outward[3];
        abut__cross3(f[i], n, outward);
        if (flat || abut__dot3(outward, d[i]) < 0.0) {
            inside = false;
            consider_edge(count, d, d[i], f[i], &best, g);
        }
    }
    if (inside) {
        const double sign = abut__dot3(n, d[0]) < 0.0 ? -1.0 : 1.0;
        const double up[3] = {sign * n[0], sign * n[1], sign * n[2]};
        consider(count, d, up, &best, g);
    }
    // an edge that is only rounding error has a meaningless plane: the inside test is unreliable
    const double longest = ABUT__GREATER(abut__dot3(f[0], f[0]), abut__dot3(f[1], f[1]));
    for (int i = 0; i < count && !(best > NARROW * sqrt(longest)) && !flat; ++i) {
        consider_edge(count, d, d[i], f[i], &best, g);
    }
    return best;
}

double abut__direction_threshold(const abut__hull* hull, const double g0[3], const double g1[3],
                                 double factor) {
    double sum = 0.0;
    for (int k = 0; k < 3; ++k) {
        sum += ABUT__GREATER(fabs(g0[k]), fabs(g1[k])) * hull->reach[k];
    }
    double threshold = factor * sum + DIRECTION_LEAST;
    if (hull->margin > 0.0) {
        const double l0 = abut__dot3(g0, g0);
        const double l1 = abut__dot3(g1, g1);
        threshold += hull->margin * sqrt(ABUT__GREATER(l0, l1)) * (1.0 + 0x1p-49);
    }
    return threshold;
}

bool abut__direction_clears(const abut__hull* hull, double a, double b, const double g0[3],
                            const double g1[3]) {
    const double threshold = abut__direction_threshold(hull, g0, g1, DIRECTION_ERROR);
    double at_a[4][3];
    double at_b[4][3];
    abut__hull_at(hull, a, at_a);
    abut__hull_at(hull, b, at_b);
    double least = INFINITY;
    for (int i = 0; i < hull->count; ++i) {
        const double first = abut__dot3(g0, at_a[i]);
        const double middle = 0.5 * (abut__dot3(g0, at_b[i]) + abut__dot3(g1, at_a[i]));
        const double last = abut__dot3(g1, at_b[i]);
        least = ABUT__LESSER(least, ABUT__LESSER(first, ABUT__LESSER(middle, last)));
    }
    return least > threshold;
}

double abut__direction_reach(const abut__hull* hull, double a, double b, const double g[3]) {
    const double threshold = abut__direction_threshold(hull, g, g, DIRECTION_ERROR);
    double at_a[4][3];
    double at_b[4][3];
    abut__hull_at(hull, a, at_a);
    abut__hull_at(hull, b, at_b);
    double part = 1.0;
    for (int i = 0; i < hull->count; ++i) {
        const double first = abut__dot3(g, at_a[i]);
        const double last = abut__dot3(g, at_b[i]);
        if (!(first > threshold)) {
            return 0.0;
        }
        if (!(last > threshold)) {
            const double here = (first - threshold) / (first - last);
            part = ABUT__LESSER(part, here);
        }
    }
    return part;
}

// A coordinate x > m at the start, m the margin, stays so until (x0 - m) / (x0 - x1), or to the
// end. x0 and x1 have one rounding, a relative error of u, and the formula adds 4 u: 2^-49 covers
// them. A margin may cancel most of x0, so the error of x0 is subtracted first. These bounds fail
// below the normal range, so such times and distances count as 0.
static double side_reach(const abut__hull* hull, int start, int k, double sign) {
    double until = 1.0;
    for (int i = 0; i < hull->count; ++i) {
        const double x0 = sign * hull->d[start][i][k];
        const double x1 = sign * hull->d[1 - start][i][k];
        double over = x0 - hull->margin;
        if (hull->margin > 0.0) {
            over -= 0x1p-50 * x0;
        }
        if (!(over > 0x1p-1021)) {
            return 0.0;
        }
        if (!(x1 > hull->margin)) {
            const double here = over / (x0 - x1) * (1.0 - 0x1p-49);
            until = ABUT__LESSER(until, here);
        }
    }
    return until > 0x1p-1021 ? until : 0.0;
}

static double reach_from(const abut__hull* hull, int start) {
    double furthest = 0.0;
    for (int k = 0; k < 3; ++k) {
        const double until = side_reach(hull, start, k, hull->d[start][0][k] > 0.0 ? 1.0 : -1.0);
        furthest = ABUT__GREATER(furthest, until);
    }
    return furthest;
}

double abut__axes_reach(const abut__hull* hull) {
    return reach_from(hull, 0);
}

double abut__axes_reach_back(const abut__hull* hull) {
    const double back = reach_from(hull, 1);
    return back > 0.0 ? 1.0 - back + 0x1p-53 : 1.0;
}
