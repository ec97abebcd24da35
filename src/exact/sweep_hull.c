// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Makes the hull of differences of a sweep test: see moving_features.h. Includes the first two
// rejections: by axes, and by the cubic over all of [0, 1].
#include <math.h>

#include "exact/sides.h"
#include "exact/moving_features.h"

typedef double number;
#define NUMBER(constant) (constant)
#define NUMBER_MAX(a, b) ABUT__GREATER(a, b)
#define NUMBER_ABS(a) fabs(a)
#include "simd/sweep_formula.h"

#define EXTENT_LEAST 0x1p-200
#define EXTENT_GREATEST 0x1p200

static double scaled_difference(double x, double y, int exponent) {
    return exponent > 0 ? ldexp(0.5 * x - 0.5 * y, 1 - exponent) : ldexp(x - y, -exponent);
}

static inline void subtract(const double x[3], const double y[3], int exponent, double out[3]) {
    for (int k = 0; k < 3; ++k) {
        out[k] = exponent == 0 ? x[k] - y[k] : scaled_difference(x[k], y[k], exponent);
    }
}

__attribute__((always_inline)) static inline void fill_end(const double (*x)[3], bool edges,
                                                           int exponent, double d[4][3],
                                                           double e[2][3]) {
    if (edges) {
        subtract(x[0], x[2], exponent, d[0]);
        subtract(x[1], x[2], exponent, d[1]);
        subtract(x[1], x[3], exponent, d[2]);
        subtract(x[0], x[3], exponent, d[3]);
        subtract(x[1], x[0], exponent, e[0]);
        subtract(x[3], x[2], exponent, e[1]);
    } else {
        subtract(x[1], x[0], exponent, d[0]);
        subtract(x[2], x[0], exponent, d[1]);
        subtract(x[3], x[0], exponent, d[2]);
        subtract(x[2], x[1], exponent, e[0]);
        subtract(x[3], x[1], exponent, e[1]);
    }
}

// Finds the least and the greatest coordinates of all corners.
static inline void find_box(const abut__hull* hull, double low[3], double high[3]) {
    for (int k = 0; k < 3; ++k) {
        low[k] = high[k] = hull->d[0][0][k];
        for (int end = 0; end < 2; ++end) {
            for (int i = 0; i < hull->count; ++i) {
                const double x = hull->d[end][i][k];
                low[k] = ABUT__LESSER(low[k], x);
                high[k] = ABUT__GREATER(high[k], x);
            }
        }
    }
}

static inline void measure(abut__hull* hull, const double low[3], const double high[3]) {
    double extent = 0.0;
    for (int k = 0; k < 3; ++k) {
        hull->reach[k] = ABUT__GREATER(fabs(low[k]), fabs(high[k]));
        extent = ABUT__GREATER(extent, hull->reach[k]);
        for (int i = 0; i < 4; ++i) {
            const double size = fabs(hull->e[i / 2][i % 2][k]);
            extent = ABUT__GREATER(extent, size);
        }
    }
    hull->extent = extent;
}

static inline void make_cubic(abut__hull* hull) {
    sweep_vector v[3][2];
    for (int end = 0; end < 2; ++end) {
        for (int k = 0; k < 3; ++k) {
            v[0][end].x[k] = hull->e[end][0][k];
            v[1][end].x[k] = hull->e[end][1][k];
            v[2][end].x[k] = hull->d[end][0][k];
        }
    }
    hull->bound = sweep_cubic(v[0], v[1], v[2], hull->margin > 0.0, hull->margin, hull->c,
                              &hull->permanent);
}

static bool one_side(const double c[4], double bound) {
    const double least = ABUT__LESSER(ABUT__LESSER(c[0], c[1]), ABUT__LESSER(c[2], c[3]));
    const double most = ABUT__GREATER(ABUT__GREATER(c[0], c[1]), ABUT__GREATER(c[2], c[3]));
    return least > bound || most < -bound;
}

static void make_scaled(const abut__sweep_question* question, abut__hull* hull) {
    int exponent = 1025;
    if (hull->extent <= 0x1.fffffffffffffp1023) {
        (void)frexp(hull->extent, &exponent);
    }
    fill_end(question->from, question->edges, exponent, hull->d[0], hull->e[0]);
    fill_end(question->to, question->edges, exponent, hull->d[1], hull->e[1]);
    hull->exponent = exponent;
    hull->margin = ldexp(question->margin, -exponent);
    double low[3];
    double high[3];
    find_box(hull, low, high);
    measure(hull, low, high);
}

bool abut__hull_make(const abut__sweep_question* question, abut__hull* hull) {
    double low[3];
    double high[3];
    hull->exponent = 0;
    hull->margin = question->margin;
    if (question->edges) {
        hull->count = 4;
        fill_end(question->from, true, 0, hull->d[0], hull->e[0]);
        fill_end(question->to, true, 0, hull->d[1], hull->e[1]);
    } else {
        hull->count = 3;
        fill_end(question->from, false, 0, hull->d[0], hull->e[0]);
        fill_end(question->to, false, 0, hull->d[1], hull->e[1]);
    }
    find_box(hull, low, high);
    // rounding is monotonic, so differences round to the correct side of 0 and of the margin
    for (int k = 0; k < 3; ++k) {
        if (low[k] > hull->margin || high[k] < -hull->margin) {
            return false;
        }
    }
    measure(hull, low, high);
    const bool in_range = hull->extent >= EXTENT_LEAST && hull->extent < EXTENT_GREATEST;
    if (!in_range && hull->extent > 0.0) {
        make_scaled(question, hull);
    }
    make_cubic(hull);
    return !(in_range && one_side(hull->c, hull->bound));
}

static double length(const double v[3]) {
    return sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
}

double abut__hull_speed(const abut__hull* hull) {
    double most = 0.0;
    for (int i = 0; i < hull->count; ++i) {
        double move[3];
        for (int k = 0; k < 3; ++k) {
            move[k] = hull->d[1][i][k] - hull->d[0][i][k];
        }
        const double speed = length(move);
        most = ABUT__GREATER(most, speed);
    }
    return most * (1.0 + 0x1p-50) + 0x1p-50 * hull->extent;
}

double abut__hull_tolerance(const abut__hull* hull, double tolerance) {
    double longest = 0.0;
    for (int end = 0; end < 2; ++end) {
        const double* e1 = hull->e[end][0];
        const double* e2 = hull->e[end][1];
        const double third[3] = {e2[0] - e1[0], e2[1] - e1[1], e2[2] - e1[2]};
        longest = ABUT__GREATER(longest, length(e1));
        longest = ABUT__GREATER(longest, length(e2));
        if (hull->count == 3) {
            longest = ABUT__GREATER(longest, length(third));
        }
    }
    const double least = ABUT_TOLERANCE_MIN * hull->extent;
    return ABUT__GREATER(tolerance * longest, least);
}

void abut__hull_at(const abut__hull* hull, double t, double d[4][3]) {
    const double rest = 1.0 - t;
    for (int i = 0; i < hull->count; ++i) {
        for (int k = 0; k < 3; ++k) {
            d[i][k] = rest * hull->d[0][i][k] + t * hull->d[1][i][k];
        }
    }
}
