// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Containment: on which side of a closed surface points and bodies are. query.h has the rules that
// all questions share.
//
// A surface is closed if every edge is used as often in one direction as in the other. Open
// surfaces and surfaces of mixed orientation have no inside: the answer is ABUT_SIDE_UNDEFINED,
// never a guess. Vertices of one class count as one vertex: they must be at one place. A point is
// inside if the winding number of the surface around it is not 0. So a surface may cut itself, and
// its normals may point inwards.
#ifndef ABUT_CONTAINS_H
#define ABUT_CONTAINS_H

#include "query.h"

ABUT_EXTERN_C_BEGIN

/// Where a point or a body is with respect to a closed surface.
typedef enum abut_side {
    ABUT_SIDE_OUTSIDE = 0,  ///< outside
    ABUT_SIDE_INSIDE,       ///< inside
    ABUT_SIDE_SURFACE,      ///< the point lies on the surface, or the surfaces touch
    ABUT_SIDE_PARTLY,       ///< some pieces of a body are inside, others are not
    ABUT_SIDE_UNDEFINED,    ///< the surface is open or of mixed orientation: it has no inside
} abut_side;

/// Settings of containment queries. Start from abut_contains_def_default(), then change fields.
typedef struct abut_contains_def {
    abut_query_head head;
} abut_contains_def;
ABUT_API abut_contains_def abut_contains_def_default(void);

/// The answer of a containment query: see query.h.
typedef struct abut_contains_result abut_contains_result;
/// Creates an empty result.
ABUT_API abut_status abut_contains_result_create(abut_context* context,
                                                 abut_contains_result** result, abut_error* error);
/// Destroys a result; NULL is fine.
ABUT_API void abut_contains_result_destroy(abut_contains_result* result);
/// Returns the side of each point, in the order of the points, or the one side of a body. NULL if
/// there are none.
ABUT_API const abut_side* abut_contains_result_sides(const abut_contains_result* result,
                                                     size_t* count);
/// Returns the winding number of the surface around each point: 1 inside a simple surface with its
/// normals outwards, -1 if they point inwards; 0 for every other side. NULL if there are none, or
/// if the query was about a body.
ABUT_API const int32_t* abut_contains_result_windings(const abut_contains_result* result,
                                                      size_t* count);

/// Returns the generalized winding number of each point, in the order of the points. NULL if there
/// are none, or after other queries.
ABUT_API const double* abut_contains_result_winding_numbers(const abut_contains_result* result,
                                                            size_t* count);

/// Finds on which side of a body's surface each point (world coordinates) is. There may be no
/// points. Fails with ABUT_ERR_INVALID_DATA if a point or a vertex of the body is not finite;
/// error.index is the number of the vertex, or of the point if error.body is zero.
ABUT_API abut_status abut_contains_points(const abut_scene* scene, abut_body_id body,
                                          abut_positions points, const abut_contains_def* def,
                                          abut_contains_result* result, abut_error* error);

/// Computes the generalized winding number of a body's surface around each point: the sum of the
/// solid angles of its triangles, seen from the point, over 4 pi. The surface may be open and of mixed
/// orientation. Around a closed surface it is the winding number, which is an integer, and the
/// wider a surface is open, the farther it is from one: at least 1/2 is often taken for the inside.
///
/// Pieces of the surface are replaced by others with the same boundary that are seen under the same
/// angle, so that only rounding makes an error. With n triangles, the distance h of the point from the
/// nearest edge of a triangle, and the greatest length l of an edge, it is at most
/// 2^-48 n (1 + l / h). A point in the plane of a triangle sees none of that triangle, so on the
/// surface the number is the mean of both sides. Other C libraries may round angles differently in the
/// last place.
///
/// Arguments and failures are those of abut_contains_points(). The result has numbers, and no sides.
ABUT_API abut_status abut_contains_winding_numbers(const abut_scene* scene, abut_body_id body,
                                                   abut_positions points,
                                                   const abut_contains_def* def,
                                                   abut_contains_result* result, abut_error* error);

/// Finds on which side of `outer` the whole of `inner` is. Bodies whose triangles touch are
/// ABUT_SIDE_SURFACE. If the surface of `outer` is open the side is ABUT_SIDE_UNDEFINED, also where
/// they touch; that of `inner` may be open.
ABUT_API abut_status abut_contains_body(const abut_scene* scene, abut_body_id outer,
                                        abut_body_id inner, const abut_contains_def* def,
                                        abut_contains_result* result, abut_error* error);

ABUT_EXTERN_C_END

#endif
