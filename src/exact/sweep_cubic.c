// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Certificate (A) of moving_features.h on parts of [0, 1], and an estimate of the cubic's root.
#include <math.h>

#include "exact/sides.h"
#include "exact/moving_features.h"

#define NEWTON_MOST 40

static inline double mix(double x, double y, double t, double rest) {
    return rest * x + t * y;
}

// Computes c(aaa) and c(aab), or with the ends exchanged c(bbb) and c(abb).
static inline void blossoms(const double c[4], double t, double other, double* all, double* two) {
    const double rest = 1.0 - t;
    const double p0 = mix(c[0], c[1], t, rest);
    const double p1 = mix(c[1], c[2], t, rest);
    const double p2 = mix(c[2], c[3], t, rest);
    const double q0 = mix(p0, p1, t, rest);
    const double q1 = mix(p1, p2, t, rest);
    *all = mix(q0, q1, t, rest);
    *two = mix(q0, q1, other, 1.0 - other);
}

bool abut__cubic_clears(const abut__hull* hull, double a, double b, double c[4]) {
    blossoms(hull->c, a, b, &c[0], &c[1]);
    blossoms(hull->c, b, a, &c[3], &c[2]);
    const double least = ABUT__LESSER(ABUT__LESSER(c[0], c[1]), ABUT__LESSER(c[2], c[3]));
    const double most = ABUT__GREATER(ABUT__GREATER(c[0], c[1]), ABUT__GREATER(c[2], c[3]));
    return least > hull->bound || most < -hull->bound;
}

bool abut__cubic_root(const double c[4], double* root, double* slope) {
    const double sign = c[0] > 0.0 ? 1.0 : -1.0;
    const double c0 = sign * c[0];
    const double c1 = sign * c[1];
    const double c2 = sign * c[2];
    const double c3 = sign * c[3];
    if (c1 < 0.0 && c2 > 0.0) {  // + - + -: up to three roots
        return false;
    }
    const double cubic = (c3 - c0) + 3.0 * (c1 - c2);
    const double square = 3.0 * ((c2 - c1) - (c1 - c0));
    const double linear = 3.0 * (c1 - c0);
    double low = 0.0;
    double high = 1.0;
    double x = c0 / (c0 - c3);
    double derivative = 0.0;
    for (int i = 0; i < NEWTON_MOST; ++i) {
        const double value = ((cubic * x + square) * x + linear) * x + c0;
        derivative = (3.0 * cubic * x + 2.0 * square) * x + linear;
        if (value >= 0.0) {
            low = x;
        } else {
            high = x;
        }
        double next = x - value / derivative;
        // <=: an exact root is an end of the bracket and must not be bisected away
        if (!(low <= next && next <= high)) {
            next = 0.5 * (low + high);
        }
        const double step = fabs(next - x);
        x = next;
        if (step <= 0x1p-27) {  // the remaining error is about its square
            break;
        }
    }
    *root = x;
    *slope = fabs(derivative);
    return true;
}
