// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Directions between closest points. If the points are inside a face, or inside both edges, the
// direction is the normal of the face or that of both edges, and an exact sign tells its side. Its
// error is about 2^-51 over the sine of the angle of the edges, at any distance. The difference of
// the points has an error of about 2^-50 of the extent over the distance. The better one is used.
#include "exact/feature_normal.h"

#include <math.h>
#include <string.h>

#include "base/vec3.h"
#include "exact/orient.h"

// The features relative to their first point, scaled so that the greatest coordinate is in [1, 2).
typedef struct scaled_features {
    double first[3];   // edge of a face, or the first edge
    double second[3];  // other edge of the face, or the second edge
    double
        between[3];  // from the first corner of the face, or of the second edge, to the first point
    double scale;
} scaled_features;

// Returns a - b, scaled; neither the difference nor the product overflows or loses bits that matter.
static void difference(const double a[3], const double b[3], double scale, double out[3]) {
    for (int d = 0; d < 3; ++d) {
        const double whole = a[d] - b[d];
        out[d] = isfinite(whole) ? whole * scale : a[d] * scale - b[d] * scale;
    }
}

static double scale_of(const double corner[4][3]) {
    double extent = 0;
    for (int i = 1; i < 4; ++i) {
        for (int d = 0; d < 3; ++d) {
            const double half = fabs(0.5 * corner[i][d] - 0.5 * corner[0][d]);
            extent = half > extent ? half : extent;
        }
    }
    if (extent == 0) {
        return 1;
    }
    const int exponent = ilogb(extent) + 1;
    return ldexp(1, exponent > 1000 ? -1000 : exponent < -1000 ? 1000 : -exponent);
}

static void scale_features(const double corner[4][3], bool edges, scaled_features* out) {
    out->scale = scale_of(corner);
    if (edges) {
        difference(corner[1], corner[0], out->scale, out->first);
        difference(corner[3], corner[2], out->scale, out->second);
        difference(corner[0], corner[2], out->scale, out->between);
    } else {
        difference(corner[2], corner[1], out->scale, out->first);
        difference(corner[3], corner[1], out->scale, out->second);
        difference(corner[0], corner[1], out->scale, out->between);
    }
}

// makes a vector a unit one; false: its length is 0
static bool make_unit(double v[3]) {
    double most = 0;
    for (int d = 0; d < 3; ++d) {
        most = fabs(v[d]) > most ? fabs(v[d]) : most;
    }
    if (!(most > 0)) {
        return false;
    }
    // squares of small numbers would underflow
    const double scale = ldexp(1, ilogb(most) < -1000 ? 1000 : -ilogb(most));
    for (int d = 0; d < 3; ++d) {
        v[d] *= scale;
    }
    const double length = sqrt(abut__dot3(v, v));
    for (int d = 0; d < 3; ++d) {
        v[d] /= length;
    }
    return true;
}

// Subtracts from v its component along an edge.
static void make_orthogonal(const double edge[3], double v[3]) {
    const double square = abut__dot3(edge, edge);
    const double part = square > 0 ? abut__dot3(v, edge) / square : 0;
    for (int d = 0; d < 3; ++d) {
        v[d] -= part * edge[d];
    }
}

// Computes the difference of the points. At two corners it is that of their coordinates; along an
// edge that has its point inside, its rounding error is removed.
static void difference_of_points(const double corner[4][3], const double w[4], bool edges,
                                 const scaled_features* f, double out[3]) {
    int at[2] = {-1, -1};  // the only corner of each point; -1: there are several
    for (int i = 0; i < 4; ++i) {
        const int side = i < (edges ? 2 : 1) ? 0 : 1;
        at[side] = w[i] == 1 ? i : at[side];
    }
    if (at[0] >= 0 && at[1] >= 0) {
        difference(corner[at[0]], corner[at[1]], f->scale, out);
        return;
    }
    for (int d = 0; d < 3; ++d) {
        out[d] = edges ? (f->between[d] + w[1] * f->first[d]) - w[3] * f->second[d]
                       : f->between[d] - (w[2] * f->first[d] + w[3] * f->second[d]);
    }
    if (edges && at[0] < 0) {
        make_orthogonal(f->first, out);
    }
    if (edges && at[1] < 0) {
        make_orthogonal(f->second, out);
    }
    if (!edges) {
        for (int i = 1; i < 4; ++i) {  // the edge opposite to a corner without weight
            double edge[3];
            difference(corner[1 + i % 3], corner[1 + (i + 1) % 3], f->scale, edge);
            if (w[i] == 0) {
                make_orthogonal(edge, out);
            }
        }
    }
}

// Whether the points are inside the face, or inside both edges.
static bool are_inside(const double w[4], bool edges) {
    return w[1] != 0 && w[2] != 0 && w[3] != 0 && (!edges || w[0] != 0);
}

void abut__feature_normal(const double corner[4][3], const double weights[4], bool edges,
                          double distance, double normal[3]) {
    scaled_features f;
    scale_features(corner, edges, &f);
    abut__cross3(f.first, f.second, normal);
    const double sine_sq = abut__dot3(normal, normal) /
                           (abut__dot3(f.first, f.first) * abut__dot3(f.second, f.second));
    const double part = distance * f.scale;
    if (distance == 0 || (are_inside(weights, edges) && sine_sq > part * part)) {
        const int side = distance == 0 ? 1
                         : edges       ? abut__orient3d(corner[0], corner[1], corner[2], corner[3])
                                       : abut__orient3d(corner[1], corner[2], corner[3], corner[0]);
        if (side != 0 && make_unit(normal)) {
            for (int d = 0; d < 3; ++d) {
                normal[d] = side < 0 ? -normal[d] : normal[d];
            }
            return;
        }
    }
    if (distance > 0) {
        difference_of_points(corner, weights, edges, &f, normal);
    }
    if (distance == 0 || !make_unit(normal)) {
        memset(normal, 0, 3 * sizeof *normal);
    }
}
