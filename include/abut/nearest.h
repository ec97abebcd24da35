// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Proximity: how far it is to the nearest thing, between bodies, for every body, for every
// triangle.
//
// Distances are those of abut_triangles_distance() for the doubles of abut_body_world_vertex()
// (within one body, and between bodies with the same frame: of abut_body_vertex()), measured with
// the body of the lower index first (within one body: the triangle of the lower id): 0 if and only
// if the triangles touch, and otherwise within the bounds stated there. Among pairs whose
// distances, as computed, are equal, the one with the lowest body, then the lowest triangle of the
// body with the lower index, then the lowest other triangle is taken. So answers are the same for
// any number of threads, any instruction set, and whatever was asked before.
//
// Surfaces are what counts: a body wholly inside another one is as far from it as its surface.
#ifndef ABUT_NEAREST_H
#define ABUT_NEAREST_H

#include "query.h"

ABUT_EXTERN_C_BEGIN

/// Two triangles, how far they are apart, and where they are closest, in world coordinates.
typedef struct abut_distance_pair {
    uint32_t body_a;
    uint32_t body_b;
    uint32_t triangle_a;
    uint32_t triangle_b;
    double distance;
    abut_witness a;
    abut_witness b;
} abut_distance_pair;

/// What queries of proximity take. Start from abut_nearest_def_default(), then change fields.
typedef struct abut_nearest_def {
    double max_distance;    ///< what is farther apart is of no interest; >= 0 [INFINITY]
    bool any;               ///< stop at the first pair that is not farther apart: the answer only
                            ///< says whether there is one, abut_nearest_result_found() [false]
    abut_filter_fn filter;  ///< pairs it refuses do not count; may be NULL. The body with the lower
                            ///< index comes first [NULL]
    void* filter_user;
    abut_culling culling;  ///< how near pairs are found; the Voronoi diagram starts from nothing in
                           ///< every step [ABUT_CULLING_TREE]
    uint32_t grid_cells;   ///< as in abut_query_def [0]
    abut_counters*
        counters;     ///< added to, if not NULL; exact_tests are the pairs of triangles whose
                      ///< distances were worked out, exact_fallbacks those of them that took more
                      ///< than plain doubles, hits the gaps found [NULL]
    uint32_t cookie;  ///< set by the default-maker; do not touch
} abut_nearest_def;
ABUT_API abut_nearest_def abut_nearest_def_default(void);

/// The answer of a query, the memory it works in, and what the next one starts from: the pairs that
/// were closest bound the search for those that are so now. Reuse one for the same question from
/// step to step; then it also allocates nothing after the first steps. One query at a time; its
/// array is valid until the next query with it.
typedef struct abut_nearest_result abut_nearest_result;
ABUT_API abut_status abut_nearest_result_create(abut_context* context, abut_nearest_result** gaps,
                                                abut_error* error);
ABUT_API void abut_nearest_result_destroy(abut_nearest_result* gaps);
/// Forgets what was found: the next query starts from nothing. Answers do not depend on it.
ABUT_API void abut_nearest_result_clear(abut_nearest_result* gaps);
/// The gaps found, in the order that the query says. NULL if there are none.
ABUT_API const abut_distance_pair* abut_nearest_result_pairs(const abut_nearest_result* gaps,
                                                             size_t* count);
/// Whether there are any, or, after `any`, whether there is one.
ABUT_API bool abut_nearest_result_found(const abut_nearest_result* gaps);
/// After ABUT_ERR_INVALID_DATA: which vertex of which body was not finite.
ABUT_API void abut_nearest_result_bad_vertex(const abut_nearest_result* gaps, abut_body_id* body,
                                             uint32_t* vertex);

/// The distance of two bodies: one gap, of a and b in this order, or none if nothing is within
/// def->within. `def` may be NULL for the defaults. Groups and masks are not asked. a == b is an
/// error: see abut_nearest_self().
ABUT_API abut_status abut_nearest(const abut_scene* scene, abut_body_id a, abut_body_id b,
                                  const abut_nearest_def* def, abut_nearest_result* gaps);

/// For every body the closest other one, among those whose groups and masks agree with its own and
/// that are not both static: at most one gap for each, body_a is the body asked about, in ascending
/// order.
ABUT_API abut_status abut_nearest_all(const abut_scene* scene, const abut_nearest_def* def,
                                      abut_nearest_result* gaps);

/// For every triangle of a body the closest triangle of any other body (as above): at most one gap
/// for each, triangle_a is the triangle asked about, in ascending order.
ABUT_API abut_status abut_nearest_triangles(const abut_scene* scene, abut_body_id a,
                                            const abut_nearest_def* def, abut_nearest_result* gaps);

/// For every triangle of a body the closest one of the same body that shares no vertex with it: at
/// most one gap for each, triangle_a is the triangle asked about, in ascending order.
ABUT_API abut_status abut_nearest_self(const abut_scene* scene, abut_body_id a,
                                       const abut_nearest_def* def, abut_nearest_result* gaps);

/// All pairs of triangles of two bodies that are at most def->within (finite) apart, with their
/// distances, sorted by (triangle_a, triangle_b). Which pairs these are is decided exactly, as by
/// abut_collide() with that margin; a distance may be rounded to a little more than it. a == b:
/// pairs within one body that share no vertex, as by abut_collide_self().
ABUT_API abut_status abut_within(const abut_scene* scene, abut_body_id a, abut_body_id b,
                                 const abut_nearest_def* def, abut_nearest_result* gaps);

/// The same for all pairs of bodies, as by abut_collide_all(), sorted by (body_a, body_b,
/// triangle_a, triangle_b).
ABUT_API abut_status abut_within_all(const abut_scene* scene, const abut_nearest_def* def,
                                     abut_nearest_result* gaps);

ABUT_EXTERN_C_END

#endif
