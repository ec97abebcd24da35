// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Compares the distance of two triangles with a margin in wide integers. It is within the margin if
// and only if some pair of closest points is.
#include "exact/features_wide.h"
#include "exact/triangles_within.h"

typedef struct {
    abut__wide margin_sq;
    bool within;
} margin_test;

// Tests whether square / unit <= margin^2.
static bool test_points(void* user, const abut__wide_points* points) {
    margin_test* test = user;
    abut__wide limit;
    abut__wide_mul(&limit, &test->margin_sq, points->unit);
    test->within = abut__wide_compare(points->square, &limit) <= 0;
    return !test->within;
}

bool abut__within_wide(const double p[3][3], const double q[3][3], double margin) {
    const int own = abut__wide_exponent(&margin, 1);
    const int corners = abut__wide_pair_exponent(p, q);
    const int exponent = own < corners ? own : corners;
    margin_test test = {.within = false};
    abut__wide limit;
    abut__wide_set(&limit, margin, exponent);
    abut__wide_mul(&test.margin_sq, &limit, &limit);
    abut__wide_features(p, q, exponent, test_points, &test);
    return test.within;
}
