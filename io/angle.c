// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Sines and angles that are the same on every machine: see angle.h.
#include "io/angle.h"

#include <math.h>

// the Taylor series, from its last term; at pi / 2 the next term is below 1e-22
double angle_sine(double angle) {
    const double square = angle * angle;
    double sum = 1;
    for (int k = 25; k >= 3; k -= 2) {
        sum = 1 - square / (k * (k - 1)) * sum;
    }
    return angle * sum;
}

// Newton's method for the half angle, whose sine is at most sqrt(1/2). The series that it begins with is within 0.01,
// and each step squares the error.
double angle_of_cosine(double cosine) {
    const double square = (1 - cosine) / 2;
    const double sine = sqrt(square);
    double half = sine * (1 + square * (1.0 / 6 + square * (3.0 / 40 + square * (5.0 / 112))));
    for (int i = 0; i < 4; ++i) {
        const double at = angle_sine(half);
        half -= (at - sine) / sqrt(1 - at * at);
    }
    return 2 * half;
}
