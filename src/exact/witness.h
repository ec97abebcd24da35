// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Points of triangles from the weights of corners.
#ifndef ABUT_EXACT_WITNESS_H
#define ABUT_EXACT_WITNESS_H

#include <math.h>
#include <string.h>

#include "exact/triangles.h"

// Sets the weights of a point of the edge from corner `first` to the next one, part `s` of the way.
static inline void abut__weigh_edge(double weight[3], uint32_t first, double s) {
    weight[first] = 1.0 - s;
    weight[(first + 1) % 3] = s;
}

// Sets the feature from the corners whose weights are not 0.
static inline void abut__witness_name(abut_witness* witness) {
    const double* w = witness->weights;
    const uint32_t mask = (uint32_t)(w[0] != 0.0) | (uint32_t)(w[1] != 0.0) << 1 |
                          (uint32_t)(w[2] != 0.0) << 2;
    static const uint8_t kinds[8] = {0, 0, 0, 1, 0, 1, 1, 2};
    static const uint8_t indices[8] = {0, 0, 1, 0, 2, 2, 1, 0};  // edges 0 1, 1 2, 2 0
    witness->feature = (abut_feature)kinds[mask];
    witness->index = indices[mask];
}

// Returns a + s (b - a), or (1 - s) a + s b if the difference exceeds the range of doubles.
static inline double abut__between(double a, double b, double s) {
    const double difference = b - a;
    return isfinite(difference) ? a + s * difference : (1.0 - s) * a + s * b;
}

// Sets feature and point. The point lies in the box of the feature's corners.
static inline void abut__witness_place(const double t[3][3], abut_witness* witness) {
    abut__witness_name(witness);
    const uint32_t i = witness->index;
    if (witness->feature == ABUT_FEATURE_VERTEX) {
        memcpy(witness->point, t[i], sizeof witness->point);
        return;
    }
    const uint32_t j = (i + 1) % 3;
    const uint32_t l = witness->feature == ABUT_FEATURE_EDGE ? j : (i + 2) % 3;
    const double s = witness->weights[j];
    const double last = l == j ? 0.0 : witness->weights[l];
    for (int k = 0; k < 3; ++k) {
        double x = abut__between(t[i][k], t[j][k], s);
        if (l != j) {  // (a + s (b - a)) + last (c - a)
            const double difference = t[l][k] - t[i][k];
            x = isfinite(difference) && isfinite(x)
                    ? x + last * difference
                    : (witness->weights[i] * t[i][k] + s * t[j][k]) + last * t[l][k];
        }
        // plain comparisons: calls of fmin and fmax would take as long as all the rest
        const double low = t[i][k] < t[j][k] ? t[i][k] : t[j][k];
        const double high = t[i][k] > t[j][k] ? t[i][k] : t[j][k];
        const double lo = low < t[l][k] ? low : t[l][k];
        const double hi = high > t[l][k] ? high : t[l][k];
        witness->point[k] = x < lo ? lo : x > hi ? hi : x;
    }
}

#endif
