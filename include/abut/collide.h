// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Collision: which triangles touch, or are at most a margin apart, between bodies and within one.
// query.h has the rules that all questions share.
#ifndef ABUT_COLLIDE_H
#define ABUT_COLLIDE_H

#include "query.h"

ABUT_EXTERN_C_BEGIN

/// Receives pairs in portions, on the calling thread. Each portion is sorted; their order does not
/// depend on the number of threads. `intersections` is NULL unless the query computes them.
/// Returning false stops the query: abut_collide_result_stopped().
typedef bool (*abut_pair_fn)(void* user, const abut_pair* pairs,
                             const abut_intersection* intersections, size_t count);

/// A receiver of pairs.
typedef struct abut_pair_callback {
    abut_pair_fn fn;  ///< NULL: pairs are gathered in the result [NULL]
    void* user;       ///< passed to fn [NULL]
} abut_pair_callback;

/// Where a traversal stopped: the pairs of nodes and blocks at which the last query ended. The next
/// query starts there instead of at the roots, and continues there if a budget ran out. For flight
/// bodies it also stores until when each pair stays apart, so that a step of time visits only what
/// changes. Answers do not depend on it. One query at a time.
typedef struct abut_front abut_front;
/// Creates an empty front.
ABUT_API abut_status abut_front_create(abut_context* context, abut_front** front,
                                       abut_error* error);
/// Destroys a front; NULL is fine.
ABUT_API void abut_front_destroy(abut_front* front);
/// Empties the front: the next query starts at the roots.
ABUT_API void abut_front_clear(abut_front* front);
/// Returns how many pairs of nodes and blocks an ABUT_INCOMPLETE query has not visited yet; 0 if it
/// visited all.
ABUT_API size_t abut_front_pending(const abut_front* front);

/// Settings of collision queries. Start from abut_collide_def_default(), then change fields.
typedef struct abut_collide_def {
    abut_query_head head;
    double margin;  ///< triangles at most this far apart count, decided exactly; finite, >= 0 [0]
    bool any;       ///< stop at the first pair: only abut_collide_result_found() is set; not with a
                    ///< callback [false]
    bool include_neighbours;  ///< within a body: also pairs that share a vertex, if they share more
        ///< than that; refused between bodies: see abut_collide_self() [false]
    bool intersections;  ///< also compute what each pair shares [false]
    abut_filter filter;
    abut_pair_callback callback;
    abut_front* front;  ///< where to start and what to store; NULL: from the roots [NULL]
    uint64_t budget;    ///< return ABUT_INCOMPLETE after about this many box tests; repeat the call
        ///< with the same front to continue; it starts over if a body moved; needs a
        ///< front; 0: no limit [0]
    abut_culling culling;  ///< Voronoi: not with a front
} abut_collide_def;
ABUT_API abut_collide_def abut_collide_def_default(void);

/// The answer of a collision query: see query.h.
typedef struct abut_collide_result abut_collide_result;
/// Creates an empty result.
ABUT_API abut_status abut_collide_result_create(abut_context* context, abut_collide_result** result,
                                                abut_error* error);
/// Destroys a result; NULL is fine.
ABUT_API void abut_collide_result_destroy(abut_collide_result* result);
/// Returns whether anything was found: also after `any`, with a callback, and for the part that an
/// incomplete query has visited.
ABUT_API bool abut_collide_result_found(const abut_collide_result* result);
/// Returns the pairs, sorted by (body_a, body_b, triangle_a, triangle_b). NULL if there are none.
ABUT_API const abut_pair* abut_collide_result_pairs(const abut_collide_result* result,
                                                    size_t* count);
/// Returns what each pair shares, in world coordinates, in the order of the pairs. A pair that is
/// only within the margin shares nothing: its own count is 0. NULL if there are no pairs or the
/// query did not compute them.
ABUT_API const abut_intersection* abut_collide_result_intersections(
    const abut_collide_result* result, size_t* count);
/// Returns whether a callback stopped the query.
ABUT_API bool abut_collide_result_stopped(const abut_collide_result* result);

/// Finds all pairs of triangles of two bodies that share a point, or are at most `margin` apart. A
/// body wholly inside another one does not collide with it: see contains.h. Returns ABUT_INCOMPLETE
/// if the budget ran out: the result has the pairs that this call found, the front stores the rest.
ABUT_API abut_status abut_collide(const abut_scene* scene, abut_body_id a, abut_body_id b,
                                  const abut_collide_def* def, abut_collide_result* result,
                                  abut_error* error);

/// Finds all pairs of triangles within one body that share a point, or are at most `margin` apart,
/// and share no vertex. Vertices of one class (mesh.h) are one vertex here.
///
/// With `include_neighbours` also pairs that share a vertex, if they overlap beyond what they share
/// by the mesh. Two triangles with one or two common vertices share that point, or the segment
/// between the two. The pair is found exactly if the triangles have another point in common. So it
/// is found if it is folded flat over the edge, overlaps in its plane, or continues along an edge or
/// through a face. Triangles with the same corners, in any order, coincide and are always found,
/// with or without an area. A `margin` does not widen neighbours. `intersections` gives all that the
/// two have in common. If vertices of one class were moved apart, the point or segment is where the
/// triangle with the lower number has it, and triangles with the same corners are found only if each
/// corner is where the other triangle has it.
ABUT_API abut_status abut_collide_self(const abut_scene* scene, abut_body_id body,
                                       const abut_collide_def* def, abut_collide_result* result,
                                       abut_error* error);

/// abut_collide() for all pairs of bodies whose groups and masks agree and that are not both
/// static.
ABUT_API abut_status abut_collide_all(const abut_scene* scene, const abut_collide_def* def,
                                      abut_collide_result* result, abut_error* error);

/// abut_collide_self() for all bodies that are not static.
ABUT_API abut_status abut_collide_self_all(const abut_scene* scene, const abut_collide_def* def,
                                           abut_collide_result* result, abut_error* error);

ABUT_EXTERN_C_END

#endif
