// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Clusters: what certificates know of the vertices under a node or block, or of two blocks, without
// looking at them again: where they are, and for every field the affine map that fits its
// displacements best, and how far that is off.
#ifndef ABUT_BOUND_CLUSTER_H
#define ABUT_BOUND_CLUSTER_H

#include "bound/affine.h"
#include "bound/bdtree.h"

typedef struct abut__cluster_row {
    double mean[3];      // of the displacements; the map takes the mean position there
    double cross[3][3];  // sum of (u - mean)(p - mean)^T
    double map[3][3];    // floats
    double error;        // no displacement is farther from the map
} abut__cluster_row;

typedef struct abut__cluster {
    const uint32_t* fields;
    uint32_t field_count;
    abut__cluster_row* rows;
    double count;  // of vertices
    double mean[3];
    double spread[3][3];  // sum of (p - mean)(p - mean)^T
    double radius;        // no vertex is farther from the mean
    double box[2][3];
} abut__cluster;

// Empty, for these fields; rows are the caller's memory.
void abut__cluster_start(abut__cluster* cluster, const uint32_t* fields, uint32_t field_count,
                         abut__cluster_row* rows);
// Adds a vertex (one displacement a field), or another cluster with no field that is not listed.
void abut__cluster_add_vertex(abut__cluster* cluster, const double position[3],
                              const double (*displacement)[3]);
void abut__cluster_add(abut__cluster* cluster, const abut__cluster* part);
// Works out the maps; radius and errors are left to the two that follow.
void abut__cluster_fit(abut__cluster* cluster);
// The residual of a vertex, field by field, and something that it and all its terms are below.
double abut__cluster_residual(const abut__cluster_row* row, const double offset[3],
                              const double displacement[3], double out[3]);
// Makes radius and errors cover a part, whose own are known.
void abut__cluster_cover(abut__cluster* cluster, const abut__cluster* part);

// The row of a field, or one of zeros; *place goes up with the fields asked for.
const abut__cluster_row* abut__cluster_row_of(const abut__cluster* cluster, uint32_t field,
                                              uint32_t* place);

// Displacements of a vertex by the fields listed.
void abut__displacements(const abut__fields* fields, uint32_t vertex, const uint32_t* list,
                         uint32_t count, double (*out)[3]);

#endif
