// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// The all-pairs oracle: which triangles touch, found without trees, floats or anything else that
// the library does. A sweep over sorted x-intervals of exact triangle boxes proposes pairs, and a
// triangle test that the caller chooses decides them.

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

/// Finds all pairs of a triangle of a and one of b for which `touch` says yes, among those whose
/// boxes are within `margin` in every axis. Sorted by (a, b). `out` receives an array for free(),
/// or may be NULL. Ends the process if memory runs out.
size_t brute_collide(const double* xyz_a, const uint32_t* tri_a, uint32_t na, const double* xyz_b,
                     const uint32_t* tri_b, uint32_t nb, double margin, brute_touch touch,
                     brute_pair** out);

/// The same within one surface: pairs a < b that share no vertex. Vertices are the same if their
/// `vertex_class` is, or their index if that is NULL.
size_t brute_self(const double* xyz, const uint32_t* tri, uint32_t n, const uint32_t* vertex_class,
                  double margin, brute_touch touch, brute_pair** out);

/// Gives every vertex the smallest index of a vertex at the same place (-0 is 0): what welding by
/// rest position must come to.
void brute_classes(const double* xyz, uint32_t vertex_count, uint32_t* vertex_class);

/// True if both lists hold the same pairs in the same order.
bool brute_pairs_equal(const brute_pair* p, size_t np, const brute_pair* q, size_t nq);

#endif  // ABUT_TESTS_SUPPORT_BRUTE_H
