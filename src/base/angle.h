// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Sines and angles by the four operations and the square root, which every machine rounds alike. The C library's own
// functions differ in their last bits from one system to another, and with them poses of animated models and
// translations that separate bodies. io/ includes this file, too.
#ifndef ABUT_BASE_ANGLE_H
#define ABUT_BASE_ANGLE_H

#include <math.h>

#define ABUT__HALF_TURN 3.14159265358979323846
#define ABUT__RIGHT_ANGLE 1.57079632679489661923

// The sine of an angle from 0 to pi / 2, with an error of a few units of the last place: the Taylor series, from its
// last term. At pi / 2 the next term is below 1e-22.
static inline double abut__sine_of_acute(double angle) {
    const double square = angle * angle;
    double sum = 1;
    for (int k = 25; k >= 3; k -= 2) {
        sum = 1 - square / (k * (k - 1)) * sum;
    }
    return angle * sum;
}

// The angle of a sine from 0 to sqrt(1/2): Newton's method. The series that it begins with is within 0.01, and each
// step squares the error.
static inline double abut__angle_of_small_sine(double sine) {
    const double square = sine * sine;
    double angle = sine * (1 + square * (1.0 / 6 + square * (3.0 / 40 + square * (5.0 / 112))));
    for (int i = 0; i < 4; ++i) {
        const double at = abut__sine_of_acute(angle);
        angle -= (at - sine) / sqrt(1 - at * at);
    }
    return angle;
}

// The sine of an angle from 0 to pi.
static inline double abut__sine(double angle) {
    return abut__sine_of_acute(angle > ABUT__RIGHT_ANGLE ? ABUT__HALF_TURN - angle : angle);
}

// The cosine of an angle from 0 to pi.
static inline double abut__cosine(double angle) {
    return angle > ABUT__RIGHT_ANGLE ? -abut__sine_of_acute(angle - ABUT__RIGHT_ANGLE)
                                     : abut__sine_of_acute(ABUT__RIGHT_ANGLE - angle);
}

// The angle from 0 to pi / 2 of a sine from 0 to 1.
static inline double abut__angle_of_sine(double sine) {
    return sine * sine <= 0.5
               ? abut__angle_of_small_sine(sine)
               : ABUT__RIGHT_ANGLE - abut__angle_of_small_sine(sqrt((1 - sine) * (1 + sine)));
}

// The angle from 0 to pi of a cosine from -1 to 1.
static inline double abut__angle_of_cosine(double cosine) {
    const double acute = 2 * abut__angle_of_small_sine(sqrt((1 - fabs(cosine)) / 2));
    return cosine < 0 ? ABUT__HALF_TURN - acute : acute;
}

#endif
