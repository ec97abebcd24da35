// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Experimental: contact intervals, that is when triangles touch in an animation of flight bodies.
// query.h has the rules that all questions share.
#ifndef ABUT_INTERVALS_H
#define ABUT_INTERVALS_H

#include "query.h"

#ifndef ABUT_NO_EXPERIMENTAL

ABUT_EXTERN_C_BEGIN

/// A contact interval: the times at which two triangles of an animation touch. Within one body
/// body_a == body_b and triangle_a < triangle_b.
typedef struct abut_contact_interval {
    uint32_t body_a;
    uint32_t body_b;
    uint32_t triangle_a;
    uint32_t triangle_b;
    double start;
    double stop;
} abut_contact_interval;

/// Settings of interval queries. Start from abut_intervals_def_default(), then change fields.
typedef struct abut_intervals_def {
    abut_query_head head;
    double tolerance;  ///< at least ABUT_TOLERANCE_MIN, at most 1: see exact.h
                       ///< [ABUT_TOLERANCE_DEFAULT]
    abut_filter filter;
} abut_intervals_def;
ABUT_EXPERIMENTAL ABUT_API abut_intervals_def abut_intervals_def_default(void);

/// The answer of an interval query: see query.h.
typedef struct abut_intervals_result abut_intervals_result;
/// Creates an empty result.
ABUT_EXPERIMENTAL ABUT_API abut_status abut_intervals_result_create(abut_context* context,
                                                                    abut_intervals_result** result,
                                                                    abut_error* error);
/// Destroys a result; NULL is fine.
ABUT_EXPERIMENTAL ABUT_API void abut_intervals_result_destroy(abut_intervals_result* result);
/// Returns the intervals, sorted by (triangle_a, triangle_b, start). NULL if there are none.
ABUT_EXPERIMENTAL ABUT_API const abut_contact_interval* abut_intervals_result_intervals(
    const abut_intervals_result* result, size_t* count);

/// Finds all intervals between `from` and `to` (finite, from < to) in which two triangles touch. At
/// least one body is a flight body with two keyframes or more and follows them; others stay as they
/// are; all keep their frames. Neither time nor state of a flight body with several keyframes
/// matters, and nothing is changed. Vertices move straight between where abut_body_vertex() has
/// them at `from`, at each keyframe of either body, and at `to` (abut_body_world_vertex() if the
/// frames differ).
///
/// Every instant of contact lies in an interval of its pair: `start` is never late and `stop` never
/// early, except where `from` or `to` cuts it. Any instant of an interval without contact is within
/// dt of one at which the triangles are as close as the tolerance, V dt <= tolerance / 2, V the
/// greatest speed. Intervals of a pair are never closer than dt; while features slide in one plane,
/// gaps below 1/64 of a segment may be included.
///
/// Costs about as much as sweeps from keyframe to keyframe, at most twice that with much contact, and
/// runs on the tasks of the context. ABUT_ERR_INVALID_ARGUMENT: no body has two keyframes. ABUT_ERR_STATE: a body has
/// plans. ABUT_ERR_INVALID_DATA: a keyframe is not finite or above 1e37. In the last two cases
/// error.body names the body; the vertex is not named.
ABUT_EXPERIMENTAL ABUT_API abut_status abut_intervals(const abut_scene* scene, abut_body_id a,
                                                      abut_body_id b, double from, double to,
                                                      const abut_intervals_def* def,
                                                      abut_intervals_result* result,
                                                      abut_error* error);
/// Finds the same within one flight body of two keyframes or more, between triangles that share no
/// vertex.
ABUT_EXPERIMENTAL ABUT_API abut_status abut_intervals_self(const abut_scene* scene,
                                                           abut_body_id body, double from,
                                                           double to, const abut_intervals_def* def,
                                                           abut_intervals_result* result,
                                                           abut_error* error);

ABUT_EXTERN_C_END

#endif

#endif
