// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Pairs of triangles, decided exactly. Pure functions of finite doubles: nothing is allocated, no
// state is kept, any number of threads may call them. A triangle is the convex hull of its three
// corners, closed; without area it is the segment or the point that they span. Answers hold for
// every finite input, from the least denormal to the greatest double in one pair, and depend on
// neither the order of the corners nor (touch, within) that of the triangles.
//
// Most calls end in a floating-point filter. What that leaves open is decided by integers of fixed
// width (residue.c) or expansions, and where those could overflow or underflow, or the degree is
// too high for them, by wide integers (wide.h). The deepest chain of calls uses less than 128 KB of
// stack; a filter less than 2 KB.
//
// Doubles must behave as IEEE 754 says: rounded to nearest, denormals not flushed to zero, products
// not fused with sums (-ffp-contract=off).
#ifndef ABUT_EXACT_TRIANGLES_H
#define ABUT_EXACT_TRIANGLES_H

#include <stdbool.h>
#include <stdint.h>

#include "abut/exact.h"
#include "simd/batches.h"

// Do the triangles share at least one point?
bool abut__triangles_touch(const double p[3][3], const double q[3][3]);

// Is the distance of the triangles at most `margin` (finite, >= 0; 0 asks whether they touch)?
bool abut__triangles_within(const double p[3][3], const double q[3][3], double margin);

// For neighbours in one mesh: do the triangles share a point outside the simplex (point, edge or
// triangle) that some corners of p span? Bit i of `shared_p` (1 to 7) names corner i. Those corners
// are meant to be corners of q too, but nothing depends on it: the answer is exact for any input.
bool abut__triangles_overlap_beyond(const double p[3][3], const double q[3][3], uint32_t shared_p);

// What the triangles share; how exact that is: see abut_intersection.
typedef abut_intersection abut__intersection;
void abut__triangles_intersection(const double p[3][3], const double q[3][3],
                                  abut__intersection* out);

#endif
