// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Contours: the segments that pairs of triangles share, chained to polylines along which two
// surfaces, or one with itself, intersect. query.h has the rules that all questions share.
//
// Which segments there are, and which ones continue each other, follows from exact decisions alone.
// A point of a contour is known by what meets there, not by its coordinates: the vertex, edge or face
// of one surface that has the point inside, and that of the other. Neighbouring pairs of triangles
// have this in common, so that rounding never breaks a contour. Two closed surfaces in general
// position have closed contours only.
//
// A segment counts once, even if several pairs share it: an edge that lies in a face of the other
// surface belongs to two triangles. It has the lowest of these pairs then. Triangles that share an
// area give no segment; the outline of the area does, where triangles beside it leave the plane.
// Triangles that share a single point give none, unless one of them has no area and the contour
// passes it: then the segment has length 0. Where three sheets meet in a point, contours cross
// without a point of their own there.
#ifndef ABUT_CONTOUR_H
#define ABUT_CONTOUR_H

#include "query.h"

ABUT_EXTERN_C_BEGIN

/// Why a contour ends.
typedef enum abut_contour_end {
    ABUT_CONTOUR_END_NONE = 0,    ///< it does not: it is closed
    ABUT_CONTOUR_END_BORDER_A,    ///< at an edge of a that only one triangle has
    ABUT_CONTOUR_END_BORDER_B,    ///< the same of b
    ABUT_CONTOUR_END_BRANCH,      ///< three segments or more meet there
    ABUT_CONTOUR_END_AREA,        ///< triangles in one plane overlap there
    ABUT_CONTOUR_END_VERTEX,      ///< within a body: the two sheets come together in a vertex
    ABUT_CONTOUR_END_NEIGHBOURS,  ///< within a body: the next triangles share a vertex, and pairs of
                                  ///< such are not given: see `include_neighbours` in collide.h
    ABUT_CONTOUR_END_DEGENERATE,  ///< at a triangle without area
    ABUT_CONTOUR_END_TOUCH,       ///< the surfaces touch up to there, without crossing
    ABUT_CONTOUR_END_MISSING,     ///< the next pair of triangles is not given, because of tags, a
                                  ///< filter or a budget
} abut_contour_end;

/// A polyline. Closed ones have as many points as segments, and their last segment ends at their
/// first point. Others have one point more than segments.
///
/// Within one body a and b are the two sheets: along a contour triangle_a stays on one of them, even
/// where its number is the greater one. A contour that exchanges the sheets on its way round begins
/// and ends with different ones.
typedef struct abut_contour {
    uint32_t body_a;
    uint32_t body_b;
    uint32_t first_segment;  ///< in abut_contour_result_segments()
    uint32_t segment_count;  ///< at least 1
    uint32_t first_point;    ///< in abut_contour_result_points()
    uint32_t point_count;
    abut_contour_end ends[2];  ///< at its first and at its last point
} abut_contour;

/// The triangles that share a segment.
typedef struct abut_contour_segment {
    uint32_t triangle_a;
    uint32_t triangle_b;
} abut_contour_segment;

/// A point of a contour, and the features of triangle_a and triangle_b of the segment that begins
/// there which have it inside (of the last point of an open contour: of the segment that ends
/// there). An index is that of the corner 0, 1, 2, or of the edge from that corner to the next one;
/// 0 for the face.
///
/// A vertex has the bits of its world position. Other coordinates are those of abut_intersection,
/// with the error that is stated there, and rounded once more in a body's frame where pairs are
/// decided in the shape's own coordinates.
typedef struct abut_contour_point {
    double position[3];  ///< in the world
    abut_feature feature_a;
    uint32_t index_a;
    abut_feature feature_b;
    uint32_t index_b;
} abut_contour_point;

/// Settings of contours. Start from abut_contour_def_default(), then change fields. Of the counters,
/// exact_tests are the pairs, and pairs_found the segments.
typedef struct abut_contour_def {
    abut_query_head head;
} abut_contour_def;
ABUT_API abut_contour_def abut_contour_def_default(void);

/// The contours of a query: see query.h.
typedef struct abut_contour_result abut_contour_result;
/// Creates an empty result.
ABUT_API abut_status abut_contour_result_create(abut_context* context, abut_contour_result** result,
                                                abut_error* error);
/// Destroys a result; NULL is fine.
ABUT_API void abut_contour_result_destroy(abut_contour_result* result);
/// Returns the contours, sorted by their bodies, then by their lowest pairs. NULL if there are none.
ABUT_API const abut_contour* abut_contour_result_contours(const abut_contour_result* result,
                                                          size_t* count);
/// Returns the segments of all contours, one contour after the other. NULL if there are none.
ABUT_API const abut_contour_segment* abut_contour_result_segments(const abut_contour_result* result,
                                                                  size_t* count);
/// Returns the points of all contours, one contour after the other. NULL if there are none.
ABUT_API const abut_contour_point* abut_contour_result_points(const abut_contour_result* result,
                                                              size_t* count);

/// Chains what pairs of triangles share to contours. The pairs are those of a collide query, as
/// abut_collide_result_pairs() returns them: sorted, each once. No body may have changed since. Pairs
/// that do not touch, because the query had a margin, are ignored. There may be none.
///
/// A closed contour begins with its lowest pair. Every contour runs so that its lowest segment has
/// the direction of the cross product of the normals of its triangle_a and triangle_b. If both
/// surfaces are oriented, all segments on which they cross have it.
///
/// Fails with ABUT_ERR_INVALID_ARGUMENT if the pairs are not sorted or name what does not exist. Runs on
/// the calling thread.
ABUT_API abut_status abut_contour_trace(const abut_scene* scene, const abut_pair* pairs,
                                        size_t pair_count, const abut_contour_def* def,
                                        abut_contour_result* result, abut_error* error);

ABUT_EXTERN_C_END

#endif
