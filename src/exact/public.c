// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// The public functions for one pair: they check the arguments and call the internal functions.
#include <math.h>
#include <stddef.h>

#include "abut/exact.h"
#include "exact/distance.h"
#include "exact/triangles.h"

static bool all_finite(const double t[3][3]) {
    for (int i = 0; i < 3; ++i) {
        if (!isfinite(t[i][0]) || !isfinite(t[i][1]) || !isfinite(t[i][2])) {
            return false;
        }
    }
    return true;
}

abut_status abut_triangles_touch(const double p[3][3], const double q[3][3], bool* touch,
                                 abut_intersection* shared) {
    if (p == NULL || q == NULL || touch == NULL || !all_finite(p) || !all_finite(q)) {
        return ABUT_ERR_INVALID_ARGUMENT;
    }
    if (shared == NULL) {
        *touch = abut__triangles_touch(p, q);
    } else {
        abut__triangles_intersection(p, q, shared);
        *touch = shared->count > 0;
    }
    return ABUT_OK;
}

abut_status abut_triangles_within(const double p[3][3], const double q[3][3], double margin,
                                  bool* within) {
    if (p == NULL || q == NULL || within == NULL || !(margin >= 0.0) || !isfinite(margin) ||
        !all_finite(p) || !all_finite(q)) {
        return ABUT_ERR_INVALID_ARGUMENT;
    }
    *within = abut__triangles_within(p, q, margin);
    return ABUT_OK;
}

abut_status abut_triangles_distance(const double p[3][3], const double q[3][3],
                                    abut_distance* measured) {
    if (p == NULL || q == NULL || measured == NULL || !all_finite(p) || !all_finite(q)) {
        return ABUT_ERR_INVALID_ARGUMENT;
    }
    abut__triangles_distance(p, q, measured);
    return ABUT_OK;
}
