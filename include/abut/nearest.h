// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Distance: the closest pairs of triangles, between bodies, for every body, for every triangle.
// query.h has the rules that all questions share.
//
// Distances are those of abut_triangles_distance(), measured with the body of the lower index first
// (abut_body_set_order() can change that; within one body: the triangle of the lower id). A distance is 0 if and only if the triangles
// touch, and otherwise within the bounds stated there. Among pairs whose computed distances are
// equal, the lowest body is taken, then the lowest triangle of the body with the lower index, then
// the lowest other triangle. So answers do not depend on threads, instruction set or earlier
// queries.
//
// Distances are between surfaces: a body wholly inside another one is as far from it as its
// surface.
//
// Where bodies have a thickness (abut_body_set_thickness()) pairs are compared by their gaps, the
// distance less the thickness of both triangles, instead of by their distances.
#ifndef ABUT_NEAREST_H
#define ABUT_NEAREST_H

#include "query.h"

ABUT_EXTERN_C_BEGIN

/// Two triangles, their distance, and where they are closest, in world coordinates.
typedef struct abut_distance_pair {
    uint32_t body_a;
    uint32_t body_b;
    uint32_t triangle_a;
    uint32_t triangle_b;
    double distance;
    /// distance - (a + b), where a and b are the thickness of the triangles: that of their thickest
    /// vertices. The sum and the difference are rounded to doubles. Without thickness it is the
    /// distance. Negative: layers of that thickness around the surfaces overlap, and moving one of
    /// the triangles by so much along the line of the points parts them; the surfaces themselves
    /// touch only if the distance is 0.
    double gap;
    abut_witness a;
    abut_witness b;
} abut_distance_pair;

/// Settings of nearest queries. Start from abut_nearest_def_default(), then change fields. Of the
/// counters, exact_tests are the pairs of triangles whose distances were computed, exact_fallbacks
/// those of them that needed more than plain doubles.
typedef struct abut_nearest_def {
    abut_query_head head;
    double max_distance;   ///< pairs with a greater gap do not count; >= 0 [INFINITY]
    bool any;              ///< stop at the first pair with no greater gap: only
                           ///< abut_nearest_result_found() is set [false]
    abut_filter filter;    ///< the body with the lower index comes first
    abut_culling culling;  ///< the Voronoi diagram is built anew for every query. If a body of the
                           ///< scene has a thickness trees are used instead
} abut_nearest_def;
ABUT_API abut_nearest_def abut_nearest_def_default(void);

/// The answer of a nearest query: see query.h. It also remembers the last answer, whose pairs bound
/// the search for the next one. Use one result for each question that is followed from step to
/// step.
typedef struct abut_nearest_result abut_nearest_result;
/// Creates an empty result.
ABUT_API abut_status abut_nearest_result_create(abut_context* context, abut_nearest_result** result,
                                                abut_error* error);
/// Destroys a result; NULL is fine.
ABUT_API void abut_nearest_result_destroy(abut_nearest_result* result);
/// Empties the result and forgets the last answer. The next answer is the same with and without
/// this; only its cost differs.
ABUT_API void abut_nearest_result_clear(abut_nearest_result* result);
/// Returns the pairs, in the order that the query says. NULL if there are none.
ABUT_API const abut_distance_pair* abut_nearest_result_pairs(const abut_nearest_result* result,
                                                             size_t* count);
/// Returns whether there is a pair; also after `any`, which gives no rows.
ABUT_API bool abut_nearest_result_found(const abut_nearest_result* result);

/// Finds the closest pair of two bodies: one row, of a and b in this order, or none if they are
/// farther apart than def->max_distance.
ABUT_API abut_status abut_nearest(const abut_scene* scene, abut_body_id a, abut_body_id b,
                                  const abut_nearest_def* def, abut_nearest_result* result,
                                  abut_error* error);

/// Finds for every body the closest other one, among those whose groups and masks agree with its own
/// and that are not both static: at most one row for each, ascending by body_a, which is the body
/// in question.
ABUT_API abut_status abut_nearest_all(const abut_scene* scene, const abut_nearest_def* def,
                                      abut_nearest_result* result, abut_error* error);

/// Finds for every triangle of a body the closest triangle of any other body, among the bodies that
/// abut_nearest_all() compares it with: at most one row for each, ascending by triangle_a, which is
/// the triangle in question.
ABUT_API abut_status abut_nearest_triangles(const abut_scene* scene, abut_body_id body,
                                            const abut_nearest_def* def,
                                            abut_nearest_result* result, abut_error* error);

/// Finds for every triangle of a body the closest one of the same body that shares no vertex with
/// it: at most one row for each, ascending by triangle_a, which is the triangle in question.
ABUT_API abut_status abut_nearest_self(const abut_scene* scene, abut_body_id body,
                                       const abut_nearest_def* def, abut_nearest_result* result,
                                       abut_error* error);

ABUT_EXTERN_C_END

#endif
