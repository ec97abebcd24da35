// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// The overlap of a region: directions that are worth trying, and the shift that each needs.
#ifndef ABUT_DEPTH_OVERLAP_H
#define ABUT_DEPTH_OVERLAP_H

#include "abut/query.h"
#include "base/memory.h"
#include "body/body.h"
#include "depth/farthest.h"
#include "depth/shift_interval.h"

struct abut__projection;

typedef ABUT__VECTOR(double[3]) abut__overlap_points;

// A point of a connected piece that is wholly inside the other body. While the piece touches
// nothing, it is inside exactly if this point is.
typedef struct abut__inside_piece {
    int side;
    double point[3];
} abut__inside_piece;

// The geometry of a region, in the world. For each body: its triangles, and its points in the other
// body, which are inside vertices and points where the surfaces intersect.
typedef struct abut__overlap {
    const abut_context* context;
    ABUT__VECTOR(double[3][3]) triangles[2];
    abut__overlap_points points[2];           // vertices first
    size_t vertex_count[2];                   // number of vertices among the points
    ABUT__VECTOR(abut__inside_piece) pieces;  // pieces that are wholly inside
    bool all[2];                              // triangles and points are those of the whole body,
    bool same[2];                             // and were so for the last region
    bool has_triangles;                       // otherwise only the points are there
    // instead of points: all vertices of this body; NULL: there are points
    const abut__body* body[2];
    abut_counters* counters;     // may be NULL
    abut__farthest farthest[2];  // the points, by abut__overlap_prepare()
    // of the triangles, by abut__overlap_prepare_triangles():
    bool has_normals[2];
    abut__overlap_points areas[2];  // their normals, as long as twice their areas
    double normal[2][3];            // their sum
    bool has_centre[2];             // the next is set
    double centre[2][3];            // the mean of the points
    double size[2];                 // the greatest coordinate of a vertex of the region
    bool contained;                 // the region has only such pieces: nothing intersects
    double tolerance;               // error bound of shifts
    ABUT__VECTOR(abut__shift_interval) intervals;
    ABUT__VECTOR(struct abut__projection) projections;  // of the triangles, a's first
} abut__overlap;

// A direction to move a along.
typedef struct abut__overlap_candidate {
    double direction[3];
    double width;  // of the overlap along it, or the shift that the triangles need
} abut__overlap_candidate;

enum { ABUT__OVERLAP_CANDIDATES = 6 };

// Prepares a side after its points were set; the calls below need it. False: no memory.
bool abut__overlap_prepare(abut__overlap* o, int side);
// The same of its triangles. Calls for the width of the overlap, for directions by it and for the
// deepest point need the points alone; all others need both. False: no memory.
bool abut__overlap_prepare_triangles(abut__overlap* o, int side);
// Whether the region has a piece of a side that is wholly inside.
static inline bool abut__overlap_has_piece(const abut__overlap* o, int side) {
    bool found = false;
    for (size_t i = 0; i < o->pieces.count && !found; ++i) {
        found = o->pieces.data[i].side == side;
    }
    return found;
}

// Returns the direction of the surfaces' mean normals, refined until the overlap is narrowest along
// it. It is the best one for most regions. False: both mean normals vanish or lead through.
bool abut__overlap_first_candidate(const abut__overlap* o, abut__overlap_candidate* candidate);
// Returns the width of the overlap along a direction; INFINITY: it leads through rather than out.
double abut__overlap_width(const abut__overlap* o, const double direction[3]);
// Returns the direction of the last call, or (`turn`) one near it along which the overlap is
// narrower.
void abut__overlap_follow(const abut__overlap* o, const double last[3], bool turn,
                          abut__overlap_candidate* candidate);
// Returns a vector's direction, turned while the overlap gets narrower.
void abut__overlap_turn(const abut__overlap* o, const double from[3],
                        abut__overlap_candidate* candidate);
// Returns the mean normals' direction that leads a out of b. `outward` is 1 if normals point out of
// the body, or -1.
void abut__overlap_outward(const abut__overlap* o, int outward, double out[3]);
// Returns the unit normal of a side's largest triangle, times a sign. False: no triangle has an area.
bool abut__overlap_largest_normal(const abut__overlap* o, int side, double sign, double out[3]);
// Finds the directions with the narrowest overlap, narrowest first. Returns their number.
uint32_t abut__overlap_candidates(const abut__overlap* o,
                                  abut__overlap_candidate candidates[ABUT__OVERLAP_CANDIDATES]);

// Whether the parts that were inside are outside after a shift along a direction.
typedef bool (*abut__overlap_test)(const void* user, const double direction[3], double shift);
// Finds the directions with the shortest shifts (see abut__overlap_shift) that pass the test. For
// regions in several places, where the width of the overlap means little. False: no memory.
bool abut__overlap_gap_candidates(abut__overlap* o, abut__overlap_test is_out, const void* user,
                                  abut__overlap_candidate candidates[ABUT__OVERLAP_CANDIDATES],
                                  uint32_t* count);

// Finds the shortest shift of a along a direction for which no triangle of a touches one of b, in
// plain doubles; INFINITY if it is above `limit`. False: no memory.
bool abut__overlap_shift(abut__overlap* o, const double direction[3], double limit, double* shift);
// Returns the shift after which a plane across the direction separates all triangles.
double abut__overlap_plane_shift(const abut__overlap* o, const double direction[3]);
// Returns the point of a body in the other one that is farthest along a direction. Uses the
// vertices if there are any, otherwise the intersection points.
void abut__overlap_deepest(const abut__overlap* o, int side, const double direction[3],
                           double out[3]);

void abut__overlap_free(abut__overlap* o);

#endif
