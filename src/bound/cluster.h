// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Clusters summarize vertices for certificates: their region, and for every field the affine map
// that fits its displacements best, with its greatest error.
//
// All numbers are in units of the shape, powers of two, so that conversion is exact. Positions are
// relative to the shape's middle and its size; displacements of a field, minus a constant, are
// relative to the greatest of them.
//
// Weights (or sums of them, bound/telescope.h) are fields, too. Node j has two: fields 2 j and
// 2 j + 1 are w_j (p - o) and (w_j, 0, 0), for an origin o. They precede displacement fields. Every
// cluster has its own origins, one per node, where that node's weights change: so these changes
// cause no large displacements. The row for another origin follows from the two.
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
    const abut__weights* weights;  // may be NULL
    uint32_t paired;               // fields that weights make, which come first
    uint32_t field_count;          // all fields
    double middle[3];
    double length;
    double* base;    // constant part, per field and axis; 0 if the field does not move all vertices
    double* amount;  // unit of displacements, per field
    double* inverse;  // 1 / amount, which is exact
} abut__units;

// `weights` may be NULL. False: no memory.
bool abut__units_make(const abut_context* context, const abut_mesh* mesh,
                      const abut__fields* fields, const abut__weights* weights, abut__units* made);
void abut__units_free(abut__units* units);
void abut__units_position(const abut__units* units, uint32_t vertex, double out[3]);
// Marks the fields that act on a vertex (bound/lists.h); `of` is an abut__units.
void abut__units_mark(const void* of, uint32_t vertex, uint64_t* bits);

// The region of some vertices: none is farther from their mean than the radius.
typedef struct abut__place {
    double mean[3];
    double radius;
    double box[2][3];
} abut__place;

typedef struct abut__cluster_row {
    double mean[3];      // of the displacements; exact in float after the fit
    double cross[3][3];  // sum of (u - mean)(p - mean)^T
    double map[3][3];    // exact in float
    double error;        // greatest distance of a displacement from mean + map (p - mean)
    double most;         // greatest displacement
} abut__cluster_row;

#define ABUT__ORIGIN_STEP 0x1p-15

// Data of the two fields of a node's weights.
typedef struct abut__cluster_pair {
    double origin[3];   // a multiple of ABUT__ORIGIN_STEP
    double lack;        // the greatest 1 - w; 0: the weight is 1 everywhere
    double turnover;    // sum of w (1 - w)
    double meeting[3];  // sum of w (1 - w) p
    // Boxes of the gradients in triangles: of w (p - o), row by row, and of w; none: empty.
    double slope[2][12];
} abut__cluster_pair;

typedef struct abut__cluster {
    const uint32_t* fields;
    uint32_t field_count;
    uint32_t paired;            // fields that weights make, which come first
    abut__cluster_pair* pairs;  // half as many
    abut__cluster_row* rows;
    double count;         // of vertices
    double spread[3][3];  // sum of (p - mean)(p - mean)^T
    abut__place place;
} abut__cluster;

// Starts an empty cluster for these fields; rows, and pairs unless there are no weights, are the
// caller's memory.
void abut__cluster_start(abut__cluster* cluster, const abut__units* units, const uint32_t* fields,
                         uint32_t field_count, abut__cluster_row* rows, abut__cluster_pair* pairs);
// Find the origins of an empty cluster. Call one of the first two for all vertices, or for all
// parts, whose origins are known. Then the third sets the origins; `box` is for weights that are
// constant.
void abut__cluster_meet_vertex(abut__cluster* cluster, const abut__units* units, uint32_t vertex);
void abut__cluster_meet(abut__cluster* cluster, const abut__cluster* part);
void abut__cluster_centre(abut__cluster* cluster, const double box[2][3]);
// Computes the displacements of a vertex by the cluster's fields.
void abut__cluster_displacements(const abut__cluster* cluster, const abut__units* units,
                                 uint32_t vertex, double (*out)[3]);
// Add a vertex (one displacement per field), or another cluster, whose fields must all be listed.
void abut__cluster_add_vertex(abut__cluster* cluster, const double position[3],
                              const double (*displacement)[3]);
void abut__cluster_add(abut__cluster* cluster, const abut__cluster* part);
// Fits the maps, but not radius and errors: see below.
void abut__cluster_fit(abut__cluster* cluster);
// Computes the residual of a vertex for the k-th field; returns an upper bound of it and of all its
// terms.
double abut__cluster_residual(const abut__cluster* cluster, uint32_t k, const double offset[3],
                              const double displacement[3], double out[3]);
// Make radius and errors cover a vertex, or a part whose own ones are computed.
void abut__cluster_cover_vertex(abut__cluster* cluster, const double position[3],
                                const double (*displacement)[3]);
void abut__cluster_cover(abut__cluster* cluster, const abut__cluster* part);

// The first two add the gradients of weights in a triangle, or in a part. The third replaces maps
// by the middle of the gradients, which is nearest to the farthest of them. It does not update the
// errors.
void abut__cluster_slope_triangle(abut__cluster* cluster, const abut__units* units,
                                  const uint32_t vertex[3]);
void abut__cluster_slope(abut__cluster* cluster, const abut__cluster* part);
void abut__cluster_aim(abut__cluster* cluster);

// A cluster in the layout of kernels: rows of floats over fields, `stride` of them (a multiple of
// 16).
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
// Returns rows for the fields and origins of another cluster: the sketch's own, or rows in `room`.
const float* abut__sketch_rows(const abut__sketch* sketch, const abut__cluster* wanted,
                               float* room);

// Returns a lower bound of the distance of any two vertices of two clusters along some direction; 0:
// there is none that is good.
double abut__places_gap(const abut__place* x, const abut__place* y);
// Returns whether a plane separates two clusters; see abut__far_geometry. *gap gets a lower bound
// of the distance of any two of their vertices along its normal.
bool abut__places_apart(const abut__place* x, const abut__place* y, abut__far_geometry* geometry,
                        double* gap);

#endif
