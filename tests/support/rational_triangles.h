// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// An oracle for pairs of triangles in GMP rationals. It shares no code and no formula with the
// library: intersections come from clipping, distances from the normal equations of every pair of
// faces. Slow, and for one thread only.
#ifndef ABUT_TESTS_RATIONAL_TRIANGLES_H
#define ABUT_TESTS_RATIONAL_TRIANGLES_H

#include <gmp.h>
#include <stdbool.h>
#include <stdint.h>

// The corners of a convex set, each once, in cyclic order.
typedef struct rational_set {
    uint32_t count;
    mpq_t point[16][3];
} rational_set;
void rational_set_init(rational_set* set);
void rational_set_clear(rational_set* set);

// The intersection of two triangles.
void rational_intersection(const double p[3][3], const double q[3][3], rational_set* out);
// True if they share a point outside the simplex of the corners of p in the mask (1 to 7). `shared`
// is their intersection.
bool rational_beyond(const double p[3][3], const rational_set* shared, uint32_t mask);
// The square of their distance.
void rational_distance_sq(const double p[3][3], const double q[3][3], mpq_t out);
// The squared distance of a vertex (first) and a face, or of two edges.
void rational_feature_distance_sq(const double corner[4][3], bool edges, mpq_t out);
// The sign of ((b - a) x (c - a)) . (d - a), and of one component of (b - a) x (c - a).
int rational_orient3d(const double a[3], const double b[3], const double c[3], const double d[3]);
int rational_orient2d(const double a[3], const double b[3], const double c[3], int axis);

#endif
