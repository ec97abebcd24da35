// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Solid angles are based on: Van Oosterom, Strackee, "The Solid Angle of a Plane Triangle" (1983).

#include "support/solids.h"

#include <math.h>
#include <string.h>

surface cube_surface(double x, double y, double z, double size) {
    static const uint32_t faces[12][3] = {{0, 2, 1}, {1, 2, 3}, {4, 5, 6}, {5, 7, 6},
                                          {0, 1, 4}, {1, 5, 4}, {2, 6, 3}, {3, 6, 7},
                                          {0, 4, 2}, {2, 4, 6}, {1, 3, 5}, {3, 7, 5}};
    surface s = surface_make(8, 12);
    for (uint32_t v = 0; v < 8; ++v) {
        s.xyz[3 * v] = x + size * (v & 1);
        s.xyz[3 * v + 1] = y + size * (v >> 1 & 1);
        s.xyz[3 * v + 2] = z + size * (v >> 2);
    }
    memcpy(s.triangles, faces, sizeof faces);
    return s;
}

// the solid angle of a triangle seen from the origin
static double solid_angle(const double t[3][3]) {
    double length[3];
    for (int c = 0; c < 3; ++c) {
        length[c] = sqrt(t[c][0] * t[c][0] + t[c][1] * t[c][1] + t[c][2] * t[c][2]);
    }
    double dot[3];
    for (int c = 0; c < 3; ++c) {
        const double* a = t[c];
        const double* b = t[(c + 1) % 3];
        dot[c] = a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
    }
    const double volume = t[0][0] * (t[1][1] * t[2][2] - t[1][2] * t[2][1]) +
                          t[0][1] * (t[1][2] * t[2][0] - t[1][0] * t[2][2]) +
                          t[0][2] * (t[1][0] * t[2][1] - t[1][1] * t[2][0]);
    const double below = length[0] * length[1] * length[2] + dot[0] * length[2] +
                         dot[1] * length[0] + dot[2] * length[1];
    return 2 * atan2(volume, below);
}

double winding_number(const surface* s, const double p[3]) {
    double sum = 0;
    for (uint32_t i = 0; i < s->triangle_count; ++i) {
        double t[3][3];
        for (int c = 0; c < 3; ++c) {
            for (int d = 0; d < 3; ++d) {
                t[c][d] = s->xyz[3 * (size_t)s->triangles[3 * i + (uint32_t)c] + (size_t)d] - p[d];
            }
        }
        sum += solid_angle((const double(*)[3])t);
    }
    return sum / (4 * acos(-1.0));
}
