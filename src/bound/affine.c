// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Bounds of norms and eigenvalues of 3x3 matrices, and fits of affine maps.
#include "bound/affine.h"

#define RELAXED (1 + 1e-13)  // covers the rounding errors of a few operations

void abut__eigenvalue_range(const double s[3][3], double* least, double* greatest) {
    const double mean = (s[0][0] + s[1][1] + s[2][2]) / 3;
    const double a = s[0][0] - mean;
    const double b = s[1][1] - mean;
    const double c = s[2][2] - mean;
    const double off = s[0][1] * s[0][1] + s[0][2] * s[0][2] + s[1][2] * s[1][2];
    const double squares = a * a + b * b + c * c + 2 * off;
    const double reach = sqrt(squares * (2.0 / 3)) * RELAXED + 1e-14 * fabs(mean);
    *least = mean - reach;
    *greatest = mean + reach;
}

// Runs Newton's method on the characteristic polynomial. The polynomial is convex and decreasing
// left of its least root, so the steps stay left of the root. The factor 0.999 shortens each step
// by far more than rounding can lengthen it.
double abut__eigenvalue_least(const double s[3][3], double from) {
    double low;
    double high;
    abut__eigenvalue_range(s, &low, &high);
    const double size = fmax(fabs(low), fabs(high));
    double x = fmax(from, low);
    for (int step = 0; step < 6; ++step) {
        const double a = s[0][0] - x;
        const double b = s[1][1] - x;
        const double c = s[2][2] - x;
        const double minor_a = b * c - s[1][2] * s[1][2];
        const double minor_b = a * c - s[0][2] * s[0][2];
        const double minor_c = a * b - s[0][1] * s[0][1];
        const double value = a * minor_a - s[0][1] * (s[0][1] * c - s[1][2] * s[0][2]) +
                             s[0][2] * (s[0][1] * s[1][2] - b * s[0][2]);
        if (!(value > 1e-10 * size * size * size)) {
            break;
        }
        x += 0.999 * value / (minor_a + minor_b + minor_c);
    }
    return x;
}

double abut__norm_frobenius(const double m[3][3]) {
    return sqrt(abut__dot3(m[0], m[0]) + abut__dot3(m[1], m[1]) + abut__dot3(m[2], m[2])) * RELAXED;
}

double abut__norm(const double m[3][3]) {
    double square[3][3];
    for (int r = 0; r < 3; ++r) {
        for (int c = r; c < 3; ++c) {
            square[r][c] = abut__dot3(m[r], m[c]);
        }
    }
    double least;
    double greatest;
    abut__eigenvalue_range(square, &least, &greatest);
    return sqrt(greatest) * RELAXED;
}

double abut__norm_symmetric(const double m[3][3]) {
    double s[3][3];
    for (int r = 0; r < 3; ++r) {
        for (int c = r; c < 3; ++c) {
            s[r][c] = 0.5 * (m[r][c] + m[c][r]);
        }
    }
    double least;
    double greatest;
    abut__eigenvalue_range(s, &least, &greatest);
    return fmax(-least, greatest) * RELAXED;
}

static void invert(const double m[3][3], double out[3][3]) {
    for (int r = 0; r < 3; ++r) {
        for (int c = 0; c < 3; ++c) {
            const int r1 = (c + 1) % 3;
            const int r2 = (c + 2) % 3;
            const int c1 = (r + 1) % 3;
            const int c2 = (r + 2) % 3;
            out[r][c] = m[r1][c1] * m[r2][c2] - m[r1][c2] * m[r2][c1];
        }
    }
    const double determinant = m[0][0] * out[0][0] + m[0][1] * out[1][0] + m[0][2] * out[2][0];
    for (int r = 0; r < 3; ++r) {
        for (int c = 0; c < 3; ++c) {
            out[r][c] = determinant != 0 ? out[r][c] / determinant : 0;
        }
    }
}

abut__fitter abut__fitter_make(const double spread[3][3]) {
    abut__fitter made;
    const double little = 1e-3 * (spread[0][0] + spread[1][1] + spread[2][2]);
    double regular[3][3];
    for (int r = 0; r < 3; ++r) {
        for (int c = 0; c < 3; ++c) {
            regular[r][c] = spread[r][c] + (r == c ? little : 0);
        }
    }
    invert(regular, made.inverse);
    for (int r = 0; r < 3; ++r) {
        for (int c = 0; c < 3; ++c) {
            made.blank[r][c] = little * made.inverse[r][c];
        }
    }
    return made;
}

void abut__fit(const abut__fitter* fitter, const double cross[3][3], double out[3][3]) {
    double known[3][3];
    double turned[3][3];
    for (int r = 0; r < 3; ++r) {
        for (int c = 0; c < 3; ++c) {
            known[r][c] = cross[r][0] * fitter->inverse[0][c] +
                          cross[r][1] * fitter->inverse[1][c] + cross[r][2] * fitter->inverse[2][c];
        }
    }
    for (int r = 0; r < 3; ++r) {  // known^T blank
        for (int c = 0; c < 3; ++c) {
            turned[r][c] = known[0][r] * fitter->blank[0][c] + known[1][r] * fitter->blank[1][c] +
                           known[2][r] * fitter->blank[2][c];
        }
    }
    for (int r = 0; r < 3; ++r) {  // known - (1 - blank) turned
        for (int c = 0; c < 3; ++c) {
            const double within = fitter->blank[r][0] * turned[0][c] +
                                  fitter->blank[r][1] * turned[1][c] +
                                  fitter->blank[r][2] * turned[2][c];
            out[r][c] = known[r][c] - turned[r][c] + within;
        }
    }
}
