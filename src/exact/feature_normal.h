// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// The direction between the closest points of a vertex and a face, or of two edges.
#ifndef ABUT_EXACT_FEATURE_NORMAL_H
#define ABUT_EXACT_FEATURE_NORMAL_H

#include <stdbool.h>

// Computes the unit vector from a face to a vertex, or from the second edge to the first. `corner`
// are the vertex and the face's corners, or the ends of both edges; `weights` are those of the
// closest points, in this order; `distance` is that of the points. Of features that touch it is
// the normal of the face, or (first edge) x (second edge); 0 if there is none.
void abut__feature_normal(const double corner[4][3], const double weights[4], bool edges,
                          double distance, double normal[3]);

#endif
