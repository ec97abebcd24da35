// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Distance of two triangles against a margin in wide integers: yes if and only if some pair of
// closest points is close enough.
#include "exact/features_wide.h"
#include "exact/triangles_within.h"

typedef struct {
    abut__wide margin_sq;
    bool within;
} question;

// square / unit <= margin^2?
static bool ask(void* user, const abut__wide_points* points) {
    question* asked = user;
    abut__wide limit;
    abut__wide_mul(&limit, &asked->margin_sq, points->unit);
    asked->within = abut__wide_compare(points->square, &limit) <= 0;
    return !asked->within;
}

bool abut__within_wide(const double p[3][3], const double q[3][3], double margin) {
    const int own = abut__wide_exponent(&margin, 1);
    const int corners = abut__wide_pair_exponent(p, q);
    const int exponent = own < corners ? own : corners;
    question asked = {.within = false};
    abut__wide limit;
    abut__wide_set(&limit, margin, exponent);
    abut__wide_mul(&asked.margin_sq, &limit, &limit);
    abut__wide_features(p, q, exponent, ask, &asked);
    return asked.within;
}
