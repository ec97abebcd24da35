// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// All pairs of triangles that are at most a distance apart, each with its distance and closest
// points. nearest.h says how distances are measured, query.h has the rules that all questions
// share.
#ifndef ABUT_WITHIN_H
#define ABUT_WITHIN_H

#include "nearest.h"

ABUT_EXTERN_C_BEGIN

/// Settings of within queries. Start from abut_within_def_default(), then change fields.
typedef struct abut_within_def {
    abut_query_head head;
    double distance;     ///< pairs at most this far apart, decided exactly; finite, >= 0 [0]
    bool any;            ///< stop at the first pair: only abut_within_result_found() is set [false]
    abut_filter filter;  ///< the body with the lower index comes first
    abut_culling culling;
} abut_within_def;
ABUT_API abut_within_def abut_within_def_default(void);

/// The answer of a within query: see query.h.
typedef struct abut_within_result abut_within_result;
/// Creates an empty result.
ABUT_API abut_status abut_within_result_create(abut_context* context, abut_within_result** result,
                                               abut_error* error);
/// Destroys a result; NULL is fine.
ABUT_API void abut_within_result_destroy(abut_within_result* result);
/// Returns the pairs, sorted by (body_a, body_b, triangle_a, triangle_b). NULL if there are none.
ABUT_API const abut_distance_pair* abut_within_result_pairs(const abut_within_result* result,
                                                            size_t* count);
/// Returns whether there is a pair; also after `any`, which gives no rows.
ABUT_API bool abut_within_result_found(const abut_within_result* result);

/// Finds all pairs of triangles of two bodies that are at most def->distance apart: the pairs of
/// abut_collide() with that margin. A distance may be rounded to a little more than def->distance.
ABUT_API abut_status abut_within(const abut_scene* scene, abut_body_id a, abut_body_id b,
                                 const abut_within_def* def, abut_within_result* result,
                                 abut_error* error);

/// Finds the same within one body, for triangles that share no vertex, as abut_collide_self() does.
ABUT_API abut_status abut_within_self(const abut_scene* scene, abut_body_id body,
                                      const abut_within_def* def, abut_within_result* result,
                                      abut_error* error);

/// abut_within() for all pairs of bodies whose groups and masks agree and that are not both static.
ABUT_API abut_status abut_within_all(const abut_scene* scene, const abut_within_def* def,
                                     abut_within_result* result, abut_error* error);

ABUT_EXTERN_C_END

#endif
