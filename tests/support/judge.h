// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Judges a comparison with all pairs. Mostly the library's own exact predicates decide, which are
// fast. In one comparison of ten, the first included, rationals decide, which share no code with
// them. Comparisons are counted instead of seeds, because most tests try fewer than ten seeds in
// the quick tier. There, rationals stop after about a third of a second. For one thread only.

#ifndef ABUT_TESTS_SUPPORT_JUDGE_H
#define ABUT_TESTS_SUPPORT_JUDGE_H

#include <stdbool.h>
#include <stddef.h>

#include "support/brute.h"
#include "support/world.h"

/// The cost of one decision by rationals, in units of a touch test of two triangles.
#define JUDGE_TOUCH 1
#define JUDGE_DISTANCE 12
#define JUDGE_SWEEP 1

/// True if rationals judge the next comparison. Counts it.
bool judge_is_due(void);
/// Spends `cost` on a comparison that is due, but at most the budget of one. Returns k: every k-th
/// decision can be judged, or all of them if k is 1.
size_t judge_spend(size_t cost);
/// The number of comparisons so far, and of those judged by rationals.
size_t judge_asked(void);
size_t judge_judged(void);

/// Decides by rationals whether two triangles share a point.
bool judge_touch(const double p[3][3], const double q[3][3]);
/// Fails the present test unless a distance is that of the triangles, within the bounds of
/// abut_distance.
void judge_distance(const double p[3][3], const double q[3][3], double distance);

/// A set of triangles for all pairs.
typedef struct judge_side {
    const double* xyz;
    const uint32_t* triangles;
    uint32_t count;
    const uint32_t* classes;  ///< for pairs within one
} judge_side;

/// All pairs of a and b, or within a if b is NULL, that are at most `margin` apart, by
/// brute_collide() or brute_self(). Rationals judge them in their turn, every k-th pair where there
/// are too many; all of them if `always`.
size_t judge_pairs(const judge_side* a, const judge_side* b, double margin, bool always,
                   brute_pair** out);

/// All pairs of two surfaces that share a point.
size_t judge_surfaces(const surface* a, const surface* b, brute_pair** out);

#endif  // ABUT_TESTS_SUPPORT_JUDGE_H
