// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// The all-pairs oracle: finds touching triangles without trees, floats or other parts of the
// library. A sweep over sorted x-intervals of exact triangle boxes proposes pairs, and a triangle
// test of the caller decides them.

#ifndef ABUT_TESTS_SUPPORT_BRUTE_H
#define ABUT_TESTS_SUPPORT_BRUTE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct brute_pair {
    uint32_t a;
    uint32_t b;
} brute_pair;

/// Decides one pair of triangles: the rational oracle, the library's exact predicate, or, for a
/// margin, a test of the distance.
typedef bool (*brute_touch)(const double p[3][3], const double q[3][3]);

/// Finds all pairs of a triangle of a and one of b for which `touch` is true, among those whose
/// boxes are within `margin` in every axis. Sorted by (a, b). `out` receives an array for free(),
/// or may be NULL. Ends the process if memory runs out.
size_t brute_collide(const double* xyz_a, const uint32_t* tri_a, uint32_t na, const double* xyz_b,
                     const uint32_t* tri_b, uint32_t nb, double margin, brute_touch touch,
                     brute_pair** out);

/// The same within one surface: pairs a < b that share no vertex. Vertices are the same if their
/// `vertex_class` is, or their index if that is NULL.
size_t brute_self(const double* xyz, const uint32_t* tri, uint32_t n, const uint32_t* vertex_class,
                  double margin, brute_touch touch, brute_pair** out);

/// Gives each vertex the smallest index of a vertex at the same place (-0 equals 0): the expected
/// result of welding by rest position.
void brute_classes(const double* xyz, uint32_t vertex_count, uint32_t* vertex_class);

/// True if both lists have the same pairs in the same order.
bool brute_pairs_equal(const brute_pair* p, size_t np, const brute_pair* q, size_t nq);

#endif  // ABUT_TESTS_SUPPORT_BRUTE_H
