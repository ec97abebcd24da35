// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// All pairs of triangles that are at most a distance apart, each with its distance and closest
// points; and all pairs of features that are: vertices with faces, and edges with edges. nearest.h
// says how distances are measured, query.h has the rules that all questions share.
#ifndef ABUT_WITHIN_H
#define ABUT_WITHIN_H

#include "collide.h"
#include "nearest.h"

ABUT_EXTERN_C_BEGIN

/// Settings of within queries. Start from abut_within_def_default(), then change fields.
typedef struct abut_within_def {
    abut_query_head head;
    /// Pairs count that are at most this far apart, plus the thickness of both
    /// (abut_body_set_thickness()). That is decided exactly. Finite, >= 0 [0]
    double distance;
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

/// A vertex and a face, or two edges, that are at most a distance apart. `vertices_a` are the
/// vertices of what belongs to body a: one, or three in the order of the triangle, or the two of an
/// edge, the lower number first. `weights_a` says where on it the closest point is: the sum of the
/// vertices with these weights, which are in 0 .. 1 and sum to 1 within 2^-50. Unused entries are
/// UINT32_MAX and 0. `triangle_a` is the face, or the lowest triangle that has the vertex or edge.
/// Within one body a vertex comes before a face, and of two edges that with the lower numbers.
typedef struct abut_feature_pair {
    uint32_t body_a;
    uint32_t body_b;
    uint32_t triangle_a;
    uint32_t triangle_b;
    abut_contact_kind kind;
    abut_feature closest_a;  ///< of the face or edge, the part that has the closest point: the
                             ///< vertices with weights that are not 0
    abut_feature closest_b;
    uint32_t vertices_a[3];
    uint32_t vertices_b[3];
    double weights_a[3];
    double weights_b[3];
    /// In world coordinates, of unit length, from b to a. Of features that touch it is the normal of
    /// the face by the order of its corners, or orthogonal to both edges; 0 if they have none. It is
    /// also 0 where the distance is below 2^-48 of the features' extent and the difference of the
    /// closest points rounds to 0.
    double normal[3];
    /// The rounded square of the distance that abut_triangles_distance() gives, within the bounds
    /// of abut_distance, for triangles with equal corners: 0 if and only if the features touch.
    double distance_sq;
} abut_feature_pair;

/// Settings of feature queries. Start from abut_features_def_default(), then change fields. Of the
/// counters, exact_tests are the pairs of features whose distances were computed, exact_fallbacks
/// those of them that needed more than plain doubles.
typedef struct abut_features_def {
    abut_query_head head;
    /// Pairs count that are at most this far apart, plus the thickness of both
    /// (abut_body_set_thickness()). That is decided exactly. Finite, >= 0 [0]
    double distance;
    bool any;  ///< stop at the first pair: only abut_features_result_found() is set [false]
    abut_filter filter;  ///< gets triangle_a and triangle_b, within one body the lower one first
    abut_front*
        front;  ///< where to start and what to store: see collide.h; NULL: from the roots [NULL]
    uint64_t budget;  ///< return ABUT_INCOMPLETE after about this many box tests; repeat the call
        ///< with the same front to continue; it starts over if a body moved or its thickness was set;
        ///< needs a front; 0: no limit [0]
} abut_features_def;
ABUT_API abut_features_def abut_features_def_default(void);

/// The answer of a feature query: see query.h.
typedef struct abut_features_result abut_features_result;
/// Creates an empty result.
ABUT_API abut_status abut_features_result_create(abut_context* context,
                                                 abut_features_result** result, abut_error* error);
/// Destroys a result; NULL is fine.
ABUT_API void abut_features_result_destroy(abut_features_result* result);
/// Returns whether there is a pair; also after `any`, which gives no rows.
ABUT_API bool abut_features_result_found(const abut_features_result* result);
/// Returns the pairs, sorted by (body_a, body_b, kind, feature of a, feature of b): vertices by
/// their numbers, faces by those of their triangles, edges by both vertices. NULL if there are
/// none.
ABUT_API const abut_feature_pair* abut_features_result_pairs(const abut_features_result* result,
                                                             size_t* count);

/// Finds all pairs of a vertex and a face, and of two edges, of two bodies that are at most
/// def->distance apart, each once. A vertex counts if a triangle has it; an edge counts if its ends
/// are two vertices. The list is complete, whatever the motion: a distance equal to def->distance
/// counts, and one that is greater by any amount does not. A distance may be rounded to a little more
/// than def->distance. Returns ABUT_INCOMPLETE if the budget ran out: the result has the rows that
/// this call found, and the front stores the rest. All calls together find each row once.
ABUT_API abut_status abut_features(const abut_scene* scene, abut_body_id a, abut_body_id b,
                                   const abut_features_def* def, abut_features_result* result,
                                   abut_error* error);

/// Finds the same within one body, for features that share no vertex. Vertices of one class (mesh.h)
/// are one vertex here. Unlike abut_within_self() it also looks at triangles that share a vertex:
/// a vertex and a face of such triangles may be near.
ABUT_API abut_status abut_features_self(const abut_scene* scene, abut_body_id body,
                                        const abut_features_def* def, abut_features_result* result,
                                        abut_error* error);

/// abut_features() for all pairs of bodies whose groups and masks agree and that are not both static.
ABUT_API abut_status abut_features_all(const abut_scene* scene, const abut_features_def* def,
                                       abut_features_result* result, abut_error* error);

/// abut_features_self() for all bodies that are not static.
ABUT_API abut_status abut_features_self_all(const abut_scene* scene, const abut_features_def* def,
                                            abut_features_result* result, abut_error* error);

ABUT_EXTERN_C_END

#endif
