// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// The generalized winding number: the sum of the solid angles of all triangles, seen from a point,
// over 4 pi. A node that is far enough is replaced by a fan over its contour: the node's surface and
// the fan together are closed and lie in the node's box, so both have the same solid angle from every
// point outside of that box. This is exact; only rounding remains.
//
// Based on: Jacobson, Kavan, Sorkine-Hornung, Robust Inside-Outside Segmentation using Generalized
// Winding Numbers (2013).
#ifndef ABUT_QUERY_WINDING_H
#define ABUT_QUERY_WINDING_H

#include "query/query.h"

// A body that is asked for winding numbers.
typedef struct abut__winding {
    abut__view view;
    const abut__contours* contours;
    const double (*positions)[3];  // of all vertices in the world, or NULL: they are computed
    double pad;                    // of boxes
} abut__winding;

// False: no memory.
bool abut__winding_begin(abut__body* body, abut__winding* out);
// `stack` has room for (depth + 1) * ABUT__FAN entries.
double abut__winding_at(const abut__winding* w, const double point[3], abut__ref* stack,
                        abut_counters* counters);

#endif
