// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Clusters: what certificates know of some vertices without looking at them again: where they are,
// and for every field the affine map that fits its displacements best, and how far that is off.
//
// Everything is in units of the shape, powers of two (so that nothing is lost by them): positions
// about its middle by its size, displacements of a field, less a constant, by the greatest of them.
//
// Weights (or sums of them, bound/telescope.h) make fields, too, two for each node: fields 2 j and 2 j + 1 are w_j (p - o) and (w_j, 0, 0),
// for an origin o. They come before displacement fields. Every cluster has origins of its own, one a
// node, where that node's weights change: so changes do not turn into large displacements. A row
// for another origin follows from the two.
#ifndef ABUT_BOUND_CLUSTER_H
#define ABUT_BOUND_CLUSTER_H

#include "bound/affine.h"
#include "mesh/fields.h"
#include "mesh/weights.h"
#include "simd/layout.h"

typedef struct abut__units {
    const abut_context* context;
    const abut_mesh* mesh;
    const abut__fields* fields;
    const abut__weights* weights;  // or NULL
    uint32_t paired;               // fields that weights make
    uint32_t field_count;          // all of them
    double middle[3];
    double length;
    double* base;    // per field and axis; 0 if the field does not move all vertices
    double* amount;  // per field
} abut__units;

// `weights` may be NULL. False: no memory.
bool abut__units_make(const abut_context* context, const abut_mesh* mesh,
                      const abut__fields* fields, const abut__weights* weights, abut__units* made);
void abut__units_free(abut__units* units);
void abut__units_position(const abut__units* units, uint32_t vertex, double out[3]);
// Marks the fields that have a part in a vertex (bound/lists.h); `of` is abut__units.
void abut__units_mark(const void* of, uint32_t vertex, uint64_t* bits);

// Where vertices are: none is farther from their mean than the radius.
typedef struct abut__place {
    double mean[3];
    double radius;
    double box[2][3];
} abut__place;

typedef struct abut__cluster_row {
    double mean[3];      // of the displacements: a float, after the fit
    double cross[3][3];  // sum of (u - mean)(p - mean)^T
    double map[3][3];    // floats
    double error;        // no displacement is farther from mean + map (p - mean)
    double most;         // none is greater
} abut__cluster_row;

#define ABUT__ORIGIN_STEP 0x1p-15

// What is known of the two fields of a node's weights.
typedef struct abut__cluster_pair {
    double origin[3];   // in whole steps
    double lack;        // the greatest 1 - w; 0: the weight is 1 everywhere
    double turnover;    // sum of w (1 - w)
    double meeting[3];  // sum of w (1 - w) p
    // boxes of the gradients in triangles: of w (p - o), row by row, and of w; none: empty
    double slope[2][12];
} abut__cluster_pair;

typedef struct abut__cluster {
    const uint32_t* fields;
    uint32_t field_count;
    uint32_t paired;            // the first of them, which weights make
    abut__cluster_pair* pairs;  // half as many
    abut__cluster_row* rows;
    double count;         // of vertices
    double spread[3][3];  // sum of (p - mean)(p - mean)^T
    abut__place place;
} abut__cluster;

// Empty, for these fields; rows, and pairs unless there are no weights, are the caller's memory.
void abut__cluster_start(abut__cluster* cluster, const abut__units* units, const uint32_t* fields,
                         uint32_t field_count, abut__cluster_row* rows, abut__cluster_pair* pairs);
// Finds the origins of an empty cluster: first all its vertices, or parts whose own are known, then
// a box for weights that are the same everywhere.
void abut__cluster_meet_vertex(abut__cluster* cluster, const abut__units* units, uint32_t vertex);
void abut__cluster_meet(abut__cluster* cluster, const abut__cluster* part);
void abut__cluster_centre(abut__cluster* cluster, const double box[2][3]);
// Displacements of a vertex by the cluster's fields.
void abut__cluster_displacements(const abut__cluster* cluster, const abut__units* units,
                                 uint32_t vertex, double (*out)[3]);
// Adds a vertex (one displacement a field), or another cluster with no field that is not listed.
void abut__cluster_add_vertex(abut__cluster* cluster, const double position[3],
                              const double (*displacement)[3]);
void abut__cluster_add(abut__cluster* cluster, const abut__cluster* part);
// Works out the maps; radius and errors are left to those that follow.
void abut__cluster_fit(abut__cluster* cluster);
// The residual of a vertex and the k-th field; returns something that it and all its terms are below.
double abut__cluster_residual(const abut__cluster* cluster, uint32_t k, const double offset[3],
                              const double displacement[3], double out[3]);
// Makes radius and errors cover a vertex, or a part whose own are known.
void abut__cluster_cover_vertex(abut__cluster* cluster, const double position[3],
                                const double (*displacement)[3]);
void abut__cluster_cover(abut__cluster* cluster, const abut__cluster* part);

// Gradients of weights in a triangle, or in a part; and maps that are the middle of them, in the place
// of those that fit best (errors are not theirs). Such a map is nearest to the farthest of them.
void abut__cluster_slope_triangle(abut__cluster* cluster, const abut__units* units,
                                  const uint32_t vertex[3]);
void abut__cluster_slope(abut__cluster* cluster, const abut__cluster* part);
void abut__cluster_aim(abut__cluster* cluster);

// A cluster as kernels see it: rows of floats over fields, `stride` of them (a multiple of 16).
#define ABUT__SKETCH_ROWS 13u  // the map row by row, the mean, the error
typedef struct abut__sketch {
    abut__place place;
    const abut__cluster_pair* pairs;  // for their origins
    const uint32_t* fields;
    uint32_t field_count;
    float* rows;
} abut__sketch;
static inline uint32_t abut__sketch_stride(uint32_t field_count) {
    return (field_count + 15) / 16 * 16;
}
void abut__sketch_make(const abut__cluster* cluster, float* rows, abut__sketch* made);
// Rows for the fields and the origin of another cluster: the same, or filled in.
const float* abut__sketch_rows(const abut__sketch* sketch, const abut__cluster* wanted,
                               float* room);

// Whether two clusters have something between them; see abut__far_geometry. The distance along
// some direction between any two vertices of theirs is returned in *gap.
bool abut__places_apart(const abut__place* x, const abut__place* y, abut__far_geometry* geometry,
                        double* gap);

#endif
