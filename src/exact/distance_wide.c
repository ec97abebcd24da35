// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Computes the distance of two triangles in wide integers: the least of all pairs of closest
// points, rounded only at the end.
#include <math.h>

#include "exact/distance.h"
#include "exact/features_wide.h"
#include "exact/witness.h"

// The least squared distance so far, part * 2^exponent with part in [0.5, 1), and its weights.
typedef struct {
    bool any;
    double part;
    int exponent;
    abut_distance* out;
} least_so_far;

// Computes a / b = part * 2^exponent. A shift by whole limbs first brings the quotient near 1.
static double quotient_parts(const abut__wide* a, const abut__wide* b, int* exponent) {
    const int shift = 64 * ((int)a->size - (int)b->size);
    const double part = frexp(abut__wide_quotient(a, b, -shift), exponent);
    *exponent += shift;
    return part;
}

static void set_weights(const abut__wide_points* points, int side, double weight[3]) {
    weight[0] = weight[1] = weight[2] = 0.0;
    if (points->size[side] == 1) {
        weight[points->first[side]] = 1.0;
    } else if (points->size[side] == 2) {
        const int own = points->size[1 - side] == 2 ? side : 0;  // two edges have one weight each
        abut__weigh_edge(weight, points->first[side],
                         abut__wide_quotient(points->weight[own], points->unit, 0));
    } else {
        for (int i = 0; i < 3; ++i) {
            weight[i] = abut__wide_quotient(points->weight[i], points->unit, 0);
        }
    }
}

static bool take_less(void* user, const abut__wide_points* points) {
    least_so_far* least = user;
    int exponent;
    const double part = quotient_parts(points->square, points->unit, &exponent);
    if (!least->any || exponent < least->exponent ||
        (exponent == least->exponent && part < least->part)) {
        least->any = true;
        least->part = part;
        least->exponent = exponent;
        set_weights(points, 0, least->out->p.weights);
        set_weights(points, 1, least->out->q.weights);
    }
    return true;
}

void abut__distance_wide(const double p[3][3], const double q[3][3], abut_distance* out) {
    const int unit = abut__wide_pair_exponent(p, q);
    least_so_far least = {false, 0.0, 0, out};
    abut__wide_features(p, q, unit, take_less, &least);
    const int odd = least.exponent & 1;
    out->distance = scalbn(sqrt(odd != 0 ? 2.0 * least.part : least.part),
                           (least.exponent - odd) / 2 + unit);
}
