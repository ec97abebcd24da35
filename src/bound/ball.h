// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// A small ball around points or around other balls. Based on: Badoiu, Clarkson, "Smaller core-sets
// for balls", 2003. A few items, the core-set, determine the centre. Each new one is the item that
// is farthest from the centre found with the ones before it.
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

// Returns a ball that contains all items (at least one; a point has radius 0). All its numbers are
// exact in float: the centre is rounded, and the radius from the rounded centre is rounded up. The
// centre lies in the box of the items' centres, up to that rounding. A coordinate that float cannot
// represent becomes 0.
abut__ball abut__ball_around(const abut__ball* items, size_t count, abut__centre_rule rule);

// Returns an upper bound of the distance of two points, which is tight unless squares overflow or
// underflow.
double abut__distance_up(const double a[3], const double b[3]);

#endif
