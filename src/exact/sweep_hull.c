// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// The hull of differences that a question is about: see sweep.h. Made once a question, with the
// first two rejections: axes, and the cubic over all of [0, 1].
#include <math.h>

#include "exact/sides.h"
#include "exact/sweep.h"

typedef double number;
#define NUMBER(constant) (constant)
#define NUMBER_MAX(a, b) ABUT__GREATER(a, b)
#define NUMBER_ABS(a) fabs(a)
#include "exact/sweep_formula.h"

#define EXTENT_LEAST 0x1p-200
#define EXTENT_GREATEST 0x1p200

static inline double difference(double x, double y, int exponent) {
    if (exponent == 0) {
        return x - y;
    }
    return exponent > 0 ? ldexp(0.5 * x - 0.5 * y, 1 - exponent) : ldexp(x - y, -exponent);
}

static inline void subtract(const double x[3], const double y[3], int exponent, double out[3]) {
    for (int k = 0; k < 3; ++k) {
        out[k] = difference(x[k], y[k], exponent);
    }
}

static inline void fill(const abut__sweep_question* question, int exponent, abut__hull* hull) {
    for (int end = 0; end < 2; ++end) {
        const double(*x)[3] = end == 0 ? question->from : question->to;
        double(*d)[3] = hull->d[end];
        if (question->edges) {
            subtract(x[0], x[2], exponent, d[0]);
            subtract(x[1], x[2], exponent, d[1]);
            subtract(x[1], x[3], exponent, d[2]);
            subtract(x[0], x[3], exponent, d[3]);
            subtract(x[1], x[0], exponent, hull->e[end][0]);
            subtract(x[3], x[2], exponent, hull->e[end][1]);
        } else {
            subtract(x[1], x[0], exponent, d[0]);
            subtract(x[2], x[0], exponent, d[1]);
            subtract(x[3], x[0], exponent, d[2]);
            subtract(x[2], x[1], exponent, hull->e[end][0]);
            subtract(x[3], x[1], exponent, hull->e[end][1]);
        }
    }
    hull->count = question->edges ? 4 : 3;
    hull->exponent = exponent;
}

// differences round to the right side of 0, and of the margin: rounding keeps order
static inline bool axis_separates(const abut__hull* hull, double margin) {
    bool separates = false;
    for (int k = 0; k < 3; ++k) {
        double low = hull->d[0][0][k];
        double high = low;
        for (int end = 0; end < 2; ++end) {
            for (int i = 0; i < hull->count; ++i) {
                low = ABUT__LESSER(low, hull->d[end][i][k]);
                high = ABUT__GREATER(high, hull->d[end][i][k]);
            }
        }
        separates = separates || low > margin || high < -margin;
    }
    return separates;
}

static inline void measure(abut__hull* hull) {
    double extent = 0.0;
    for (int k = 0; k < 3; ++k) {
        double reach = 0.0;
        for (int end = 0; end < 2; ++end) {
            for (int i = 0; i < hull->count; ++i) {
                reach = ABUT__GREATER(reach, fabs(hull->d[end][i][k]));
            }
            extent = ABUT__GREATER(extent, fabs(hull->e[end][0][k]));
            extent = ABUT__GREATER(extent, fabs(hull->e[end][1][k]));
        }
        hull->reach[k] = reach;
        extent = ABUT__GREATER(extent, reach);
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

bool abut__hull_make(const abut__sweep_question* question, abut__hull* hull) {
    fill(question, 0, hull);
    if (axis_separates(hull, question->margin)) {
        return false;
    }
    measure(hull);
    hull->margin = question->margin;
    const bool in_range = hull->extent >= EXTENT_LEAST && hull->extent < EXTENT_GREATEST;
    if (!in_range && hull->extent > 0.0) {
        int exponent = 1025;
        if (hull->extent <= 0x1.fffffffffffffp1023) {
            (void)frexp(hull->extent, &exponent);
        }
        fill(question, exponent, hull);
        measure(hull);
        hull->margin = ldexp(question->margin, -exponent);
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
    const double least = ABUT_SWEEP_TOLERANCE_LEAST * hull->extent;
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
