// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Affine transforms as three rows of four numbers, the last of each the translation. Internal to
// io/.
#ifndef IO_AFFINE_H
#define IO_AFFINE_H

#include <math.h>
#include <stdbool.h>
#include <string.h>

static inline void affine_identity(double out[12]) {
    memset(out, 0, 12 * sizeof *out);
    out[0] = out[5] = out[10] = 1;
}

/// Writes a after b to `out`, which must be another array.
static inline void affine_product(const double a[12], const double b[12], double out[12]) {
    for (int i = 0; i < 3; ++i) {
        for (int k = 0; k < 4; ++k) {
            out[4 * i + k] = a[4 * i] * b[k] + a[4 * i + 1] * b[4 + k] + a[4 * i + 2] * b[8 + k] +
                             (k == 3 ? a[4 * i + 3] : 0);
        }
    }
}

/// Scales by s first, then rotates by the unit quaternion q (x y z w), then translates by t.
static inline void affine_compose(const double t[3], const double q[4], const double s[3],
                                  double out[12]) {
    const double x = q[0];
    const double y = q[1];
    const double z = q[2];
    const double w = q[3];
    const double r[9] = {
        1 - 2 * (y * y + z * z), 2 * (x * y - z * w),     2 * (x * z + y * w),
        2 * (x * y + z * w),     1 - 2 * (x * x + z * z), 2 * (y * z - x * w),
        2 * (x * z - y * w),     2 * (y * z + x * w),     1 - 2 * (x * x + y * y),
    };
    for (int i = 0; i < 3; ++i) {
        for (int k = 0; k < 3; ++k) {
            out[4 * i + k] = r[3 * i + k] * s[k];
        }
        out[4 * i + 3] = t[i];
    }
}

/// How far the linear part R is from a rotation: the largest |entry| of R R^T - I, or infinity if
/// R mirrors.
static inline double affine_stretch(const double m[12]) {
    double stretch = 0;
    for (int i = 0; i < 3; ++i) {
        for (int k = 0; k < 3; ++k) {
            const double product = m[4 * i] * m[4 * k] + m[4 * i + 1] * m[4 * k + 1] +
                                   m[4 * i + 2] * m[4 * k + 2];
            stretch = fmax(stretch, fabs(product - (i == k)));
        }
    }
    const double determinant = m[0] * (m[5] * m[10] - m[6] * m[9]) -
                               m[1] * (m[4] * m[10] - m[6] * m[8]) +
                               m[2] * (m[4] * m[9] - m[5] * m[8]);
    return determinant > 0 ? stretch : INFINITY;
}

#endif
