// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Slopes of displacement fields over rest coordinates, axis by axis, for the boxes of bdtree.h.
// Moments of the vertices under a node give the slopes of least squares. They add up from the
// blocks to the root, so vertices are read again only where a slope may gain. That is where a field
// can halve a part while it moves no vertex farther than the size of the shape: bending and
// vibrating bodies hardly strain, and need no slopes.
#ifndef ABUT_BOUND_SLOPES_H
#define ABUT_BOUND_SLOPES_H

#include "mesh/fields.h"
#include "mesh/mesh.h"
#include "tree/tree.h"

// The range of one quantity under a node or block, for three axes.
typedef struct abut__range {
    double lo[3];
    double hi[3];
} abut__range;

// Sums over vertices, three axes each.
typedef struct abut__moments {
    double u[3];   // of a field's displacements; of rest coordinates in row 0
    double pu[3];  // times the rest coordinate
} abut__moments;

// The slope of one field along one axis, and the range of what it leaves of the displacements.
typedef struct abut__slope {
    uint32_t field;
    int axis;
    float slope;
    double lo;
    double hi;
} abut__slope;

// What finding slopes needs to know of a node or block: `rows` is 1 + the number of fields.
typedef struct abut__slope_task {
    const abut__tree* tree;
    const abut_mesh* mesh;
    const abut__fields* fields;
    abut__ref ref;
    double count;                  // vertices below it; one of two blocks counts twice
    const abut__range* ranges;     // per row
    const abut__moments* moments;  // per row
    double extent;                 // half the greatest side of the shape's box
    double centre[3];              // of the box, as it is stored
    double half[3];
} abut__slope_task;

// Adds a vertex at p to the moments of a row.
static inline void abut__moments_add(abut__moments* row, const double p[3], const double u[3]) {
    for (int d = 0; d < 3; ++d) {
        row->u[d] += u[d];
        row->pu[d] += p[d] * u[d];
    }
}
// Finds the slopes that make boxes clearly smaller somewhere and hardly greater anywhere, by
// ascending fields. `out` has room for three per field. Returns their number.
size_t abut__slopes_find(const abut__slope_task* task, abut__slope* out);

#endif
