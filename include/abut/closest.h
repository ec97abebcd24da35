// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Closest points: for many points at once the closest point of a body, or of all bodies of a scene;
// the closest few triangles; all triangles within a distance; signed distances. query.h has the
// rules that all questions share.
//
// Distances are those of a point and a triangle, exact up to the rounding that abut_distance states
// for two triangles: a point is a triangle whose corners are equal. A distance is 0 if and only if
// the point lies on the triangle. Among triangles whose computed distances are equal, the lowest
// body comes first, then the lowest triangle. So answers do not depend on threads, instruction set
// or earlier queries.
//
// Only blocks near a point are evaluated, whatever the motion.
#ifndef ABUT_CLOSEST_H
#define ABUT_CLOSEST_H

#include "contains.h"

ABUT_EXTERN_C_BEGIN

/// A triangle near a point, and its closest point in world coordinates.
typedef struct abut_closest_point {
    uint32_t point;  ///< which one of the points in the call
    uint32_t body;
    uint32_t triangle;
    abut_side side;        ///< of the point with respect to the body, if the def asks for signs;
                           ///< otherwise ABUT_SIDE_UNDEFINED
    double distance;       ///< with signs: negative if the point is inside the body
    abut_witness nearest;  ///< the closest point of the triangle
} abut_closest_point;

/// Decides whether a triangle counts: false excludes it. Called from any thread; the answer must
/// depend on the arguments only.
typedef bool (*abut_closest_filter_fn)(void* user, uint32_t body, uint32_t triangle);

/// A filter of triangles.
typedef struct abut_closest_filter {
    abut_closest_filter_fn fn;  ///< NULL: all triangles count [NULL]
    void* user;                 ///< passed to fn [NULL]
} abut_closest_filter;

/// Settings of closest-point queries. Start from abut_closest_def_default(), then change fields. Of
/// the counters, exact_tests are the distances that were computed, exact_fallbacks those of them
/// that needed more than plain doubles.
typedef struct abut_closest_def {
    abut_query_head head;
    double max_distance;  ///< triangles farther from the point do not count, decided exactly; >= 0
                          ///< [INFINITY]
    uint32_t most;        ///< rows a point: its closest triangles, nearest first. 0: all triangles
                          ///< within max_distance, which must be finite then [1]
    bool sign;            ///< give sides and signed distances [false]
    bool sign_open;   ///< with `sign`: also of surfaces that are not closed. A point is inside if
                      ///< the generalized winding number around it is above 1/2 or below -1/2:
                      ///< see abut_contains_winding_numbers() [false]
    uint64_t groups;  ///< of the points, in queries over a scene: bits of their groups [all]
    uint64_t mask;    ///< bits of the groups that they meet, as abut_body_def has them [all]
    abut_closest_filter filter;
    uint64_t budget;  ///< return ABUT_INCOMPLETE after about this many box tests; 0: no limit. The
                      ///< result has the rows of the first points then: see
                      ///< abut_closest_result_answered(). Some are always answered [0]
} abut_closest_def;
ABUT_API abut_closest_def abut_closest_def_default(void);

/// The answer of a closest-point query: see query.h. It also remembers near which block of a body
/// each point was last, and starts there. Use one result for each batch of points that is followed
/// from step to step.
typedef struct abut_closest_result abut_closest_result;
/// Creates an empty result.
ABUT_API abut_status abut_closest_result_create(abut_context* context, abut_closest_result** result,
                                                abut_error* error);
/// Destroys a result; NULL is fine.
ABUT_API void abut_closest_result_destroy(abut_closest_result* result);
/// Empties the result and forgets the last answer. The next answer is the same with and without
/// this; only its cost differs.
ABUT_API void abut_closest_result_clear(abut_closest_result* result);
/// Returns the rows, sorted by (point, magnitude of the distance, body, triangle). NULL if there
/// are none.
ABUT_API const abut_closest_point* abut_closest_result_points(const abut_closest_result* result,
                                                              size_t* count);

/// Returns how many of the points were answered: all of them, or those before the first one that a
/// budget left out. Call again with the others.
ABUT_API size_t abut_closest_result_answered(const abut_closest_result* result);

/// Finds the closest triangles of a body for each point (world coordinates). There may be no
/// points. Fails with ABUT_ERR_INVALID_DATA if a point or a vertex of the body is not finite;
/// error.index is the number of the vertex, or of the point if error.body is zero.
///
/// With def->sign a point's side is that of abut_contains_points(): decided exactly for closed
/// surfaces, ABUT_SIDE_UNDEFINED, and no sign, for all others, unless def->sign_open is set.
///
/// A point that is very far from the body, compared with its size, takes longer.
ABUT_API abut_status abut_closest(const abut_scene* scene, abut_body_id body, abut_positions points,
                                  const abut_closest_def* def, abut_closest_result* result,
                                  abut_error* error);

/// Finds the same among the triangles of all bodies whose groups and masks agree with those of the
/// def. Sides and signs are with respect to the body of the row alone.
ABUT_API abut_status abut_closest_all(const abut_scene* scene, abut_positions points,
                                      const abut_closest_def* def, abut_closest_result* result,
                                      abut_error* error);

ABUT_EXTERN_C_END

#endif
