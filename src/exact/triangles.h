// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Pairs of triangles, decided exactly. Pure functions of finite doubles: they allocate nothing,
// keep no state, and any number of threads may call them. A triangle is the closed convex hull of
// its three corners; without area it is a segment or a point. Results hold for every finite input,
// from the least denormal to the greatest double in one pair. They do not depend on the order of
// the corners nor (touch, within) on that of the triangles.
//
// A floating-point filter decides most calls. Integers of fixed width (residue.c) or expansions
// decide the rest. Where these could overflow or underflow, or the degree is too high for them,
// wide integers (wide.h) decide. The deepest chain of calls uses less than 128 KB of stack; a
// filter less than 2 KB.
//
// Doubles must follow IEEE 754: rounded to nearest, denormals not flushed to zero, products not
// fused with sums (-ffp-contract=off).
#ifndef ABUT_EXACT_TRIANGLES_H
#define ABUT_EXACT_TRIANGLES_H

#include <stdbool.h>
#include <stdint.h>

#include "abut/exact.h"
#include "simd/batches.h"

// Tells whether the triangles share at least one point.
bool abut__triangles_touch(const double p[3][3], const double q[3][3]);

// Tells whether the distance of the triangles is at most `margin` (finite, >= 0; 0: whether they
// touch).
bool abut__triangles_within(const double p[3][3], const double q[3][3], double margin);

// For neighbours in one mesh: tells whether the triangles share a point outside the simplex (point,
// edge or triangle) that some corners of p span. Bit i of `shared_p` (1 to 7) is corner i. These
// corners are normally corners of q, too, but the answer is exact for any input.
bool abut__triangles_overlap_beyond(const double p[3][3], const double q[3][3], uint32_t shared_p);

// The intersection of the triangles. For its accuracy see abut_intersection.
typedef abut_intersection abut__intersection;
void abut__triangles_intersection(const double p[3][3], const double q[3][3],
                                  abut__intersection* out);

#endif
