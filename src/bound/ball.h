// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// A small ball around points, or around other balls. Based on: Badoiu, Clarkson, "Smaller core-sets
// for balls", 2003: a few of the items decide where the centre is, and are found one by one, each
// the farthest from the centre that the ones before it gave.
#ifndef ABUT_BOUND_BALL_H
#define ABUT_BOUND_BALL_H

#include <stddef.h>

typedef struct abut__ball {
    double c[3];
    double r;
} abut__ball;

typedef enum abut__centre_rule {
    ABUT__CENTRE_MINIMAL = 0,  // nearly the smallest ball
    ABUT__CENTRE_MEAN,         // the mean of the centres
} abut__centre_rule;

// A ball that holds all items (at least one; points have radius 0). Its numbers are floats; the
// centre is rounded, and the radius, rounded up, counts from the rounded centre. The centre lies
// in the box of the items' centres, up to that rounding, or is 0 if float cannot hold it.
abut__ball abut__ball_around(const abut__ball* items, size_t count, abut__centre_rule rule);

// An upper bound of the distance of two points, tight unless squares overflow or underflow.
double abut__distance_up(const double a[3], const double b[3]);

#endif
