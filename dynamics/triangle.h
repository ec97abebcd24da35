// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// The nearest point of a triangle to a point.
#ifndef DYNAMICS_TRIANGLE_H
#define DYNAMICS_TRIANGLE_H

/// Computes the nearest point of the triangle with corners `t`; returns the squared distance.
double triangle_nearest(const double t[3][3], const double point[3], double nearest[3]);

#endif
